"""Reading what texts share only once: every row is read, and never more is read than without."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.audit.causal.scores import PASS, Group, cost, plan_rows
from tactful.audit.causal.tokens import Tokens

ROWS = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=8).map(tuple), min_size=1, max_size=30
)


def covered(rows: list[Tokens], groups: list[Group]) -> list[int]:
    return sorted(row for group in groups for batch in group.batches for row in batch)


@given(ROWS, st.integers(8, 64))
def test_each_row_is_read_once_behind_what_its_group_shares(rows: list[Tokens], most: int) -> None:
    groups = plan_rows(rows, most)
    assert covered(rows, groups) == list(range(len(rows)))
    for group in groups:
        members = [rows[row] for batch in group.batches for row in batch]
        assert len({row[: group.stem] for row in members}) == 1
        assert all(len(row) > group.stem for row in members)
        for batch in group.batches:
            rest = [len(rows[row]) - group.stem for row in batch]
            assert len(batch) * max(rest) <= most
            # Padding with nothing before it would see nothing.
            assert group.stem or len(set(rest)) == 1


@given(ROWS)
def test_it_costs_at_most_what_reading_row_by_row_costs(rows: list[Tokens]) -> None:
    alone = sum(PASS + len(row) for row in rows)
    assert cost(rows, plan_rows(rows, 1024)) <= alone


def test_padding_is_not_paid_for_by_what_little_is_shared() -> None:
    rows = [(0, 0), (0, 0, 0, 0)]
    assert cost(rows, plan_rows(rows, 1024)) == 2 * PASS + 6


def test_a_long_common_beginning_is_read_once() -> None:
    rows = [(*range(100), 200 + each) for each in range(50)]
    groups = plan_rows(rows, 1024)
    assert [group.stem for group in groups] == [100]
    assert cost(rows, groups) == 100 + PASS + 50 + PASS


def test_two_families_are_two_groups() -> None:
    family = [(family, *range(60), 70 + each) for family in (1, 2) for each in range(20)]
    order = list(range(40))
    random.Random(3).shuffle(order)
    groups = plan_rows([family[at] for at in order], 1024)
    assert [group.stem for group in groups] == [61, 61]


def test_one_row_alone_is_read_in_one_step() -> None:
    assert plan_rows([(1, 2, 3)], 1024) == [Group(0, ((0,),))]


def test_no_rows_need_no_plan() -> None:
    assert plan_rows([], 1024) == []
    assert cost([], []) == 0


def test_very_different_lengths_are_not_padded_to_each_other() -> None:
    short = [(0, 1, each) for each in range(2, 32)]
    long = [(0, 1, 40 + each, *range(200)) for each in range(3)]
    groups = plan_rows([*short, *long], 4096)
    for group in groups:
        for batch in group.batches:
            assert len({row < 30 for row in batch}) == 1


@pytest.mark.parametrize("most", [1, 5])
def test_a_row_longer_than_a_batch_may_be_is_read_alone(most: int) -> None:
    rows = [(0, each, *range(10)) for each in range(1, 4)]
    groups = plan_rows(rows, most)
    assert all(len(batch) == 1 for group in groups for batch in group.batches)
