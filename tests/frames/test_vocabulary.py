"""Pieces of words: numbers and back, and the file they are kept in."""

from pathlib import Path

import pytest
from factory.frames.vocabulary import vocabulary_of, write_vocabulary

from tactful.detectors.weights import weights_folder
from tactful.errors import FileFormatError
from tactful.frames.decoder import (
    END,
    FREE_START,
    SEPARATOR,
    START,
    VOCABULARY_FILE,
    Vocabulary,
    read_vocabulary,
)
from tactful.frames.groups import load_groups

SENTENCES = ("women are less qualified", "old folks can't learn", "latino/latina folks, women")


@pytest.fixture(scope="module")
def tokenizer():  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(weights_folder("encoder-en") / "tokenizer.json"))


def test_what_is_cut_can_be_written_again(tokenizer) -> None:  # type: ignore[no-untyped-def]
    vocabulary = vocabulary_of(SENTENCES, (), tokenizer)
    for sentence in SENTENCES:
        assert vocabulary.text(vocabulary.numbers(sentence, tokenizer)) == sentence


def test_every_group_of_the_list_can_be_written_again(tokenizer) -> None:  # type: ignore[no-untyped-def]
    vocabulary = vocabulary_of((), [group.name for group in load_groups()], tokenizer)
    for group in load_groups():
        assert vocabulary.text(vocabulary.numbers(group.name, tokenizer)) == group.name


def test_the_most_frequent_pieces_come_first(tokenizer) -> None:  # type: ignore[no-untyped-def]
    vocabulary = vocabulary_of(["women men women", "women men"], (), tokenizer)
    assert vocabulary.pieces == ("women", "men")
    assert len(vocabulary) == 6
    assert vocabulary.numbers("men and women", tokenizer) == [5, 4]


def test_what_is_always_needed_is_kept_before_what_is_frequent(tokenizer) -> None:  # type: ignore[no-untyped-def]
    vocabulary = vocabulary_of(["women men women", "women men"], ["dogs"], tokenizer, most=2)
    assert vocabulary.pieces == ("women", "dogs")
    assert vocabulary.places(["women", "men", "[CLS]", "dogs"]).tolist() == [4, 0, 0, 5]


def test_special_pieces_are_no_words() -> None:
    assert Vocabulary(("women",)).text([START, FREE_START, 4, SEPARATOR, END]) == "women"


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_vocabulary(Vocabulary(("women", "##s")), tmp_path)
    assert read_vocabulary(tmp_path) == Vocabulary(("women", "##s"))


@pytest.mark.parametrize("text", [None, "{", "{}", '["women", 3]'])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / VOCABULARY_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match="found no list of pieces"):
        read_vocabulary(tmp_path)
