"""The most probable consistent answers, against a search that is written out (section 4)."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.frames.schema import (
    CATEGORICAL,
    breaks,
    consistent_assignments,
    frame_problems,
    most_probable,
    most_probable_rows,
)
from tactful.types import Frame

# Not so near to 0 and 1 that two products differ by rounding alone.
CHANCES = st.lists(st.floats(0.01, 0.99), min_size=5, max_size=5)


def allowed(values: tuple[int, ...]) -> bool:
    """Say it as section 2 does: a group is offended, and in-group speech is about a group."""
    _, offensive, _, group, in_group = values
    return (not group or bool(offensive)) and (not in_group or bool(group))


def chance(values: tuple[int, ...], chances: list[float]) -> float:
    return prod(p if value else 1 - p for value, p in zip(values, chances, strict=True))


def test_half_of_all_assignments_are_consistent() -> None:
    """Lewdness and intent are free; of offence, group and in-group four of eight remain."""
    expected = {values for values in product((0, 1), repeat=5) if allowed(values)}
    assert set(consistent_assignments()) == expected
    assert len(consistent_assignments()) == 16


@given(CHANCES, st.sampled_from([None, False, True]))
def test_the_search_finds_what_brute_force_finds(chances: list[float], group: bool | None) -> None:
    found = most_probable(dict(zip(CATEGORICAL, chances, strict=True)), group)
    options = [
        values
        for values in product((0, 1), repeat=5)
        if allowed(values) and group in (None, bool(values[3]))
    ]
    best = max(chance(values, chances) for values in options)
    assert chance(tuple(found.values()), chances) == pytest.approx(best)
    assert tuple(found.values()) in options


@given(st.lists(CHANCES, min_size=1, max_size=20))
def test_no_answer_breaks_a_constraint(rows: list[list[float]]) -> None:
    found = most_probable_rows(np.array(rows))
    assert not breaks(found).any()
    for row, values in zip(rows, found, strict=True):
        single = most_probable(dict(zip(CATEGORICAL, row, strict=True)))
        # Of two that are equally probable, rounding may choose the other.
        assert chance(tuple(single.values()), row) == pytest.approx(
            chance(tuple(map(int, values)), row)
        )
        answers = {
            name: "yes" if value else "no" for name, value in zip(CATEGORICAL, values, strict=True)
        }
        assert frame_problems(Frame(answers=answers)) == []


@given(CHANCES)
def test_what_is_consistent_already_stays(chances: list[float]) -> None:
    alone = tuple(int(p >= 0.5) for p in chances)
    if allowed(alone) and all(abs(p - 0.5) > 1e-6 for p in chances):
        assert tuple(most_probable(dict(zip(CATEGORICAL, chances, strict=True))).values()) == alone


def test_certainty_leaves_no_nan() -> None:
    found = most_probable_rows(np.array([[0.0, 0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]]))
    assert found.tolist()[1] == [1, 1, 1, 1, 1]
    assert not breaks(found).any()


def test_a_generated_text_decides_about_the_group() -> None:
    """Section 4: the most probable assignment "given the generated text candidate"."""
    chances = dict(zip(CATEGORICAL, (0.1, 0.4, 0.3, 0.2, 0.1), strict=True))
    assert most_probable(chances)["frame.group"] == 0
    forced = most_probable(chances, group=True)
    assert (forced["frame.offensive"], forced["frame.group"]) == (1, 1)


def test_what_breaks_is_seen() -> None:
    rows = np.array([[0, 0, 0, 1, 0], [0, 1, 0, 1, 1], [0, 1, 0, 0, 1]], dtype=np.int8)
    assert breaks(rows).tolist() == [True, False, True]
