"""GLAD (Whitehill et al. 2009): items differ in difficulty, annotators in ability.

"Whose vote should count more: optimal integration of labels from labelers of unknown expertise",
NIPS. An answer is right with probability 1 / (1 + exp(-ability * ease)), where the ease of an item
(one divided by its difficulty) is positive and an ability may be negative; wrong answers are spread
evenly over the other labels. EM, with gradient steps as the M-step.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tactful.aggregation.em import (
    MOST_ITERATIONS,
    Fit,
    check_iterations,
    has_converged,
    normalise,
    read_for_fit,
    settle_fit,
)
from tactful.aggregation.judgements import Gold, Judged
from tactful.aggregation.result import Aggregated
from tactful.aggregation.ties import Ties
from tactful.libraries import needed
from tactful.ratings import Numbers

TOLERANCE = 1e-6
GRADIENT_STEPS = 10
PRIOR_MEAN = 1.0
"""Abilities and the logarithm of the ease are drawn around 1 with variance 1, as the authors do."""
_LARGEST_LOG = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Glad(Aggregated):
    """Labels, the ability of each annotator and the difficulty of each item."""

    annotators: tuple[str, ...]
    ability: Numbers
    """0 is guessing, below 0 is against the truth."""
    difficulty: Numbers
    """Above 0, higher is harder; NaN for an item that nobody judged."""
    objective: tuple[float, ...]
    """The log-likelihood with the priors after each iteration: what never falls."""
    log_likelihood: tuple[float, ...]
    converged: bool


def fit_glad(
    table: Any,
    *,
    gold: Gold | None = None,
    ties: Ties = "none",
    iterations: int = MOST_ITERATIONS,
    tolerance: float = TOLERANCE,
    gradient_steps: int = GRADIENT_STEPS,
    seed: int = 0,
) -> Glad:
    """Fit the model by EM, from abilities and eases at the mean of their priors.

    Each M-step takes at most ``gradient_steps`` steps of L-BFGS. All labels are equally likely
    beforehand, as in the paper. ``gold`` holds known items fast; ``seed`` is only used by the tie
    policy ``random``.
    """
    check_iterations(iterations, tolerance)
    ratings, data = read_for_fit(table, gold, ties)
    model = _Model(data)
    parameters = np.full(model.size, PRIOR_MEAN)
    likelihoods: list[float] = []
    objective: list[float] = []
    while True:
        posteriors, likelihood = model.expect(parameters)
        likelihoods.append(likelihood)
        objective.append(likelihood - 0.5 * float(((parameters - PRIOR_MEAN) ** 2).sum()))
        converged = has_converged(objective, tolerance)
        if converged or len(objective) >= iterations:
            break
        parameters = model.maximise(posteriors, parameters, gradient_steps)
    fit = Fit(posteriors, parameters, tuple(likelihoods), tuple(objective), converged)
    ability, log_ease = model.split(parameters)
    return Glad(
        "glad",
        **settle_fit(ratings, data, fit, ("ability", ability), ties, seed, tolerance),
        ability=data.by_annotator(ability),
        difficulty=data.spread(np.exp(-log_ease)),
        objective=fit.objective,
        log_likelihood=fit.log_likelihood,
    )


class _Model:
    """The likelihood and its gradient; the parameters are abilities, then logarithms of ease."""

    def __init__(self, data: Judged):
        ratings = data.ratings
        self.item, self.annotator, self.label = ratings.item, ratings.annotator, ratings.label
        self.items, self.annotators = len(ratings.items), len(ratings.annotators)
        self.labels = max(len(ratings.labels), 1)
        self.known = data.known
        self.size = self.annotators + self.items
        self.spread = np.log(max(self.labels - 1, 1))

    def split(self, parameters: Numbers) -> tuple[Numbers, Numbers]:
        """Return the abilities and the logarithms of ease."""
        return parameters[: self.annotators], parameters[self.annotators :]

    def expect(self, parameters: Numbers) -> tuple[Numbers, float]:
        """Return the posteriors and the log-likelihood."""
        ability, log_ease = self.split(parameters)
        signal = ability[self.annotator] * _exp(log_ease)[self.item]
        wrong = _log_wrong(signal)
        right, wrong = wrong + signal, wrong - self.spread
        cell = self.item * self.labels + self.label
        gain = np.bincount(cell, right - wrong, self.items * self.labels)
        joint = gain.reshape(self.items, self.labels).astype(np.float64)
        joint += np.bincount(self.item, wrong, self.items)[:, None] - np.log(self.labels)
        return normalise(joint, self.known)

    def maximise(self, posteriors: Numbers, parameters: Numbers, steps: int) -> Numbers:
        """Climb the expected log-likelihood, with the priors, from where the parameters are."""
        with needed("GLAD"):
            from scipy.optimize import minimize

        if not parameters.size:
            return parameters  # Nobody judged anything, and some versions of scipy refuse that.
        right = posteriors[self.item, self.label]

        def loss(at: Numbers) -> tuple[float, Numbers]:
            ability, log_ease = self.split(at)
            ease = _exp(log_ease)[self.item]
            skill = ability[self.annotator]
            signal = skill * ease
            # log of the chance to be wrong; that to be right is larger by the signal.
            wrong = _log_wrong(signal)
            value = float(wrong.sum() + right @ signal) - self.spread * float((1 - right).sum())
            slope = right - np.exp(wrong + signal)
            gradient = np.concatenate(
                [
                    np.bincount(self.annotator, slope * ease, self.annotators),
                    np.bincount(self.item, slope * signal, self.items),
                ]
            )
            away = at - PRIOR_MEAN
            return 0.5 * float(away @ away) - value, away - gradient

        best = minimize(loss, parameters, jac=True, method="L-BFGS-B", options={"maxiter": steps})
        return np.asarray(best.x)


def _log_wrong(signal: Numbers) -> Numbers:
    """Return log(1 / (1 + exp(signal))) without overflow, faster than numpy's logaddexp."""
    return -(np.maximum(signal, 0.0) + np.log1p(np.exp(-np.abs(signal))))


def _exp(log_ease: Numbers) -> Numbers:
    # A line search may try far too large a step; it must come back as a bad one, not as infinity.
    return np.exp(np.clip(log_ease, -_LARGEST_LOG, _LARGEST_LOG))
