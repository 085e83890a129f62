"""Which tokens of a vocabulary are words, and how probable each word is.

A token is a word when it fills the masked place as a whole. How vocabularies mark that differs:

- ``##x`` (BERT, DistilBERT, MPNet) continues the word before it: a piece, not a word;
- ``Ġx`` and ``▁x`` (RoBERTa, DeBERTa, ALBERT, XLNet) begin after a space. A token without the mark
  continues the word before it, so it is a piece; but where the masked place does not follow a
  space, it is a word;
- ``x@@`` (BERTweet) is not finished, and ``x</w>`` (XLM) is: the former are pieces.

Spellings that differ in case or in the mark are one word in lower case; their probabilities are
added up. Punctuation stays, as in a fill-mask pipeline. What is no word - pieces, special tokens,
bytes that are no text, and rows of the table that no token has - is counted together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

PIECE = "##"
SPACES = ("Ġ", "▁")
UNFINISHED, FINISHED = "@@", "</w>"
_PREFIXES = (PIECE, *SPACES)
_NO_TEXT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Token:
    """What one token spells."""

    text: str
    """In lower case and without marks; empty where it is no text."""
    begins: bool
    """It can be the first token of a word that follows a space."""
    ends: bool
    """It can be the last token of a word."""


class Vocabulary:
    """The tokens of a tokenizer, for a model whose head has ``size`` rows."""

    def __init__(self, tokenizer: Any, size: int) -> None:
        known = {at: token for token, at in tokenizer.get_vocab().items() if at < size}
        special = set(tokenizer.all_special_ids)
        self.mark = _mark(known.values())
        self.tokens = {
            at: self._read(tokenizer, token) for at, token in known.items() if at not in special
        }
        self.blanks = {at for at, token in known.items() if token in SPACES}
        """Tokens that are only a space."""
        whole = {at: token.text for at, token in self.tokens.items() if token.ends}
        after_space = {at: text for at, text in whole.items() if self.tokens[at].begins}
        self.after_space = Words(after_space)
        """The words where the masked place follows a space."""
        self.attached = Words(whole) if self.mark in SPACES else self.after_space
        """The words where it follows a bracket, a letter or nothing."""

    def missing(self, words: Iterable[str]) -> list[str]:
        """Return the words that are no single token, in their order."""
        asked = dict.fromkeys(word.strip().lower() for word in words)
        return [word for word in asked if word not in self.after_space.at]

    def _read(self, tokenizer: Any, token: str) -> Token:
        text, begins, ends = token, True, True
        if self.mark == PIECE:
            begins = not _marked(token, PIECE)
            text = token if begins else token.removeprefix(PIECE)
        elif self.mark in SPACES:
            begins = token.startswith(self.mark)
            text = token.removeprefix(self.mark)
            if self.mark == "Ġ" and not text.isascii():
                # Letters beyond ASCII are written as bytes, which the tokenizer can decode.
                text = str(tokenizer.convert_tokens_to_string([token]))
        elif self.mark == UNFINISHED:
            ends = not _marked(token, UNFINISHED)
            text = token if ends else token.removesuffix(UNFINISHED)
        elif self.mark == FINISHED:
            ends = _marked(token, FINISHED)
            text = token.removesuffix(FINISHED)
        text = text.strip().lower()
        return Token("" if _NO_TEXT in text else text, begins, ends)


class Words:
    """The words that can fill a masked place, each with the tokens that spell it."""

    def __init__(self, texts: dict[int, str]) -> None:
        import torch

        spelt: dict[str, list[int]] = {}
        for token in sorted(texts):
            if texts[token]:
                spelt.setdefault(texts[token], []).append(token)
        self.words = list(spelt)
        self.at = {word: at for at, word in enumerate(self.words)}
        more = [(self.at[word], token) for word in spelt for token in spelt[word][1:]]
        self._first = torch.tensor([tokens[0] for tokens in spelt.values()], dtype=torch.long)
        self._more_of = torch.tensor([at for at, _ in more], dtype=torch.long)
        self._more = torch.tensor([token for _, token in more], dtype=torch.long)

    def summed(self, probabilities: Any) -> Any:
        """Turn (texts x tokens) into (texts x words)."""
        # Most words have one spelling: picking their columns costs less than a sum over all.
        found = probabilities[:, self._first]
        if len(self._more):
            found.index_add_(1, self._more_of, probabilities[:, self._more])
        return found

    def top(self, probabilities: Any, count: int) -> list[tuple[list[tuple[str, float]], float]]:
        """Return, for each text, its most probable words and the probability of all its words."""
        found = self.summed(probabilities)
        values, places = found.topk(min(count, found.shape[1]))
        answers = []
        for row, at, total in zip(
            values.tolist(), places.tolist(), found.sum(dim=1).tolist(), strict=True
        ):
            pairs = [(self.words[place], value) for place, value in zip(at, row, strict=True)]
            # Equally probable words are in alphabetical order on every machine.
            pairs.sort(key=lambda pair: (-pair[1], pair[0]))
            answers.append((pairs, float(total)))
        return answers


def _marked(token: str, mark: str) -> bool:
    if token == mark:
        return False
    return token.startswith(mark) if mark in _PREFIXES else token.endswith(mark)


def _mark(tokens: Iterable[str]) -> str | None:
    """Return the mark that most tokens carry; None where every token is a word."""
    counts: dict[str, int] = dict.fromkeys((*_PREFIXES, UNFINISHED, FINISHED), 0)
    for token in tokens:
        for mark in counts:
            counts[mark] += _marked(token, mark)
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else None
