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

SMOOTHING = 0.3
COMPETENCE = 2.0
"""On tables of a few dozen items the plain likelihood is highest where it explains chance: an
annotator's table has more cells than judgements. Both numbers were chosen on simulated small tables
and measured on others (docs/aggregation.md); thousands of judgements outweigh them."""


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
    competence: float = COMPETENCE,
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> DawidSkene:
    """Fit the model by EM, from the shares of the votes as in the paper.

    ``gold`` holds the labels of known items fast. ``smoothing`` is added to each cell of each
    table and to the count of each label, so that one answer never rules a label out;
    ``competence`` is added to the right answers: how many each annotator is taken to have given
    to each label beforehand. With 0 for both it is the paper's plain likelihood. The iterations
    end when the objective grows by less than ``tolerance`` of itself. ``seed`` is only used
    by the tie policy ``random``: the fit has no chance in it.
    """
    check_smoothing(smoothing)
    check_smoothing(competence, "competence")
    ratings, data = read_for_fit(table, gold, ties)
    votes = Votes(data)
    added = smoothing + competence * np.eye(votes.shape[2])

    def m_step(counts: Numbers, truths: Numbers) -> Estimate[tuple[Numbers, Numbers]]:
        answers, priors = _shares(counts + added, axis=1), _shares(truths + smoothing, axis=0)
        log_answers, log_priors = log(answers), log(priors)
        penalty = float((added * log_answers).sum() + smoothing * log_priors.sum())
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


def _shares(counts: Numbers, axis: int) -> Numbers:
    """Turn counts into shares; where nothing was counted, all are equal."""
    total = np.broadcast_to(counts.sum(axis=axis, keepdims=True), counts.shape)
    answer = np.full_like(counts, 1 / max(counts.shape[axis], 1))
    np.divide(counts, total, out=answer, where=total > 0)
    return answer


def check_smoothing(value: float, name: str = "smoothing") -> None:
    """Refuse a smoothing or a competence that takes away."""
    if not 0 <= value < np.inf:
        raise UsageError(f"Found a {name} of {value:g}; expected 0 or more.")
