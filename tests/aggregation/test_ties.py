import numpy as np
import pytest

from tactful.aggregation.ties import choose


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("none", [2, -1, -1]), ("first", [2, 0, 1]), ("lowest", [2, 0, 1]), ("highest", [2, 2, 2])],
)
def test_policies_on_rows(ties: str, expected: list[int]) -> None:
    scores = np.array([[0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.5, 0.5]])
    chosen, tied = choose(scores, ties, ("a", "b", "c"), ("0", "1", "2"), 0)
    assert chosen.tolist() == expected
    assert tied.tolist() == [False, True, True]


def test_a_difference_in_the_last_digit_is_none() -> None:
    scores = np.array([[0.1 + 0.2, 0.3]])
    assert choose(scores, "none", ("a",), ("0", "1"), 0)[0].tolist() == [-1]
    assert choose(scores + np.array([[1e-6, 0]]), "none", ("a",), ("0", "1"), 0)[0].tolist() == [0]
