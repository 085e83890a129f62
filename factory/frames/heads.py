"""Linear heads on the embedded encoder's states: which group, and what mere mention must not do.

The encoder learnt from posts that name groups mostly to offend, so that naming one raises its
scores. A correction is fitted: nothing on posts, and as much as is needed on neutral sentences.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits

Floats = NDArray[np.float64]
GROUP_STRENGTH, TAUGHT_STRENGTH = 1e-4, 1e-5
GOLD_WEIGHT = 3
"""A post that people wrote about counts as much as so many that teachers did."""
SHARPNESS = 1.3
"""The teachers' mean is less sure than each of them; this sharpens it."""
GROUP_STEPS = 100
NEUTRAL_CHANCE = 0.02
"""What a neutral sentence should get."""
NEUTRAL_SHARE, NEUTRAL_STRENGTH = 2.0, 1e-6
"""What all neutral sentences together count beside all posts, and how hard weights are held."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Posts as heads and teachers read them."""

    states: Floats
    vectors: Floats | None = None
    """Sentence vectors of another encoder, for teachers only."""


def scaling(states: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the spread of the states."""
    return states.mean(axis=0), np.maximum(states.std(axis=0), 1e-6)


def fit_groups(states: Floats, targets: Floats, strength: float = GROUP_STRENGTH) -> Floats:
    """Fit a multinomial logistic regression to shares; return weights with the bias last."""
    mean, spread = scaling(states)
    root = np.sqrt(states.shape[1])
    scaled = torch.from_numpy((states - mean) / spread / root).float()
    wanted = torch.from_numpy(targets).float()
    weights = torch.zeros(scaled.shape[1], wanted.shape[1], requires_grad=True)
    # Groups that are rarer in the lessons start as rarer.
    bias = torch.log(wanted.mean(0) + 1e-5).clone().requires_grad_(True)
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=GROUP_STEPS, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        odds = torch.log_softmax(scaled @ weights + bias, dim=1)
        loss = -(wanted * odds).sum(1).mean() + strength * (weights**2).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    found = weights.detach().double().numpy() / spread[:, None] / root
    level = bias.detach().double().numpy() - mean @ found
    return np.concatenate([found, level[None]])


def teach_groups(
    lessons: Lessons,
    others: Lessons,
    targets: Floats,
    mentions: tuple[Floats, Floats] | None = None,
    strength: float = TAUGHT_STRENGTH,
) -> Floats:
    """Fit the head to what people wrote and, for more posts, to what three teachers make of them.

    ``mentions`` are states and targets of further sentences that name their group.

    The teachers read the encoder's states, sentence vectors, and both; where there are no sentence
    vectors, the first is the only one.
    """
    opinions = []
    for read in _readings(lessons):
        weights = fit_groups(read(lessons), targets)
        opinions.append(log_shares(read(others), weights))
    mixed = np.exp(SHARPNESS * np.mean(opinions, axis=0))
    taught = mixed / mixed.sum(axis=1, keepdims=True)
    states = [*[lessons.states] * GOLD_WEIGHT, others.states]
    wanted = [*[targets] * GOLD_WEIGHT, taught]
    if mentions is not None:
        states.append(mentions[0])
        wanted.append(mentions[1])
    return fit_groups(np.concatenate(states), np.concatenate(wanted), strength)


def _readings(lessons: Lessons) -> list[Callable[[Lessons], Floats]]:
    def both(each: Lessons) -> Floats:
        return np.concatenate([each.states, _vectors(each)], axis=1)

    def only_states(each: Lessons) -> Floats:
        return each.states

    return [only_states] if lessons.vectors is None else [only_states, _vectors, both]


def _vectors(lessons: Lessons) -> Floats:
    if lessons.vectors is None:
        raise ValueError("there are no sentence vectors")
    return lessons.vectors


def log_shares(states: Floats, weights: Floats) -> Floats:
    """Return the logarithm of the shares that a head gives."""
    odds = states @ weights[:-1] + weights[-1]
    found: Floats = odds - np.logaddexp.reduce(odds, axis=1, keepdims=True)
    return found


def fit_correction(posts: Floats, kept: Floats, neutral: Floats, logits: Floats) -> Floats:
    """Fit what is added to log-odds: little on posts, and down to almost nothing on neutral ones.

    ``kept`` are the log-odds of the posts, which should give the same probabilities as before;
    ``logits`` those of the neutral sentences, one column for each variable. Logistic regression
    with the log-odds as an offset: what is sure stays sure, for that costs it little. The last row
    is the bias.
    """
    mean, spread = scaling(posts)
    root = np.sqrt(posts.shape[1])
    scaled = torch.from_numpy((np.concatenate([posts, neutral]) - mean) / spread / root).float()
    offset = torch.from_numpy(np.concatenate([kept, logits])).float()
    wanted = torch.sigmoid(offset)
    wanted[len(posts) :] = NEUTRAL_CHANCE
    weight = torch.ones(len(scaled), 1)
    weight[len(posts) :] = NEUTRAL_SHARE * len(posts) / len(neutral)
    weight /= weight.sum()
    weights = torch.zeros(scaled.shape[1], offset.shape[1], requires_grad=True)
    bias = torch.zeros(offset.shape[1], requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=GROUP_STEPS, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        odds = offset + scaled @ weights + bias
        losses = binary_cross_entropy_with_logits(odds, wanted, reduction="none")
        loss = (weight * losses).sum() + NEUTRAL_STRENGTH * (weights**2).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    found = weights.detach().double().numpy() / spread[:, None] / root
    level = bias.detach().double().numpy() - mean @ found
    return np.concatenate([found, level[None]])
