"""The one-coin model: each annotator is right with one probability, whatever the true label.

It is Dawid-Skene with a single number per annotator; wrong answers are spread evenly over the other
labels. With few judgements per annotator it has less to estimate, and so errs less.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tactful.aggregation.dawid_skene import check_smoothing
from tactful.aggregation.em import (
    MOST_ITERATIONS,
    TOLERANCE,
    Estimate,
    Votes,
    iterate,
    log,
    read_for_fit,
    settle_fit,
    vote_shares,
)
from tactful.aggregation.judgements import Gold
from tactful.aggregation.result import Aggregated
from tactful.aggregation.ties import Ties
from tactful.ratings import Numbers

SMOOTHING = 2.0
COMPETENCE = 4.0
"""As if each annotator had been right six times of eight before: chosen on simulated small tables
and measured on others (docs/aggregation.md)."""


@dataclass(frozen=True, slots=True, eq=False)
class OneCoin(Aggregated):
    """Labels, and the accuracy of each annotator."""

    annotators: tuple[str, ...]
    accuracy: Numbers
    priors: Numbers
    log_likelihood: tuple[float, ...]
    objective: tuple[float, ...]
    converged: bool


def fit_one_coin(
    table: Any,
    *,
    gold: Gold | None = None,
    ties: Ties = "none",
    smoothing: float = SMOOTHING,
    competence: float = COMPETENCE,
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> OneCoin:
    """Fit the model by EM, from the shares of the votes.

    ``smoothing`` is added to the right and to the wrong answers of each annotator and to the count
    of each label, ``competence`` to the right answers only; with 0 for both it is the plain
    likelihood. ``seed`` is only used by the tie policy ``random``.
    """
    check_smoothing(smoothing)
    check_smoothing(competence, "competence")
    ratings, data = read_for_fit(table, gold, ties)
    votes = Votes(data)
    others = max(len(data.ratings.labels) - 1, 1)

    def m_step(counts: Numbers, truths: Numbers) -> Estimate[tuple[Numbers, Numbers]]:
        right = np.einsum("akk->a", counts)
        # The clip keeps rounding from making a wrong answer less than impossible.
        wrong = np.maximum(counts.sum(axis=(1, 2)) - right, 0.0)
        accuracy = _share(right + competence + smoothing, wrong + smoothing)
        priors = (truths + smoothing) / max(float((truths + smoothing).sum()), 1e-300)
        log_right, log_wrong = log(accuracy), log(1 - accuracy)
        log_answers = np.empty_like(counts)
        log_answers[:] = (log_wrong - np.log(others))[:, None, None]
        diagonal = np.arange(counts.shape[1])
        log_answers[:, diagonal, diagonal] = log_right[:, None]
        log_priors = log(priors)
        total = float(log_right.sum() + log_wrong.sum() + log_priors.sum())
        penalty = smoothing * total + competence * float(log_right.sum())
        return Estimate(log_answers, log_priors, penalty, (accuracy, priors))

    fit = iterate(votes, vote_shares(data), m_step, iterations, tolerance)
    accuracy, priors = fit.parameters
    return OneCoin(
        "one_coin",
        **settle_fit(ratings, data, fit, ("estimated accuracy", accuracy), ties, seed, tolerance),
        accuracy=data.by_annotator(accuracy),
        priors=priors,
        log_likelihood=fit.log_likelihood,
        objective=fit.objective,
    )


def _share(right: Numbers, wrong: Numbers) -> Numbers:
    answer = np.full_like(right, 0.5)
    np.divide(right, right + wrong, out=answer, where=right + wrong > 0)
    return answer
