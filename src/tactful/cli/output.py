"""How commands print: tables and JSON, readable on a terminal and plain in a pipe."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

# A pipe has no width: every row stays on one line, so that grep finds it.
_PIPE_WIDTH = 10_000

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the answer.",
)


def echo_json(value: object) -> None:
    """Print data as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


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


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], whole: Sequence[str] = ()
) -> "RenderableType":
    """Draw rows under their columns; numbers stand right, ``whole`` columns are never cut."""
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for at, column in enumerate(columns):
        numeric = bool(rows) and all(
            isinstance(row[at], int | float) or row[at] is None for row in rows
        )
        drawn.add_column(
            Text(column),
            justify="right" if numeric else "left",
            no_wrap=numeric or column in whole,
            overflow="fold",
        )
    for row in rows:
        drawn.add_row(*(Text(cell(value)) for value in row))
    return drawn


def cell(value: Any) -> str:
    """Write one cell: thousands apart, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"
