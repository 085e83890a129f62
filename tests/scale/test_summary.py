"""Counting what was found: exact, and the same however the rows were cut."""

import json
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.made import IDS, SCORER, Row, counted, scored

from tactful.errors import InputError
from tactful.scale import summary as module
from tactful.scale.scoring import Wanted
from tactful.scale.summary import (
    BINS,
    LONGEST_TEXT,
    LONGEST_VALUE,
    NONE,
    OTHERS,
    Extreme,
    Group,
    Summary,
    from_json,
    merged,
    summarise,
    to_json,
)

numbers = st.sampled_from(["0", "0.05", "0.29", "0.3", "0.5", "0.7", "0.999", "1", "-"])
texts = st.one_of(
    st.none(),
    st.just(" "),
    st.just("these are no numbers"),
    st.tuples(numbers, numbers, numbers, st.sampled_from("abc")).map(" ".join),
)
sources = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d", NONE, OTHERS]))
all_rows = st.lists(st.tuples(texts, sources), max_size=30)


@pytest.fixture
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep so few values apart that some must be counted together."""
    monkeypatch.setattr(module, "MOST_VALUES", 2)
    monkeypatch.setattr(module, "MOST_REASONS", 1)


def in_parts(rows: list[Row], cuts: list[int]) -> list[Summary]:
    edges = [0, *sorted(cut % (len(rows) + 1) for cut in cuts), len(rows)]
    return [counted(rows[a:b]) for a, b in pairwise(edges)]


@settings(max_examples=60)
@given(all_rows, st.lists(st.integers(0, 30), max_size=4), st.randoms())
def test_the_parts_add_up_to_the_whole(rows: list[Row], cuts: list[int], random: Any) -> None:
    whole, parts = counted(rows), in_parts(rows, cuts)
    random.shuffle(parts)
    added = reduce(merged, parts, Summary())
    assert added == whole
    assert json.dumps(to_json(added)) == json.dumps(to_json(whole))
    half = len(parts) // 2
    left, right = reduce(merged, parts[:half], Summary()), reduce(merged, parts[half:], Summary())
    assert merged(left, right) == merged(right, left) == whole


@settings(max_examples=60)
@given(rows=all_rows, cuts=st.lists(st.integers(0, 30), max_size=4))
def test_they_add_up_where_values_are_counted_together(rows: list[Row], cuts: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_VALUES", 2)
        patch.setattr(module, "MOST_REASONS", 1)
        assert reduce(merged, in_parts(rows, cuts)) == counted(rows)


@settings(max_examples=60)
@given(all_rows)
def test_everything_is_counted_once(rows: list[Row]) -> None:
    found = counted(rows)
    assert found.rows == len(rows) == found.scored + sum(found.errors.values())
    assert sum(group.rows for group in found.by["source"].values()) == found.rows
    for name in IDS:
        assert found.values(name) == sum(
            group.values(name) for group in found.by["source"].values()
        )
    for name, count in found.found.items():
        assert 0 <= count <= found.values(name) <= found.scored
        groups = found.by["source"].values()
        assert count == sum(group.found.get(name, 0) for group in groups)
    assert found.both("kind", "kind.fine") <= min(found.found.values())
    assert max(found.found.values()) <= found.rows_with_any <= sum(found.found.values())


@settings(max_examples=60)
@given(all_rows)
def test_a_summary_goes_through_json(rows: list[Row]) -> None:
    found = counted(rows)
    assert from_json(json.loads(json.dumps(to_json(found)))) == found


def test_each_number_is_right() -> None:
    rows: list[Row] = [
        ("0.5 0.1 0.9", "a"),
        ("0.9 0.3 0", "a"),
        ("0.4999 0.9 1", None),
        ("- 0.2 0.05", "b"),
        ("", "b"),
        (None, "b"),
        ("0.1 0.1 words", "b"),
    ]
    found = counted(rows, source="part")
    assert (found.rows, found.scored, found.fresh, found.skipped) == (7, 4, 7, 0)
    assert found.errors == {
        "ValueError: could not convert string to float: 'words'": 1,
        "empty text": 1,
        "no text": 1,
    }
    assert found.found == {"kind": 2, "kind.fine": 2}
    assert found.rows_with_any == 3
    assert found.together == {"kind": {"kind.fine": 1}}
    assert found.both("kind.fine", "kind") == 1
    assert found.by["source"] == {
        "a": Group(2, {"kind": 2, "kind.fine": 1}),
        "b": Group(4, {}, {"kind": 4, "kind.fine": 3, "other": 3}),
        NONE: Group(1, {"kind.fine": 1}),
    }
    assert [each.text for each in found.extremes["kind"]] == [
        "0.9 0.3 0",
        "0.5 0.1 0.9",
        "0.4999 0.9 1",
    ]
    assert found.extremes["kind"][1] == Extreme(0.5, "0.5 0.1 0.9", "part", 1)
    assert found.values("kind") == 3


def test_the_bins_are_closed_below_and_the_last_on_both_sides() -> None:
    found = counted([(f"{at / BINS} 0 0", None) for at in range(BINS + 1)])
    assert found.histogram["kind"] == [1] * (BINS - 1) + [2]
    assert found.histogram["other"] == [BINS + 1] + [0] * (BINS - 1)


def test_a_probability_as_high_as_the_threshold_counts() -> None:
    # 0.7 in 32 bits is less than in 64.
    scorer = replace(SCORER, thresholds={"kind": 0.7})
    assert counted([("0.7 0 0", None)], scorer=scorer).found == {"kind": 1}


def test_an_id_without_a_threshold_is_not_counted_but_shown() -> None:
    found = counted([("0 0 1", None)])
    assert "other" not in found.found
    assert found.histogram["other"][-1] == 1
    assert found.rows_with_any == 0


def test_no_rows_are_no_findings() -> None:
    found = counted([])
    assert found.found == {"kind": 0, "kind.fine": 0}
    assert found.histogram["kind"] == [0] * BINS
    assert found.extremes == {name: [] for name in IDS}
    assert merged(found, Summary()) == merged(Summary(), found) == found


def test_equal_texts_stand_once_among_the_extremes() -> None:
    rows: list[Row] = [(f"0.{at} 0 0 once", None) for at in range(1, 9)]
    rows += [("0.9 0 0 copy", None)] * 50
    kept = counted(rows, extremes=4).extremes["kind"]
    assert [each.text.split()[0] for each in kept] == ["0.9", "0.8", "0.7", "0.6"]
    assert [each.times for each in kept] == [50, 1, 1, 1]


def test_ties_are_broken_by_the_text_and_sources_by_their_name() -> None:
    one = counted([("0.9 0 0 b", None), ("0.9 0 0 c", None)], extremes=2, source="second")
    other = counted([("0.9 0 0 a", None), ("0.9 0 0 b", None)], extremes=2, source="first")
    for found in (merged(one, other), merged(other, one)):
        assert [(each.text[-1], each.source, each.times) for each in found.extremes["kind"]] == [
            ("a", "first", 1),
            ("b", "first", 2),
        ]


def test_long_texts_and_values_are_cut() -> None:
    found = counted([("0.9 0 0 " + "w" * 5000, "v" * 5000)])
    assert len(found.extremes["kind"][0].text) == LONGEST_TEXT
    assert list(found.by["source"]) == ["v" * LONGEST_VALUE]


@pytest.mark.usefixtures("few_values")
def test_the_first_values_are_kept_apart_and_the_rest_together() -> None:
    rows: list[Row] = [("0.9 0 0", name) for name in "dcbad"] + [("0 0 0", None)]
    groups = counted(rows).by["source"]
    assert {name: group.rows for name, group in groups.items()} == {
        "a": 1,
        "b": 1,
        NONE: 1,
        OTHERS: 3,
    }
    assert groups[OTHERS].found == {"kind": 3}


@pytest.mark.usefixtures("few_values")
def test_reasons_are_limited_too() -> None:
    found = counted([(None, None), ("", None), ("x y z", None)])
    assert sum(found.errors.values()) == 3
    assert len(found.errors) == 2
    assert found.errors[OTHERS] == 2


def test_nothing_is_kept_that_was_not_asked_for() -> None:
    table = scored([("0.9 0 0", "a")], Wanted())
    found = summarise(table, SCORER, Wanted())
    assert found.extremes == {}
    assert found.by == {}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"by": {}, "extremes": {}, "colour": 3},
        {"by": {"a": {"b": [1, 2, 3, 4, 5]}}, "extremes": {}},
        {"by": {}, "extremes": {"a": [3]}},
        {"by": [], "extremes": {}},
    ],
)
def test_what_is_no_summary_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="found a summary that cannot be read"):
        from_json(data)
