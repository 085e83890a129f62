import dataclasses
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful import types
from tactful.types import (
    ByVariable,
    Example,
    Finding,
    Frame,
    Implication,
    Judgement,
    Report,
    Span,
)

NOUNS = (Span, Finding, Report, Judgement, ByVariable, Implication, Frame, Example)


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_a_noun_cannot_be_changed(noun: type) -> None:
    assert dataclasses.is_dataclass(noun)
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert not hasattr(noun, "__dict__") or "__slots__" in vars(noun)


def test_no_noun_is_forgotten_here() -> None:
    found = {
        value
        for value in vars(types).values()
        if isinstance(value, type) and value.__module__ == types.__name__
    }
    assert found == set(NOUNS)


@given(text=st.text(min_size=1), data=st.data())
def test_a_span_counts_code_points(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert Span(start, end).cut(text) == text[start:end]


def test_a_character_outside_the_basic_plane_counts_once() -> None:
    text = "so brave 👏🏽 of them"
    assert Span(9, 11).cut(text) == "👏🏽"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2)])
def test_an_impossible_span_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=r"0 <= start < end"):
        Span(start, end)


def test_nouns_have_values_not_identities() -> None:
    assert Report("a", (Finding("pcl", 0.5, (Span(0, 1),)),)) == Report(
        "a", (Finding("pcl", 0.5, (Span(0, 1),)),)
    )
    assert Judgement("ann1", "pcl", "2") != Judgement("ann2", "pcl", "2")


def test_what_is_left_out_is_empty() -> None:
    example = Example("1", "text", "dpm", "en", "article-1")
    assert not example.labels
    assert not example.spans
    assert not example.judgements
    assert example.split is None
    assert Frame() == Frame({}, (), ())


def test_two_examples_do_not_share_their_tables() -> None:
    first, second = (Example(str(i), "t", "dpm", "en", "g") for i in range(2))
    assert first.labels is not second.labels
    assert first.meta is not second.meta


def test_nouns_travel_between_processes() -> None:
    report = Report("a", (Finding("pcl", 0.5, (Span(0, 1, "pcl"),), "why"),), "model 1")
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301  (our own bytes)
