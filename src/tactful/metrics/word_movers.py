"""Word mover's distance (Kusner et al. 2015): how far the words of one text travel to another's.

A text is its bag of tokens, each with the same share of the mass; moving mass from one word to
another costs the Euclidean distance of their vectors; the distance is the cheapest plan that moves
all of it, found exactly. Policies, the same for every call:

- tokens without a vector are left out of their text, and ``parts["coverage"]`` says the share of
  tokens that have one;
- texts with the same tokens have the distance 0 whatever the vectors, so also two empty texts;
- otherwise a text without any known word has no distance: the item is left out, unless
  ``penalty`` says what it costs, and ``parts["measured"]`` says the share of items measured.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import inf, lcm
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.libraries import needed
from tactful.metrics.generation import Tokeniser, tokenise
from tactful.metrics.result import Measure, measure

if TYPE_CHECKING:
    from tactful.metrics.word_vectors import WordVectors

_LARGEST_ASSIGNMENT = 256


def words_of(texts: Iterable[str], tokeniser: Tokeniser = tokenise) -> set[str]:
    """Return the words whose vectors a comparison of these texts needs."""
    return {token for text in texts for token in tokeniser(text)}


@measure("references_texts_vectors", low=0, high=inf, perfect=0, higher_is_better=False)
def word_movers_distance(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    vectors: "WordVectors",
    *,
    penalty: float | None = None,
    stop_words: Collection[str] = (),
    tokeniser: Tokeniser = tokenise,
) -> Measure:
    """Return the mean distance of each hypothesis to the nearest of its references.

    Range 0 to infinity in the unit of the vectors, lower is better. Kusner et al. leave stop words
    out; here that is a choice. Undefined when no item can be measured.
    """
    if len(references) != len(hypotheses):
        raise InputError(
            f"Found references of {len(references):,} items and {len(hypotheses):,} hypotheses; "
            "expected one hypothesis for each item."
        )
    stopped = frozenset(stop_words)
    known = total = without = unmeasured = 0
    distances: list[float] = []
    for texts, hypothesis in zip(references, hypotheses, strict=True):
        if not texts:
            without += 1
            continue
        bags = [
            [token for token in tokeniser(text) if token not in stopped]
            for text in (hypothesis, *texts)
        ]
        for bag in bags:
            known += sum(token in vectors for token in bag)
            total += len(bag)
        found = [bag_distance(bag, bags[0], vectors) for bag in bags[1:]]
        measured = [distance for distance in found if distance is not None]
        if measured:
            distances.append(min(measured))
        else:
            unmeasured += 1
            if penalty is not None:
                distances.append(penalty)
    items = len(references) - without
    return _answer(distances, items, without, unmeasured, penalty, known, total)


def _answer(
    distances: list[float],
    items: int,
    without: int,
    unmeasured: int,
    penalty: float | None,
    known: int,
    total: int,
) -> Measure:
    name = "word mover's distance"
    if not items:
        return Measure(name, None, "no item has a reference to compare with", items=0)
    coverage = Measure(
        "coverage",
        known / total if total else None,
        None if total else "there is no token in any text",
        items=total,
    )
    share = Measure("measured", (items - unmeasured) / items, items=items)
    parts = {"coverage": coverage, "measured": share}
    if not distances:
        reason = "no hypothesis and reference both have a word with a vector"
        return Measure(name, None, reason, parts, 0)
    notes = []
    if without:
        notes.append(f"items without references left out: {without:,}")
    if unmeasured:
        did = "left out" if penalty is None else f"counted as {penalty:g}"
        notes.append(f"items with a text that has no known word {did}: {unmeasured:,}")
    value = sum(distances) / len(distances)
    return Measure(name, value, "; ".join(notes) or None, parts, len(distances))


def bag_distance(
    first: Sequence[str], second: Sequence[str], vectors: "WordVectors"
) -> float | None:
    """Return the distance of two lists of tokens; None where one has no word with a vector."""
    if Counter(first) == Counter(second):
        return 0.0
    here = Counter(token for token in first if token in vectors)
    there = Counter(token for token in second if token in vectors)
    if not here or not there:
        return None
    costs = _distances(vectors.rows(list(here)), vectors.rows(list(there)))
    return transport_cost(list(here.values()), list(there.values()), costs)


def transport_cost(
    supplies: Sequence[int], demands: Sequence[int], costs: NDArray[np.float64]
) -> float:
    """Return the least cost of moving one unit of mass, shared as ``supplies`` and ``demands`` say.

    Both are counts of tokens. Copied until both sides are equally many, tokens can be assigned one
    to one, and one-to-one is optimal because the counts are whole; where that takes too many
    copies, the same plan is a linear programme.
    """
    size = lcm(sum(supplies), sum(demands))
    if size > _LARGEST_ASSIGNMENT:
        return _by_programme(supplies, demands, costs)
    with needed("Word Mover's distance"):
        from scipy.optimize import linear_sum_assignment

    rows = np.repeat(np.arange(len(supplies)), np.array(supplies) * (size // sum(supplies)))
    columns = np.repeat(np.arange(len(demands)), np.array(demands) * (size // sum(demands)))
    copied = costs[np.ix_(rows, columns)]
    return float(copied[linear_sum_assignment(copied)].sum() / size)


def _by_programme(
    supplies: Sequence[int], demands: Sequence[int], costs: NDArray[np.float64]
) -> float:
    with needed("Word Mover's distance"):
        from scipy.optimize import linprog
        from scipy.sparse import csr_array, eye_array, kron, vstack

    n, m = costs.shape
    leaves: Any = kron(eye_array(n), csr_array(np.ones((1, m))))
    arrives: Any = kron(csr_array(np.ones((1, n))), eye_array(m))
    mass = np.concatenate([np.array(supplies) / sum(supplies), np.array(demands) / sum(demands)])
    solved = linprog(
        costs.ravel(), A_eq=vstack([leaves, arrives]), b_eq=mass, bounds=(0, None), method="highs"
    )
    if solved.status != 0 or solved.fun is None:
        raise InputError(f"The cheapest plan of {n} by {m} words was not found: {solved.message}")
    return max(float(solved.fun), 0.0)


def _distances(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    with needed("Word Mover's distance"):
        from scipy.spatial.distance import cdist

    return np.asarray(cdist(first, second), dtype=np.float64)
