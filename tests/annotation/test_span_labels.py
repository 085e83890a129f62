"""Spans of several people: by characters, and with gaps where they all have the same."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.state.span_labels import (
    majority_of_spans,
    overlap,
    parts_of,
    span_of,
    union_of_spans,
    words_of,
)


def span(*parts: tuple[int, int], value: str = "a") -> dict[str, Any]:
    return span_of(parts, value)


def test_parts_and_words() -> None:
    text = "take the matter out"
    apart = span((0, 4), (16, 19))
    assert apart == {"start": 0, "end": 19, "value": "a", "parts": [[0, 4], [16, 19]]}
    assert parts_of(apart) == ((0, 4), (16, 19))
    assert span((0, 4)) == {"start": 0, "end": 4, "value": "a"}
    assert words_of(apart, text) == "take … out"
    assert words_of(span((0, 4)), text) == "take"


def test_what_lies_in_a_gap_does_not_overlap() -> None:
    apart = span((0, 4), (16, 19))
    assert overlap(apart, span((2, 6)))
    assert overlap(span((18, 30)), apart)
    assert not overlap(apart, span((4, 16)))
    assert not overlap(apart, span((6, 8), (19, 20)))


def test_the_union_keeps_each_span_with_its_gaps() -> None:
    apart, whole = span((0, 4), (16, 19)), span((0, 19))
    found = union_of_spans([[apart], [apart, whole], [span((5, 8))]])
    # The one in the gap is touched by the whole span, not by the one with the gap.
    assert found == (
        {**apart, "annotators": 2},
        {**whole, "annotators": 3},
        {**span((5, 8)), "annotators": 2},
    )


def test_the_majority_keeps_gaps_that_it_agrees_on() -> None:
    apart = span((0, 4), (16, 19))
    assert majority_of_spans([[apart], [apart], []], [1, 1, 1]) == ({**apart, "annotators": 2},)
    # Two marked each piece, but not as one span.
    pieces = [span((0, 4)), span((16, 19))]
    assert majority_of_spans([[apart], pieces, []], [1, 1, 1]) == (
        {**pieces[0], "annotators": 2},
        {**pieces[1], "annotators": 2},
    )
    # One alone says it as it is: a decision keeps its gaps.
    assert majority_of_spans([[apart]], [1]) == ({**apart, "annotators": 1},)
    # What lies in the gap was marked by one of three only.
    assert majority_of_spans([[span((0, 19))], [apart], []], [1, 1, 1]) == (
        {**pieces[0], "annotators": 2},
        {**pieces[1], "annotators": 2},
    )


PIECES = st.lists(st.integers(0, 30), min_size=2, max_size=6, unique=True).map(
    lambda ends: [(a, b) for a, b in zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False)]
)
PEOPLE = st.lists(st.lists(PIECES.map(lambda parts: span(*parts)), max_size=3), min_size=1)


def characters(spans: Any) -> set[int]:
    return {at for each in spans for start, end in parts_of(each) for at in range(start, end)}


@given(PEOPLE)
def test_a_character_is_marked_where_most_marked_it(given: list[list[dict[str, Any]]]) -> None:
    marked = [characters(spans) for spans in given]
    most = {at for at in range(31) if 2 * sum(at in each for each in marked) > len(marked)}
    assert characters(majority_of_spans(given, [1.0] * len(given))) == most
    assert characters(union_of_spans(given)) == set().union(*marked)
