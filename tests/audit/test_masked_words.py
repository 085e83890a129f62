"""Which tokens are words, in each of the styles that vocabularies have."""

from collections.abc import Sequence

import pytest

torch = pytest.importorskip("torch")

from tactful.audit.masked.words import Vocabulary, Words  # noqa: E402


class Tokenizer:
    """The three things that a vocabulary asks a tokenizer for."""

    def __init__(self, tokens: Sequence[str], special: int = 1) -> None:
        self.tokens = list(tokens)
        self.all_special_ids = list(range(special))

    def get_vocab(self) -> dict[str, int]:
        return {token: at for at, token in enumerate(self.tokens)}

    def convert_tokens_to_string(self, tokens: Sequence[str]) -> str:
        """Read the bytes of ``é`` and call everything else broken, as a real one would."""
        return "".join(tokens).replace("Ġ", " ").replace("Ã©", "é").replace("Ã", "\ufffd")


def read(*tokens: str, size: int | None = None) -> Vocabulary:
    return Vocabulary(Tokenizer(["<mask>", *tokens]), size or len(tokens) + 1)


def test_word_pieces_of_bert() -> None:
    found = read("likely", "Likely", "##ly", "##", ".", "un")
    assert found.mark == "##"
    assert found.after_space.words == ["likely", "##", ".", "un"]
    assert found.attached is found.after_space


@pytest.mark.parametrize("mark", ["Ġ", "▁"])
def test_marks_of_spaces(mark: str) -> None:
    found = read(f"{mark}likely", "likely", f"{mark}Likely", "ly", mark, ".")
    assert found.after_space.words == ["likely"]
    assert found.attached.words == ["likely", "ly", "."]
    assert found.blanks == {5}


def test_bytes_become_letters_or_nothing() -> None:
    found = read("Ġrisquÿ", "Ġcliché", "ĠclichÃ©", "Ã", "Ġok")
    assert "cliché" in found.after_space.words
    assert all("\ufffd" not in word for word in found.attached.words)


def test_unfinished_words_of_bertweet() -> None:
    found = read("likely", "un@@", "likely@@", "@@")
    assert found.mark == "@@"
    assert found.after_space.words == ["likely", "@@"]


def test_finished_words_of_xlm() -> None:
    found = read("likely</w>", "un", "wrong</w>")
    assert found.after_space.words == ["likely", "wrong"]


def test_without_marks_every_token_is_a_word() -> None:
    found = read("likely", "un")
    assert found.mark is None
    assert found.after_space.words == ["likely", "un"]


def test_special_tokens_and_rows_without_a_token_are_no_words() -> None:
    assert "<mask>" not in read("likely").attached.words
    wide = read("likely", size=8)
    ((pairs, total),) = wide.after_space.top(torch.full((1, 8), 0.125), 50)
    assert pairs == [("likely", 0.125)]
    assert total == 0.125
    # A tokenizer may know more than the head has rows for.
    assert read("likely", "wrong", size=2).after_space.words == ["likely"]


def test_spellings_are_added_up() -> None:
    words = Words({0: "likely", 1: "wrong", 2: "likely", 3: "likely", 4: ""})
    chances = torch.tensor([[0.1, 0.35, 0.2, 0.1, 0.25], [0.0, 0.5, 0.125, 0.125, 0.25]])
    assert torch.allclose(words.summed(chances), torch.tensor([[0.4, 0.35], [0.25, 0.5]]))
    first, second = words.top(chances, 1)
    assert first[0][0][0] == "likely"
    assert first[1] == pytest.approx(0.75)
    assert second[0] == [("wrong", 0.5)]


def test_words_that_are_equally_probable_stand_in_order() -> None:
    words = Words({0: "wrong", 1: "bad", 2: "good"})
    ((pairs, _),) = words.top(torch.tensor([[0.25, 0.25, 0.5]]), 3)
    assert [word for word, _ in pairs] == ["good", "bad", "wrong"]


def test_missing_words_are_told_once_and_in_order() -> None:
    found = read("Ġlikely", "wrong")
    assert found.missing(["wrong", "Likely", " dicey ", "dicey", "odd"]) == [
        "wrong",
        "dicey",
        "odd",
    ]
