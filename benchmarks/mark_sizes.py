"""How much of a sentence is marked: an editor looks for words, not for whole sentences.

The harmful lessons of ours in ``factory/lessons`` (the validation part, which no model learnt
from), at the default settings of ``tactful check``, without terms. With $TACTFUL_DATA also how well
marks of PCL agree with those of annotators, which are often whole clauses.
"""

import argparse
import os
import sys
from pathlib import Path
from statistics import median, quantiles

from factory.lessons.load import read_lessons

from results import machine_line, table, write_page
from tactful import Checker
from tactful.checking.report import PlacedFinding
from tactful.detectors import load_detector
from tactful.detectors.explain.words import SHORT_WORDS, words_of

MODELS = ("default", "fast", "cascade")


def share(finding: PlacedFinding) -> float:
    """Return the share of the characters of a finding's sentence that its marks cover."""
    start, end = finding.within
    covered = sum(max(0, min(span.end, end) - max(span.start, start)) for span in finding.spans)
    return covered / (end - start)


def measured(model: str, texts: list[str]) -> list[object]:
    """Return a row of the table."""
    checker = Checker(model=model, lang="en", frames="off", terms="off", explanations=False)
    found = [finding for text in texts for finding in checker.check(text).findings]
    long = [each for each in found if len(words_of(each.text)) > SHORT_WORDS]
    marked = [share(each) for each in long if each.spans]
    quarter, _, three_quarters = quantiles(marked, n=4)
    above = sum(each > 0.4 for each in marked) / len(marked)
    bare = len(long) - len(marked)
    return [model, len(found), len(long), bare, median(marked), quarter, three_quarters, above]


def agreement() -> str:
    """Return a sentence on the marks of PCL and those of annotators; nothing without the data."""
    data = os.environ.get("TACTFUL_DATA")
    if not data:
        return ""
    from factory.english.detectors import Texts

    from detectors_quality import span_figure

    value = span_figure(load_detector("default"), Texts.read(Path(data), "research"))
    return (
        f"F1 of the characters that `default` marks in paragraphs with PCL (Don't Patronize Me!, 8 "
        f"of 100 paragraphs by hash), against the spans of the annotators: {value:.3f}.\n\n"
    )


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    texts = [
        lesson.text
        for lesson in read_lessons()
        if lesson.part == "validation" and any(value > 0.5 for value in lesson.labels.values())
    ]
    rows = [measured(model, texts) for model in given.model or MODELS]
    columns = [
        "detector", "findings", f"in sentences of more than {SHORT_WORDS} words", "without marks",
        "median share", "lower quartile", "upper quartile", "share above 40 %",
    ]  # fmt: skip
    write_page(
        "mark-sizes",
        "How much of a sentence is marked?",
        f"The share of the characters of a sentence that the marks of a finding cover, all its "
        f"kinds together, in {len(texts):,} harmful validation lessons of ours. The goal is a "
        "median of at most 0.40.\n\n"
        + table(columns, rows)
        + f"\n\n{agreement()}{machine_line()}\nCommand: `python benchmarks/mark_sizes.py`",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
