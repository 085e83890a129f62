"""The progress of ``tactful check`` over many files."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import click

from tactful.settings import Settings

T = TypeVar("T")
Show = Callable[[str | bytes], None]

_FEWEST = 3
"""Fewer files than these are done before a bar could be read."""


@contextmanager
def over_files(
    files: Sequence[T], settings: Settings, show: Show, title: str = "Checking"
) -> Iterator[tuple[Iterator[T], Show]]:
    """Give the files back one by one, drawing a bar on standard error where there is a terminal.

    Also give back ``show``, which steps around the bar: what it prints stays above it.
    """
    drawn = settings.progress == "on" or (settings.progress == "auto" and sys.stderr.isatty())
    if not drawn or len(files) < _FEWEST:
        yield iter(files), show
        return
    from rich.console import Console
    from rich.progress import Progress

    # Asked for in so many words, the bar is drawn even where no terminal is seen.
    console = Console(stderr=True, force_terminal=True if settings.progress == "on" else None)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(title, total=len(files))

        def advancing() -> Iterator[T]:
            for each in files:
                yield each
                bar.advance(task)

        def beside(piece: str | bytes) -> None:
            # The report goes to standard output, which the bar does not know about.
            bar.stop()
            show(piece)
            bar.start()

        yield advancing(), beside


def show_on_stdout(piece: str | bytes) -> None:
    """Print a piece of a report; bytes are written as they are."""
    click.echo(piece, nl=False)
