"""Marks as phrases: what readers see marked are phrases, and what the advice quotes is marked."""

import pytest

from tactful.checking.phrases import in_phrases
from tactful.detectors.explain.words import SHORT_WORDS, room_in
from tactful.types import Span


def marked(text: str, words: dict[str, list[str]], lang: str = "en") -> dict[str, list[str]]:
    spans = {
        name: [Span(text.index(each), text.index(each) + len(each), name) for each in pieces]
        for name, pieces in words.items()
    }
    found = in_phrases(text, list(words), spans, lang)
    assert {span.id for name in found for span in found[name]} <= set(found)
    return {name: [span.cut(text) for span in marks] for name, marks in found.items()}


@pytest.mark.parametrize(
    ("text", "kind", "words", "phrases"),
    [
        ("Nobody ever asks those old people in the home a thing.", "pcl", "people", "old people"),
        (
            "She is confined to a wheelchair, and still she manages to go to work each day.",
            "pcl",
            "confined",
            "confined to a wheelchair",
        ),
        (
            "Every spring our choir is glad to be a voice for the voiceless in town.",
            "pcl.authority_voice",
            "voiceless",
            "voice for the voiceless",
        ),
        ("Die Katze schläft heute lange.", "pcl", "Katze", "Katze"),
    ],
    ids=["people", "term", "cue", "no-phrase"],
)
def test_a_mark_is_widened_to_its_phrase(text: str, kind: str, words: str, phrases: str) -> None:
    assert marked(text, {kind: [words]}) == {kind: [phrases]}


def test_a_cue_is_marked_beside_what_the_detector_marks() -> None:
    text = "Even these poor souls can learn to hope again."
    assert marked(text, {"pcl": ["can learn", "again"]}) == {"pcl": ["poor souls can learn"]}


def test_without_any_mark_nothing_is_marked() -> None:
    text = "Even these poor souls can learn to hope again."
    assert marked(text, {"pcl": []}) == {"pcl": []}
    assert in_phrases("", ["pcl"], {"pcl": ()}, "en") == {"pcl": ()}


def test_all_kinds_together_have_the_room_of_one() -> None:
    text = "Honestly, the gardeners of our town hall wasted another week on pointless flower beds."
    pieces = text.rstrip(".").split()
    kinds = {f"unhealthy.{name}": [word] for name, word in zip("abcdefghij", pieces, strict=False)}
    assert len(pieces) > SHORT_WORDS
    found = marked(text, {"unhealthy": ["wasted another week"], **kinds})
    assert found["unhealthy"] == ["wasted another week"]
    different = {piece for marks in found.values() for piece in marks}
    assert sum(map(len, different)) <= room_in(text)
    # "flower" has no room: the kind that it carries shares the words of the gravest.
    assert marked(
        text, {"unhealthy": ["wasted another week"], "pcl": ["pointless flower beds"]}
    ) == {
        "unhealthy": ["wasted another week"],
        "pcl": ["wasted another week"],
    }


def test_a_mark_of_another_sentence_brings_no_phrase() -> None:
    text = "The poor souls wait in the rain. Our generosity is without any end, they say."
    assert marked(text, {"pcl": ["generosity"]}) == {"pcl": ["generosity"]}


def test_all_kinds_are_marked_where_the_gravest_is() -> None:
    text = "The kick-off is at three on Saturday. That referee is a fool and always was."
    found = marked(text, {"toxicity.insult": ["fool"], "unhealthy": ["kick-off"]})
    assert found == {"toxicity.insult": ["fool"], "unhealthy": ["fool"]}
