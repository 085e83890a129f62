"""Bringing the rows of one item together without holding a large file in memory.

The authors' files mostly keep the rows of a post side by side, but not always, and a user's file
may be shuffled. Small tables are grouped in memory. Larger ones go to temporary files, cut so that
all rows of an item land in the same one, in the order in which items first appear.
"""

import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import polars as pl

_IN_MEMORY_BATCHES = 5
_ORDER = "__row"
_KEY = "__key"
_CHUNK = "__chunk"


def grouped(batches: Iterator[pl.DataFrame], key: str, rows: int) -> Iterator[pl.DataFrame]:
    """Yield frames in which the rows of each ``key`` are all together; about ``rows`` rows each.

    Items come in the order of their first row, rows within an item in the order of the file.
    """
    held: list[pl.DataFrame] = []
    for batch in batches:
        held.append(batch)
        if len(held) > _IN_MEMORY_BATCHES:
            yield from _through_disk(chain(held, batches), key, rows)
            return
    if held:
        yield pl.concat(held, how="diagonal_relaxed")


def _through_disk(batches: Iterator[pl.DataFrame], key: str, rows: int) -> Iterator[pl.DataFrame]:
    with tempfile.TemporaryDirectory(prefix="tactful-") as name:
        folder = Path(name)
        keys = []
        parts = []
        shapes = []
        seen = 0
        for number, batch in enumerate(batches):
            marked = batch.with_row_index(_ORDER, seen).with_columns(
                pl.col(_ORDER).cast(pl.Int64), pl.col(key).hash(seed=0).alias(_KEY)
            )
            seen += batch.height
            shapes.append(batch.clear())
            keys.append(marked[_KEY])
            parts.append(folder / f"part-{number}.parquet")
            marked.write_parquet(parts[-1], compression="lz4")
        chunk_of = _chunks(pl.concat(keys), rows)
        # Every frame has the columns of all batches, whichever batches its rows came from.
        shape = pl.concat(shapes, how="diagonal_relaxed")
        del keys, shapes
        for number, part in enumerate(parts):
            frame = pl.read_parquet(part).join(chunk_of, on=_KEY, how="left")
            for (chunk,), piece in frame.partition_by(_CHUNK, as_dict=True).items():
                target = folder / f"chunk-{chunk}"
                target.mkdir(exist_ok=True)
                piece.write_parquet(target / f"{number:06}.parquet", compression="lz4")
            part.unlink()
        for chunk in chunk_of[_CHUNK].unique().sort():
            pieces = sorted((folder / f"chunk-{chunk}").iterdir())
            rows_here = [pl.read_parquet(piece) for piece in pieces]
            whole = pl.concat([shape, *rows_here], how="diagonal_relaxed")
            yield whole.sort(_ORDER).select(shape.columns)
            for piece_path in pieces:
                piece_path.unlink()


def _chunks(keys: pl.Series, rows: int) -> pl.DataFrame:
    """Cut the distinct keys, in the order of first appearance, into chunks of about ``rows``."""
    counted = keys.to_frame().group_by(_KEY, maintain_order=True).len()
    before = pl.col("len").cum_sum() - pl.col("len")
    return counted.select(_KEY, (before // rows).cast(pl.Int64).alias(_CHUNK))
