"""What each idea of DETESTS' participants is worth on the Spanish corpora that are at hand."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from factory.sentence_vectors import find_sentence_model, sentence_vectors
from factory.spanish.ablations import FOLDS, REPETITIONS, Row, ablate
from numpy.typing import NDArray

from results import machine_line, table, write_page
from tactful_lab.training.stereotypes.corpora import ROOT, STEREOIMMIGRANTS_IDS, read_lesson
from tactful_lab.training.stereotypes.data import StereotypeLesson

ROWS: dict[str, Sequence[str]] = {
    "base (words 1-3, logistic)": (),
    "characters": ("characters",),
    "under-bagging": ("under-bagging",),
    "over-sampling": ("over-sampling",),
    "back-translation": ("back-translation",),
    "ensemble": ("ensemble",),
    "ensemble + under-bagging": ("ensemble", "under-bagging"),
    "linguistic, one model": ("linguistic",),
    "negation, one model": ("negation",),
    "linguistic + negation, by ensemble": ("linguistic", "negation", "by-ensemble"),
    "meta": ("meta",),
    "soft labels": ("soft-labels",),
    "context": ("context",),
    "vectors": ("vectors",),
    "characters + linguistic + context": ("characters", "linguistic", "context"),
}


def remembered(texts: Sequence[str]) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
    """Return a function of texts to sentence vectors, computed once; None without the packages."""
    path = find_sentence_model()
    if path is None:
        return None
    known = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    found = sentence_vectors(path, list(known))
    return lambda wanted: found[[known[text] for text in wanted]]


def rows_of(lesson: StereotypeLesson, exclusive: bool) -> list[Row]:
    """Measure all rows on a lesson, saying each as it is done."""

    def say(row: Row) -> None:
        shown = ", ".join(f"{name} {value:.3f}" for name, value in row.scores.items())
        sys.stderr.write(f"  {row.name}: {shown or row.reason}\n")

    return ablate(lesson, ROWS, exclusive=exclusive, vectors=remembered(lesson.texts), on_row=say)


def cells(row: Row, names: Sequence[str]) -> list[object]:
    """Return one row of the table."""
    if row.reason is not None:
        return [row.name, *[f"not run: {row.reason.split(';')[0]}"], *[""] * (2 * len(names) - 1)]
    found: list[object] = [row.name]
    for name in names:
        found.append(f"{row.scores[name]:.3f}")
        gap = row.differences.get(name)
        if gap is None or gap.low is None or gap.high is None:
            found.append("")
        else:
            found.append(f"{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]")
    return found


def section(title: str, rows: Sequence[Row]) -> str:
    """Return a titled table and the notes of its rows."""
    names = list(rows[0].scores)
    columns = ["switches", *(each for name in names for each in (name, "less base [95 %]"))]
    notes = "".join(f"\n{row.name}: {row.note}." for row in rows if row.note)
    return f"**{title}**\n\n{table(columns, [cells(row, names) for row in rows])}\n{notes}"


def main() -> int:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder with the corpora")
    parser.add_argument("--results", type=Path, help="write to this file instead of results/")
    given = parser.parse_args()
    began = time.process_time()
    speeches = read_lesson("stereoimmigrants", given.data)
    agreed = speeches.part(np.flatnonzero(speeches.table[:, 0])).only(STEREOIMMIGRANTS_IDS)
    comments = read_lesson("detoxis", given.data)
    parts = [
        section(
            f"{name}: {len(lesson.texts):,} texts, {len(set(lesson.groups)):,} groups",
            rows_of(lesson, exclusive),
        )
        for name, lesson, exclusive in (
            ("DETOXIS, a stereotype or not", comments, False),
            ("StereoImmigrants, which of five categories (agreed sentences)", agreed, True),
            ("StereoImmigrants, a stereotype or not", speeches.only([ROOT]), False),
        )
    ]
    spent = time.process_time() - began
    write_page(
        "stereotype-ablations",
        "The ideas of DETESTS' participants, as switches",
        f"{FOLDS} folds that keep articles (DETOXIS) and speeches (StereoImmigrants) whole; "
        "everything is learnt inside the folds, thresholds and calibration too. Intervals of the "
        f"difference to the base: paired bootstrap over groups, {REPETITIONS:,} repetitions. The "
        "soft cross-entropy (bits, lower is better) is against the shares of five annotators. "
        "DETESTS itself is not at hand; the switches lora and heads need an encoder and are not "
        "measured here.\n\n" + "\n\n".join(parts) + f"\n\nCPU time: {spent / 60:.1f} minutes. "
        f"{machine_line()}\nCommand: `python benchmarks/stereotype_ablations.py`.",
        path=given.results,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
