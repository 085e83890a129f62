"""Precision, recall and F of what was detected: one class, each category, micro and macro.

A share of nothing is undefined, not 0: precision where nothing was predicted, recall where nothing
was to be found, F where both hold. ``undefined=`` takes a number instead, to compare with papers
whose tools did so (scikit-learn's default is 0); the reason stays in the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike

from tactful.errors import InputError, UsageError
from tactful.metrics.label_sets import Hierarchy, LabelSets, pair_sets
from tactful.metrics.result import Measure, measure
from tactful.words import counted


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often prediction and gold said yes or no together."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def items(self) -> int:
        """How many items were compared."""
        return sum(astuple(self))

    def __add__(self, other: "Confusion") -> "Confusion":
        return Confusion(*map(sum, zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Detection:
    """Precision, recall and F of one category, or of all together."""

    precision: Measure
    recall: Measure
    f: Measure
    counts: Confusion | None = None
    """None for a macro mean, which has no counts of its own."""


@dataclass(frozen=True, slots=True)
class DetectionReport:
    """What :func:`detection_report` answers."""

    labels: Mapping[str, Detection]
    micro: Detection
    macro: Detection
    items: int


def confusion_counts(gold: ArrayLike, predicted: ArrayLike) -> Confusion:
    """Count the four cases of 0/1 answers (True and False will do)."""
    truth, guess = _binary(gold, "gold"), _binary(predicted, "predicted")
    if truth.shape != guess.shape:
        raise InputError(
            f"Found {truth.size:,} gold and {counted(guess.size, 'predicted answer')}; "
            "expected one of each for every item."
        )
    return Confusion(
        int(np.sum(truth & guess)),
        int(np.sum(~truth & guess)),
        int(np.sum(truth & ~guess)),
        int(np.sum(~truth & ~guess)),
    )


@measure("binary", low=0, high=1, perfect=1)
def precision_score(
    gold: ArrayLike, predicted: ArrayLike, *, undefined: float | None = None
) -> Measure:
    """Return which share of the predicted positives is right; 0 to 1, higher is better.

    Undefined where nothing was predicted positive.

    >>> precision_score([1, 0, 1], [1, 1, 0]).value
    0.5
    """
    return _precision(confusion_counts(gold, predicted), undefined)


@measure("binary", low=0, high=1, perfect=1)
def recall_score(
    gold: ArrayLike, predicted: ArrayLike, *, undefined: float | None = None
) -> Measure:
    """Return which share of the gold positives was found; 0 to 1, higher is better.

    Undefined where gold has no positive.

    >>> recall_score([1, 0, 1, 1], [1, 1, 0, 1]).value == 2 / 3
    True
    """
    return _recall(confusion_counts(gold, predicted), undefined)


@measure("binary", low=0, high=1, perfect=1)
def f1_score(gold: ArrayLike, predicted: ArrayLike, *, undefined: float | None = None) -> Measure:
    """Return the harmonic mean of precision and recall of the positive class; 0 to 1.

    Undefined only where neither gold nor prediction has a positive: 2 TP / (2 TP + FP + FN) is 0,
    and well defined, where the two never meet.

    >>> f1_score([1, 0, 1], [1, 1, 0]).value
    0.5
    """
    return f_beta_score(gold, predicted, beta=1.0, undefined=undefined)


@measure("binary", low=0, high=1, perfect=1)
def f_beta_score(
    gold: ArrayLike, predicted: ArrayLike, *, beta: float = 1.0, undefined: float | None = None
) -> Measure:
    """Return F-beta of the positive class; a beta above 1 favours recall. Undefined as F1 is.

    >>> f_beta_score([1, 0, 1, 1], [1, 0, 0, 0], beta=2).value == 5 / 13
    True
    """
    return _f_beta(confusion_counts(gold, predicted), beta, undefined)


@measure("label_sets", low=0, high=1, perfect=1)
def micro_f1_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    labels: Sequence[str] | None = None,
    undefined: float | None = None,
) -> Measure:
    """Return F1 of all decisions about label sets, counted together; 0 to 1, higher is better.

    >>> micro_f1_score([{"a", "b"}, {"b"}], [{"a"}, {"b"}]).value
    0.8
    """
    return detection_report(gold, predicted, labels=labels, undefined=undefined).micro.f


@measure("label_sets", low=0, high=1, perfect=1)
def macro_f1_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    labels: Sequence[str] | None = None,
    undefined: float | None = None,
) -> Measure:
    """Return the mean over the labels of their F1; 0 to 1, higher is better.

    Undefined where the F1 of one label is, because a mean without it would be about other labels;
    ``undefined=0`` counts it as 0, as scikit-learn does.

    >>> round(macro_f1_score([{"a", "b"}, {"b"}], [{"a"}, {"b"}]).value, 4)
    0.8333
    """
    return detection_report(gold, predicted, labels=labels, undefined=undefined).macro.f


def detection_report(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    labels: Sequence[str] | None = None,
    hierarchy: Hierarchy | None = None,
    beta: float = 1.0,
    undefined: float | None = None,
) -> DetectionReport:
    """Return precision, recall and F of each label, micro and macro, for sets of labels.

    ``labels`` chooses and orders what is reported; all that occur, sorted, by default. With a
    ``hierarchy`` (label -> the one above) who has a label has those above it too.
    """
    pairs = pair_sets(gold, predicted, hierarchy)
    both, golden, guessed = pairs.both_counts, pairs.gold_counts, pairs.predicted_counts
    place = {label: index for index, label in enumerate(pairs.labels)}
    each: dict[str, Detection] = {}
    total = Confusion(0, 0, 0, 0)
    for label in sorted(place) if labels is None else labels:
        index = place.get(label)
        hit, true, said = (
            (0, 0, 0)
            if index is None
            else (int(both[index]), int(golden[index]), int(guessed[index]))
        )
        counts = Confusion(hit, said - hit, true - hit, pairs.items - said - true + hit)
        each[label] = _detection(counts, beta, undefined)
        total += counts
    macro = Detection(
        _mean("macro precision", {label: one.precision for label, one in each.items()}, undefined),
        _mean("macro recall", {label: one.recall for label, one in each.items()}, undefined),
        _mean(f"macro F{beta:g}", {label: one.f for label, one in each.items()}, undefined),
    )
    return DetectionReport(each, _detection(total, beta, undefined), macro, pairs.items)


def _detection(counts: Confusion, beta: float, undefined: float | None) -> Detection:
    return Detection(
        _precision(counts, undefined),
        _recall(counts, undefined),
        _f_beta(counts, beta, undefined),
        counts,
    )


def _precision(counts: Confusion, undefined: float | None) -> Measure:
    predicted = counts.true_positives + counts.false_positives
    return _share("precision", counts.true_positives, predicted, "nothing was predicted positive",
                  undefined, counts)  # fmt: skip


def _recall(counts: Confusion, undefined: float | None) -> Measure:
    golden = counts.true_positives + counts.false_negatives
    return _share("recall", counts.true_positives, golden, "gold has no positive item",
                  undefined, counts)  # fmt: skip


def _f_beta(counts: Confusion, beta: float, undefined: float | None) -> Measure:
    if not beta > 0:
        raise UsageError(f"Found beta={beta}; expected a number above 0.")
    square = beta * beta
    hits = (1 + square) * counts.true_positives
    return _share(
        f"F{beta:g}", hits, hits + square * counts.false_negatives + counts.false_positives,
        "neither gold nor prediction has a positive item", undefined, counts,
    )  # fmt: skip


def _share(
    name: str, part: float, whole: float, reason: str, undefined: float | None, counts: Confusion
) -> Measure:
    if whole:
        return Measure(name, part / whole, items=counts.items)
    return Measure(name, undefined, reason, items=counts.items)


def _mean(name: str, parts: Mapping[str, Measure], undefined: float | None) -> Measure:
    missing = [label for label, part in parts.items() if part.reason is not None]
    if not parts:
        return Measure(name, undefined, "there is no label to take a mean over")
    reason = f"undefined for {', '.join(missing)}" if missing else None
    values = [part.value for part in parts.values() if part.value is not None]
    if len(values) < len(parts):
        return Measure(name, None, reason, parts)
    return Measure(name, sum(values) / len(values), reason, parts)


def _binary(values: ArrayLike, side: str) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(
            f"Found {side} answers of shape {array.shape}; expected a list of 0 and 1."
        )
    if array.size and not np.isin(array, (0, 1)).all():
        raise InputError(f"Found {side} answers other than 0 and 1; expected 0 or 1 for each item.")
    return array.astype(np.bool_)
