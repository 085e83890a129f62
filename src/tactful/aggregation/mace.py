"""MACE (Hovy et al. 2013): an annotator either knows the label or spams, by a habit of their own.

"Learning whom to trust with MACE", NAACL. With probability theta (the competence) an annotator
copies the true label; otherwise the answer comes from their own distribution xi, whatever the item.
Fitted by variational Bayes from several starts; the best bound is kept. Beyond the paper, the
frequency of each label is learnt too.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tactful.aggregation.em import (
    TOLERANCE,
    Estimate,
    Fit,
    Votes,
    iterate,
    log,
    read_for_fit,
    settle_fit,
    vote_shares,
)
from tactful.aggregation.judgements import Gold, Judged
from tactful.aggregation.result import Aggregated
from tactful.aggregation.ties import Ties
from tactful.errors import UsageError
from tactful.libraries import needed
from tactful.ratings import Numbers

ITERATIONS = 50
RESTARTS = 10
HABIT = 10.0
"""Dirichlet(10) on the habits, as in the authors' program."""
KNOWING, SPAMMING, SMOOTHING = 3.0, 1.0, 10.0
"""The authors' program has Beta(0.5, 0.5) on the competence, and equally likely labels. Where
labels are uneven, it takes people who often give the frequent one for spammers. These numbers were
chosen on simulated tables and measured on others (docs/aggregation.md)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mace(Aggregated):
    """Labels, and the competence and habits of each annotator."""

    annotators: tuple[str, ...]
    competence: Numbers
    """The expected probability that the annotator knows the label instead of spamming."""
    habits: Numbers
    """Annotators by labels: what they answer when they spam."""
    bound: tuple[float, ...]
    """The variational bound of the log-likelihood after each iteration of the best start."""
    starts: tuple[float, ...]
    """The bound that each start reached."""
    converged: bool


@dataclass(frozen=True, slots=True)
class _Priors:
    """What is believed before the first judgement."""

    knowing: float
    spamming: float
    smoothing: float | None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not 0 < value < np.inf:
                raise UsageError(f"Found {name}={value:g}; expected a number above 0.")


@dataclass(frozen=True, slots=True, eq=False)
class _Beliefs:
    """What is believed of annotators: the parameters of Beta and Dirichlet distributions."""

    good: Numbers
    spam: Numbers
    habit: Numbers

    @property
    def competence(self) -> Numbers:
        return self.good / (self.good + self.spam)


def fit_mace(
    table: Any,
    *,
    gold: Gold | None = None,
    ties: Ties = "none",
    restarts: int = RESTARTS,
    knowing: float = KNOWING,
    spamming: float = SPAMMING,
    smoothing: float | None = SMOOTHING,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    seed: int = 0,
) -> Mace:
    """Fit the model from ``restarts`` starts and keep the one with the best bound.

    The first start is the vote, the others are drawn around it by ``seed``. ``knowing`` and
    ``spamming`` are the answers of each kind that every annotator is taken to have given
    beforehand; ``smoothing`` is added to the count of each label, and None makes all labels equally
    likely. With 0.5, 0.5 and None it is the paper's model. ``gold`` holds the labels of known items
    fast.
    """
    if restarts < 1:
        raise UsageError(f"Found {restarts} restarts; expected at least 1.")
    priors = _Priors(knowing, spamming, smoothing)
    ratings, data = read_for_fit(table, gold, ties)
    votes = Votes(data)
    best: Fit[_Beliefs] | None = None
    reached = []
    for start, theta in _starts(data, restarts, seed):
        fit = iterate(votes, start, _Learner(theta, priors), iterations, tolerance)
        reached.append(fit.objective[-1])
        if best is None or fit.objective[-1] > best.objective[-1]:
            best = fit
    assert best is not None  # noqa: S101  (there is at least one start)
    beliefs = best.parameters
    return Mace(
        "mace",
        **settle_fit(
            ratings, data, best, ("competence", beliefs.competence), ties, seed, tolerance
        ),
        competence=data.by_annotator(beliefs.competence),
        habits=data.by_annotator(beliefs.habit / beliefs.habit.sum(axis=1, keepdims=True)),
        bound=best.objective,
        starts=tuple(reached),
    )


def _starts(data: Judged, restarts: int, seed: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield posteriors and competences to start from."""
    votes, annotators = vote_shares(data), len(data.ratings.annotators)
    yield votes, np.full(annotators, 0.5)
    rng = np.random.default_rng(seed)
    counts = data.counts()[:, : votes.shape[1]]
    sure = data.known >= 0
    for _ in range(restarts - 1):
        drawn = rng.standard_gamma(counts + 0.5)
        drawn = (drawn + 1e-12) / (drawn + 1e-12).sum(axis=1, keepdims=True)
        drawn[sure] = votes[sure]
        yield drawn, rng.uniform(0.2, 0.8, annotators)


