"""Marks are few: never function words alone, at most a third of a long text."""

import numpy as np

from tactful.detectors.card import Card
from tactful.detectors.explain.words import LONG_TOKENS, is_too_much, token_spans
from tactful.documents.normalise import normalise

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
