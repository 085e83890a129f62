"""Does an explanation name the words that the detector uses? Measured by removing these words.

Words are ordered by the value that the explanation gives them. *Deletion* removes them from the
first on and follows the probability down; *insertion* shows only the first of them and follows it
up (Petsiuk et al. 2018). *Comprehensiveness* is the loss of probability without the first words,
*sufficiency* the loss with nothing but them (DeYoung et al. 2020); the AOPC of each is its mean
over rationales of 1, 5, 10, 20 and 50 % of the words. None of these numbers says anything without
a comparison, so random orders of the words are measured in the same run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Contribution
from tactful.detectors.explain.words import Scorer, keep_words, words_of
from tactful.errors import InputError, UsageError

RANDOM = "random order"
BINS = (0.01, 0.05, 0.10, 0.20, 0.50)
"""The lengths of rationales, as shares of the words; at least one word, and never all."""
RATIONALE = 0.20
"""The length at which comprehensiveness and sufficiency are also given alone."""
STEPS = tuple(step / 10 for step in range(10))
"""The shares of words that deletion has removed; insertion shows one step more at each place. Texts
without any words are not scored."""
LEAST_WORDS = 5
"""Shorter texts have too few words to rank and are left out."""

Explainer = Callable[[str, str], Sequence[Contribution]]
"""Text and id in, the values of its words out."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How faithful one explainer is for one id: means over the texts."""

    id: str
    explainer: str
    texts: int
    comprehensiveness: float
    """Higher is better."""
    sufficiency: float
    """Lower is better."""
    aopc_comprehensiveness: float
    aopc_sufficiency: float
    deletion_area: float
    """The area under :attr:`deletion`, between 0 and 1; lower is better."""
    insertion_area: float
    """The area under :attr:`insertion`; higher is better."""
    better_than_random: float | None
    """The share of texts whose deletion area is below that of random orders; None for these."""
    deletion: tuple[float, ...] = ()
    """The mean probability at each of :data:`STEPS`."""
    insertion: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Curves:
    """The probabilities of one text under one order."""

    deletion: Numbers
    insertion: Numbers
    without: Numbers
    only: Numbers


def faithfulness(
    detector: Scorer,
    texts: Sequence[str],
    name: str,
    explainers: Mapping[str, Explainer],
    *,
    seed: int = 1,
    repeats: int = 5,
) -> list[Faithfulness]:
    """Measure explainers on the texts, and ``repeats`` random orders of words, for one id.

    Give texts for which the id is reported: there, an explanation has something to explain.
    """
    if RANDOM in explainers:
        raise UsageError(f"'{RANDOM}' is measured anyway; give the explainer another name.")
    if repeats < 1:
        raise UsageError(f"Found {repeats} random orders; expected one or more.")
    used = [text for text in texts if len(words_of(text)) >= LEAST_WORDS]
    if not used:
        raise InputError(
            f"Found no text of {LEAST_WORDS} or more words among {len(texts)}; expected some to "
            "measure explanations on."
        )
    chance = np.random.default_rng(seed)
    found: dict[str, list[_Curves]] = {key: [] for key in (*explainers, RANDOM)}
    for text in used:
        words = words_of(text)
        orders = [
            np.argsort(-word_values(words, explain(text, name)), kind="stable")
            for explain in explainers.values()
        ]
        orders += [chance.permutation(len(words)) for _ in range(repeats)]
        curves = _curves(detector, text, words, name, orders)
        for key, each in zip(explainers, curves, strict=False):
            found[key].append(each)
        found[RANDOM].append(_mean(curves[len(explainers) :]))
    return [_summary(name, key, each, found[RANDOM]) for key, each in found.items()]


def word_values(words: Sequence[tuple[int, int]], contributions: Sequence[Contribution]) -> Numbers:
    """Return the value of each word, from the pieces that the explainer divides a text into.

    A piece over several words gives each its share by length; parts outside words are ignored.
    """
    values = np.zeros(len(words), dtype=np.float64)
    for each in contributions:
        for at, (start, end) in enumerate(words):
            common = min(end, each.end) - max(start, each.start)
            if common > 0:
                values[at] += each.value * common / (each.end - each.start)
    return values


def _curves(
    detector: Scorer,
    text: str,
    words: Sequence[tuple[int, int]],
    name: str,
    orders: Sequence[NDArray[np.intp]],
) -> list[_Curves]:
    """Score every variant of one text in one batch, each different one once."""
    number = len(words)
    removed = [min(round(share * number), number - 1) for share in STEPS]
    shown = [max(round((share + STEPS[1]) * number), 1) for share in STEPS]
    rationale = [min(max(ceil(share * number), 1), number - 1) for share in BINS]
    rows: list[tuple[list[str], ...]] = []
    for order in orders:

        def variant(count: int, keep: bool, order: NDArray[np.intp] = order) -> str:
            kept = np.full(number, not keep)
            kept[order[:count]] = keep
            return keep_words(text, words, kept.tolist())

        rows.append(
            (
                [variant(count, keep=False) for count in removed],
                [variant(count, keep=True) for count in shown],
                [variant(count, keep=False) for count in rationale],
                [variant(count, keep=True) for count in rationale],
            )
        )
    every = list(dict.fromkeys(each for row in rows for column in row for each in column))
    scores = dict(zip(every, detector.score(every)[name].tolist(), strict=True))
    return [
        _Curves(*(np.array([scores[each] for each in column]) for column in row)) for row in rows
    ]


def _mean(curves: Sequence[_Curves]) -> _Curves:
    return _Curves(
        np.mean([each.deletion for each in curves], axis=0),
        np.mean([each.insertion for each in curves], axis=0),
        np.mean([each.without for each in curves], axis=0),
        np.mean([each.only for each in curves], axis=0),
    )


def _area(curve: Numbers) -> float:
    return float(np.trapezoid(curve) / (len(curve) - 1))


def _summary(
    name: str, explainer: str, curves: Sequence[_Curves], chance: Sequence[_Curves]
) -> Faithfulness:
    mean = _mean(curves)
    # Nothing is removed at the first step of deletion: the probability of the whole text.
    whole = mean.deletion[0]
    at = BINS.index(RATIONALE)
    better = [
        _area(each.deletion) < _area(other.deletion)
        for each, other in zip(curves, chance, strict=True)
    ]
    return Faithfulness(
        id=name,
        explainer=explainer,
        texts=len(curves),
        comprehensiveness=float(whole - mean.without[at]),
        sufficiency=float(whole - mean.only[at]),
        aopc_comprehensiveness=float(np.mean(whole - mean.without)),
        aopc_sufficiency=float(np.mean(whole - mean.only)),
        deletion_area=_area(mean.deletion),
        insertion_area=_area(mean.insertion),
        better_than_random=None if explainer == RANDOM else float(np.mean(better)),
        deletion=tuple(mean.deletion.tolist()),
        insertion=tuple(mean.insertion.tolist()),
    )
