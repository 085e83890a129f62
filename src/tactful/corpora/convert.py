"""Writing a corpus in the common schema to JSON Lines or Parquet, one batch at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from tactful.corpora.corpus import Corpus
from tactful.corpora.schema import EXAMPLE_SCHEMA, JUDGEMENT, SPAN, conform
from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path

Table = Literal["examples", "judgements", "spans"]
FORMATS = (".jsonl", ".parquet")

TABLES: dict[Table, pl.Schema] = {
    "examples": EXAMPLE_SCHEMA,
    "judgements": pl.Schema(
        {
            "item": pl.String,
            "annotator": pl.String,
            "question": pl.String,
            "label": pl.String,
            "value": pl.Float64,
            "trust": pl.Float64,
            "row": pl.Int64,
        }
    ),
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
    written = _Counter(corpus, table)
    with atomic_path(output, force) as temporary:
        write(written.frames(), TABLES[table], temporary)
        if strict:
            corpus.log.raise_errors()
    return Converted(output, table, written.rows, written.texts)


class _Counter:
    """Counts what goes by."""

    def __init__(self, corpus: Corpus, table: Table):
        self.corpus, self.table = corpus, table
        self.rows = self.texts = 0

    def frames(self) -> Iterator[pl.DataFrame]:
        release = self.corpus.release_name()
        for batch in self.corpus.example_batches():
            examples = batch.with_columns(pl.lit(release, dtype=pl.String).alias("release"))
            frame = flatten(examples, self.table)
            self.rows += frame.height
            self.texts += batch.height
            yield frame


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


def read_examples(path: Path) -> pl.DataFrame:
    """Read what :func:`convert` wrote as ``examples``, back into the common schema."""
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
    elif path.stat().st_size == 0:
        frame = pl.DataFrame(schema=EXAMPLE_SCHEMA)
    else:
        frame = pl.read_ndjson(path, schema=EXAMPLE_SCHEMA)
    missing = [name for name in EXAMPLE_SCHEMA.names() if name not in frame.columns]
    if missing:
        raise FileFormatError(
            f"{path}: found no {', '.join(missing)}; expected the fields of an examples file; "
            "write one with: tactful corpus convert"
        )
    return conform(frame)


class _Writer:
    """Writes frames of one schema to one file."""

    def __call__(self, frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        raise NotImplementedError  # pragma: no cover - both formats have their own


class _JsonLines(_Writer):
    def __call__(self, frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        with path.open("wb") as handle:
            for frame in frames:
                frame.write_ndjson(handle)


class _Parquet(_Writer):
    def __call__(self, frames: Iterator[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
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
        lazy.sink_parquet(path, compression="zstd", row_group_size=50_000)


def writer_for(output: Path) -> _Writer:
    """Choose the format by the ending of the file's name."""
    writers: dict[str, _Writer] = {".jsonl": _JsonLines(), ".parquet": _Parquet()}
    writer = writers.get(output.suffix.lower())
    if writer is None:
        raise UsageError(
            f"{output}: found the ending '{output.suffix}'; expected {' or '.join(FORMATS)}."
        )
    return writer
