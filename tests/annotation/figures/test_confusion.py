"""Who confuses what with what."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.analysis.confusion import against_others, confusion, pairs
from tactful.annotation.analysis.views import Row, Rows, View, views
from tactful.annotation.protocol.records import Option, Question
from tactful.resampling import wilson_interval

QUESTION = Question(
    "tone", "choice", "Is it kind?", options=(Option("yes", "Yes"), Option("no", "No"))
)
ROWS = [
    Row(item, person, label)
    for item, labels in {
        "a": {"ann": "yes", "ben": "yes", "cem": "yes"},
        "b": {"ann": "yes", "ben": "no", "cem": "no"},
        "c": {"ann": "no", "ben": "no"},
        "d": {"ann": "yes", "ben": "no", "cem": "no", "dea": "yes"},
        "e": {"eva": "no"},
    }.items()
    for person, label in labels.items()
]


def columns_of(rows: list[Row]) -> Rows:
    return Rows(*map(list, zip(*rows, strict=True)))


def view_of(rows: list[Row]) -> View:
    return views(QUESTION, columns_of(rows))[0]


VIEW = view_of(ROWS)


def test_a_table_of_two() -> None:
    found = confusion(VIEW, "ann", "ben")
    assert found.counts == ((1, 2), (0, 1))
    assert (found.items, found.same) == (4, 2)
    # By hand: they agree on 2 of 4; by chance on (3/4)(1/4) + (1/4)(3/4) = 3/8.
    assert found.kappa == pytest.approx((0.5 - 0.375) / (1 - 0.375))


def test_the_other_way_round_is_the_transposed_table() -> None:
    there, back = confusion(VIEW, "ann", "ben"), confusion(VIEW, "ben", "ann")
    assert back.counts == tuple(zip(*there.counts, strict=True))
    assert back.kappa == pytest.approx(there.kappa)


@pytest.mark.parametrize(
    ("second", "reason"),
    [("eva", "they share 0 items"), ("dea", "they share 1 items"), ("ann", "both are the same")],
)
def test_without_enough_in_common_there_is_no_kappa(second: str, reason: str) -> None:
    found = confusion(VIEW, "ann", second)
    assert found.kappa is None
    assert reason in (found.reason or "")


def test_pairs_with_most_in_common_come_first() -> None:
    found = pairs(VIEW)
    assert [(p.first, p.second, p.items, p.same) for p in found[:2]] == [
        ("ann", "ben", 4, 2),
        ("ann", "cem", 3, 1),
    ]
    assert len(pairs(VIEW, most=1)) == 1


def test_nobody_votes_in_the_majority_they_are_held_against() -> None:
    found = {one.annotator: one for one in against_others(VIEW)}
    # a: all say yes; b: the others say no; c: ben says no; d: no, no against yes.
    assert (found["ann"].items, found["ann"].same, found["ann"].ties) == (4, 2, 0)
    # b: the others are split; d: no, yes, yes.
    assert (found["ben"].items, found["ben"].same, found["ben"].ties) == (3, 2, 1)
    assert found["eva"].share is None
    assert found["eva"].reason == "nobody else judged the same items"


def test_the_lowest_comes_first_and_the_unknown_last() -> None:
    shares = [one.share for one in against_others(VIEW)]
    known = [share for share in shares if share is not None]
    assert known == sorted(known)
    assert shares[-1] is None


def test_only_ties_is_a_reason_of_its_own() -> None:
    rows = [Row("a", "ann", "x"), Row("a", "ben", "y"), Row("a", "cem", "x")]
    ann = next(one for one in against_others(view_of(rows)) if one.annotator == "ann")
    assert (ann.items, ann.reason) == (0, "the others are tied on every item")


@pytest.mark.parametrize(("right", "total"), [(0, 1), (1, 1), (8, 10), (0, 50), (50, 50)])
def test_wilson_holds_the_share_and_stays_within_bounds(right: int, total: int) -> None:
    low, high = wilson_interval(right, total)
    assert 0 <= low <= right / total <= high <= 1
    assert high - low > 0


def test_wilson_is_the_published_one() -> None:
    # Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662 by method 3 (Wilson's score).
    low, high = wilson_interval(81, 263)
    assert math.isclose(low, 0.2553, abs_tol=5e-5)
    assert math.isclose(high, 0.3662, abs_tol=5e-5)


def test_nobody_judged_anything() -> None:
    empty = view_of([])
    assert (pairs(empty), against_others(empty)) == ([], [])
    assert confusion(empty, "ann", "ben").items == 0


@given(st.lists(st.tuples(*[st.sampled_from("abcd")] * 2, st.sampled_from("xyz")), max_size=25))
def test_arrays_say_what_counting_says(given_rows: list[tuple[str, str, str]]) -> None:
    judged = {(item, who): label for item, who, label in given_rows}
    rows = [Row(item, who, label) for (item, who), label in judged.items()]
    for pair in pairs(view_of(rows)):
        shared = [i for i in "abcd" if (i, pair.first) in judged and (i, pair.second) in judged]
        assert pair.items == len(shared)
        assert pair.same == sum(judged[i, pair.first] == judged[i, pair.second] for i in shared)
    for one in against_others(view_of(rows)):
        items = same = ties = 0
        for (item, who), label in judged.items():
            votes = [each for (i, p), each in judged.items() if i == item and p != who]
            if who != one.annotator or not votes:
                continue
            ranked = Counter(votes).most_common()
            tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
            ties, items = ties + tied, items + (not tied)
            same += not tied and ranked[0][0] == label
        assert (one.items, one.same, one.ties) == (items, same, ties)
