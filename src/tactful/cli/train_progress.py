"""The progress of ``tactful train``."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tactful.settings import load_settings


@contextmanager
def steps() -> Iterator[Callable[[int, int], None]]:
    """Draw the steps on standard error where there is a terminal."""
    wanted = load_settings().progress
    if wanted == "off" or (wanted == "auto" and not sys.stderr.isatty()):
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, force_terminal=True if wanted == "on" else None)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("Training", total=None)
        yield lambda step, total: bar.update(task, completed=step, total=total)
