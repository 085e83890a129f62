"""A sum over words and over pieces of words: knows unseen forms of a word by what they share.

Words and pairs of words are counted as scikit-learn's ``TfidfVectorizer`` counts them, and so are
pieces of two to five characters within a word (its ``char_wb``). The logarithm of a count counts,
times the rarity of the n-gram; words and pieces each make a row of length 1. The folder holds
``card.json`` and ``ngrams.npz``.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import AdditiveDetector, Contribution, LogitsDetector
from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.models.svm import broken_arrays, joined_words, parted_words, read_arrays
from tactful.detectors.models.weighted_ngrams import TOKEN, Place, Terms, simplified
from tactful.files import atomic_path
from tactful.libraries import needed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ARRAYS_FILE = "ngrams.npz"
_WORD = re.compile(r"\S+")
"""For pieces a word is all between white space, its punctuation included."""
_MOST_READ = 100_000
"""The number of words that are kept as they were cut."""
_LONGEST_KEPT = 40
"""Longer words are cut each time: few of them come twice, and thousands would fill the memory."""
Numbers = NDArray[np.float32]
Found = list[tuple[int, tuple[Place, ...]]]


@dataclass(frozen=True)
class Ngrams:
    """The known words and pieces, and how rare they are."""

    words: dict[str, int]
    pieces: dict[str, int]
    """Columns of the pieces come behind those of the words."""
    rarity: Numbers
    most_words: int = 2
    piece_sizes: tuple[int, int] = (2, 5)
    strip_accents: bool = True

    @cached_property
    def _terms(self) -> Terms:
        rarity = self.rarity[: len(self.words)].astype(np.float64)
        return Terms(self.words, rarity, self.most_words, self.strip_accents)

    def __len__(self) -> int:
        return len(self.words) + len(self.pieces)

    def found(self, text: str) -> tuple[Found, Found]:
        """Return the known words and the known pieces of a text, with the places they lie in."""
        changed, source = simplified(text, self.strip_accents)
        pieces: Found = []
        first = len(self.words)
        for start, end in (match.span() for match in _WORD.finditer(changed)):
            place = (start, end) if source is None else (source[start], source[end - 1] + 1)
            for piece in _pieces(changed[start:end], self.piece_sizes):
                at = self.pieces.get(piece)
                if at is not None:
                    pieces.append((first + at, (place,)))
        return self._terms.found(text), pieces

    def columns(self, text: str) -> tuple[list[int], list[int]]:
        """Return the columns of the words and of the pieces that :meth:`found` finds."""
        tokens: list[str] = []
        pieces: list[int] = []
        for raw in text.split():
            known = self._read.get(raw)
            if known is None:
                known = self._word(raw)
                if len(self._read) >= _MOST_READ:
                    self._read.clear()
                if len(raw) <= _LONGEST_KEPT:
                    self._read[raw] = known
            tokens += known[0]
            pieces += known[1]
        words = [
            at
            for size in range(1, self.most_words + 1)
            for first in range(len(tokens) - size + 1)
            if (at := self.words.get(" ".join(tokens[first : first + size]))) is not None
        ]
        return words, pieces

    @cached_property
    def _read(self) -> dict[str, tuple[list[str], list[int]]]:
        # Few words make up most of any text, and cutting each of them once is enough.
        return {}

    def _word(self, raw: str) -> tuple[list[str], list[int]]:
        changed, _ = simplified(raw, self.strip_accents)
        first = len(self.words)
        pieces = [
            first + at
            for word in changed.split()
            for piece in _pieces(word, self.piece_sizes)
            if (at := self.pieces.get(piece)) is not None
        ]
        return TOKEN.findall(changed), pieces

    def weighed(self, columns: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return columns, each once, and their values, which make a row of length 1."""
        own, times = np.unique(np.array(columns, dtype=np.int64), return_counts=True)
        values = (1 + np.log(times)) * self.rarity[own].astype(np.float64)
        length = float(np.sqrt(values @ values)) or 1.0
        return own, values / length

    def rows(self, texts: Sequence[str]) -> "csr_array":
        """Return texts x n-grams."""
        with needed("An n-gram detector"):
            from scipy.sparse import csr_array

        data: list[NDArray[np.float64]] = []
        indices: list[NDArray[np.int64]] = []
        starts = [0]
        for text in texts:
            rows = [self.weighed(each) for each in self.columns(text)]
            indices += [columns for columns, _ in rows]
            data += [values for _, values in rows]
            starts.append(starts[-1] + sum(len(columns) for columns, _ in rows))
        shape = (len(texts), len(self))
        if not data:
            return csr_array(shape, dtype=np.float64)
        places = np.concatenate(indices).astype(np.int32)
        return csr_array((np.concatenate(data), places, np.array(starts, np.int32)), shape=shape)


