import numpy as np
import pytest

from tactful.detectors.base import Contribution
from tactful.detectors.explain.words import carrying_spans, spread_over_words
from tactful.documents.normalise import normalise


def places(text: str, values: dict[str, float]) -> list[Contribution]:
    return [
        Contribution(text.index(word), text.index(word) + len(word), value)
        for word, value in values.items()
    ]


def test_neighbouring_words_become_one_span_without_function_words_at_its_edges() -> None:
    text = "We give the poor souls of our town a voice."
    parts = places(text, {"the": 0.5, "poor": 1.0, "souls": 1.0, "of": 0.5, "town": 0.1})
    spans = carrying_spans(text, parts, "pcl")
    assert [span.cut(text) for span in spans] == ["poor souls"]
    assert spans[0].id == "pcl"


def test_words_that_speak_against_carry_nothing() -> None:
    text = "a calm reply"
    assert carrying_spans(text, places(text, {"calm": -1.0, "reply": -0.5}), None) == ()
    assert carrying_spans(text, [], None) == ()


def test_at_most_three_spans_in_the_order_of_the_text() -> None:
    text = "one of the others and two of them, then three of you or four of us"
    values = {"one": 3.0, "two": 4.0, "three": 3.5, "four": 3.2, "others": 0.1, "then": 0.0}
    parts = [*places(text, values), *places(text, dict.fromkeys(("of", "and", "them", "or"), 0.1))]
    assert [span.cut(text) for span in carrying_spans(text, parts, None)] == [
        "two",
        "three",
        "four",
    ]


def test_what_every_word_of_a_text_adds_carries_nothing() -> None:
    text = "You are such a fool, go away."
    parts = places(text, {"You": 1.0, "are": 1.1, "such": 1.3, "a": 0.7, "go": 0.9, "away": 1.1})
    spans = carrying_spans(text, [*parts, *places(text, {"fool": 2.1})], None)
    assert [span.cut(text) for span in spans] == ["fool"]


def test_function_words_alone_are_still_shown() -> None:
    text = "you and them"
    spans = carrying_spans(text, places(text, {"them": 1.0}), None)
    assert [span.cut(text) for span in spans] == ["them"]


def test_parts_of_tokens_add_up_over_words() -> None:
    text = "un\u200bkind words!"
    clean = normalise(text)
    assert clean.text == "unkind words!"
    # [CLS] un ##kind words ! [SEP]
    offsets = [(0, 0), (0, 2), (2, 6), (7, 12), (12, 13), (0, 0)]
    found = spread_over_words(clean, offsets, np.array([0.3, 1.0, 2.0, -1.0, 0.5, 0.3]))
    assert [text[each.start : each.end] for each in found] == [
        "un\u200bkind",
        "words",
        "!",
    ]
    assert sum(each.value for each in found) == pytest.approx(3.1)
    strongest = max(found, key=lambda each: each.value)
    assert strongest.start == 0
