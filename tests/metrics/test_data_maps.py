"""Data maps: the three numbers of each item, and its region."""

import numpy as np
import pytest

from tactful.errors import InputError
from tactful.metrics import data_map


def test_the_numbers_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(2)
    gold, epochs = rng.integers(0, 2, 20), rng.random((5, 20))
    found = data_map(gold, epochs)
    for at, answer in enumerate(gold):
        right = [row[at] if answer else 1 - row[at] for row in epochs]
        assert found.confidence[at] == pytest.approx(np.mean(right))
        assert found.variability[at] == pytest.approx(np.std(right))
        share = np.mean([(row[at] >= 0.5) == bool(answer) for row in epochs])
        assert found.correctness[at] == pytest.approx(share)


def test_regions() -> None:
    found = data_map([1, 1, 1], [[0.9, 0.1, 0.1], [0.9, 0.9, 0.2]])
    assert found.regions() == ["easy", "ambiguous", "hard"]
    assert found.regions(0) == ["easy", "easy", "hard"]


@pytest.mark.parametrize(
    ("gold", "probabilities"),
    [([1], [0.5]), ([1, 0], [[0.5]]), ([2], [[0.5]]), ([1], [[1.5]]), ([], [[]])],
)
def test_what_fits_no_map_is_refused(gold: list[int], probabilities: list[object]) -> None:
    with pytest.raises(InputError, match="expected"):
        data_map(gold, probabilities)  # type: ignore[arg-type]


def test_a_share_of_more_than_all_is_refused() -> None:
    with pytest.raises(InputError, match="0 to 1"):
        data_map([1], [[0.5]]).regions(2)
