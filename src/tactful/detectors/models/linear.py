"""The fast detector: a sum of weights of words and word pairs, so every word's part is exact.

The folder holds ``card.json``, ``words.txt`` (one known word a line) and ``weights.npz``: a row of
small integers per known word (``words``), per hashed piece of an unknown word (``pieces``) and per
hashed pair of neighbouring words (``pairs``), each with a scale per id, and ``bias``.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import AdditiveDetector, Contribution, LogitsDetector
from tactful.detectors.card import Card, read_card
from tactful.documents.normalise import normalise
from tactful.errors import FileFormatError

TOKEN = re.compile("\\w+(?:['\u2019]\\w+)?|[!?.,;:\"\u201c\u201d\u2026()]")
"""A word with its apostrophe, or a mark that says something about the tone."""
PIECE_ROWS = 1 << 14
PAIR_BITS = 17
PAIR_ROWS = 1 << PAIR_BITS
PAIR_MULTIPLIER = 2_654_435_761
"""Knuth's: it spreads pairs of neighbouring row numbers over the table."""
_PIECE = 4


def piece_rows(word: str) -> list[int]:
    """Return the rows of the pieces of a word that training did not see."""
    marked = f"<{word}>"
    pieces = {marked[at : at + _PIECE] for at in range(max(1, len(marked) - _PIECE + 1))}
    return sorted(crc32(piece.encode("utf-8", "replace")) % PIECE_ROWS for piece in pieces)


def word_number(word: str) -> int:
    """Return the number of a word in pairs, known or not."""
    return crc32(word.encode("utf-8", "replace"))


def tokens_of(text: str) -> list[str]:
    """Cut a normalised text into lower-case words and marks."""
    if text.isascii():  # elsewhere lower case can change the number of letters, and so the tokens
        found: list[str] = TOKEN.findall(text.lower())
        return found
    return [token.lower() for token in TOKEN.findall(text)]


