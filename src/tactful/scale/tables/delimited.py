"""Lines of CSV and TSV as the library for tables writes them: quotes only where they are needed."""

import re
from collections.abc import Iterable
from functools import cache


def delimited_line(cells: Iterable[str | None], separator: str) -> str:
    r"""Return a line; nothing is an empty cell, and empty text is one of two quotes.

    >>> delimited_line(["a", None, "", "b,c", 'd"e'], ",")
    'a,,"","b,c","d""e"\n'
    """
    needs_quotes = _needs_quotes(separator)
    return f"{separator.join(_cell(cell, needs_quotes) for cell in cells)}\n"


def _cell(cell: str | None, needs_quotes: re.Pattern[str]) -> str:
    if not cell:
        return "" if cell is None else '""'
    if needs_quotes.search(cell) is None:
        return cell
    quoted = cell.replace('"', '""')
    return f'"{quoted}"'


@cache
def _needs_quotes(separator: str) -> re.Pattern[str]:
    return re.compile(rf'["\r\n{re.escape(separator)}]')
