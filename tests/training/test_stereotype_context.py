"""Contexts and folds: neighbours in their order, replies, and groups that stay whole."""

import numpy as np
import pytest

from tactful.errors import InputError
from tactful_lab.training.stereotypes.data import (
    Context,
    contexts_of,
    group_folds,
    make_lesson,
    place_of,
)


def test_neighbours_and_what_is_replied_to() -> None:
    found = contexts_of(
        ["b two", "b one", "c one", "x"],
        ["t1", "t1", "t1", "t2"],
        [(2, ""), (1, ""), (3, ""), (1, "")],
        ["b", "b", "c", "x"],
        [None, None, "b", "x"],
    )
    assert found[0] == Context("b one", "c one")
    assert found[1] == Context("", "b two")
    assert found[2] == Context("b two", "", "b one b two")
    # A comment that replies to itself opens its thread.
    assert found[3] == Context()


def test_an_unknown_comment_gives_nothing_and_an_outside_one_its_text() -> None:
    call = (["a"], ["t"], [(1, "")], ["a"], ["gone"])
    assert contexts_of(*call)[0].reply == ""
    assert contexts_of(*call, outside={"gone": "hello"})[0].reply == "hello"
    with pytest.raises(InputError, match="for each text"):
        contexts_of(["a", "b"], ["t"], [(1, "")], ["a"], [None])


def test_places_are_numbers_first() -> None:
    assert sorted(["12A", "9", "12", ""], key=place_of) == ["", "9", "12", "12A"]


def test_folds_keep_groups_whole_and_labels_in_balance() -> None:
    groups = [f"g{at // 3}" for at in range(90)]
    table = (np.arange(90) // 3 % 3 == 0).reshape(-1, 1)
    folds = group_folds(groups, table, 5, 1)
    for group in set(groups):
        assert len({int(f) for f, g in zip(folds, groups, strict=True) if g == group}) == 1
    yes = [int(table[folds == fold].sum()) for fold in range(5)]
    assert max(yes) - min(yes) <= 3
    assert np.array_equal(folds, group_folds(groups, table, 5, 1))
    assert len(set(group_folds(["a", "b"], table[:2], 5, 1))) == 2


def test_bad_lessons_are_refused() -> None:
    with pytest.raises(InputError, match="0 or 1"):
        make_lesson(["a", "b"], [0, 2])
    with pytest.raises(InputError, match="at least one text"):
        make_lesson([], [])
    with pytest.raises(InputError, match="from 0 to 1"):
        make_lesson(["a"], [1], shares=[1.5])
    with pytest.raises(InputError, match="entries of groups"):
        make_lesson(["a"], [1], groups=["x", "y"])
    with pytest.raises(InputError, match="entries of implicit"):
        make_lesson(["a"], [1], hints={"implicit": [1, 0]})


def test_made_rows_keep_the_group_of_their_source() -> None:
    lesson = make_lesson(["a", "b"], [1, 0], groups=["x", "y"], shares=[0.6, 0.0])
    more = lesson.with_made([0], ["c"])
    assert more.groups == ("x", "y", "x")
    assert more.made().tolist() == [False, False, True]
    assert more.shares[:, 0].tolist() == [0.6, 0.0, 0.6]
    assert lesson.disagreement()
    assert lesson.fingerprint() != more.fingerprint()