def _pieces(word: str, sizes: tuple[int, int]) -> list[str]:
    """Return the pieces of a word with a space around it, a short word once for all sizes."""
    padded = f" {word} "
    found = []
    for size in range(sizes[0], sizes[1] + 1):
        found.append(padded[:size])
        found += [padded[at : at + size] for at in range(1, len(padded) - size + 1)]
        if len(padded) <= size:
            break
    return found


class NgramDetector(LogitsDetector, AdditiveDetector):
    """Weights of n-grams for each id; what a word adds is known exactly."""

    def __init__(self, ngrams: Ngrams, weights: Numbers, bias: Numbers, card: Card):
        self.ngrams, self.weights, self.bias, self.card = ngrams, weights, bias, card

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the log-odds before calibration."""
        found = np.empty((len(texts), len(self.card.ids)), dtype=np.float32)
        for row, text in enumerate(texts):
            total = self.bias.copy()
            for kind in self.ngrams.columns(text):
                columns, values = self.ngrams.weighed(kind)
                total += values.astype(np.float32) @ self.weights[columns]
            found[row] = total
        return found

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the calibrated log-odds, exactly.

        A pair is shared by its words; a piece belongs to the word it lies in.
        """
        columns = [self.card.ids.index(name) for name in ids]
        slopes = [self.card.scaling(name)[0] for name in ids]
        added: dict[Place, Numbers] = {}
        for kind in self.ngrams.found(text):
            counts = Counter(at for at, _ in kind)
            found, weighed = self.ngrams.weighed([at for at, _ in kind])
            values = dict(zip(found.tolist(), weighed.tolist(), strict=True))
            for at, places in kind:
                share = values[at] / counts[at] / len(places)
                for place in places:
                    part = np.float32(share) * self.weights[at, columns]
                    added[place] = added.get(place, np.zeros(len(columns), np.float32)) + part
        return {
            name: [
                Contribution(*place, float(added[place][at]) * slopes[at])
                for place in sorted(added)
            ]
            for at, name in enumerate(ids)
        }

    def save(self, folder: Path) -> None:
        """Write arrays and card into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        known = self.ngrams
        with atomic_path(folder / ARRAYS_FILE, force=True) as target, target.open("wb") as file:
            np.savez_compressed(
                file,
                # Nothing that is counted has a line break in it.
                words=joined_words(known.words),
                pieces=joined_words(known.pieces),
                rarity=known.rarity.astype(np.float16),
                settings=np.array([known.most_words, *known.piece_sizes, int(known.strip_accents)]),
                weights=self.weights.astype(np.float16),
                bias=self.bias.astype(np.float32),
            )
        write_card(self.card, folder)


def load_ngram_detector(folder: Path) -> NgramDetector:
    """Open the folder of a detector of n-grams."""
    card = read_card(folder)
    path = folder / ARRAYS_FILE
    arrays = read_arrays(path)
    try:
        most, low, high, accents = (int(each) for each in arrays["settings"])
        known = Ngrams(
            parted_words(arrays["words"]),
            parted_words(arrays["pieces"]),
            arrays["rarity"].astype(np.float32),
            most,
            (low, high),
            bool(accents),
        )
        weights, bias = arrays["weights"].astype(np.float32), arrays["bias"].astype(np.float32)
        if weights.shape != (len(known), len(card.ids)) or len(known.rarity) != len(known):
            raise ValueError(f"{len(known)} n-grams and weights of shape {weights.shape}")
        if bias.shape != (len(card.ids),):
            raise ValueError(f"{bias.size} biases for {len(card.ids)} ids")
    except (KeyError, ValueError, TypeError) as error:
        raise broken_arrays(path, error) from None
    return NgramDetector(known, weights, bias, card)
