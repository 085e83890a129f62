"""Word vectors from a model of fastText's own (``.bin``), with its pieces of words.

The vector of a word is the mean of its own row and the rows of its letter n-grams, which are found
by their hash (Bojanowski et al. 2017; layout as fastText 0.9 writes it). So a word that the model
never saw has a vector too. The table of rows, which may be many gigabytes, is mapped, not read.
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError
from tactful.metrics.word_vectors import WordVectors

MAGIC = 793712314
VERSIONS = (11, 12)
_END_OF_SENTENCE = b"</s>"
_SUPERVISED = 3
_LONGEST_WORD = 10_000
_PIECE = 1 << 16


def is_fasttext_model(path: Path) -> bool:
    """Say whether a file starts as a model of fastText's own."""
    with path.open("rb") as handle:
        return handle.read(4) == struct.pack("<i", MAGIC)


def read_fasttext_model(path: Path, words: Iterable[str]) -> WordVectors:
    """Read the vectors of ``words``; only a word with no row and no known piece is absent."""
    with path.open("rb") as handle:
        model = _read_head(path, handle)
    index: dict[str, int] = {}
    rows: list[NDArray[np.float64]] = []
    for word in dict.fromkeys(words):
        vector = model.vector(word.encode("utf-8", "replace"))
        if vector is not None:
            index[word] = len(rows)
            rows.append(vector)
    matrix = np.array(rows) if rows else np.zeros((0, 0))
    return WordVectors(index, matrix)


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    words: dict[bytes, int]
    buckets: int
    shortest: int
    longest: int
    pruned: dict[int, int] | None
    """Where the rows of pieces went when the model was made smaller; None if it was not."""
    table: NDArray[np.float32]

    def vector(self, word: bytes) -> NDArray[np.float64] | None:
        own = self.words.get(word)
        rows = [] if own is None else [own]
        if word != _END_OF_SENTENCE:
            rows += self._pieces(word)
        if not rows:
            return None
        vector: NDArray[np.float64] = self.table[rows].astype(np.float64).mean(axis=0)
        return vector

    def _pieces(self, word: bytes) -> Iterator[int]:
        if self.longest <= 0 or not self.buckets:
            return
        for piece in _ngrams(b"<" + word + b">", self.shortest, self.longest):
            place = piece_hash(piece) % self.buckets
            if self.pruned is not None:
                if place not in self.pruned:
                    continue
                place = self.pruned[place]
            yield len(self.words) + place


def piece_hash(piece: bytes) -> int:
    """Return fastText's hash of a piece: FNV-1a whose bytes are signed, by an old mistake."""
    found = 2166136261
    for byte in piece:
        found ^= byte if byte < 128 else byte | 0xFFFFFF00
        found = found * 16777619 & 0xFFFFFFFF
    return found


def _ngrams(word: bytes, shortest: int, longest: int) -> Iterator[bytes]:
    """Yield the n-grams of letters (not bytes); the marks of begin and end are none alone."""
    starts = [at for at, byte in enumerate(word) if byte & 0xC0 != 0x80]
    starts.append(len(word))
    letters = len(starts) - 1
    for first in range(letters):
        for size in range(max(shortest, 1), min(longest, letters - first) + 1):
            if size == 1 and first in (0, letters - 1):
                continue
            yield word[starts[first] : starts[first + size]]


def _read_head(path: Path, handle: BinaryIO) -> _Model:
    magic, version, dimension = _numbers(path, handle, "<iii")
    if magic != MAGIC or version not in VERSIONS:
        raise _wrong(path, f"version {version}", "a fastText model of version 11 or 12")
    arguments = _numbers(path, handle, "<11id")
    kind, buckets, shortest, longest = arguments[6:10]
    if version == VERSIONS[0] and kind == _SUPERVISED:
        # Old supervised models wrote a length of pieces that they did not use.
        longest = 0
    entries, known, _, _, pruned_size = _numbers(path, handle, "<iiiqq")
    words = {}
    for at, word in enumerate(_entries(path, handle, entries)):
        if at < known:
            words[word] = at
    pruned: dict[int, int] | None = None
    if pruned_size >= 0:
        pairs = (_numbers(path, handle, "<ii") for _ in range(pruned_size))
        pruned = dict(pairs)
    (quantised,) = _numbers(path, handle, "<?")
    if quantised:
        raise _wrong(
            path, "a quantised model (.ftz)", "a whole one; take the .bin or the .vec file"
        )
    height, width = _numbers(path, handle, "<qq")
    offset = handle.tell()
    if width != dimension or height < known or offset + 4 * height * width > path.stat().st_size:
        raise _wrong(path, f"a table of {height} x {width}", f"{dimension} numbers for each word")
    table = np.memmap(path, dtype="<f4", mode="r", offset=offset, shape=(height, width))
    if len(words) != known or known + (0 if pruned is not None else buckets) > height > known:
        raise _wrong(path, f"{len(words)} words and {height} rows", f"{known} words and {buckets}")
    return _Model(words, buckets, shortest, longest, pruned, table)


def _entries(path: Path, handle: BinaryIO, count: int) -> Iterator[bytes]:
    """Yield the words of the dictionary; each is followed by its frequency and its type."""
    buffer, at = b"", 0
    for _ in range(count):
        end = buffer.find(b"\0", at)
        while end < 0 or len(buffer) < end + 10:
            piece = handle.read(_PIECE)
            if not piece or (end < 0 and len(buffer) - at > _LONGEST_WORD):
                raise _wrong(path, "a dictionary that is cut off", f"{count:,} words")
            buffer, at = buffer[at:] + piece, 0
            end = buffer.find(b"\0", at)
        yield buffer[at:end]
        at = end + 10
    # What was read ahead belongs to the next part.
    handle.seek(at - len(buffer), 1)


def _numbers(path: Path, handle: BinaryIO, layout: str) -> tuple[Any, ...]:
    size = struct.calcsize(layout)
    data = handle.read(size)
    if len(data) < size:
        raise _wrong(path, "a file that is cut off", "a whole fastText model; fetch it again")
    return struct.unpack(layout, data)


def _wrong(path: Path, found: str, expected: str) -> FileFormatError:
    return FileFormatError(f"{path}: found {found}; expected {expected}.")
