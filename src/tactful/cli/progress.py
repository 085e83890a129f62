"""How far a long command is: a bar on a terminal, and elsewhere a plain line every 30 seconds.

Both go to standard error, so that output can be piped.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tactful.settings import load_settings

if TYPE_CHECKING:
    import polars as pl

    from tactful.corpora.corpus import Corpus


EVERY_SECONDS = 30.0
_PACKED = (".gz", ".zip", ".xlsx")


def shown_as(setting: str) -> Literal["bar", "lines", "off"]:
    """Return how progress is shown: ``on`` draws the bar even where there is no terminal."""
    if setting == "off":
        return "off"
    return "bar" if setting == "on" or sys.stderr.isatty() else "lines"


class Progress:
    """How far a command is; this one shows nothing."""

    def __init__(
        self,
        title: str,
        total: float | None = None,
        unit: str = "",
        clock: Callable[[], float] = time.monotonic,
    ):
        self.title, self.total, self.unit, self.done = title, total, unit, 0.0
        self._clock, self._began = clock, clock()

    def __call__(self, done: float, total: float | None = None, title: str | None = None) -> None:
        """Say how much is done, of how much, and of what if that has changed."""
        self.title = self.title if title is None else title
        self.done, self.total = done, self.total if total is None else total

    def advance(self, amount: float = 1) -> None:
        """Say how much more is done."""
        self(self.done + amount)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Make room for something to be printed."""
        yield

    def line(self) -> str:
        """Return how far it is, in one line."""
        said = []
        if self.unit and (self.done or self.total):
            of = "" if self.total is None else f" of {self.total:,.0f}"
            said.append(f"{self.done:,.0f}{of} {self.unit}")
        if self.total:
            said.append(f"{min(self.done / self.total, 1):.0%}")
        seconds = self._clock() - self._began
        return f"{self.title}: {', '.join(said) or 'working'}, after {spoken(seconds)}"


class _Bar(Progress):
    """Draws a bar; what has another title has a bar of its own."""

    def __init__(self, title: str, total: float | None, unit: str, forced: bool):
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bars

        super().__init__(title, total, unit)
        self.bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, force_terminal=True if forced else None),
            transient=True,
        )
        self._tasks = {title: self.bars.add_task(title, total=total)}

    def __call__(self, done: float, total: float | None = None, title: str | None = None) -> None:
        before, is_begun = self.title, bool(self.done or self.total)
        super().__call__(done, total, title)
        if self.title not in self._tasks:
            self._tasks[self.title] = self.bars.add_task(self.title, total=self.total)
            if not is_begun:
                self.bars.remove_task(self._tasks.pop(before))
        self.bars.update(self._tasks[self.title], completed=self.done, total=self.total)

    @contextmanager
    def paused(self) -> Iterator[None]:
        # What is printed on standard output is nothing that the bar knows about.
        self.bars.stop()
        yield
        self.bars.start()


class Ticker:
    """Calls a function every 30 seconds, from a thread of its own."""

    def __init__(self, tick: Callable[[], None], seconds: float | None = None):
        self._tick, self._seconds = tick, EVERY_SECONDS if seconds is None else seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Ticker":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        # Whatever read standard error may have ended; the work goes on.
        with contextlib.suppress(OSError, ValueError):
            while not self._stopped.wait(self._seconds):
                self._tick()


@contextmanager
def progress(
    title: str,
    total: float | None = None,
    *,
    unit: str = "",
    setting: str | None = None,
    bar: bool = True,
) -> Iterator[Progress]:
    """Show how far a command is, as the setting ``progress`` says; without ``bar`` in lines only.

    What is given is called with how much is done. ``unit`` is what is counted, such as ``steps``;
    without one only the share is shown.
    """
    setting = load_settings().progress if setting is None else setting
    shown = shown_as(setting)
    if shown == "bar" and bar:
        drawn = _Bar(title, total, unit, forced=setting == "on")
        with drawn.bars:
            yield drawn
        return
    plain = Progress(title, total, unit)
    if shown != "lines":
        yield plain
        return
    with Ticker(lambda: click.echo(plain.line(), err=True)):
        yield plain


@contextmanager
def reading(corpus: "Corpus", passes: int = 1) -> Iterator[None]:
    """Show how much of the corpus' files has been read; they are read ``passes`` times."""
    sizes = [source.path.stat().st_size for source in corpus.sources]
    packed = any(source.path.suffix in _PACKED for source in corpus.sources)
    total = None if packed else passes * sum(sizes)
    with progress(f"Reading {corpus.name}", total, setting=corpus.settings.progress) as shown:

        def advance(path: Path, raw: "pl.DataFrame") -> None:
            shown.advance(_size(raw))

        corpus.on_progress = advance
        try:
            yield
        finally:
            corpus.on_progress = None


def _size(raw: "pl.DataFrame") -> int:
    """Return about how many bytes of a file some rows are."""
    from polars import selectors as cs

    cells: tuple[int, ...] = raw.select(cs.string().str.len_bytes().sum()).row(0)
    # A cell also takes the comma or the line's end behind it.
    return sum(cells) + raw.height * len(cells)


def spoken(seconds: float) -> str:
    """Return a time in words.

    >>> spoken(59.6), spoken(3660)
    ('1 min 0 s', '1 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
