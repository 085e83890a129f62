"""The progress of ``tactful check`` over many files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import click

from tactful.cli.progress import progress
from tactful.settings import Settings

T = TypeVar("T")
Show = Callable[[str | bytes], None]

_FEWEST = 3
"""Fewer files than these are done before a bar could be read."""


@contextmanager
def over_files(
    files: Sequence[T], settings: Settings, show: Show, title: str = "Checking", unit: str = "files"
) -> Iterator[tuple[Iterator[T], Show]]:
    """Give the files back one by one, and show on standard error how many are done.

    Also give back ``show``, which steps around the bar: what it prints stays above it.
    """
    few = len(files) < _FEWEST
    with progress(title, len(files), setting=settings.progress, unit=unit, bar=not few) as shown:

        def advancing() -> Iterator[T]:
            for each in files:
                yield each
                shown.advance()

        def beside(piece: str | bytes) -> None:
            with shown.paused():
                show(piece)

        yield advancing(), beside


def show_on_stdout(piece: str | bytes) -> None:
    """Print a piece of a report; bytes are written as they are."""
    click.echo(piece, nl=False)
