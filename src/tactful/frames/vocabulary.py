"""The pieces of words that the embedded decoder reads and writes.

They are pieces of the encoder's own vocabulary, so that one tokeniser serves both; only those that
groups and statements are made of are kept.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.errors import FileFormatError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY_FILE = "vocabulary.json"
START, SEPARATOR, END = 0, 1, 2
SPECIAL = ("[STR]", "[SEP]", "[END]")
_TIGHT = frozenset("-/'\u2019")
"""Marks that are written without spaces around them, as the corpus' own group names are."""


@dataclass(frozen=True)
class Vocabulary:
    """Numbers for pieces: three special ones, then pieces of words ("women", "##s")."""

    pieces: tuple[str, ...]
    """Without the special ones."""

    def __len__(self) -> int:
        return len(SPECIAL) + len(self.pieces)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces, len(SPECIAL))}

    def numbers(self, text: str, tokenizer: "Tokenizer") -> list[int]:
        """Return the numbers of a text's pieces; pieces that are not known are left out."""
        cut = tokenizer.encode(text.lower(), add_special_tokens=False).tokens
        return [self._numbers[piece] for piece in cut if piece in self._numbers]

    def text(self, numbers: Sequence[int]) -> str:
        """Write numbers as words again.

        >>> Vocabulary(("latin", "##o", "/", "folk", "##s")).text([3, 4, 5, 6, 7])
        'latino/folks'
        """
        words: list[str] = []
        tight = True
        for number in numbers:
            if number < len(SPECIAL):
                continue
            piece = self.pieces[number - len(SPECIAL)]
            if piece.startswith("##") and words:
                words[-1] += piece[2:]
                continue
            mark = piece in _TIGHT
            if words and (tight or mark):
                words[-1] += piece
            else:
                words.append(piece)
            tight = mark
        return " ".join(words).replace(" ,", ",").replace(" .", ".")


def vocabulary_of(texts: Iterable[str], tokenizer: "Tokenizer") -> Vocabulary:
    """Collect the pieces of texts, most frequent first."""
    from collections import Counter

    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(tokenizer.encode(text.lower(), add_special_tokens=False).tokens)
    # The marks of the tokeniser itself are no words.
    found = [piece for piece, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))]
    return Vocabulary(tuple(piece for piece in found if not piece.startswith("[")))


def write_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write the pieces into a folder with weights."""
    with atomic_path(folder / VOCABULARY_FILE, force=True) as target:
        target.write_text(
            json.dumps(vocabulary.pieces, ensure_ascii=False) + "\n", encoding="utf-8"
        )


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read the pieces from a folder with weights."""
    path = folder / VOCABULARY_FILE
    try:
        pieces = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pieces = None
    if not isinstance(pieces, list) or not all(isinstance(each, str) for each in pieces):
        raise FileFormatError(
            f"{path}: found no list of pieces; expected the file that training wrote; restore it."
        )
    return Vocabulary(tuple(pieces))
