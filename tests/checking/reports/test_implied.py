"""Sentences on frames: may imply, how sure, and never what the author is or believes."""

from tactful.checking.reports.run import (
    CAVEAT,
    evidence_sentence,
    implied_sentences,
    in_group_sentence,
)
from tactful.types import Frame, Implication

FRAME = Frame(
    {"frame.in_group": 0.31},
    ("women",),
    ("women are weak",),
    {"frame.in_group": "yes"},
    (Implication("women", "women are weak", 0.62), Implication("men")),
)


def test_a_statement_is_something_that_may_be_implied() -> None:
    assert implied_sentences(FRAME) == [
        "May imply, about women: “women are weak” (0.62).",
        "May be about men.",
    ]
    assert implied_sentences(Frame()) == []


def test_the_author_is_never_spoken_of_as_known() -> None:
    # Section 2: "we do not attempt to categorize the identity of the speaker".
    said = in_group_sentence(FRAME)
    assert said is not None
    assert "may" in said
    assert "guess" in said
    assert "0.31" in said
    assert in_group_sentence(Frame()) is None
    assert in_group_sentence(Frame(answers={"frame.in_group": "no"})) is None
    assert "not what the author believes" in CAVEAT


def test_evidence_is_quoted_once_each() -> None:
    assert evidence_sentence(["wife", "wife", "kitchen"]) == "Read from “wife”, “kitchen”."
    assert evidence_sentence([]) is None