class _Learner:
    """The M-step: it remembers how far each answer was taken for knowledge."""

    def __init__(self, theta: Numbers, priors: _Priors):
        self._good, self._priors = theta, priors
        self._spam: Numbers | None = None

    def __call__(self, counts: Numbers, truths: Numbers) -> Estimate[_Beliefs]:
        with needed("MACE"):
            from scipy.special import digamma

        labels = counts.shape[1]
        if self._spam is None:
            self._spam = np.repeat((1 - self._good)[:, None] / labels, labels, axis=1)
        right = np.einsum("akk->ak", counts)
        known = right * (self._good[:, None] / (self._good[:, None] + self._spam))
        habit = np.maximum(counts.sum(axis=2) - known, 0.0)
        beliefs = _Beliefs(
            known.sum(axis=1) + self._priors.knowing,
            habit.sum(axis=1) + self._priors.spamming,
            habit + HABIT,
        )
        total = digamma(beliefs.good + beliefs.spam)
        strategy = digamma(beliefs.habit) - digamma(beliefs.habit.sum(axis=1))[:, None]
        self._good = np.exp(digamma(beliefs.good) - total)
        self._spam = np.exp((digamma(beliefs.spam) - total)[:, None] + strategy)
        answers = np.repeat(self._spam[:, :, None], labels, axis=2)
        diagonal = np.arange(labels)
        answers[:, diagonal, diagonal] += self._good[:, None]
        labels_log, moved = self._label_shares(truths)
        moved += _divergence(beliefs, self._priors)
        return Estimate(log(answers), labels_log, -moved, beliefs)

    def _label_shares(self, truths: Numbers) -> tuple[Numbers, float]:
        """Return the expected log frequency of each label, and its distance from the prior."""
        with needed("MACE"):
            from scipy.special import digamma

        if self._priors.smoothing is None:
            return np.full(truths.size, -np.log(max(truths.size, 1))), 0.0
        counted = (truths + self._priors.smoothing)[None, :]
        moved = _dirichlet_divergence(counted, np.full_like(counted, self._priors.smoothing))
        return digamma(counted[0]) - digamma(counted.sum()), moved


def _divergence(beliefs: _Beliefs, priors: _Priors) -> float:
    """Return how far the beliefs have moved from the priors (Kullback-Leibler)."""
    pair = np.stack([beliefs.good, beliefs.spam], axis=1)
    prior = np.broadcast_to(np.array([priors.knowing, priors.spamming]), pair.shape)
    return _dirichlet_divergence(pair, prior) + _dirichlet_divergence(
        beliefs.habit, np.full_like(beliefs.habit, HABIT)
    )


def _dirichlet_divergence(found: Numbers, prior: Numbers) -> float:
    with needed("MACE"):
        from scipy.special import digamma, gammaln

    moved = ((found - prior) * (digamma(found) - digamma(found.sum(axis=1))[:, None])).sum()
    sizes = (gammaln(found.sum(axis=1)) - gammaln(prior.sum(axis=1))).sum()
    shapes = (gammaln(found) - gammaln(prior)).sum()
    return float(sizes - shapes + moved)
