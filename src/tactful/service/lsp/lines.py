"""Texts and places as the language server protocol counts them.

A line ends only with LF, CR LF or CR; a character is a code unit of the encoding
that editor and server agreed on. Tactful counts code points.
"""

import re
from bisect import bisect_right
from itertools import accumulate

from lsprotocol.types import Position, PositionEncodingKind, Range

UTF8 = PositionEncodingKind.Utf8.value
UTF16 = PositionEncodingKind.Utf16.value

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ENDS = "\r\n"
_STEP = 1024
"""Code units of a line are counted once in pieces of as many characters: a line may be a book."""


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; the last one has none.

    >>> split_lines("one\r\ntwo\n")
    ['one\r\n', 'two\n', '']
    """
    lines = _LINE.findall(text)
    # At the end of a text the pattern matches once more, behind a last line without an end.
    return lines[:-1] if len(lines) > 1 and not lines[-2].endswith(("\r", "\n")) else lines


def units(piece: str, encoding: str) -> int:
    """Return how many code units a piece of text has."""
    if encoding == UTF8:
        return len(piece.encode("utf-8", "surrogatepass"))
    if encoding == UTF16 and not piece.isascii():
        return len(piece) + sum(char > "\uffff" for char in piece)
    return len(piece)


def column(line: str, character: int, encoding: str) -> int:
    """Return the code point at a code unit of a line; at most the end of the line.

    A unit in the middle of a character leads to its beginning.
    """
    body = line.rstrip(_ENDS)
    if body.isascii() or encoding not in (UTF8, UTF16):
        return min(character, len(body))
    passed = 0
    for at, char in enumerate(body):
        passed += units(char, encoding)
        if passed > character:
            return at
    return len(body)


class EditedText:
    """The text of an open document, changed piece by piece."""

    def __init__(self, text: str, encoding: str):
        self.encoding = encoding
        self._lines = split_lines(text)

    def __str__(self) -> str:
        return "".join(self._lines)

    def change(self, range_: Range, new: str) -> None:
        """Put ``new`` in the place of a range; what lies outside the text is moved to its end."""
        first, start = self._place(range_.start)
        last, end = max(self._place(range_.end), (first, start))
        piece = self._lines[first][:start] + new + self._lines[last][end:]
        if first and piece.startswith("\n") and self._lines[first - 1].endswith("\r"):
            first -= 1  # the two are one end of a line now
            piece = self._lines[first] + piece
        fresh = split_lines(piece)
        if last + 1 < len(self._lines):
            fresh.pop()  # the piece ends with the end of a line, and other lines follow
        self._lines[first : last + 1] = fresh

    def _place(self, position: Position) -> tuple[int, int]:
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = max(position.line, 0)
        return line, column(self._lines[line], position.character, self.encoding)


class Places:
    """Offsets of a text, in code points, to positions and back."""

    def __init__(self, text: str, encoding: str):
        self._lines = split_lines(text)
        self._starts = [0, *accumulate(map(len, self._lines[:-1]))]
        self._encoding = encoding
        self._counted: dict[int, list[int]] = {}
        """The code units before each step of the long lines that were asked for."""

    def position(self, offset: int) -> Position:
        """Return the position of an offset."""
        number = bisect_right(self._starts, offset) - 1
        line = self._lines[number]
        ends = len(line[-2:]) - len(line[-2:].rstrip(_ENDS))
        at = min(offset - self._starts[number], len(line) - ends)
        if line.isascii():
            return Position(number, at)
        if number not in self._counted:
            steps = (line[start : start + _STEP] for start in range(0, len(line), _STEP))
            sizes = (units(piece, self._encoding) for piece in steps)
            self._counted[number] = [0, *accumulate(sizes)]
        step = at // _STEP
        rest = units(line[step * _STEP : at], self._encoding)
        return Position(number, self._counted[number][step] + rest)

    def range(self, start: int, end: int) -> Range:
        """Return the range of a piece of the text."""
        return Range(self.position(start), self.position(end))

    def offset(self, position: Position) -> int:
        """Return the offset of a position; at most the end of the text."""
        line = min(max(position.line, 0), len(self._lines) - 1)
        if position.line > line:
            return self._starts[line] + len(self._lines[line])
        return self._starts[line] + column(self._lines[line], position.character, self._encoding)

    def line_span(self, offset: int) -> tuple[int, int]:
        """Return where the line of an offset begins and where it ends, without its end."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return start, start + len(self._lines[line].rstrip(_ENDS))
