"""Heads of the framer: groups from shares, teachers, and the correction for mere mention."""

import numpy as np
import pytest

pytest.importorskip("torch")

from factory.frames.heads import (
    NEUTRAL_CHANCE,
    Lessons,
    fit_correction,
    fit_groups,
    log_shares,
    teach_groups,
)

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


@pytest.mark.parametrize("vectors", [True, False])
def test_teachers_help_where_few_posts_have_answers(vectors: bool) -> None:
    few, names = clusters(30)
    many, truth = clusters(600)
    told = teach_groups(
        Lessons(few, few * 2 if vectors else None),
        Lessons(many, many * 2 if vectors else None),
        np.eye(3)[names],
    )
    assert (log_shares(many, told).argmax(axis=1) == truth).mean() > 0.9


def test_the_correction_lowers_neutral_sentences_and_leaves_posts() -> None:
    posts = RNG.normal(size=(500, 6))
    kept = RNG.normal(size=(500, 2))
    neutral = RNG.normal(size=(100, 6)) + np.array([4, 0, 0, 0, 0, 0])
    logits = np.tile([0.5, -5.0], (100, 1))
    found = fit_correction(posts, kept, neutral, logits)
    after = logits + neutral @ found[:-1] + found[-1]
    assert np.median(1 / (1 + np.exp(-after[:, 0]))) < 5 * NEUTRAL_CHANCE
    assert after[:, 1].max() < 0
    moved = posts @ found[:-1] + found[-1]
    assert np.abs(moved[:, 0]).mean() < 1.5
    assert np.abs(moved[:, 1]).mean() < np.abs(moved[:, 0]).mean()
