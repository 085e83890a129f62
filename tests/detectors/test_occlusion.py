"""Occlusion: the words that are left out must be the words that carried the score."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tactful.detectors.base import BaseDetector, Scores
from tactful.detectors.card import Card
from tactful.detectors.explain.words import (
    CHUNK_WORDS,
    MOST_WORDS,
    STRONGEST_CHUNKS,
    keep_words,
    log_odds,
    occlusion_spans,
    word_contributions,
    words_of,
)


class WordSum:
    """A detector whose log-odds is a sum over words, so that every contribution is known."""

    def __init__(self, weights: dict[str, float], bias: float = -2.0):
        self.weights, self.bias = weights, bias
        self.batches: list[list[str]] = []

    def score(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        self.batches.append(list(texts))
        odds = [
            self.bias + sum(self.weights.get(text[a:b].lower(), 0.0) for a, b in words_of(text))
            for text in texts
        ]
        found = 1 / (1 + np.exp(-np.array(odds)))
        return {"pcl": found.astype(np.float32), "unhealthy": (1 - found).astype(np.float32)}


PCL = WordSum({"poor": 1.0, "souls": 0.8, "bless": 1.5, "street": -0.5})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop!", ["Don't", "stop"]),
        ("l\u2019été, naïve café…", ["l\u2019été", "naïve", "café"]),
        ("well-known snake_case", ["well-known", "snake_case"]),
        ("end—of/and", ["end", "of", "and"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("so funny 🙄 👩‍🚀", ["so", "funny", "🙄", "👩‍🚀"]),
        ("你好!", ["你", "好"]),
        ("an i d i o t, s.t.u.p.i.d", ["an", "i d i o t", "s.t.u.p.i.d"]),
        ("p\u200bity \U0001f595 them", ["p\u200bity", "\U0001f595", "them"]),
        ("¿Qué? ¡No!", ["Qué", "No"]),
        ("", []),
        (" \n\t ", []),
        ("...!?—", []),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in words_of(text)] == words


def test_a_word_goes_with_the_space_after_it() -> None:
    text = "Oh, dear old town!"
    words = words_of(text)
    assert keep_words(text, words, [True, False, True, True]) == "Oh, old town!"
    assert keep_words(text, words, [True, True, True, False]) == "Oh, dear old !"
    assert keep_words(text, words, [True] * 4) == text


def test_a_word_in_disguise_is_left_out_as_a_whole() -> None:
    detector = WordSum({"i d i o t": 3.0})
    [span] = occlusion_spans(detector, "What an i d i o t you are", ["pcl"])["pcl"]
    assert (span.start, span.end) == (8, 17)
    assert detector.batches == [[
        "What an i d i o t you are", "an i d i o t you are", "What i d i o t you are",
        "What an you are", "What an i d i o t are", "What an i d i o t you ",
    ]]  # fmt: skip


def test_a_contribution_is_the_drop_of_the_log_odds() -> None:
    text = "Bless these poor souls, said the street."
    found = word_contributions(PCL, text, ["pcl", "unhealthy"])
    values = {text[each.start : each.end]: each.value for each in found["pcl"]}
    assert values == pytest.approx(
        {"Bless": 1.5, "these": 0, "poor": 1.0, "souls": 0.8, "said": 0, "the": 0, "street": -0.5},
        abs=1e-4,
    )
    opposite = [each.value for each in found["unhealthy"]]
    assert opposite == pytest.approx([-value for value in values.values()], abs=1e-4)


def test_all_variants_of_a_text_are_scored_in_one_batch() -> None:
    detector = WordSum({})
    word_contributions(detector, "one two three", ["pcl", "unhealthy"])
    assert detector.batches == [["one two three", "two three", "one three", "one two "]]


def test_in_a_long_text_only_the_strongest_chunks_are_taken_apart() -> None:
    filler = [f"word{at}" for at in range(600)]
    filler[333] = "bless"
    text = " ".join(filler)
    detector = WordSum(PCL.weights)
    found = word_contributions(detector, text, ["pcl"])["pcl"]
    chunks = -(-600 // CHUNK_WORDS)
    assert [len(batch) for batch in detector.batches] == [
        1 + chunks,
        1 + STRONGEST_CHUNKS * CHUNK_WORDS,
    ]
    assert len(found) == 600 > MOST_WORDS
    strongest = max(found, key=lambda each: each.value)
    assert text[strongest.start : strongest.end] == "bless"
    assert strongest.value == pytest.approx(1.5, abs=1e-4)
    [span] = occlusion_spans(detector, text, ["pcl"])["pcl"]
    assert span.cut(text) == "bless"


def test_words_of_weaker_chunks_share_their_chunk() -> None:
    words = [f"word{at}" for at in range(CHUNK_WORDS * 12)]
    for chunk in range(6):  # two more than are taken apart
        words[chunk * CHUNK_WORDS] = "bless"
    found = word_contributions(WordSum(PCL.weights, -8.0), " ".join(words), ["pcl"])["pcl"]
    assert len(found) == len(words)
    shared = [each for each in found if each.value == pytest.approx(1.5 / CHUNK_WORDS, abs=1e-3)]
    assert len(shared) == 2 * CHUNK_WORDS


def test_spans_join_neighbours_and_leave_the_rest_out() -> None:
    text = "Down the street, bless these many kind and merry poor souls of the town."
    found = occlusion_spans(PCL, text, ["pcl"])["pcl"]
    assert [span.cut(text) for span in found] == ["bless", "poor souls"]
    assert {span.id for span in found} == {"pcl"}


def test_at_most_so_many_spans_and_the_strongest_of_them_in_order() -> None:
    text = "poor a day, bless a day, souls a day, poor a day"
    assert [s.cut(text) for s in occlusion_spans(PCL, text, ["pcl"], most=2)["pcl"]] == [
        "poor",
        "bless",
    ]
    assert len(occlusion_spans(PCL, text, ["pcl"], most=3)["pcl"]) == 3


def test_nothing_is_shown_where_nothing_carries() -> None:
    faint = WordSum({"poor": 0.05, "souls": 0.04})
    assert occlusion_spans(faint, "Those poor souls went home", ["pcl"]) == {"pcl": ()}
    assert occlusion_spans(WordSum({}), "We went home early", ["pcl"]) == {"pcl": ()}


def test_the_only_word_of_a_text_carries_what_there_is() -> None:
    detector = WordSum({"bless": 1.5})
    [only] = word_contributions(detector, "Bless!", ["pcl"])["pcl"]
    assert only.value == pytest.approx(-0.5, abs=1e-4)
    assert detector.batches == [["Bless!"]]  # what would be left is no text
    [span] = occlusion_spans(detector, "Bless!", ["pcl"])["pcl"]
    assert (span.start, span.end) == (0, 5)


@pytest.mark.parametrize("text", ["", "   ", "...", "\n"])
def test_a_text_without_words_has_no_contributions(text: str) -> None:
    assert word_contributions(PCL, text, ["pcl"]) == {"pcl": []}
    assert occlusion_spans(PCL, text, ["pcl"]) == {"pcl": ()}


def test_no_ids_need_no_scores() -> None:
    detector = WordSum({})
    assert word_contributions(detector, "one two", []) == {}
    assert detector.batches == []


def test_a_detector_that_is_certain_has_finite_log_odds() -> None:
    assert np.isfinite(log_odds(np.array([0.0, 1.0], dtype=np.float32))).all()


@settings(max_examples=60)
@given(st.text(max_size=80))
def test_any_text_has_spans_inside_it(text: str) -> None:
    words = words_of(text)
    assert all(0 <= start < end <= len(text) for start, end in words)
    assert keep_words(text, words, [True] * len(words)) == text
    for span in occlusion_spans(WordSum({"a": 1.0, "0": 2.0}), text, ["pcl"])["pcl"]:
        assert span.cut(text).strip()


class Reporting(BaseDetector):
    """The same sum as a whole detector, without spans of its own."""

    card = Card("sum", "1", ("pcl", "unhealthy"), thresholds={"pcl": 0.6, "unhealthy": 0.9})

    def score(self, texts: Sequence[str]) -> Scores:
        return WordSum(PCL.weights).score(texts)


def test_a_detector_without_spans_of_its_own_reports_by_occlusion() -> None:
    text = "And bless these poor souls of the town."
    [finding] = Reporting().check(text).findings
    assert finding.id == "pcl"
    assert [span.cut(text) for span in finding.spans] == ["bless these poor souls"]
    assert "“bless these poor souls”" in finding.explanation
