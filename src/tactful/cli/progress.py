"""A progress bar for reading corpora, on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from tactful.corpora.corpus import Corpus

_PACKED = (".gz", ".zip", ".xlsx")


@contextmanager
def reading(corpus: "Corpus", passes: int = 1) -> Iterator[None]:
    """Show how much of the corpus' files has been read; they are read ``passes`` times.

    The bar goes to standard error, so that output can be piped.
    """
    wanted = corpus.settings.progress
    if wanted == "off" or (wanted == "auto" and not sys.stderr.isatty()):
        yield
        return
    from polars import selectors as cs
    from rich.console import Console
    from rich.progress import Progress

    sizes = [source.path.stat().st_size for source in corpus.sources]
    packed = any(source.path.suffix in _PACKED for source in corpus.sources)
    # Asked for in so many words, the bar is drawn even where no terminal is seen.
    console = Console(stderr=True, force_terminal=True if wanted == "on" else None)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"Reading {corpus.name}", total=None if packed else passes * sum(sizes))

        def advance(path: Path, raw: "pl.DataFrame") -> None:
            cells = raw.select(cs.string().str.len_bytes().sum()).row(0)
            # A cell also takes the comma or the line's end behind it.
            bar.update(task, advance=sum(cells) + raw.height * len(cells))

        corpus.on_progress = advance
        try:
            yield
        finally:
            corpus.on_progress = None
