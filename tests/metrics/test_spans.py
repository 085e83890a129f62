"""Span F1 against sets of characters, and the cases without spans."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from tactful.errors import InputError
from tactful.metrics.result import MEASURES
from tactful.metrics.spans import (
    character_counts,
    mean_span_f1_score,
    span_exact_f1_score,
    span_f1_score,
    span_report,
)
from tactful.types import Span

LENGTH = 20
SPAN = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, LENGTH), st.sampled_from("xy")).filter(
    lambda span: span[0] < span[1]
)
SIDE = st.lists(st.lists(SPAN, max_size=4), min_size=1, max_size=4)


def flags(items: list[list[tuple[int, int, str]]], category: str | None) -> list[int]:
    return [
        int(any(s <= at < e and category in (None, name) for s, e, name in spans))
        for spans in items
        for at in range(LENGTH)
    ]


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.tuples(*[st.lists(st.lists(SPAN), min_size=n, max_size=n)] * 2)
    )
)
def test_it_is_the_f1_of_characters(sides: tuple[Any, Any]) -> None:
    gold, predicted = sides
    truth, guess = flags(gold, None), flags(predicted, None)
    found = span_f1_score(gold, predicted)
    if not any(truth) and not any(guess):
        assert found.value is None
        assert found.reason == "neither side has any span"
        return
    assert float(found) == pytest.approx(f1_score(truth, guess, zero_division=0))
    named = [flags(gold, "x") + flags(gold, "y"), flags(predicted, "x") + flags(predicted, "y")]
    expected = f1_score(*named, zero_division=0)
    assert float(span_f1_score(gold, predicted, by_category=True)) == pytest.approx(expected)
    for category, each in span_report(gold, predicted).items():
        expected = f1_score(flags(gold, category), flags(predicted, category), zero_division=0)
        assert float(each) == pytest.approx(expected)
    assert float(span_f1_score(predicted, gold)) == pytest.approx(float(found))


def test_by_hand() -> None:
    gold = [[(0, 10)], [(5, 8), (6, 12)]]
    predicted = [[(5, 15)], []]
    # Right 5, wrong 5, missed 5 + 7.
    found = span_f1_score(gold, predicted)
    assert character_counts(gold, predicted).tolist() == [[5, 5, 5], [0, 0, 7]]
    assert float(found) == pytest.approx(2 * 5 / (2 * 5 + 5 + 12))
    assert float(found.parts["precision"]) == 0.5
    assert float(found.parts["recall"]) == pytest.approx(5 / 17)
    assert float(mean_span_f1_score(gold, predicted)) == pytest.approx((0.5 + 0) / 2)


def test_exact_spans_count_once_and_by_category() -> None:
    gold = [[(0, 4, "x"), (5, 9, "y")]]
    predicted = [[(0, 4, "x"), (0, 4, "x"), (5, 9, "x"), (5, 8, "y")]]
    assert float(span_exact_f1_score(gold, predicted)) == pytest.approx(2 * 2 / (2 + 3))
    named = span_exact_f1_score(gold, predicted, by_category=True)
    assert float(named) == pytest.approx(2 * 1 / (2 + 3))


def test_items_without_spans() -> None:
    # Pavlopoulos et al. 2021: 1 if both are empty, 0 if one is.
    assert float(mean_span_f1_score([[], [], [(0, 1)]], [[], [(0, 1)], []])) == pytest.approx(1 / 3)
    assert mean_span_f1_score([], []).value is None
    assert span_exact_f1_score([[]], [[]]).value is None
    one_sided = span_f1_score([[]], [[(0, 3)]])
    assert float(one_sided) == 0
    assert one_sided.parts["recall"].reason == "there is no gold span"
    nothing = span_f1_score([[(0, 3)]], [[]])
    assert nothing.parts["precision"].reason == "no span is predicted"


def test_spans_of_the_package_are_spans() -> None:
    spans = [[Span(0, 4, "pcl.metaphor")]]
    assert float(span_f1_score(spans, [[(0, 4)]])) == 1
    assert list(span_report(spans, [[(0, 4)]])) == ["", "pcl.metaphor"]


@given(SIDE)
def test_a_perfect_answer(gold: list[list[tuple[int, int, str]]]) -> None:
    assert float(mean_span_f1_score(gold, gold)) == 1
    for measure in (span_f1_score, span_exact_f1_score):
        assert measure(gold, gold, by_category=True).value in (1, None)


@pytest.mark.parametrize(
    "span", [(3, 3), (-1, 2), (4, 2), (1,), "ab", (0.5, 2), None, (0, 1, "x", 2), 7]
)
def test_what_is_no_span_is_refused(span: Any) -> None:
    with pytest.raises(InputError, match="Item 2"):
        span_f1_score([[], [span]], [[], []])


def test_lengths_must_agree() -> None:
    with pytest.raises(InputError, match="one list of spans for each item"):
        span_f1_score([[]], [])


@pytest.mark.parametrize("function", [span_f1_score, span_exact_f1_score, mean_span_f1_score])
def test_the_bounds_are_those_of_an_f1(function: Any) -> None:
    spec = MEASURES[function.__name__]
    assert (spec.low, spec.high, spec.perfect) == (0, 1, 1)
    assert function([[(0, 4)]], [[(0, 4)]]) == spec.perfect
