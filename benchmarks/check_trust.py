"""Is the check worth trusting? What it reports on harm, and on texts that only mention people.

Texts of ours: the validation part of the lessons in ``factory/lessons``, which no model learnt
from. With $TACTFUL_DATA also one lesson between news sentences, and news sentences alone.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from factory.english.documentation import documentation
from factory.english.sources import Row, news_rows, paragraph_rows
from factory.lessons.load import Lesson, read_lessons

import tactful
from results import machine_line, table, write_page

NEWS = "more/en_news_unlabelled.csv"
HEADING_WORDS = 4
MOST_NEWS = 3000
FAMILIES = ("pcl", "unhealthy", "toxicity", "stereotype", "frame")


class Reader:
    """One checker and what it reports at its default settings."""

    def __init__(self, model: str):
        # Without terms: the models alone are measured.
        settings: dict[str, Any] = {"model": model, "lang": "en", "frames": "off", "terms": "off"}
        self.checker = tactful.Checker(**settings)
        self.loud = tactful.Checker(**settings, all_scores=True)

    def flagged(self, text: str) -> bool:
        """Say whether anything is reported."""
        return bool(self.checker.check(text).findings)

    def share(self, texts: Iterable[str]) -> tuple[int, int]:
        """Return how many of the texts have a finding, and how many there are."""
        found = [self.flagged(text) for text in texts]
        return sum(found), len(found)

    def highest(self, text: str) -> float:
        """Return the highest ratio of a score to its threshold."""
        card = self.checker.detector.card
        scores = [
            max(value / max(card.threshold(name), 1e-6) for name, value in found.items())
            for passage in self.loud.check(text).passages
            if (found := passage.probabilities)
        ]
        return max(scores, default=0.0)


def pairs(lessons: Sequence[Lesson]) -> list[tuple[str, str, str]]:
    """Return family, harmful and harmless text of each contrast pair."""
    found: dict[str, dict[bool, Lesson]] = {}
    for lesson in lessons:
        if lesson.pair:
            harmful = any(value > 0.5 for value in lesson.labels.values())
            found.setdefault(lesson.pair, {})[harmful] = lesson
    listed = []
    for each in found.values():
        if len(each) == 2:
            names = [name for name, value in each[True].labels.items() if value > 0.5]
            family = next(root for root in FAMILIES if any(n.startswith(root) for n in names))
            listed.append((family, each[True].text, each[False].text))
    return listed


def pair_rows(reader: Reader, found: Sequence[tuple[str, str, str]]) -> list[list[object]]:
    """Return, by family, the shares of pairs that are ordered, separated, and reported."""
    rows: dict[str, list[tuple[bool, bool, bool]]] = {}
    for family, harmful, harmless in found:
        ordered = reader.highest(harmful) > reader.highest(harmless)
        reported, silent = reader.flagged(harmful), not reader.flagged(harmless)
        for name in (family, "all"):
            rows.setdefault(name, []).append((ordered, reported and silent, reported))
    return [
        [name, len(each), *(sum(column) / len(each) for column in zip(*each, strict=True))]
        for name, each in sorted(rows.items())
    ]


def paragraph_figures(reader: Reader, rows: Sequence[Row]) -> dict[str, float]:
    """Measure paragraphs with one harmful lesson, and the same with harmless ones."""
    found = inside = marked = bad = clean = flagged = 0
    for row in rows:
        places = [place for each in row.marks.values() for place in each]
        harmful = any(value > 0.5 for value in row.targets.values())
        report = reader.checker.check(row.text)
        if not harmful:
            clean += 1
            flagged += bool(report.findings)
        elif places:
            bad += 1
            found += bool(report.findings)
            for finding in report.findings:
                for span in finding.spans:
                    marked += 1
                    inside += any(
                        start <= span.place.start and span.place.end <= end for start, end in places
                    )
    return {
        "paragraphs with one harmful sentence": bad,
        "found": found / max(bad, 1),
        "marks inside it": inside / max(marked, 1),
        "clean paragraphs": clean,
        "clean ones flagged": flagged / max(clean, 1),
    }


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="a detector's name or folder, repeatable")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    models = given.model or ["default", "fast", "cascade"]
    lessons = [lesson for lesson in read_lessons() if lesson.part == "validation"]
    kinds: dict[str, list[str]] = {}
    for lesson in lessons:
        if all(value <= 0.5 for value in lesson.labels.values()) and not lesson.pair:
            kinds.setdefault(lesson.kind, []).append(lesson.text)
            if lesson.kind == "neutral" and len(lesson.text.split()) <= HEADING_WORDS:
                kinds.setdefault("neutral, as short as headings", []).append(lesson.text)
    # Report thresholds were raised until these are quiet: that they are is no surprise.
    kinds["documentation of packages (thresholds were raised on it)"] = documentation()[::4]
    data = os.environ.get("TACTFUL_DATA")
    quiet, separated, paragraphs = [], [], []
    for model in models:
        reader = Reader(model)
        if data:
            news = [row.text for row in news_rows(Path(data) / NEWS) if row.part == "validation"]
            kinds["ordinary news sentences"] = news[:MOST_NEWS]
            rows = [row for row in paragraph_rows(Path(data) / NEWS) if row.part == "validation"]
            figures = paragraph_figures(reader, rows)
            paragraphs += [[model, name, value] for name, value in figures.items()]
        for kind, texts in sorted(kinds.items()):
            flagged, total = reader.share(texts)
            quiet.append([model, kind, total, flagged, flagged / total])
        separated += [[model, *row] for row in pair_rows(reader, pairs(lessons))]
    write_page(
        "check-trust",
        "Is the check worth trusting?",
        "Validation lessons of ours, at the default settings of `tactful check`, without terms. "
        "No model learnt from them. The share of finishing in the weights and the budget of "
        "flagged news sentences were chosen with these lessons in view, and report thresholds on "
        "news that includes these sentences: the figures are a little flattered. "
        "Harmless texts with a finding:\n\n"
        + table(["detector", "kind", "texts", "flagged", "share"], quiet)
        + "\n\nContrast pairs, a harmful text and a harmless one: the harmful one scores higher; "
        "it is reported and the harmless one is not; it is reported:\n\n"
        + table(["detector", "family", "pairs", "ordered", "separated", "reported"], separated)
        + "\n\nOne lesson between two to four news sentences:\n\n"
        + table(["detector", "figure", "value"], paragraphs)
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/check_trust.py`",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
