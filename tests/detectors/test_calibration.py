import numpy as np
import pytest

from tactful.detectors.base import calibrated_scores, sigmoid
from tactful.detectors.card import Card


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_the_sigmoid_neither_overflows_nor_forgets_its_symmetry(kind: str) -> None:
    values = np.array([-1e6, -700, -2, 0, 2, 700, 1e6]).astype(kind)
    found = sigmoid(values)
    assert found[[0, 3, 6]] == pytest.approx([0.0, 0.5, 1.0])
    assert found + sigmoid(-values) == pytest.approx(np.ones(7))


def test_each_id_has_its_own_slope_and_intercept() -> None:
    card = Card("small", "1", ("pcl", "unhealthy"), calibration={"pcl": (2.0, -1.0)})
    scores = calibrated_scores(np.array([[0.5, 0.0], [1.5, 2.0]], dtype=np.float32), card)
    assert scores["pcl"] == pytest.approx([0.5, 1 / (1 + np.exp(-2.0))])
    assert scores["unhealthy"] == pytest.approx([0.5, 1 / (1 + np.exp(-2.0))])
    assert {found.dtype for found in scores.values()} == {np.dtype(np.float32)}
