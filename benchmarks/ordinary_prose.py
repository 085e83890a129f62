"""How quiet is a check on ordinary prose? Flagged passages in documentation, fiction and news.

Documentation: the descriptions of all installed packages, and the documents that Debian's packages
put below /usr/share/doc. Literature: the quotations of Debian's package ``fortunes-min``, where it
is installed. With $TACTFUL_DATA also sentences of public-domain fiction (OPUS Books) and of news.
Nothing here was labelled: a flagged passage may deserve it.
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
LITERATURE = Path("/usr/share/games/fortunes/literature")
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


def literature() -> list[str]:
    """Return quotations of English literature, without the lines that name the author."""
    if not LITERATURE.is_file():
        return []
    quotations = LITERATURE.read_text(encoding="utf-8", errors="replace").split("\n%\n")
    passages = (each.partition("\n\t\t")[0] for each in quotations)
    return [each for each in passages if len(each.split()) >= LEAST_WORDS]


def fiction(data: Path) -> list[str]:
    """Return the English sentences of OPUS Books."""
    with (data / PARALLEL).open(encoding="utf-8", newline="") as file:
        rows = [row["en"] for row in csv.DictReader(file) if row["source"] == "opus_books"]
    return [text for text in rows if len(text.split()) >= LEAST_WORDS]


def sample(texts: Sequence[str], most: int) -> Sequence[str]:
    """Return some of the texts, spread evenly over all of them."""
    return texts[:: max(-(-len(texts) // most), 1)]


def flagged(checker: tactful.Checker, texts: Sequence[str]) -> Iterator[tuple[bool, bool]]:
    """Say of each passage whether anything but terms, and whether anything is reported in it."""
    for at in range(0, len(texts), TOGETHER):
        lines = [" ".join(text.split()) for text in texts[at : at + TOGETHER]]
        report = checker.check_document(document_of("\n\n".join(lines)))
        for _, findings in report.by_passage():
            yield any(each.id.partition(".")[0] != "term" for each in findings), bool(findings)


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    parser.add_argument("--most", type=int, default=MOST, help="passages of each kind")
    given = parser.parse_args()
    kinds = {
        "descriptions of packages (thresholds were raised on them)": documentation(),
        "documents of Debian packages": debian(),
        "quotations of literature": literature(),
    }
    if data := os.environ.get("TACTFUL_DATA"):
        kinds["fiction (OPUS Books)"] = fiction(Path(data))
        news = [row.text for row in news_rows(Path(data) / NEWS)]
        kinds["news (thresholds were raised on it)"] = news
    rows = []
    for model in given.model or ["default", "fast", "open", "open-fast"]:
        checker = tactful.Checker(model=model, lang="en", frames="off", explanations=False)
        for kind, texts in kinds.items():
            answers = list(flagged(checker, sample(texts, given.most)))
            for terms, found in zip(("off", "default"), zip(*answers, strict=True), strict=False):
                share = 1000 * sum(found) / len(found)
                rows.append([model, terms, kind, len(found), sum(found), round(share, 1)])
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
