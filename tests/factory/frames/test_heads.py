"""Heads of the framer: groups from shares and noisy labels, and the correction for mention."""

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.frames.heads import fit_correction, fit_groups, log_shares, teach_groups

RNG = np.random.default_rng(1)


def clusters(count: int, spread: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Return points around three corners, and which corner each belongs to."""
    names = np.arange(count) % 3
    return np.eye(3)[names].repeat(2, axis=1) + spread * RNG.normal(size=(count, 6)), names


def test_groups_are_told_apart() -> None:
    points, names = clusters(300)
    weights = fit_groups(points, np.eye(3)[names])
    shares = np.exp(log_shares(points, weights))
    assert weights.shape == (7, 3)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares.argmax(axis=1) == names).mean() > 0.95


def test_shares_are_learnt_as_shares() -> None:
    points = RNG.normal(size=(400, 6))
    shares = np.exp(log_shares(points, fit_groups(points, np.tile([0.7, 0.2, 0.1], (400, 1)))))
    assert shares.mean(axis=0) == pytest.approx([0.7, 0.2, 0.1], abs=0.02)


def test_what_counts_more_is_learnt_more() -> None:
    points = np.zeros((4, 6))
    targets = np.eye(3)[[0, 0, 0, 1]]
    weights = fit_groups(points, targets, np.array([1.0, 1.0, 1.0, 3.0]))
    assert np.exp(log_shares(points, weights))[0] == pytest.approx([0.5, 0.5, 0], abs=0.05)


def test_noisy_labels_help_and_the_head_chooses_among_what_they_mean() -> None:
    few, names = clusters(15, spread=0.6)
    many, truth = clusters(600, spread=0.6)
    # The label of the first two corners is the same.
    columns = [[0, 1] if name < 2 else [2] for name in truth]
    told = teach_groups((few, np.eye(3)[names]), (many, columns), (few[:3], np.eye(3)[names[:3]]))
    alone = fit_groups(few, np.eye(3)[names])
    fresh, expected = clusters(600, spread=0.6)
    right = (log_shares(fresh, told).argmax(axis=1) == expected).mean()
    assert right > 0.85
    assert right >= (log_shares(fresh, alone).argmax(axis=1) == expected).mean()


def test_the_correction_lowers_what_was_judged_harmless_and_leaves_the_rest() -> None:
    posts = RNG.normal(size=(500, 6))
    odds = RNG.normal(size=(500, 2)) * 2
    neutral = RNG.normal(size=(100, 6)) + np.array([4, 0, 0, 0, 0, 0])
    raised = np.tile([1.5, 1.5], (100, 1))
    wanted = np.concatenate([1 / (1 + np.exp(-odds)), np.full((100, 2), 0.02)])
    wanted[:, 1] = np.concatenate([wanted[:500, 1], np.full(100, np.nan)])
    found = fit_correction(
        np.concatenate([posts, neutral]), np.concatenate([odds, raised]), wanted, np.ones(600)
    )
    after = raised + neutral @ found[:-1] + found[-1]
    assert np.median(1 / (1 + np.exp(-after[:, 0]))) < 0.25  # it was 0.82
    moved = posts @ found[:-1] + found[-1]
    assert np.abs(moved[:, 0]).mean() < 1.5
    # Where nobody judged, nothing is learnt.
    assert np.abs(moved[:, 1]).mean() < 0.2
