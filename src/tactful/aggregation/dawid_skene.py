"""Dawid and Skene (1979): each annotator has a table of confusion, found together with the labels.

"Maximum likelihood estimation of observer error-rates using the EM algorithm", Applied Statistics
28(1). The E-step weighs the answers by the tables, the M-step counts the tables by the answers.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

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
from tactful.errors import UsageError
from tactful.ratings import Numbers

SMOOTHING = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class DawidSkene(Aggregated):
    """Labels, and what the model found out about annotators and labels."""

    annotators: tuple[str, ...]
    confusion: Numbers
    """Annotators by true labels by answers: each row adds up to 1."""
    priors: Numbers
    """How frequent each label is."""
    accuracy: Numbers
    """How often each annotator is expected to be right, over all labels."""
    log_likelihood: tuple[float, ...]
    """The log-likelihood after each iteration."""
    objective: tuple[float, ...]
    """The log-likelihood with the smoothing: what never falls."""
    converged: bool


def fit_dawid_skene(
    table: Any,
    *,
    gold: Gold | None = None,
    ties: Ties = "none",
    smoothing: float = SMOOTHING,
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> DawidSkene:
    """Fit the model by EM, from the shares of the votes as in the paper.

    ``gold`` holds the labels of known items fast. ``smoothing`` is added to each cell of each
    table, so that one answer never rules a label out; 0 is the paper's plain likelihood. The
    iterations end when the objective grows by less than ``tolerance`` of itself. ``seed`` is only
    used by the tie policy ``random``: the fit has no chance in it.
    """
    check_smoothing(smoothing)
    ratings, data = read_for_fit(table, gold, ties)
    votes = Votes(data)

    def m_step(counts: Numbers, truths: Numbers) -> Estimate[tuple[Numbers, Numbers]]:
        answers, priors = _smooth(counts, smoothing, axis=1), _smooth(truths, smoothing, axis=0)
        log_answers, log_priors = log(answers), log(priors)
        penalty = smoothing * float(log_answers.sum() + log_priors.sum()) if smoothing else 0.0
        return Estimate(log_answers, log_priors, penalty, (answers, priors))

    fit = iterate(votes, vote_shares(data), m_step, iterations, tolerance)
    answers, priors = fit.parameters
    accuracy = np.einsum("akk,k->a", answers, priors)
    return DawidSkene(
        "dawid_skene",
        **settle_fit(ratings, data, fit, ("estimated accuracy", accuracy), ties, seed, tolerance),
        confusion=data.by_annotator(answers.transpose(0, 2, 1)),
        priors=priors,
        accuracy=data.by_annotator(accuracy),
        log_likelihood=fit.log_likelihood,
        objective=fit.objective,
    )


def _smooth(counts: Numbers, smoothing: float, axis: int) -> Numbers:
    """Turn counts into shares; where nothing was counted, all are equal."""
    total = counts.sum(axis=axis, keepdims=True)
    width = counts.shape[axis]
    answer = np.full_like(counts, 1 / max(width, 1))
    whole = np.broadcast_to(total + smoothing * width, counts.shape)
    np.divide(counts + smoothing, whole, out=answer, where=whole > 0)
    return answer


def check_smoothing(smoothing: float) -> None:
    """Refuse a smoothing that takes away."""
    if not 0 <= smoothing < np.inf:
        raise UsageError(f"Found a smoothing of {smoothing:g}; expected 0 or more.")
