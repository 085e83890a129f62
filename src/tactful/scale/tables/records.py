"""Where records end in a stream of bytes; the same bytes are always cut at the same places."""

import re
from collections.abc import Iterator
from functools import cache
from typing import IO

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError
from tactful.scale.tables.formats import Format

MOST_BYTES = 64 << 20
"""A longer record is an error: a quote was never closed."""
NEWLINE, RETURN, QUOTE = b'\n\r"'


def record_ends(data: bytes, kind: Format, *, is_all: bool = False) -> NDArray[np.int64]:
    """Return the offset after each record; in CSV a line end in quotes does not end one.

    ``data`` begins with a record. More bytes behind it change none of the places. Where it is all
    that there is, the last record may have no line end.
    """
    letters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(letters == NEWLINE)
    if kind.kind in ("csv", "tsv") and b'"' in data:
        quotes = np.flatnonzero(letters == QUOTE)
        if not quotes_stand_well(letters, quotes, ord(kind.separator)):
            quotes = _edges_of_quoted_cells(data, kind.separator)
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
    ends = ends + 1
    is_cut = is_all and bool(data) and (not len(ends) or int(ends[-1]) < len(data))
    return np.append(ends, len(data)) if is_cut else ends


def quotes_stand_well(letters: NDArray[np.uint8], quotes: NDArray[np.intp], mark: int) -> bool:
    """Say whether quotes alternate between the start and the end of a cell.

    Doubled quotes inside a cell are fine, too.
    """
    opening, closing = quotes[0::2], quotes[1::2]
    before = letters[opening[opening > 0] - 1]
    behind = letters[closing[closing < len(letters) - 1] + 1]
    may = np.zeros(256, dtype=bool)
    may[[mark, NEWLINE, QUOTE]] = True
    opens = bool(may[before].all())
    may[RETURN] = True
    return opens and bool(may[behind].all())


def _edges_of_quoted_cells(data: bytes, separator: str) -> NDArray[np.int64]:
    """Return the first and the last offset of each quoted cell.

    A quote inside a cell without quotes opens none. If it did, one inch mark would turn all that
    follows inside out, up to the next one.
    """
    spans = (found.span() for found in _quoted_cell(separator).finditer(data))
    edges = [edge for start, end in spans for edge in (start, end - 1)]
    return np.array(edges, dtype=np.int64)


@cache
def _quoted_cell(separator: str) -> re.Pattern[bytes]:
    starts = rb'"(?:(?<=[%s\n]")|(?<=\A"))' % re.escape(separator.encode())
    return re.compile(starts + rb'[^"]*+(?:""[^"]*+)*+(?:"|\Z)')


def decoded(raw: bytes) -> str | None:
    """Return bytes as text; None if they are not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def cut_records(
    file: IO[bytes],
    kind: Format,
    rows: int,
    most_bytes: int,
    place: str,
    rest: bytes = b"",
    line: int = 1,
) -> Iterator[bytes]:
    """Yield complete records: at most ``rows``, and if possible at most ``most_bytes``.

    A cut depends only on what follows the last one, so cutting can begin at any of them.
    ``rest`` was read from the file already; ``line`` is that of the first record.
    """
    ended = False
    while not ended or rest:
        block = file.read(most_bytes)
        ended = not block
        rest += block
        ends = record_ends(rest, kind, is_all=ended)
        start = first = 0
        while first < len(ends):
            inside = int(np.searchsorted(ends, start + most_bytes, side="right")) - first
            if inside < rows and not ended and len(rest) - start < most_bytes:
                break
            last = first + min(max(inside, 1), rows)
            yield rest[start : int(ends[last - 1])]
            start, first = int(ends[last - 1]), last
        line += rest.count(b"\n", 0, start)
        rest = rest[start:]
        refuse_endless(rest, f"{place}, line {line}")


def refuse_endless(record: bytes, place: str) -> None:
    """Refuse a record that is too long."""
    if len(record) >= MOST_BYTES:
        raise FileFormatError(
            f"{place}: found a row of more than {MOST_BYTES >> 20} MB; expected it to end; look "
            "for a quote that is never closed."
        )
