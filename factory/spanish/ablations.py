"""What each switch is worth: the same folds with it and without it, and the difference.

Folds keep groups whole. Intervals resample groups, not sentences, since the sentences of a speech
or of an article go together; both systems of a pair get the same groups each time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tactful.errors import UsageError
from tactful.resampling import draw_counts, percentile_interval
from tactful_lab.training.stereotypes.back_translation import Translate
from tactful_lab.training.stereotypes.data import StereotypeLesson, group_folds
from tactful_lab.training.stereotypes.rows import Vectors
from tactful_lab.training.stereotypes.switches import Switches
from tactful_lab.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings

Numbers = NDArray[np.float64]
Measure = Callable[[Numbers], float]
"""The weight of each text -> a score; NaN where it is undefined."""

FOLDS = 5
REPETITIONS = 1_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Difference:
    """A score less that of the base, with its interval; None where there is none."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: scores by name, and how far they are from the base."""

    name: str
    scores: Mapping[str, float] = field(default_factory=dict)
    differences: Mapping[str, Difference] = field(default_factory=dict)
    reason: str | None = None
    """Why the row could not be run."""
    note: str = ""


def ablate(
    lesson: StereotypeLesson,
    rows: Mapping[str, Sequence[str]],
    *,
    exclusive: bool = False,
    folds: int = FOLDS,
    seed: int = 1,
    vectors: Vectors | None = None,
    translate: Translate | None = None,
    on_row: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Measure each row against the first, which is the base.

    ``rows`` maps names to switches. ``exclusive``: each text has one of the labels, and the most
    probable is predicted; otherwise the first label is measured at its own threshold.
    """
    parts = group_folds(lesson.groups, lesson.table, folds, seed)
    if len(np.unique(parts)) < 2:
        raise UsageError("Found texts of one group only; expected at least two, to hold one out.")
    done: list[Row] = []
    base: Mapping[str, Measure] = {}
    for name, switches in rows.items():
        settings = TrainerSettings(Switches.of(switches), seed=seed)
        trainer = StereotypeTrainer(settings, vectors=vectors, translate=translate)
        try:
            found, chosen, note = _outside(trainer, lesson, parts)
        except UsageError as error:
            row = Row(name, reason=str(error))
        else:
            measures = (
                exclusive_measures(lesson, found)
                if exclusive
                else measures_of(lesson.table[:, 0], found[:, 0], chosen[:, 0])
            )
            row = _row(name, measures, base, lesson.groups, seed, note)
            base = base or measures
        done.append(row)
        on_row(row)
    return done


def measures_of(
    gold: NDArray[np.bool_], chances: Numbers, chosen: NDArray[np.bool_]
) -> dict[str, Measure]:
    """Return AUC and F1 of a yes-or-no label as functions of the texts' weights."""
    return {
        "auc": lambda weights: _auc(gold, chances, weights),
        "f1": lambda weights: _f1(gold, chosen, weights),
    }


def exclusive_measures(lesson: StereotypeLesson, chances: Numbers) -> dict[str, Measure]:
    """Return accuracy, macro-F1 and the soft cross-entropy (bits) against annotators' shares."""
    gold, guess = lesson.table.argmax(axis=1), chances.argmax(axis=1)
    normal = np.clip(chances, 1e-6, None)
    normal /= normal.sum(axis=1, keepdims=True)
    bits = -(lesson.shares * np.log2(normal)).sum(axis=1)

    def macro(weights: Numbers) -> float:
        each = [_f1(gold == at, guess == at, weights) for at in range(chances.shape[1])]
        return float(np.mean(each))

    return {
        "accuracy": lambda weights: float(np.average(gold == guess, weights=weights)),
        "macro-f1": macro,
        "soft cross-entropy": lambda weights: float(np.average(bits, weights=weights)),
    }


def _outside(
    trainer: StereotypeTrainer, lesson: StereotypeLesson, parts: NDArray[np.int64]
) -> tuple[Numbers, NDArray[np.bool_], str]:
    """Return probabilities and answers for each text, by learners that did not see its group."""
    found = np.zeros(lesson.table.shape)
    chosen = np.zeros(lesson.table.shape, dtype=np.bool_)
    kept = offered = 0
    for part in np.unique(parts):
        trainer.fit(lesson.part(np.flatnonzero(parts != part)))
        rows = np.flatnonzero(parts == part)
        test = lesson.part(rows)
        found[rows] = trainer.predict_proba(test.texts, test.contexts)
        chosen[rows] = found[rows] >= trainer.thresholds()
        if trainer.translated_ is not None:
            kept += trainer.translated_.kept
            offered += len(trainer.translated_.texts)
    return found, chosen, f"{kept:,} of {offered:,} translations kept" if offered else ""


def _row(
    name: str,
    measures: Mapping[str, Measure],
    base: Mapping[str, Measure],
    groups: Sequence[str],
    seed: int,
    note: str,
) -> Row:
    whole = np.ones(len(groups))
    scores = {key: measure(whole) for key, measure in measures.items()}
    if not base:
        return Row(name, scores, note=note)
    _, places = np.unique(np.asarray(groups, dtype=np.str_), return_inverse=True)
    size = int(places.max()) + 1
    rng = np.random.default_rng([seed, 19])
    gaps: dict[str, list[float]] = {key: [] for key in measures}
    for counts in chain.from_iterable(draw_counts(size, REPETITIONS, rng)):
        weights = counts[places]
        for key, measure in measures.items():
            gaps[key].append(measure(weights) - base[key](weights))
    differences = {}
    for key, each in gaps.items():
        low, high = percentile_interval(each, LEVEL) or (None, None)
        differences[key] = Difference(scores[key] - base[key](whole), low, high)
    return Row(name, scores, differences, note=note)


def _auc(gold: NDArray[np.bool_], chances: Numbers, weights: Numbers) -> float:
    _, places = np.unique(chances, return_inverse=True)
    yes = np.bincount(places, weights * gold)
    no = np.bincount(places, weights * ~gold)
    if not yes.sum() or not no.sum():
        return float("nan")
    return float((yes * (np.cumsum(no) - no / 2)).sum() / (yes.sum() * no.sum()))


def _f1(gold: NDArray[np.bool_], chosen: NDArray[np.bool_], weights: Numbers) -> float:
    below = (weights * gold).sum() + (weights * chosen).sum()
    return float(2 * (weights * (gold & chosen)).sum() / below) if below else float("nan")
