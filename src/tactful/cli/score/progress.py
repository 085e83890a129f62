"""The progress of ``tactful score``: a bar, plain lines, or lines of JSON for scripts."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.progress import Ticker, progress, shown_as, spoken
from tactful.scale.progress import Watch
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.scale.cluster.waves import OnWave
    from tactful.scale.options import ScoreOptions
    from tactful.scale.summary import Summary

_TELL_SECONDS = 1.0
_SETTLED_SECONDS = 3.0
"""Earlier the model is still loading, and the rate means nothing."""


class Clock(Watch):
    """Counts rows and parts, and computes the rate and the time left; shows nothing."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self.total: int | None = None
        self.done = self.before = self.scored = self.earlier = self.parts = 0
        self._first: float | None = None
        self._ended = False

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Start; an earlier run may have done some of the input."""
        self.total, self.done, self.before, self.earlier = total, done, done, rows

    def rows(self, count: int) -> None:
        """Count scored rows."""
        if count and self._first is None:
            self._first = time.monotonic()
        self.scored += count

    def part(self, size: int, rows: int) -> None:
        """Count a complete part."""
        self.done += size
        self.parts += 1

    def end(self) -> None:
        """Mark the run as complete."""
        self._ended = True

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    @property
    def rate(self) -> float | None:
        """Rows per second since the first rows."""
        if self._first is None or time.monotonic() - self._first < _SETTLED_SECONDS:
            return None
        return self.scored / (time.monotonic() - self._first)

    @property
    def share(self) -> float | None:
        """The share of the input that is done, from 0 to 1."""
        if self._ended:
            return 1.0
        return None if not self.total else min(self.done / self.total, 1.0)

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the remaining seconds."""
        fresh = self.done - self.before
        if self._ended:
            return 0.0
        if self.total is None or not fresh or self.parts < 2:
            return None
        return self.seconds * max(self.total - self.done, 0) / fresh

    def in_words(self) -> str:
        """Return the progress in words."""
        if self._first is None:
            return "loading the model"
        parts = [counted(self.earlier + self.scored, "row")]
        if self.rate is not None:
            parts.append(f"{self.rate:,.0f} a second")
        if self.seconds_left is not None:
            parts.append(f"{spoken(self.seconds_left)} left")
        return ", ".join(parts)

    def line(self) -> str:
        """Return the progress in one line."""
        share = "" if self.share is None else f", {self.share:.0%}"
        return f"Scoring: {self.in_words()}{share}, after {spoken(self.seconds)}"

    def as_data(self) -> dict[str, Any]:
        """Return the progress as data, for scripts."""
        return {
            "rows": self.earlier + self.scored,
            "parts": self.parts,
            "share": None if self.share is None else round(self.share, 4),
            "rows_per_second": None if self.rate is None else round(self.rate, 1),
            "seconds": round(self.seconds, 1),
            "seconds_left": None if self.seconds_left is None else round(self.seconds_left, 1),
        }


class Lines(Clock):
    """Prints the progress as a line of JSON each second, and at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._printed = -_TELL_SECONDS

    def rows(self, count: int) -> None:
        """Count scored rows."""
        super().rows(count)
        if self.seconds - self._printed >= _TELL_SECONDS:
            self.tell()

    def tell(self) -> None:
        """Write a line."""
        self._printed = self.seconds
        click.echo(json.dumps({"event": "progress", **self.as_data()}), err=True)


class Bar(Clock):
    """Draws a bar on standard error."""

    def __init__(self, forced: bool) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, force_terminal=True if forced else None)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            console=console,
            transient=True,
        )
        self.whole_rows = 0
        self._task = self._bar.add_task("Scoring", total=None, text="loading the model")

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Begin."""
        super().start(total, done, rows)
        self._bar.start()
        self._bar.update(self._task, total=total, completed=done)

    def rows(self, count: int) -> None:
        """Count scored rows."""
        super().rows(count)
        self._bar.update(self._task, completed=self._guess(), text=self.in_words())

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()

    def _guess(self) -> float:
        """Estimate the progress within parts, from the rows per unit of input so far."""
        if not self.parts or self.total is None:
            return self.done
        per_row = (self.done - self.before) / max(self.whole_rows, 1)
        return min(max(float(self.done), self.before + self.scored * per_row), self.total)

    def part(self, size: int, rows: int) -> None:
        """Count a complete part."""
        super().part(size, rows)
        self.whole_rows += rows
        self.rows(0)


@contextmanager
def watching(options: "ScoreOptions") -> Iterator[Clock]:
    """Yield the object that receives the progress and shows it as the options say."""
    from tactful.settings import load_settings

    wanted = "off" if options.quiet else options.progress
    setting = load_settings().progress
    if wanted == "auto":
        # --follow has no end to wait for, and a cluster shows its own progress.
        is_short = options.follow or options.engine != "local"
        wanted = "off" if is_short else shown_as(setting)
    if wanted == "json":
        lines = Lines()
        yield lines
        lines.end()
        lines.tell()
    elif wanted == "bar":
        bar = Bar(forced=options.progress == "bar" or setting == "on")
        try:
            yield bar
        finally:
            bar.stop()
    elif wanted == "lines":
        clock = Clock()
        with Ticker(lambda: click.echo(clock.line(), err=True)):
            yield clock
    else:
        yield Clock()


@contextmanager
def watching_waves(options: "ScoreOptions") -> "Iterator[OnWave]":
    """Show the progress of a run on a cluster: a line for each wave of files."""
    title = f"Scoring on {options.engine}"
    # On a terminal the engine shows its own progress.
    setting = "off" if options.quiet or options.progress in ("json", "off") else None
    with progress(title, unit="waves", setting=setting, bar=False) as shown:

        def on_wave(done: int, of: int, summary: "Summary") -> None:
            shown(done, of, f"{title}, {summary.rows:,} rows so far")
            if options.quiet or options.progress == "off":
                return
            if options.progress == "json":
                data = {"event": "progress", "rows": summary.rows, "waves": done, "of": of}
                click.echo(json.dumps(data), err=True)
            elif of > 1:
                click.echo(f"Wave {done} of {of}: {counted(summary.rows, 'row')} so far.", err=True)

        yield on_wave
