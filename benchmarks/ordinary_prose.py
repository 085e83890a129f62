"""How quiet is a check on ordinary prose? Flagged passages in documentation, fiction and news.

Documentation: the descriptions of all installed packages, and the documents that Debian's packages
put below /usr/share/doc. With $TACTFUL_DATA also sentences of public-domain fiction (OPUS Books)
and of news. Nothing here was labelled: a flagged passage may deserve it.
"""

import argparse
import csv
import gzip
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from factory.english.documentation import documentation
from factory.english.sources import news_rows

import tactful
from results import machine_line, table, write_page
from tactful.documents.document import document_of
from tactful.documents.language import guess_language

NEWS, PARALLEL = "more/en_news_unlabelled.csv", "more/es_en_parallel.csv"
DEBIAN = Path("/usr/share/doc")
DOCUMENTS = ("README*", "NEWS*", "FAQ*", "*.md", "*.rst")
MOST, TOGETHER = 6000, 250
LEAST_WORDS = 3
LARGEST = 200_000


def debian() -> list[str]:
    """Return English passages of the documents below /usr/share/doc, each once."""
    found: dict[str, None] = {}
    for path in sorted({each for pattern in DOCUMENTS for each in DEBIAN.rglob(pattern)}):
        if not path.is_file() or path.stat().st_size > LARGEST:
            continue
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = raw.decode("utf-8", "replace")
        if "\0" in text or guess_language(text[:4000]) != "en":
            continue
        kind: Any = "markdown" if ".md" in path.name else "rst" if ".rst" in path.name else "plain"
        passages = (segment.text for segment in document_of(text, kind).segments)
        found |= dict.fromkeys(each for each in passages if len(each.split()) >= LEAST_WORDS)
    return sorted(found)


def fiction(data: Path) -> list[str]:
    """Return the English sentences of OPUS Books."""
    with (data / PARALLEL).open(encoding="utf-8", newline="") as file:
        rows = [row["en"] for row in csv.DictReader(file) if row["source"] == "opus_books"]
    return [text for text in rows if len(text.split()) >= LEAST_WORDS]


def sample(texts: Sequence[str]) -> Sequence[str]:
    """Return at most ``MOST`` texts, spread evenly."""
    return texts[:: -(-len(texts) // MOST)]


def flagged(checker: tactful.Checker, texts: Sequence[str]) -> Iterator[bool]:
    """Say of each passage whether anything is reported in it."""
    for at in range(0, len(texts), TOGETHER):
        lines = [" ".join(text.split()) for text in texts[at : at + TOGETHER]]
        report = checker.check_document(document_of("\n\n".join(lines)))
        yield from (bool(findings) for _, findings in report.by_passage())


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    kinds = {
        "descriptions of packages (thresholds were raised on them)": documentation(),
        "documents of Debian packages": sample(debian()),
    }
    if data := os.environ.get("TACTFUL_DATA"):
        kinds["fiction (OPUS Books)"] = fiction(Path(data))
        news = [row.text for row in news_rows(Path(data) / NEWS)]
        kinds["news (thresholds were raised on it)"] = sample(news)
    rows = []
    for model in given.model or ["default", "fast", "open", "open-fast"]:
        for terms in ("off", "default"):
            settings: dict[str, Any] = {"model": model, "lang": "en", "frames": "off"}
            checker = tactful.Checker(**settings, terms=terms)
            for kind, texts in kinds.items():
                answers = list(flagged(checker, texts))
                share = 1000 * sum(answers) / len(answers)
                rows.append([model, terms, kind, len(answers), sum(answers), round(share, 1)])
    write_page(
        "ordinary-prose",
        "How quiet is a check on ordinary prose?",
        "Passages with a finding at the default settings, without and with the terms of style "
        "guides. Nobody labelled these texts, so some of the findings are right.\n\n"
        + table(["detector", "terms", "kind", "passages", "flagged", "of 1,000"], rows)
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/ordinary_prose.py`",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
