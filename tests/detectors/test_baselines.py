"""Baselines: guesses that depend on nothing but the text and the seed."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tactful.detectors.models.baselines import (
    STRATEGIES,
    AllOnes,
    AllZeros,
    PriorRandom,
    UniformRandom,
)
from tactful.errors import InputError

TEXTS = [f"text number {number}" for number in range(2000)]
LABELS = np.arange(2000) % 5 == 0


def test_a_uniform_guess_is_even_and_a_weighted_one_as_frequent_as_in_training() -> None:
    """DPM section 5: "choosing the positive class with 50% probability"; DETESTS section 5.1."""
    uniform = UniformRandom().fit(TEXTS, LABELS).predict(TEXTS)
    assert uniform.mean() == pytest.approx(0.5, abs=0.04)
    weighted = PriorRandom().fit(TEXTS, LABELS).predict(TEXTS)
    assert weighted.mean() == pytest.approx(0.2, abs=0.04)
    assert AllOnes().fit(TEXTS, LABELS).predict(TEXTS).all()
    assert not AllZeros().fit(TEXTS, LABELS).predict(TEXTS).any()


def test_a_guess_depends_on_the_text_and_the_seed_only() -> None:
    first = UniformRandom(random_state=1).fit(TEXTS, LABELS)
    second = UniformRandom(random_state=2).fit(TEXTS, LABELS)
    forwards, backwards = first.predict(TEXTS), first.predict(TEXTS[::-1])
    assert (forwards == backwards[::-1]).all()
    assert first.predict(TEXTS[7:8])[0] == forwards[7]
    assert (first.predict_proba(TEXTS)[:, 1] == forwards).all()
    assert 0.4 < np.mean(forwards == second.predict(TEXTS)) < 0.6


def test_labels_are_guessed_apart() -> None:
    table = np.stack([LABELS, ~LABELS, np.zeros_like(LABELS)], axis=1).astype(int)
    guess = UniformRandom().fit(TEXTS, table)
    predicted = guess.predict(TEXTS)
    assert predicted.shape == (2000, 3)
    assert 0.4 < np.mean(predicted[:, 0] == predicted[:, 1]) < 0.6
    assert (guess.predict_proba(TEXTS) == predicted).all()
    never = PriorRandom().fit(TEXTS, table).predict(TEXTS)[:, 2]
    assert not never.any()


def test_parameters_are_those_of_scikit_learn() -> None:
    copied = clone(UniformRandom(random_state=7))
    assert copied.get_params() == {"random_state": 7}
    assert repr(copied) == "UniformRandom(random_state=7)"
    with pytest.raises(ValueError, match="Invalid parameter 'sed'"):
        copied.set_params(sed=3)


def test_what_was_not_fitted_cannot_guess() -> None:
    with pytest.raises(NotFittedError, match="call fit first"):
        UniformRandom().predict(["a"])


@pytest.mark.parametrize("name", STRATEGIES)
def test_labels_must_be_0_and_1(name: str) -> None:
    with pytest.raises(InputError, match="labels other than 0 and 1"):
        STRATEGIES[name]().fit(["a", "b"], [1, 2])
