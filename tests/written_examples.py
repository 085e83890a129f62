"""Reads what ``tactful corpus convert`` and ``split`` wrote, for tests."""

from pathlib import Path

import polars as pl

from tactful.corpora.schema import EXAMPLE_SCHEMA, conform


def read_examples(path: Path) -> pl.DataFrame:
    """Return an examples file in the common schema."""
    if path.suffix.lower() == ".parquet":
        return conform(pl.read_parquet(path))
    if path.stat().st_size == 0:
        return pl.DataFrame(schema=EXAMPLE_SCHEMA)
    return conform(pl.read_ndjson(path, schema=EXAMPLE_SCHEMA))
