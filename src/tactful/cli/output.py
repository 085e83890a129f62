"""How commands print: tables and JSON, readable on a terminal and plain in a pipe."""

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tactful.cli.options import option
from tactful.errors import TactfulError
from tactful.registry import Registry

T = TypeVar("T")

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

# A pipe has no width: every row stays on one line, so that grep finds it.
_PIPE_WIDTH = 10_000
_GAP = 2
_LONGEST_WORD = 36
"""Longer words than this may be broken to fit a column."""

format_option = option(
    "--format output_format", "How to print the answer.", ["text", "json"], "text"
)


def echo_json(value: object) -> None:
    """Print data as JSON, which is UTF-8: where that cannot be printed, letters are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        printable = text.encode(sys.stdout.encoding or "utf-8") == text.encode("utf-8")
    except UnicodeEncodeError:
        printable = False
    click.echo(text if printable else json.dumps(value, indent=2))


def echo_answer(output_format: str, answer: T, show: Callable[[T], object]) -> None:
    """Print an answer as JSON, or let ``show`` print it for people."""
    if output_format != "json":
        show(answer)
    else:
        echo_json(answer.as_json() if hasattr(answer, "as_json") else answer)


def echo_rows(output_format: str, rows: Sequence[Mapping[str, Any]], *columns: str) -> None:
    """Print rows as JSON, or these columns of them as a table; the first column is never cut."""
    shown = table(columns, [[row[name] for name in columns] for row in rows], whole=columns[:1])
    echo_answer(output_format, rows, lambda _: echo(shown))


def echo_sentence(text: str, first: str = "", others: str = "", err: bool = False) -> None:
    """Print ``first`` and a sentence; on a terminal, its further lines begin with ``others``.

    In a pipe it stays on one line, so that grep finds it.
    """
    if (sys.stderr if err else sys.stdout).isatty():
        text = textwrap.fill(
            text,
            max(shutil.get_terminal_size().columns - 1, 20),
            initial_indent=first,
            subsequent_indent=others,
            break_long_words=False,
            break_on_hyphens=False,
        )
    else:
        text = first + text
    click.echo(text, err=err)


def echo(*renderables: "RenderableType") -> None:
    """Print what rich can draw; in a pipe without colour, and without spaces at line ends."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(markup=False, highlight=False, width=None if terminal else _PIPE_WIDTH)
    if terminal:
        console.print(*renderables, sep="\n")
        return
    with console.capture() as captured:
        console.print(*renderables, sep="\n")
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def loadable(registry: Registry[Any], load: Callable[[str], T]) -> Iterator[tuple[str, T]]:
    """Yield each name with what ``load`` returns; warn about plug-ins that cannot be used."""
    problems = registry.plugin_problems()
    for name in registry:
        try:
            yield name, load(name)
        except TactfulError as error:
            if name in registry.built_in:
                raise
            problems.append(str(error))
    for problem in dict.fromkeys(problems):
        echo_sentence(f"Warning: {problem}", err=True)


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], whole: Sequence[str] = ()
) -> "RenderableType":
    """Draw rows under their columns; numbers are aligned to the right, ``whole`` columns never cut.

    Where not all columns fit side by side, they come in several tables below each other, each
    with the first column: nothing is left out.
    """
    return _FittingTable(columns, rows, whole)


class _FittingTable:
    def __init__(
        self, columns: Sequence[str], rows: Sequence[Sequence[Any]], whole: Sequence[str]
    ) -> None:
        self.columns = columns
        self.rows = [[cell(value) for value in row] for row in rows]
        self.numeric = [
            bool(rows) and all(isinstance(row[at], int | float | None) for row in rows)
            for at in range(len(columns))
        ]
        self.rigid = [
            number or name in whole for number, name in zip(self.numeric, columns, strict=True)
        ]

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> Iterator["RenderableType"]:
        for number, block in enumerate(self._blocks(options.max_width)):
            if number:
                yield ""
            yield self._draw(block, options.max_width)

    def _blocks(self, width: int) -> list[list[int]]:
        """Deal the columns out to tables that are no wider than ``width``."""
        blocks: list[list[int]] = [[]]
        for at in range(len(self.columns)):
            wanted = sum(self._least_width(column, width) + _GAP for column in [*blocks[-1], at])
            if wanted > width and len(blocks[-1]) > 1:
                blocks.append([0])
            blocks[-1].append(at)
        return blocks

    def _least_width(self, at: int, width: int) -> int:
        """Return the width below which a number, or a word that is not very long, is cut."""
        from rich.cells import cell_len

        texts = [self.columns[at], *(row[at] for row in self.rows)]
        if self.rigid[at]:
            return max(cell_len(text) for text in texts)
        words = [word for text in texts for word in text.split()]
        longest = max((cell_len(word) for word in words), default=0)
        return min(longest, _LONGEST_WORD, width // 2)

    def _draw(self, block: list[int], width: int) -> "Table":
        from rich.table import Table
        from rich.text import Text

        drawn = Table(box=None, padding=(0, _GAP, 0, 0), header_style="bold")
        least = {at: self._least_width(at, width) for at in block}
        # Where even two columns are too wide, they are broken rather than left out.
        fits = sum(least.values()) + _GAP * len(block) <= width
        for at in block:
            drawn.add_column(
                Text(self.columns[at]),
                justify="right" if self.numeric[at] else "left",
                no_wrap=self.rigid[at] and fits,
                overflow="fold",
                min_width=least[at] if fits else None,
            )
        for row in self.rows:
            drawn.add_row(*(Text(row[at]) for at in block))
        return drawn


def cell(value: Any) -> str:
    """Write one cell: thousands apart, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"