def pair_rows(first: NDArray[np.uint32], second: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the rows of neighbouring words, given their numbers."""
    mixed = (first * np.uint32(PAIR_MULTIPLIER) + second).astype(np.uint32)
    return (mixed >> np.uint32(32 - PAIR_BITS)).astype(np.int64)


WORDS_FILE, WEIGHTS_FILE = "words.txt", "weights.npz"
_POOL = 1024
_TABLES = ("words", "pieces", "pairs")
_FIRST_ROWS = 1 << 10
_MOST_WORDS = 1 << 17
_MOST_CHARACTERS = 1 << 20
"""So many words, and characters in them, are remembered; then they are forgotten, so that noise
fills no memory."""
Numbers = NDArray[np.float32]


class LinearDetector(LogitsDetector, AdditiveDetector):
    """Scores thousands of texts a second; a text's log-odds is a plain sum over its words."""

    def __init__(self, folder: Path, card: Card):
        self.folder, self.card = folder, card
        slopes = [card.scaling(name)[0] for name in card.ids]
        self._slopes = np.array(slopes, dtype=np.float32)

    @cached_property
    def _table(self) -> "_Table":
        return _Table(self.folder)

    def forget(self) -> None:
        """Forget the words that were met in texts; they are only remembered to be quick."""
        self._table.forget()

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the log-odds before calibration, one row per text and one column per id."""
        found = np.empty((len(texts), len(self.card.ids)), dtype=np.float32)
        for start in range(0, len(texts), _POOL):
            pool = [tokens_of(normalise(text).text) for text in texts[start : start + _POOL]]
            found[start : start + len(pool)] = self._pool_logits(pool)
        return found

    def _pool_logits(self, pool: list[list[str]]) -> Numbers:
        lengths = np.array([len(words) for words in pool])
        found = np.zeros((len(pool), len(self.card.ids)), dtype=np.float32)
        filled = lengths > 0
        if filled.any():
            values = self._table.values(list(chain.from_iterable(pool)), lengths)
            starts = (np.cumsum(lengths) - lengths)[filled]
            found[filled] = np.add.reduceat(values, starts, axis=0)
            found[filled] /= np.sqrt(lengths[filled])[:, None]
        return found + self._table.bias

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the calibrated log-odds: exact, they add up to it.

        A pair of words gives half of its weight to each of the two.
        """
        clean = normalise(text)
        # Lower case can change the number of letters; the words are found before it.
        matches = list(TOKEN.finditer(clean.text))
        if not matches:
            return {name: [] for name in ids}
        words = [match.group().lower() for match in matches]
        values = self._table.values(words, np.array([len(words)]), halves=True)
        values = values * self._slopes / np.sqrt(np.float32(len(words)))
        places = [clean.to_source(*match.span()) for match in matches]
        return {
            name: [
                Contribution(*place, float(value))
                for place, value in zip(places, values[:, self.card.ids.index(name)], strict=True)
            ]
            for name in ids
        }


class _Table:
    """The weights as they are stored, and a row of floats for every word met so far."""

    def __init__(self, folder: Path):
        self._weights = _read_weights(folder)
        known = (folder / WORDS_FILE).read_text(encoding="utf-8").split("\n")
        self._known = {word: row for row, word in enumerate(filter(None, known))}
        self.bias: Numbers = self._weights["bias"]
        self.row_of: dict[str, int]
        self._rows: Numbers
        self._numbers: NDArray[np.uint32]
        self.characters: int
        """Of the words that were met."""
        self.forget()

    def values(self, words: list[str], lengths: NDArray[np.int_], halves: bool = False) -> Numbers:
        """Return what each word of several texts, laid end to end, adds before the norm.

        A pair's weight is counted for its first word, or half for each.
        """
        rows = self._rows_of(words)
        values = self._rows.take(rows, axis=0)
        numbers = self._numbers[rows]
        pairs = self._scaled("pairs", pair_rows(numbers[:-1], numbers[1:]))
        ends = np.cumsum(lengths[lengths > 0])[:-1] - 1
        pairs[ends] = 0  # the last word of a text and the first of the next are no pair
        if halves:
            values[:-1] += pairs / 2
            values[1:] += pairs / 2
        else:
            values[:-1] += pairs
        return values

    def _scaled(self, name: str, rows: NDArray[np.int64] | list[int]) -> Numbers:
        """Return rows of a table as floats."""
        found: Numbers = self._weights[name].take(rows, axis=0).astype(np.float32)
        found *= self._weights[f"{name}_scale"]
        return found

    def _rows_of(self, words: list[str]) -> NDArray[np.int64]:
        if len(self.row_of) > _MOST_WORDS or self.characters > _MOST_CHARACTERS:
            self.forget()
        row_of = self.row_of
        if new := [word for word in dict.fromkeys(words) if word not in row_of]:
            self._add(new)
        return np.fromiter(map(row_of.__getitem__, words), dtype=np.int64, count=len(words))

    def _add(self, words: list[str]) -> None:
        """Note rows for new words; one that is not known has the mean of what its pieces add."""
        start, end = len(self.row_of), len(self.row_of) + len(words)
        if end > len(self._rows):
            room = max(end, 2 * len(self._rows)) - len(self._rows)
            self._rows = np.pad(self._rows, ((0, room), (0, 0)))
            self._numbers = np.pad(self._numbers, (0, room))
        known = [self._known.get(word, 0) for word in words]
        self._rows[start:end] = self._scaled("words", known)
        for row, word in enumerate(words, start):
            if word not in self._known:
                self._rows[row] = self._scaled("pieces", piece_rows(word)).mean(axis=0)
            self._numbers[row] = word_number(word)
            self.row_of[word] = row
        self.characters += sum(map(len, words))

    def forget(self) -> None:
        """Forget all words that were met."""
        self.row_of = {}
        self._rows = np.zeros((_FIRST_ROWS, len(self.bias)), dtype=np.float32)
        self._numbers = np.zeros(_FIRST_ROWS, dtype=np.uint32)
        self.characters = 0


def _read_weights(folder: Path) -> dict[str, NDArray[Any]]:
    path = folder / WEIGHTS_FILE
    names = [f"{table}{ending}" for table in _TABLES for ending in ("", "_scale")]
    try:
        with np.load(path) as file:
            return {name: file[name] for name in ("bias", *names)}
    except (OSError, ValueError, KeyError) as error:
        raise FileFormatError(
            f"{path}: found no weights of a linear detector ({error}); expected the file that "
            "training wrote; restore it."
        ) from None


def load_linear_detector(folder: Path) -> LinearDetector:
    """Open the folder of a linear detector."""
    return LinearDetector(folder, read_card(folder))
