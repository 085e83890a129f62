"""Measures of label sets in a hierarchy: ICM, hierarchical F and propensity F (DETESTS 2022, 5.3).

A hierarchy is label -> the one above it (None at the top); without one, all labels are at the top.

The Information Contrast Model (Amigó and Delgado 2022) defines the information of a set by a
recursion over lowest common ancestors. In a tree that recursion telescopes: the information of a
set is the sum, over all its labels and those above them, of what each adds to the one above it.
ICM is therefore a weighted sum of how often each label was hit, missed and invented, and one pass
over the items is enough. The same holds for degrees (ICM-soft), with maxima in place of unions.

An empty set is, by default, a class of its own (items without any label): only so do the numbers
of DETESTS table 4 follow from each other. See ``empty``.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.metrics.label_sets import Empty, Hierarchy, LabelSets, Pairs, pair_sets, read_hierarchy
from tactful.metrics.result import Measure, measure
from tactful.words import counted

Numbers = NDArray[np.float64]
Degrees = Sequence[Mapping[str, float]]

PROPENSITY_A = 0.55
PROPENSITY_B = 1.5

_NO_ITEMS = "there are no items with a gold answer"


@measure("label_sets", low=-math.inf, high=math.inf, perfect=None)
def icm_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    hierarchy: Hierarchy | None = None,
    alpha_1: float = 2.0,
    alpha_2: float = 2.0,
    beta: float = 3.0,
    empty: Empty = "class",
) -> Measure:
    """Return the mean of alpha_1 I(s) + alpha_2 I(g) - beta I(s and g together), in bits.

    I of a label is -log2 of the share of gold items that have it or one below it; a label that
    gold never has counts as if one item had it (both as PyEvALL does).

    Unbounded, higher is better. The best possible, that of gold itself, is ``parts["gold"]``.
    Undefined without items. ``empty`` says what an empty set is: a ``"class"`` of its own, as in
    DETESTS; ``"nothing"``, a set without information; or, as PyEvALL 0.2 reads its files,
    nothing and a gold item to ``"drop"``.

    >>> round(float(icm_score([{"a"}, {"b"}], [{"a"}, {"a"}])), 4)
    -0.5
    """
    pairs = pair_sets(gold, predicted, hierarchy, empty=empty)
    return _icm(pairs, alpha_1, alpha_2, beta)


@measure("label_sets", low=0, high=1, perfect=1)
def icm_norm_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    hierarchy: Hierarchy | None = None,
    alpha_1: float = 2.0,
    alpha_2: float = 2.0,
    beta: float = 3.0,
    empty: Empty = "class",
) -> Measure:
    """Return ICM between that of gold (1) and its negative (0); lower values are cut off at 0.

    0 to 1, higher is better. Undefined where gold carries no information, because all its items
    have the same set: there is nothing to divide by.

    >>> float(icm_norm_score([{"a"}, {"b"}], [{"a"}, {"a"}]))
    0.25
    """
    pairs = pair_sets(gold, predicted, hierarchy, empty=empty)
    return _normalised("ICM-norm", _icm(pairs, alpha_1, alpha_2, beta))


@measure("label_degrees", low=-math.inf, high=math.inf, perfect=None)
def icm_soft_score(
    gold: Degrees,
    predicted: Degrees,
    *,
    hierarchy: Hierarchy | None = None,
    alpha_1: float = 2.0,
    alpha_2: float = 2.0,
    beta: float = 3.0,
) -> Measure:
    """Return ICM of degrees: gold and predicted give a number from 0 to 1 for each label.

    I of a label at a degree is -log2 of the chance of at least that degree under a normal
    distribution with the mean and the mean absolute deviation of its gold degrees (so PyEvALL),
    where a label has at least the degree of those below it. A degree of 0 is as good as none.
    A chance of 0, and a label that gold does not know, count as one item in all. Where all gold
    degrees of a label are equal, PyEvALL has no answer; here degrees up to it carry no
    information, and degrees above it have a chance of 0.

    Unbounded, higher is better; undefined without items.
    """
    return _icm_soft(gold, predicted, hierarchy, alpha_1, alpha_2, beta)


@measure("label_degrees", low=0, high=math.inf, perfect=1)
def icm_soft_norm_score(
    gold: Degrees,
    predicted: Degrees,
    *,
    hierarchy: Hierarchy | None = None,
    alpha_1: float = 2.0,
    alpha_2: float = 2.0,
    beta: float = 3.0,
) -> Measure:
    """Return ICM-soft between that of gold (1) and its negative (0), cut off at 0.

    Higher is better. It may pass 1, because the normal distribution is an approximation. Undefined
    where gold's own score is not above 0.
    """
    return _normalised(
        "ICM-soft-norm", _icm_soft(gold, predicted, hierarchy, alpha_1, alpha_2, beta)
    )


@measure("label_sets", low=0, high=1, perfect=1)
def hierarchical_f_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    hierarchy: Hierarchy | None = None,
    empty: Empty = "class",
) -> Measure:
    """Return the mean over the items of the F of two sets, with all labels above and the root.

    The common root is in both sets, so that no item is undefined (DETESTS 2022, 5.3, after
    Kiritchenko et al. 2004). Above 0 to 1, higher is better; undefined without items. ``parts``
    has the mean precision and recall. ``empty`` as in :func:`icm_score`.

    >>> hierarchical_f_score([{"a.b"}], [{"a"}], hierarchy={"a": None, "a.b": "a"}).value
    0.8
    """
    pairs = pair_sets(gold, predicted, hierarchy, empty=empty)
    return _mean_f("hierarchical F", pairs, np.ones(len(pairs.labels)), 1.0)


@measure("label_sets", low=0, high=1, perfect=1)
def propensity_f_score(
    gold: LabelSets,
    predicted: LabelSets,
    *,
    hierarchy: Hierarchy | None = None,
    a: float = PROPENSITY_A,
    b: float = PROPENSITY_B,
    log_base: float = 2.0,
    empty: Empty = "class",
) -> Measure:
    """Return the mean over the items of the F of two sets whose labels weigh 1 / propensity.

    Rare labels weigh more: 1 / p_c = 1 + C exp(-a log2(N_c + b)), C = (log N - 1)(b + 1)^a, with
    N_c of N gold items that have the label (DETESTS 2022, 5.3, after Jain et al. 2016). The empty
    class, which every item has, is in both sets. With a hierarchy the labels above count too.

    ``log_base`` is the base of log N, which the paper does not print. The default, 2, is that of
    the organisers' published evaluation; Jain et al. take ``math.e``.

    Above 0 to 1, higher is better. Undefined for fewer items than ``log_base``, where C is below 0
    and rare labels would weigh less. ``empty`` as in :func:`icm_score`.
    """
    pairs = pair_sets(gold, predicted, hierarchy, empty=empty)
    if pairs.items < log_base:
        reason = f"propensity needs at least {math.ceil(log_base)} items, not {pairs.items}"
        return Measure("propensity F", None, reason, items=pairs.items)
    factor = (math.log(pairs.items, log_base) - 1) * (b + 1) ** a
    weights = 1 + factor * np.exp(-a * np.log2(pairs.gold_counts + b))
    every = 1 + factor * math.exp(-a * math.log2(pairs.items + b))
    return _mean_f("propensity F", pairs, weights, every)


def _icm(pairs: Pairs, alpha_1: float, alpha_2: float, beta: float) -> Measure:
    if not pairs.items:
        return Measure("ICM", None, _NO_ITEMS, items=0)
    golden, guessed, both = pairs.gold_counts, pairs.predicted_counts, pairs.both_counts
    information = -np.log2(np.maximum(golden, 1) / pairs.items)
    added = information - np.where(pairs.parents >= 0, information[pairs.parents], 0.0)
    hard = alpha_1 * guessed + alpha_2 * golden - beta * (guessed + golden - both)
    best = (alpha_1 + alpha_2 - beta) * golden
    parts = {"gold": Measure("ICM of gold", float(added @ best) / pairs.items)}
    return Measure("ICM", float(added @ hard) / pairs.items, parts=parts, items=pairs.items)


def _normalised(name: str, score: Measure) -> Measure:
    if score.value is None:
        return Measure(name, None, score.reason, items=score.items)
    best = float(score.parts["gold"])
    parts = {score.name: score, **score.parts}
    if best <= 0:
        reason = f"the score of gold itself is {best:g}, and must be above 0 to divide by it"
        return Measure(name, None, reason, parts, score.items)
    value = (score.value + best) / (2 * best)
    if value >= 0:
        return Measure(name, value, parts=parts, items=score.items)
    reason = f"cut off at 0: the score is below {-best:.4f}, the negative of gold's own"
    return Measure(name, 0.0, reason, parts, score.items)


def _mean_f(name: str, pairs: Pairs, weights: Numbers, common: float) -> Measure:
    """Average F, precision and recall of the pairs; ``common`` is the weight of what all have."""
    if not pairs.items:
        return Measure(name, None, _NO_ITEMS, items=0)
    golden = pairs.gold @ weights + common
    guessed = pairs.predicted @ weights + common
    shared = (pairs.gold & pairs.predicted) @ weights + common

    def mean(title: str, values: Numbers) -> Measure:
        return Measure(title, min(float(pairs.counts @ values) / pairs.items, 1.0))

    parts = {
        "precision": mean("precision", shared / guessed),
        "recall": mean("recall", shared / golden),
    }
    f = mean(name, 2 * shared / (guessed + golden))
    return Measure(name, f.value, parts=parts, items=pairs.items)


def _icm_soft(
    gold: Degrees,
    predicted: Degrees,
    hierarchy: Hierarchy | None,
    alpha_1: float,
    alpha_2: float,
    beta: float,
) -> Measure:
    if len(gold) != len(predicted):
        raise InputError(
            f"Found {len(gold):,} gold and {counted(len(predicted), 'predicted item')}; "
            "expected one of each for every item."
        )
    items = len(gold)
    if not items:
        return Measure("ICM-soft", None, _NO_ITEMS, items=0)
    labels, parents = read_hierarchy(hierarchy or {}, [*gold, *predicted])
    truth = _closed_degrees(gold, labels, parents, "gold")
    guess = _closed_degrees(predicted, labels, parents, "predicted")
    in_gold = {label for row in gold for label in row} | set(hierarchy or {})
    in_gold |= {above for above in (hierarchy or {}).values() if above is not None}
    known = np.array([label in in_gold for label in labels])
    means = truth.mean(axis=0)
    deviations = np.abs(truth - means).mean(axis=0)

    def information(degrees: Numbers) -> float:
        total = 0.0
        for index, above in enumerate(parents.tolist()):
            column = degrees[:, index]
            for place, sign in ((index, 1.0), (above, -1.0)):
                if place >= 0:
                    mean = means[place] if known[place] else None
                    bits = _soft_information(column, mean, deviations[place], items)
                    total += sign * float(bits.sum())
        return total / items

    own = information(truth)
    value = alpha_1 * information(guess) + alpha_2 * own
    value -= beta * information(np.maximum(truth, guess))
    parts = {"gold": Measure("ICM-soft of gold", (alpha_1 + alpha_2 - beta) * own)}
    return Measure("ICM-soft", value, parts=parts, items=items)


def _soft_information(
    degrees: Numbers, mean: float | None, deviation: float, items: int
) -> Numbers:
    """Return the bits of each degree of one label; None as mean is a label that gold lacks."""
    rarest = math.log2(items)
    values, place = np.unique(degrees, return_inverse=True)
    if mean is None:
        bits = np.full(values.size, rarest)
    elif deviation == 0:
        bits = np.where(values > mean, rarest, 0.0)
    else:
        scaled = (values - mean) / (deviation * math.sqrt(2.0))
        # In this order, not as erfc: far out the rounding is part of what PyEvALL answers.
        chances = np.array([1 - 0.5 * (1.0 + math.erf(value)) for value in scaled.tolist()])
        bits = np.where(chances > 0, -np.log2(np.where(chances > 0, chances, 1.0)), rarest)
    bits[values == 0] = 0.0
    return np.asarray(bits[place])


def _closed_degrees(
    rows: Degrees, labels: tuple[str, ...], parents: NDArray[np.int64], side: str
) -> Numbers:
    place = {label: index for index, label in enumerate(labels)}
    degrees = np.zeros((len(rows), len(labels)))
    for index, row in enumerate(rows):
        for label, degree in row.items():
            degrees[index, place[label]] = degree
    wrong = ~((degrees >= 0) & (degrees <= 1)).all(axis=1)
    if wrong.any():
        raise InputError(
            f"Found {int(wrong.sum()):,} {side} items with degrees outside 0 to 1, the first of "
            f"them item {int(np.argmax(wrong))}; expected numbers from 0 to 1."
        )
    for child in range(len(labels) - 1, -1, -1):
        if parents[child] >= 0:
            above = parents[child]
            degrees[:, above] = np.maximum(degrees[:, above], degrees[:, child])
    return degrees
