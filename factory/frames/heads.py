"""Linear heads on the embedded encoder's states: which group, and whether anything is implied.

The encoder learnt from posts that name groups mostly to offend, so that naming one raises its
scores. A correction is fitted to what people judged, and to texts of ours that mention, quote or
criticise and imply nothing.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import binary_cross_entropy_with_logits

Floats = NDArray[np.float64]
Loss = Callable[[], torch.Tensor]
GROUP_STRENGTH, CORRECTION_STRENGTH = 1e-5, 1e-5
"""The regularisation of the weights."""
GOLD_WEIGHT = 3
"""A post that annotators wrote about counts as much as this many others."""
LEAST_MASS = 0.05
"""A noisy label is left out where the head gives less than this to all that it can mean."""
GROUP_STEPS = 60


def scaling(states: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the spread of the states."""
    return states.mean(axis=0), np.maximum(states.std(axis=0), 1e-6)


def fit_groups(
    states: Floats, targets: Floats, weights: Floats | None = None, strength: float = GROUP_STRENGTH
) -> Floats:
    """Fit a multinomial logistic regression to shares; return weights with the bias last."""
    mean, spread = scaling(states)
    root = np.sqrt(states.shape[1])
    scaled = torch.from_numpy((states - mean) / spread / root).float()
    wanted = torch.from_numpy(targets).float()
    counts = torch.ones(len(wanted)) if weights is None else torch.from_numpy(weights).float()
    wanted = wanted * (counts / counts.mean())[:, None]
    found = torch.zeros(scaled.shape[1], wanted.shape[1], requires_grad=True)
    # Groups that are rarer in the lessons start as rarer.
    bias = torch.log(wanted.mean(0) + 1e-5).clone().requires_grad_(True)

    def loss() -> torch.Tensor:
        odds = torch.log_softmax(scaled @ found + bias, dim=1)
        return -(wanted * odds).sum(1).mean() + strength * (found**2).sum()

    _minimise([found, bias], loss)
    return _unscaled(found, bias, mean, spread, root)


def teach_groups(
    gold: tuple[Floats, Floats],
    noisy: tuple[Floats, Sequence[Sequence[int]]],
    mentions: tuple[Floats, Floats],
) -> Floats:
    """Fit the head to what annotators wrote, to noisy labels and to sentences that name a group.

    Parameters
    ----------
    gold
        States of posts, and the shares of the groups that annotators named.
    noisy
        States of posts, and the columns that the label of each can mean; a head that learnt from
        ``gold`` says which of them.
    mentions
        States and shares of sentences that call a group by its name.

    """
    first = fit_groups(*gold)
    states, columns = noisy
    shares = np.exp(log_shares(states, first))
    allowed = np.zeros_like(shares)
    for row, places in enumerate(columns):
        allowed[row, list(places)] = shares[row, list(places)]
    mass = allowed.sum(axis=1)
    kept = mass >= LEAST_MASS
    taught = allowed[kept] / mass[kept, None]
    weights = np.concatenate(
        [np.full(len(gold[0]), float(GOLD_WEIGHT)), np.ones(len(taught) + len(mentions[0]))]
    )
    return fit_groups(
        np.concatenate([gold[0], states[kept], mentions[0]]),
        np.concatenate([gold[1], taught, mentions[1]]),
        weights,
    )


def log_shares(states: Floats, weights: Floats) -> Floats:
    """Return the logarithm of the shares that a head gives."""
    odds = states @ weights[:-1] + weights[-1]
    found: Floats = odds - np.logaddexp.reduce(odds, axis=1, keepdims=True)
    return found


def fit_correction(
    states: Floats,
    odds: Floats,
    targets: Floats,
    weights: Floats,
    strength: float = CORRECTION_STRENGTH,
) -> Floats:
    """Fit what is added to the encoder's log-odds; the last row is the bias.

    Logistic regression with the log-odds as an offset: where they are right already, nothing needs
    to be added.

    Parameters
    ----------
    states
        Pooled states, one row for each text.
    odds
        The encoder's log-odds, one column for each variable.
    targets
        What people judged, from 0 to 1; NaN where nobody did.
    weights
        How much each text counts.

    """
    mean, spread = scaling(states)
    root = np.sqrt(states.shape[1])
    scaled = torch.from_numpy((states - mean) / spread / root).float()
    offset = torch.from_numpy(odds).float()
    judged = torch.from_numpy(~np.isnan(targets))
    wanted = torch.from_numpy(np.nan_to_num(targets)).float()
    counts = torch.from_numpy(weights).float()[:, None] * judged
    counts = counts / counts.sum(0).clamp_min(1e-9)
    found = torch.zeros(scaled.shape[1], offset.shape[1], requires_grad=True)
    bias = torch.zeros(offset.shape[1], requires_grad=True)

    def loss() -> torch.Tensor:
        losses = binary_cross_entropy_with_logits(
            offset + scaled @ found + bias, wanted, reduction="none"
        )
        return (counts * losses).sum() + strength * (found**2).sum()

    _minimise([found, bias], loss)
    return _unscaled(found, bias, mean, spread, root)


def _minimise(parameters: list[torch.Tensor], loss: Loss) -> None:
    optimiser = torch.optim.LBFGS(parameters, max_iter=GROUP_STEPS, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        value = loss()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(closure)  # type: ignore[no-untyped-call]


def _unscaled(
    found: torch.Tensor, bias: torch.Tensor, mean: Floats, spread: Floats, root: float
) -> Floats:
    """Return the weights for states as they are, with the bias last."""
    weights = found.detach().double().numpy() / spread[:, None] / root
    level = bias.detach().double().numpy() - mean @ weights
    return np.concatenate([weights, level[None]])
