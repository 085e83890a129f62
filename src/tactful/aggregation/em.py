"""Expectation-maximisation over sparse judgements, in log space.

Dawid-Skene, the one-coin model and MACE differ only in what they make of an annotator's table of
confusion. Each passes its own M-step; the E-step, the known items and the end are the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from tactful.aggregation.judgements import (
    Gold,
    Judged,
    judged,
    over_labels,
    read_judgements,
    refuse_too_many_labels,
    shares,
)
from tactful.aggregation.result import settle
from tactful.aggregation.ties import Ties, check_policy
from tactful.errors import UsageError
from tactful.libraries import needed
from tactful.ratings import Codes, Numbers, Ratings

T = TypeVar("T")

MOST_ITERATIONS = 100
TOLERANCE = 1e-7
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Generic[T]):
    """The result of an M-step."""

    log_answers: Numbers
    """Annotators by answers by true labels: the log weight of an answer, given the truth."""
    log_priors: Numbers
    """The log probability of each true label."""
    penalty: float
    """What the priors of the parameters add to the log-likelihood."""
    parameters: T


@dataclass(frozen=True, slots=True, eq=False)
class Fit(Generic[T]):
    """What the iterations ended with."""

    posteriors: Numbers
    parameters: T
    log_likelihood: tuple[float, ...]
    """The log-likelihood after each iteration."""
    objective: tuple[float, ...]
    """The log-likelihood and the penalty: what never falls."""
    converged: bool


MStep = Callable[[Numbers, Numbers], Estimate[T]]
"""From expected counts (annotators by answers by truths) and expected truths to an estimate."""


class Votes:
    """The judgements as a sparse matrix: items by pairs of annotator and answer."""

    def __init__(self, data: Judged):
        with needed("This method"):
            from scipy.sparse import csr_matrix

        ratings = data.ratings
        refuse_too_many_labels(ratings)
        self.known = data.known
        # A table without any label still has arrays of one column, as Ratings.counts has.
        labels = max(len(ratings.labels), 1)
        self.shape = (len(ratings.annotators), labels, labels)
        size = (len(ratings.items), len(ratings.annotators) * labels)
        pair = ratings.annotator * labels + ratings.label
        ones = np.ones(len(ratings))
        self._by_item: csr_matrix = csr_matrix((ones, (ratings.item, pair)), shape=size)
        self._by_pair: csr_matrix = self._by_item.T.tocsr()

    def expect(self, estimate: Estimate[T]) -> tuple[Numbers, float]:
        """Return the posteriors of each item and the log-likelihood (the E-step)."""
        weights = estimate.log_answers.reshape(-1, self.shape[2])
        joint = np.asarray(self._by_item @ weights) + estimate.log_priors
        return normalise(joint, self.known)

    def count(self, posteriors: Numbers) -> Numbers:
        """Return how often each annotator is expected to have given each answer to each truth."""
        return np.asarray(self._by_pair @ posteriors).reshape(self.shape)


def normalise(joint: Numbers, known: Codes) -> tuple[Numbers, float]:
    """Turn joint log probabilities into posteriors, where known items keep their label."""
    top = over_labels(np.maximum, joint)
    posteriors = np.exp(joint - top)
    total = over_labels(np.add, posteriors)
    evidence = (top + np.log(total))[:, 0]
    posteriors /= total
    sure = np.flatnonzero(known >= 0)
    if sure.size:
        evidence[sure] = joint[sure, known[sure]]
        posteriors[sure] = 0.0
        posteriors[sure, known[sure]] = 1.0
    return posteriors, float(evidence.sum())


def vote_shares(data: Judged) -> Numbers:
    """Return the shares of the votes, where Dawid and Skene start; known items are certain."""
    start = shares(data.counts())
    # A known item without any judgement has no votes.
    start[np.isnan(start)] = 0.0
    sure = np.flatnonzero(data.known >= 0)
    start[sure] = 0.0
    start[sure, data.known[sure]] = 1.0
    return start


def iterate(
    votes: Votes,
    start: Numbers,
    m_step: MStep[T],
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Fit[T]:
    """Alternate M- and E-steps until the objective grows by less than ``tolerance`` of itself."""
    check_iterations(iterations, tolerance)
    estimate = m_step(votes.count(start), _truths(start))
    trace: list[float] = []
    objective: list[float] = []
    while True:
        posteriors, likelihood = votes.expect(estimate)
        trace.append(likelihood)
        objective.append(likelihood + estimate.penalty)
        converged = has_converged(objective, tolerance)
        if converged or len(trace) >= iterations:
            break
        estimate = m_step(votes.count(posteriors), _truths(posteriors))
    return Fit(posteriors, estimate.parameters, tuple(trace), tuple(objective), converged)


def _truths(posteriors: Numbers) -> Numbers:
    """Return how many items are expected to have each label; faster than a sum over rows."""
    return np.array([column.sum() for column in posteriors.T])


def has_converged(objective: list[float], tolerance: float) -> bool:
    """Say whether the last step gained less than the tolerance; with 0 it never ends early."""
    if len(objective) < 2 or tolerance == 0:
        return False
    return abs(objective[-1] - objective[-2]) <= tolerance * max(1.0, abs(objective[-1]))


def check_iterations(iterations: int, tolerance: float) -> None:
    """Refuse an invalid number of iterations or tolerance."""
    if iterations < 1 or tolerance < 0:
        raise UsageError(
            f"Found {iterations} iterations and a tolerance of {tolerance:g}; "
            "expected at least 1 iteration and a tolerance of 0 or more."
        )


def log(values: Numbers) -> Numbers:
    """Take the logarithm, of the smallest number there is in the place of 0."""
    return np.log(np.maximum(values, TINY))


def read_for_fit(table: Any, gold: Gold | None, ties: Ties) -> tuple[Ratings, Judged]:
    """Read what a model is fitted to; an impossible tie policy is refused before the fit."""
    ratings = read_judgements(table)
    check_policy(ties, ratings.labels)
    return ratings, judged(ratings, gold)


def settle_fit(
    ratings: Ratings,
    data: Judged,
    fit: Fit[T],
    skill: tuple[str, Numbers],
    ties: Ties,
    seed: int,
    tolerance: float,
) -> dict[str, Any]:
    """Return the fields that all models have; ``skill`` is what one says about each annotator."""
    name, weight = skill
    ended_early = not fit.converged and tolerance > 0
    note = f"The likelihood still grew after {len(fit.objective)} iterations; allow more of them."
    fields = settle(
        ratings.items,
        data,
        fit.posteriors,
        measure="posterior",
        ties=ties,
        seed=seed,
        weight=weight[data.ratings.annotator],
        weight_name=name,
        notes=(note,) if ended_early else (),
    )
    return {**fields, "annotators": ratings.annotators, "converged": fit.converged}
