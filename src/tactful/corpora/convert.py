"""Writing a corpus in the common schema to JSON Lines or Parquet, one batch at a time."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tactful.corpora.corpus import Corpus
from tactful.corpora.schema import EXAMPLE_SCHEMA, JUDGEMENT, SPAN
from tactful.errors import UsageError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from datasets import Features

Table = Literal["examples", "judgements", "spans"]
Writer = Callable[[Iterator[pl.DataFrame], pl.Schema, Path], None]

TABLES: dict[Table, pl.Schema] = {
    "examples": EXAMPLE_SCHEMA,
    "judgements": pl.Schema({"item": pl.String, **JUDGEMENT.to_schema()}),
    "spans": pl.Schema({"item": pl.String, **SPAN.to_schema()}),
}


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written."""

    path: Path
    table: Table
    rows: int
    texts: int


def convert(
    corpus: Corpus,
    output: Path,
    table: Table = "examples",
    strict: bool = False,
    force: bool = False,
) -> Converted:
    """Write a corpus to ``output``, whole or not at all; the ending chooses the format.

    ``judgements`` and ``spans`` are the same content in flat tables, a row each. With ``strict``
    nothing is written when a row had to be left out.
    """
    write = writer_for(output)
    rows = texts = 0

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal rows, texts
        release = corpus.release_name()
        for batch in corpus.example_batches():
            examples = batch.with_columns(pl.lit(release, dtype=pl.String).alias("release"))
            frame = flatten(examples, table)
            rows += frame.height
            texts += batch.height
            yield frame

    with atomic_path(output, force) as temporary:
        write(frames(), TABLES[table], temporary)
        if strict:
            corpus.log.raise_errors()
    return Converted(output, table, rows, texts)


def flatten(examples: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the examples, or their judgements or spans in rows of their own."""
    if table == "examples":
        return examples
    record = JUDGEMENT if table == "judgements" else SPAN
    return (
        examples.select(pl.col("id").alias("item"), table)
        .filter(pl.col(table).list.len() > 0)
        .explode(table)
        .with_columns(pl.col(table).cast(record))
        .unnest(table)
        .select(TABLES[table].names())
    )


def datasets_features(table: Table = "examples") -> "Features":
    """Return the fields of a table for ``datasets.load_dataset("json", …, features=…)``.

    Without them the library guesses each field from the first lines of a JSON Lines file: what is
    empty or null there gets no type, and a value further down is then an error. Parquet files
    bring their types along and need no help.
    """
    try:
        from datasets import Features
    except ImportError:
        raise UsageError(
            "Describing the fields to the library 'datasets' needs it; "
            "install it with: pip install datasets"
        ) from None
    return Features({name: _feature(dtype) for name, dtype in TABLES[table].items()})


def _feature(dtype: Any) -> Any:
    from datasets import Value

    if isinstance(dtype, pl.List):
        return [_feature(dtype.inner)]
    if isinstance(dtype, pl.Struct):
        return {field.name: _feature(field.dtype) for field in dtype.fields}
    return Value({pl.String: "string", pl.Float64: "float64", pl.Int64: "int64"}[dtype])


def write_json_lines(frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
    """Write frames one after the other, a JSON object per row."""
    with path.open("wb") as handle:
        for frame in frames:
            with _numbered_errors():
                frame.write_ndjson(handle)


def write_parquet(frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
    """Write frames one after the other as row groups of one Parquet file."""
    from polars.io.plugins import register_io_source

    def source(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        yield from frames

    # A lazy frame over the generator lets polars write row group after row group.
    lazy = register_io_source(source, schema=schema)
    # After an error a thread of polars may still open what it was given: by its name, a file that
    # is removed by now would be made again.
    with path.open("wb") as handle, _numbered_errors():
        lazy.sink_parquet(handle, compression="zstd", row_group_size=20_000)


@contextmanager
def _numbered_errors() -> Iterator[None]:
    """Give the system's refusals their number back: polars reports a full disk in words only."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None or getattr(error, "errno", None) is not None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


def writer_for(output: Path) -> Writer:
    """Choose the format by the ending of the file's name."""
    writer = WRITERS.get(output.suffix.lower())
    if writer is None:
        raise UsageError(
            f"{output}: found the ending '{output.suffix}'; expected {' or '.join(WRITERS)}."
        )
    return writer


WRITERS: dict[str, Writer] = {".jsonl": write_json_lines, ".parquet": write_parquet}
