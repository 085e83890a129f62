"""The terms on sentences of style guides, and on ordinary prose in which few should be found.

The sentences are ours (``terms_sentences.yaml``), written without looking at the examples of the
terms. The prose is unlabelled news and speeches in $TACTFUL_DATA, of which nothing is printed, and
the documentation of the installed Python packages. ``--sample N`` prints matches to judge by eye.
"""

import argparse
import ast
import csv
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from results import machine_line, table, write_page
from tactful.documents.segments import sentences
from tactful.settings import load_settings
from tactful.terms import TermMatch, find_terms

SENTENCES = Path(__file__).with_name("terms_sentences.yaml")
LEVELS = ("avoid", "advice")
BAR_FOUND = 0.90
BAR_FALSE = 0.02
SEED = 1
MOST_SENTENCES = 60_000
JUDGED = {"news": (6, 100), "speeches and comments": (9, 100), "documentation": (4, 4)}
"""Prose -> how many of the matches in a sample of the default terms were false, judged by eye.

One reader judged one sample; guards were mended afterwards, and no new sample was drawn."""
_MARKED = re.compile(r"\[(.+?)\]")
_WORDY = re.compile(r"[^\W\d_]{2,}(?:\s+[^\W\d_]+){3,}")


def sentence_rows() -> tuple[list[list[object]], bool]:
    """Return the share of marked terms that are found with a replacement, by language."""
    rows: list[list[object]] = []
    met = True
    for lang, texts in yaml.safe_load(SENTENCES.read_text(encoding="utf-8")).items():
        by_level = {level: sum(_found(text, lang, level) for text in texts) for level in LEVELS}
        shares = [by_level[level] / len(texts) for level in LEVELS]
        met = met and shares[-1] >= BAR_FOUND
        others = sum(_others(text, lang) for text in texts)
        rows.append([lang, len(texts), *(f"{100 * share:.1f} %" for share in shares), others])
    return rows, met


def _split(marked: str) -> tuple[str, int, int]:
    found = _MARKED.search(marked)
    if found is None:
        raise SystemExit(f"{SENTENCES}: found no [term] in '{marked}'; mark one.")
    text = marked[: found.start()] + found[1] + marked[found.end() :]
    return text, found.start(), found.start() + len(found[1])


def _found(marked: str, lang: str, level: str) -> bool:
    text, start, end = _split(marked)
    matches = find_terms(text, lang, level=level)
    return any(m.start < end and start < m.end and m.replacements for m in matches)


def _others(marked: str, lang: str) -> int:
    text, start, end = _split(marked)
    return sum(not (m.start < end and start < m.end) for m in find_terms(text, lang))


def read_csv(path: Path) -> list[str]:
    """Return the texts of a file of unlabelled sentences."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)][:MOST_SENTENCES]


def documentation() -> list[str]:
    """Return the sentences of docstrings and text files of the installed packages."""
    found: dict[str, None] = {}
    for path in sorted(Path(yaml.__file__).parents[1].rglob("*")):
        if len(found) >= MOST_SENTENCES:
            break
        if path.suffix in (".py", ".md", ".rst", ".txt") and path.is_file():
            for text in _prose_of(path):
                for paragraph in re.split(r"\n\s*\n", text):
                    flat = " ".join(paragraph.split())
                    for start, end in sentences(flat):
                        if _WORDY.search(flat[start:end]):
                            found[flat[start:end]] = None
    return list(found)[:MOST_SENTENCES]


def _prose_of(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8", errors="ignore")
    if path.suffix != ".py":
        yield text
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and (said := ast.get_docstring(node)):
            yield said


def prose_row(name: str, texts: Sequence[str], lang: str) -> tuple[list[object], bool]:
    """Return matches in a thousand sentences, and the share of sentences with a false one."""
    default = sum(len(find_terms(text, lang, level="avoid")) for text in texts)
    every = sum(len(find_terms(text, lang)) for text in texts)
    false, judged = JUDGED[name]
    share = default / len(texts) * false / judged
    return [
        name,
        lang,
        f"{len(texts):,}",
        f"{1000 * default / len(texts):.1f}",
        f"{1000 * every / len(texts):.1f}",
        f"{false} of {judged}",
        f"{100 * share:.3f} %",
    ], share <= BAR_FALSE


def print_sample(texts: Sequence[str], lang: str, number: int, seed: int) -> None:
    """Print matches with the words around them, to be judged by eye."""
    found: list[tuple[str, TermMatch]] = [
        (text, match) for text in texts for match in find_terms(text, lang, level="avoid")
    ]
    for text, match in random.Random(seed).sample(found, min(number, len(found))):
        around = text[max(0, match.start - 40) : match.end + 30].replace("\n", " ")
        print(f"{match.id}  [{match.words}]  {around}")


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="Print matches instead of a page.")
    parser.add_argument("--seed", type=int, default=SEED, help="Seed of the sample.")
    args = parser.parse_args()
    folder = load_settings().data
    if folder is None:
        raise SystemExit("TACTFUL_DATA is not set; set it to the folder of the corpora.")
    prose = {
        "news": (read_csv(folder / "more" / "en_news_unlabelled.csv"), "en"),
        "speeches and comments": (read_csv(folder / "more" / "es_unlabelled.csv"), "es"),
        "documentation": (documentation(), "en"),
    }
    if args.sample:
        for name, (texts, lang) in prose.items():
            print(f"== {name}")
            print_sample(texts, lang, args.sample, args.seed)
        return
    rows, found = sentence_rows()
    judged = [prose_row(name, texts, lang) for name, (texts, lang) in prose.items()]
    write_page(
        "terms-quality",
        "Terms: found and false",
        "\n\n".join(
            [
                "Sentences as in style guides, written by us, each with one marked term: the share "
                "that is found with a replacement. By default a check reports only the terms that "
                "practically every guide advises against. The sentences were written after the "
                "terms, by the same author: texts of others may have more that is missed.",
                table(
                    ["language", "sentences", "found by default", "found with all terms",
                     "other matches"],
                    rows,
                ),
                f"Bar: {100 * BAR_FOUND:.0f} % found with all terms: "
                f"{'met' if found else 'missed'}.",
                "Ordinary prose: matches in a thousand sentences, how many of a sample of the "
                "default ones one reader judged to be false before the guards were last mended, "
                "and the share of sentences that follows.",
                table(
                    ["prose", "language", "sentences", "default, per 1,000", "all, per 1,000",
                     "judged false", "sentences with a false match"],
                    [row for row, _ in judged],
                ),
                f"Bar: at most {100 * BAR_FALSE:.0f} %: "
                f"{'met' if all(met for _, met in judged) else 'missed'}.",
                f"{machine_line()}\nCommand: `python benchmarks/terms_quality.py`.",
            ]
        ),
    )  # fmt: skip


if __name__ == "__main__":
    main()
