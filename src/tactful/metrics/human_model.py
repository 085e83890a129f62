"""Is a model as good as one more annotator? (Wulczyn et al. 2017; Price et al. 2020, section 5)

For each item one annotator is held out, at random, to be the "human model"; the mean answer of the
others is the ground truth. The held-out answers and the model's scores are then measured by the ROC
AUC against the same truth. This is repeated, and the mean is reported.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError, UsageError
from tactful.metrics.ranking import roc_auc_score
from tactful.metrics.result import Measure, measure
from tactful.words import counted

REPETITIONS = 5
"""How often Price et al. repeated the procedure."""

Ties = Literal["negative", "positive"]
Numbers = NDArray[np.float64]


@measure("judgements_scores", low=0, high=1, perfect=1)
def human_model_auc_score(
    item: Sequence[str],
    annotator: Sequence[str],
    answer: ArrayLike,
    scores: Mapping[str, float],
    *,
    trust: ArrayLike | None = None,
    threshold: float = 0.5,
    ties: Ties = "negative",
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Measure:
    """Return the ROC AUC of the model's scores; that of the held-out human is ``parts["human"]``.

    item, annotator, answer (0 to 1) and trust (0 to 1; 1 for all by default): one for each
    judgement, in any order. scores: one for each item. An item is positive where the mean of the
    others' answers, weighted by trust, is above ``threshold``; ``ties`` says what a mean equal to
    it is. The defaults, no weights and ties negative, are those of the authors' notebook
    (AUC_analysis.ipynb); the paper itself names neither.

    0 to 1, higher is better, 0.5 is chance; the model equals a human where the two AUCs do.
    Items with one annotator, or whose others have no trust, are left out. A repetition whose truth
    has one label only is left out too, and the reason says so; without any other repetition the
    answer is undefined.
    """
    rows = _sorted_rows(item, annotator, answer, trust)
    if repetitions < 1:
        raise UsageError(f"Found repetitions={repetitions}; expected at least 1.")
    if ties not in get_args(Ties):
        raise UsageError(f"Found ties={ties!r}; expected 'negative' or 'positive'.")
    names, starts, counts = np.unique(rows.items, return_index=True, return_counts=True)
    several = counts > 1
    if not several.any():
        reason = "no item has two annotators, so no annotator can be held out"
        return Measure("human-model AUC", None, reason, items=0)
    unscored = [str(name) for name in names[several] if str(name) not in scores]
    if unscored:
        raise InputError(
            f"Found {counted(len(unscored), 'item')} without a score (such as {unscored[0]!r}); "
            "expected one for each item that has two annotators."
        )
    model = np.array([float(scores[str(name)]) if ok else 0.0
                      for name, ok in zip(names, several, strict=True)])  # fmt: skip
    weighted = np.add.reduceat(rows.answers * rows.trusts, starts)
    weights = np.add.reduceat(rows.trusts, starts)
    rng = np.random.default_rng(seed)
    human_parts: dict[str, Measure] = {}
    model_parts: dict[str, Measure] = {}
    measured = 0
    for repetition in range(1, repetitions + 1):
        held = starts + rng.integers(0, counts)
        rest = weights - rows.trusts[held]
        usable = several & (rest > 1e-12)
        truth = (weighted - rows.answers[held] * rows.trusts[held])[usable] / rest[usable]
        # A mean of 0.5 must stay 0.5 although sums were subtracted.
        positive = truth > threshold + (1e-9 if ties == "negative" else -1e-9)
        human_parts[str(repetition)] = roc_auc_score(positive, rows.answers[held][usable])
        model_parts[str(repetition)] = roc_auc_score(positive, model[usable])
        measured = max(measured, int(usable.sum()))
    human = _mean("human AUC", human_parts, measured)
    machine = _mean("human-model AUC", model_parts, measured)
    parts = {"human": human, "model": machine}
    return Measure("human-model AUC", machine.value, machine.reason, parts, measured)


def _mean(name: str, parts: dict[str, Measure], items: int) -> Measure:
    values = [part.value for part in parts.values() if part.value is not None]
    if not values:
        first = next(iter(parts.values()))
        return Measure(name, None, f"in every repetition {first.reason}", parts, items)
    left_out = len(parts) - len(values)
    reason = (
        f"{left_out} of {len(parts)} repetitions were left out: their truth has one label only"
        if left_out
        else None
    )
    return Measure(name, sum(values) / len(values), reason, parts, items)


class _Rows(NamedTuple):
    """Judgements sorted by item and annotator, so that the order given does not matter."""

    items: NDArray[np.str_]
    answers: Numbers
    trusts: Numbers


def _sorted_rows(
    item: Sequence[str], annotator: Sequence[str], answer: ArrayLike, trust: ArrayLike | None
) -> _Rows:
    items = np.array([str(name) for name in item], dtype=np.str_)
    annotators = np.array([str(name) for name in annotator], dtype=np.str_)
    answers = np.asarray(answer, dtype=np.float64)
    trusts = np.ones(items.size) if trust is None else np.asarray(trust, dtype=np.float64)
    if not items.size == annotators.size == answers.size == trusts.size:
        raise InputError(
            f"Found {counted(items.size, 'item')}, {counted(annotators.size, 'annotator')}, "
            f"{counted(answers.size, 'answer')} "
            f"and {counted(trusts.size, 'trust')}; expected one of each for every judgement."
        )
    for name, values in (("answers", answers), ("trusts", trusts)):
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError(f"Found {name} outside 0 to 1; expected numbers from 0 to 1.")
    order = np.lexsort((annotators, items))
    items, annotators = items[order], annotators[order]
    twice = (items[1:] == items[:-1]) & (annotators[1:] == annotators[:-1])
    if twice.any():
        at = int(np.argmax(twice))
        raise InputError(
            f"Found '{annotators[at]}' twice on '{items[at]}'; expected one answer of an annotator "
            "for each item."
        )
    return _Rows(items, answers[order], trusts[order])
