"""Marks are few: never function words alone, and at most 40 % of a sentence."""

import numpy as np
import pytest

from tactful.detectors.base import Contribution
from tactful.detectors.card import Card
from tactful.detectors.explain.words import (
    LONG_TOKENS,
    carrying_spans,
    is_too_much,
    narrowed,
    token_spans,
    words_of,
)
from tactful.documents.normalise import normalise
from tactful.types import Span

SURE, UNSURE = 4.0, -4.0


def marked(text: str, loud: set[str]) -> list[str]:
    places = [(at, at + len(word)) for word in text.split() for at in [text.index(word)]]
    logits = np.array([SURE if text[slice(*place)] in loud else UNSURE for place in places])
    spans = token_spans(text, normalise(text), places, logits, "pcl", 0.5)
    return [span.cut(text) for span in spans]


def test_function_words_alone_are_no_mark() -> None:
    text = "help for those unfortunate neighbours and friends of our quiet old town"
    assert marked(text, {"of"}) == []
    assert marked(text, {"those", "unfortunate"}) == ["those unfortunate"]


def test_a_long_text_has_at_most_a_third_marked() -> None:
    logits = np.full(LONG_TOKENS + 2, UNSURE)
    logits[: len(logits) // 3] = SURE
    assert not is_too_much([logits], 0.5)
    logits[: len(logits) // 3 + 1] = SURE
    assert is_too_much([logits], 0.5)
    assert not is_too_much([logits[:5]], 0.5)


def test_categories_use_the_marks_of_their_root() -> None:
    card = Card("x", "1", ("pcl", "pcl.metaphor", "unhealthy"), span_thresholds={"pcl": 0.5})
    assert card.marked_as("pcl.metaphor") == card.marked_as("pcl") == "pcl"
    assert card.marked_as("unhealthy") is None


POOR = "These poor families depend on our generosity; they cannot help themselves."


def weighed(text: str, values: dict[str, float]) -> list[Contribution]:
    return [Contribution(*place, values.get(text[slice(*place)], 0.0)) for place in words_of(text)]


def cut(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [span.cut(text) for span in spans]


def test_of_a_marked_sentence_the_strongest_words_stay() -> None:
    whole = (Span(0, len(POOR), "pcl"),)
    weights = weighed(POOR, {"on": 9.0, "poor": 3.0, "families": 2.5, "generosity": 2.0})
    spans = narrowed(POOR, whole, weights)
    assert cut(POOR, spans) == ["poor families", "generosity"]
    assert {span.id for span in spans} == {"pcl"}
    assert sum(span.end - span.start for span in spans) <= 0.4 * len(POOR)


def test_marks_that_are_small_enough_and_short_sentences_stay_as_they_are() -> None:
    small = (Span(6, 19, "pcl"),)
    assert narrowed(POOR, small, weighed(POOR, {})) == small
    short = "Even they can hope again."
    assert cut(short, narrowed(short, (Span(0, 25, "pcl"),), [])) == ["can hope again"]
    assert narrowed(POOR, (), []) == ()


def test_a_pronoun_is_marked_only_where_nothing_else_is() -> None:
    text = "You\u2019re late again, and you are an idiot if you ask me."
    you, idiot, last = Span(0, 6, "toxicity"), Span(34, 39, "toxicity"), Span(43, 46, "toxicity")
    assert cut(text, (you, idiot, last)) == ["You\u2019re", "idiot", "you"]
    assert narrowed(text, (you, idiot, last), []) == (idiot,)
    assert narrowed(text, (you, last), []) == (you, last)


def test_each_sentence_is_narrowed_by_itself() -> None:
    text = f"{POOR} Even they hope."
    weights = weighed(text, {"generosity": 2.0, "themselves": 1.0})
    marked = narrowed(text, (Span(0, len(text), "pcl"),), weights)
    words = cut(text, marked)
    assert "generosity" in words
    assert words[-2:] == ["themselves", "hope"]


def test_one_long_word_may_be_more_than_the_share() -> None:
    text = "It is so, as in antidisestablishmentarianism."
    marked = narrowed(text, (Span(0, len(text), "pcl"),), weighed(text, {}))
    assert cut(text, marked) == ["antidisestablishmentarianism"]


@pytest.mark.parametrize("word", ["i d i o t", "i.d.i.o.t", "i-d-i-o-t", "id\u200bi\u200bot"])
def test_a_word_in_disguise_is_marked_to_its_last_letter(word: str) -> None:
    text = f"You are an {word}."
    assert cut(text, narrowed(text, (Span(11, 11 + len(word), "toxicity"),), [])) == [word]
    # In a longer sentence, too, where the mark is too long and its strongest words stay.
    longer = f"You are such an {word}, antidisestablishmentarian."
    weights = weighed(longer, {word: 2.0, "antidisestablishmentarian": 0.1})
    assert cut(longer, narrowed(longer, (Span(0, len(longer), "toxicity"),), weights)) == [word]


def test_a_function_word_that_weighs_most_gives_way_to_a_content_word() -> None:
    text = "Old people cannot use a computer, and women cannot drive."
    weights = weighed(text, {"and": 5.0, "women": 0.2, "drive": 0.05})
    assert cut(text, carrying_spans(text, weights, "pcl")) == ["women"]
    assert carrying_spans("and of the", weighed("and of the", {"and": 1.0}), "pcl") == ()


@pytest.mark.parametrize(
    ("text", "found", "readable"),
    [
        ("You are such a fool, go away.", ["such", "fool, go away"], ["fool, go away"]),
        ("They live off our benefits and off us.", ["live off", "off"], ["live off"]),
        ("These men are just not fit to raise a child.", ["are just", "not fit to"], ["not fit"]),
        ("They deserve our help and pity, we think.", ["deserve", "help"], ["deserve our help"]),
        ("Such people steal, so watch your bags now.", ["steal", "watch"], ["steal", "watch"]),
        ("I know what you and all of you are.", ["you"], ["you"]),
        ("Eres un imbécil, y lo sabes muy bien.", ["Eres", "imbécil"], ["imbécil"]),
        (
            "Los de ese barrio siempre nos roban.",
            ["ese barrio", "nos roban"],
            ["ese barrio", "nos roban"],
        ),
        ("Ahora hay más robos en el barrio.", ["más robos", "barrio"], ["robos en el barrio"]),
    ],
    ids=["such", "ends", "begins", "joined", "comma", "alone", "eres", "nos", "en el"],
)
def test_no_mark_begins_or_ends_with_a_word_of_little_meaning(
    text: str, found: list[str], readable: list[str]
) -> None:
    spans = tuple(Span(text.index(each), text.index(each) + len(each), "x") for each in found)
    assert cut(text, narrowed(text, spans, [])) == readable


def test_a_long_text_is_narrowed_in_linear_time() -> None:
    text = f"{POOR} " * 5_000
    spans = tuple(Span(at, at + len(POOR), "pcl") for at in range(0, len(text), len(POOR) + 1))
    weights = weighed(text, {"poor": 1.0})
    assert len(narrowed(text, spans, weights)) >= 5_000
