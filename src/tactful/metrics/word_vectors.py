"""Word vectors from a file of the user's: word2vec (text or binary), GloVe, fastText ``.vec``.

The file is streamed once and only the words asked for are kept, so that a file of many gigabytes
costs little memory. Text files may start with a line of the number of words and the dimension
(word2vec, fastText) or not (GloVe). gz is unpacked on the way.
"""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError, InputError
from tactful.files import BROKEN_ARCHIVE
from tactful.words import counted

_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"
_UTF8_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 20
_LONGEST_WORD = 10_000
_LARGEST_DIMENSION = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """The vectors of some words: ``matrix[index[word]]``."""

    index: dict[str, int]
    matrix: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or len(self.index) != len(self.matrix):
            raise InputError(
                f"Found {counted(len(self.index), 'word')} and vectors of shape "
                f"{self.matrix.shape}; expected one row for each word."
            )
        if not np.isfinite(self.matrix).all():
            raise InputError("Found a vector with NaN or infinity; expected numbers.")

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __len__(self) -> int:
        return len(self.index)

    def rows(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of known words, one row each."""
        return self.matrix[[self.index[word] for word in words]]

    @classmethod
    def of(cls, vectors: dict[str, Sequence[float]]) -> "WordVectors":
        """Build from a mapping of words to vectors."""
        rows = list(vectors.values())
        matrix = np.array(rows, dtype=np.float64) if rows else np.zeros((0, 0))
        return cls({word: at for at, word in enumerate(vectors)}, matrix)


def read_word_vectors(path: Path, words: Iterable[str]) -> WordVectors:
    """Read the vectors of ``words``; those that the file does not have are simply absent.

    Of a repeated word the first counts. A line that is not of a wanted word is skipped
    unread, so damage there goes unnoticed.
    """
    wanted = {word.encode("utf-8", "surrogatepass") for word in words}
    found: dict[str, NDArray[np.float64]] = {}
    with _open(path) as handle:
        first = handle.readline(_PIECE)
        if not first.strip():
            raise _wrong(path, 1, "nothing", "a line of word vectors")
        header = _header(first)
        if header is None:
            rows = _text_rows(path, handle, wanted, first)
        else:
            _, dimension = header
            start = handle.read(_PIECE)
            if _is_text(start, dimension):
                rows = _text_rows(path, _joined(start, handle), wanted, None, dimension)
            else:
                rows = _binary_rows(path, handle, wanted, header, start)
        for word, vector in rows:
            found.setdefault(word, vector)
            if len(found) == len(wanted):
                break
    matrix = np.array(list(found.values())) if found else np.zeros((0, 0))
    return WordVectors({word: at for at, word in enumerate(found)}, matrix)


def _joined(start: bytes, rest: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a piece that was read already, then of the rest of the file."""
    *whole, last = start.split(b"\n")
    yield from whole
    if rest_of_line := last + rest.readline():
        yield rest_of_line
    yield from rest


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as plain:
        magic = plain.read(4)
        plain.seek(0)
        if magic == _ZIP_MAGIC:
            raise FileFormatError(
                f"{path}: found a zip file; expected vectors, plain or gz; unpack it first."
            )
        if not magic.startswith(_GZIP_MAGIC):
            yield plain
            return
        try:
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield cast(BinaryIO, unpacked)
        except BROKEN_ARCHIVE:
            raise FileFormatError(
                f"{path}: found a damaged or cut-off gz file; expected a complete one; download "
                "it again."
            ) from None


def _header(line: bytes) -> tuple[int, int] | None:
    """Return the number of words and the dimension, if the first line is only that."""
    parts = line.removeprefix(_UTF8_MARK).split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return None
    count, dimension = map(int, parts)
    return (count, dimension) if 0 < dimension <= _LARGEST_DIMENSION else None


def _is_text(start: bytes, dimension: int) -> bool:
    """Say whether the first vector after a header is written as text."""
    fields = start.partition(b"\n")[0].strip().rsplit(b" ", dimension)
    if len(fields) != dimension + 1:
        return False
    try:
        [float(field) for field in fields[1:]]
    except ValueError:
        return False
    return True


def _text_rows(
    path: Path,
    lines: Iterable[bytes],
    wanted: set[bytes],
    first: bytes | None,
    dimension: int | None = None,
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    if first is not None:
        first = first.removeprefix(_UTF8_MARK)
        dimension = len(first.split()) - 1
        if not dimension:
            raise _wrong(path, 1, "one field", "a word and its numbers")
        yield from _text_row(path, 1, first, wanted, dimension, always=True)
    for number, line in enumerate(lines, 2):
        if line.partition(b" ")[0].rstrip() in wanted:
            yield from _text_row(path, number, line, wanted, dimension or 0)


def _text_row(
    path: Path, number: int, line: bytes, wanted: set[bytes], dimension: int, always: bool = False
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    # From the right, because a few words of GloVe's largest file have spaces in them.
    word, *fields = line.strip().rsplit(b" ", dimension)
    if not always and word not in wanted and len(fields) == dimension:
        return
    if len(fields) != dimension:
        raise _wrong(path, number, f"{len(fields)} numbers", f"{dimension}, as above")
    try:
        vector = np.array([float(field) for field in fields])
    except ValueError:
        raise _wrong(path, number, "no number", f"a word and {dimension} numbers") from None
    if not np.isfinite(vector).all():
        raise _wrong(path, number, "NaN or infinity", "numbers")
    if word in wanted:
        yield word.decode("utf-8"), vector


def _binary_rows(
    path: Path, handle: BinaryIO, wanted: set[bytes], header: tuple[int, int], start: bytes
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    count, dimension = header
    size = 4 * dimension
    buffer, at = start, 0
    for number in range(1, count + 1):
        space = buffer.find(b" ", at)
        while space < 0 or len(buffer) < space + 1 + size:
            piece = handle.read(_PIECE)
            if not piece or (space < 0 and len(buffer) - at > _LONGEST_WORD):
                raise FileFormatError(
                    f"{path}: found no complete vector for word {number:,}; expected "
                    f"{counted(count, 'word')} "
                    f"of {dimension} numbers, as the first line says; is the file cut off, or not "
                    "of word2vec?"
                )
            buffer, at = buffer[at:] + piece, 0
            space = buffer.find(b" ", at)
        # Some writers end each vector with a line break, others do not.
        word = buffer[at:space].lstrip(b"\n")
        end = space + 1 + size
        if word in wanted:
            vector = np.frombuffer(buffer[space + 1 : end], dtype="<f4").astype(np.float64)
            if not np.isfinite(vector).all():
                raise FileFormatError(
                    f"{path}: found NaN or infinity in the vector of word {number:,}; expected "
                    f"{dimension} numbers of 4 bytes; is it a file of word2vec?"
                )
            yield word.decode("utf-8"), vector
        at = end


def _wrong(path: Path, line: int, found: str, expected: str) -> FileFormatError:
    return FileFormatError(f"{path}, line {line}: found {found}; expected {expected}.")
