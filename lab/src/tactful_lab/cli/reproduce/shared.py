"""What the commands of ``tactful reproduce`` share: options, progress and tables of numbers."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import given_options
from tactful.cli.output import echo, echo_sentence, table
from tactful.cli.progress import progress
from tactful.errors import UsageError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from tactful_lab.evaluation.reproduce.papers import OnProgress

Show = Callable[[Any], object]
"""Prints an answer for people."""
TRAINING = ("epochs", "batch", "rate", "max_tokens", "accumulate", "device")
"""Options that change the settings of networks."""


def refuse_options(ctx: click.Context, names: Sequence[str], why: str) -> None:
    """Refuse options that this table would ignore."""
    for name, flag in given_options(ctx).items():
        if name in names:
            raise UsageError(f"{flag} is for {why}; leave it out.")


def split_names(text: str, option: str, expected: str) -> list[str]:
    """Read names with commas between them."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"Found no name in {option}; expected {expected}.")
    return names


def require_vectors(path: Path | None) -> None:
    """Refuse a file of word vectors that does not exist."""
    if path is not None and not path.is_file():
        raise UsageError(f"{path}: there is no such file; expected word vectors.")


@contextmanager
def answer_file(output: Path | None, force: bool) -> Iterator[Callable[[Any, Show], None]]:
    """Give what writes an answer: a page where the file ends in .md, else JSON.

    What cannot be written is refused before the work.
    """
    if output is None:
        yield lambda *_: None
        return
    with atomic_path(output, force) as target:

        def write(answer: Any, show: Show) -> None:
            data = answer.as_json() if hasattr(answer, "as_json") else answer
            if output.suffix.lower() == ".md":
                text = _page(data, answer, show)
            else:
                text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
            target.write_text(text, encoding="utf-8")

        yield write


def _page(data: Mapping[str, Any], answer: Any, show: Show) -> str:
    """Return a page with what the command prints, and the settings that it was run with."""
    printed = StringIO()
    with redirect_stdout(printed):
        show(answer)
    title = data.get("title") or data.get("corpus")
    settings = json.dumps(data.get("settings", {}), ensure_ascii=False, indent=2)
    blocks = (f"```text\n{printed.getvalue()}```", "## Settings", f"```json\n{settings}\n```")
    return "\n\n".join((f"# {title}", *blocks)) + "\n"


@contextmanager
def row_progress(wanted: str) -> "Iterator[OnProgress]":
    """Show how much of a row is done."""
    with progress("Reproducing", setting=wanted) as shown:
        yield lambda title, done, total: shown(done, total, title)


def echo_title(title: str, table_id: str, source: str, notes: Sequence[str]) -> None:
    """Print the title of a table, its source and the notes."""
    click.echo(f"{title}: {table_id}")
    echo_sentence(source)
    for note in notes:
        echo_sentence(note, first="- ", others="  ")


def echo_list(heading: str, sentences: Sequence[str]) -> None:
    """Print sentences below a heading, if there are any."""
    if sentences:
        click.echo(f"\n{heading}")
    for sentence in sentences:
        echo_sentence(sentence, first="- ", others="  ")


def echo_comparison(
    names: Sequence[str],
    short: Mapping[str, str],
    digits: int,
    first: Sequence[str],
    rows: Sequence[tuple[Sequence[str], Any]],
) -> None:
    """Print the paper's numbers, ours and their differences behind the ``first`` columns.

    A row has the cells of these columns, and a line of a reproduction.
    """
    head = [
        *first,
        *(f"{who} {short[name]}" for who in ("paper", "ours", "diff") for name in names),
    ]
    body = [
        [
            *cells,
            *_cells(row.paper, names, digits),
            *_cells(row.ours, names, digits),
            *_cells(row.difference, names, digits, signed=True),
        ]
        for cells, row in rows
        if row.ours is not None or row.paper is not None
    ]
    echo(table(head, body, whole=head))


def _cells(
    values: Mapping[str, float | None] | None,
    names: Sequence[str],
    digits: int,
    *,
    signed: bool = False,
) -> list[str]:
    """Format the numbers of a row; an undefined difference is left empty."""
    if values is None:
        return [""] * len(names)
    shown = []
    for name in names:
        value = values[name]
        if value is None:
            shown.append("" if signed else "undefined")
        else:
            shown.append(f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}")
    return shown
