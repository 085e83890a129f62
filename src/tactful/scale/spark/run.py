"""A job on Spark: waves of files, read and written by Spark, scored in tasks.

A task reads, scores, counts and writes the rows of its part. Lines come as Spark's text reader
hands them over, and are put together again: a record of CSV may have several. What is written is
text of ours, too, a row of Spark for each part, so that its cells are those of the local engine;
tables of Parquet are written by Spark itself.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import reduce
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import unquote

import numpy as np
import polars as pl

from tactful.errors import InputError, UsageError
from tactful.scale.cluster.addresses import format_at
from tactful.scale.cluster.arrow_tables import ArrowScorer, as_frame, without_rows
from tactful.scale.cluster.engine_errors import first_cause, one_sentence_errors
from tactful.scale.cluster.hadoop_store import HadoopStore
from tactful.scale.cluster.waves import Prepared, WaveOptions, refuse_arrow, run_waves
from tactful.scale.job import Job
from tactful.scale.portions import (
    Plan,
    Portion,
    PortionScorer,
    plan_for_table,
    plan_for_text,
    read_pieces,
    source_at,
)
from tactful.scale.rejects import Reject
from tactful.scale.score_cache import ProcessCache
from tactful.scale.scoring import joined
from tactful.scale.spark.engine import added_schema, in_arrow, opened_once, spark_session
from tactful.scale.summary import Outcome, Tally, add_tallies, tally
from tactful.scale.tables.formats import Format
from tactful.scale.tables.sources import Source
from tactful.scale.tables.writing import header_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Batches = Iterator["pa.RecordBatch"]
Count = Callable[[Tally], None]
VALUE = "value"
"""The one column of text, as Spark's reader and writer of text name it."""
FILE, START = "file", "start"
"""The file of a line, as a number, and the offset of its block in the file."""
_LOOKED_AT = 1000
"""The columns are read from this many lines of the first file."""
_SETTINGS = {
    # Spark would read files that one task reads each in one task together: all of them, with
    # their headers, in one part, on one core.
    "spark.sql.unionOutputPartitioning": "false",
    # Times are written as text in this zone, as the local engine writes them; an instant stays
    # the same instant in any.
    "spark.sql.session.timeZone": "UTC",
    # By default Spark writes times in a way that only it reads as times with a zone.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Settings of the session for a run; an existing session gets its own settings back."""
_PATH = "path"
_ZSTD = "org.apache.hadoop.io.compress.ZStandardCodec"


class TallyParam:
    """Adds up the tallies of tasks, as a parameter of Spark's accumulators."""

    def __init__(self, top: int):
        self._top = top

    def zero(self, value: Tally) -> Tally:
        """Return an empty tally."""
        return Tally()

    def addInPlace(self, one: Tally, other: Tally) -> Tally:  # noqa: N802
        """Add two tallies up; the name is Spark's."""
        return add_tallies(one, other, self._top)


def portions_of_lines(batches: Batches, plan: Plan, source: Source) -> Iterator[Portion]:
    """Score the lines of one file, or of several if each line is a record."""
    scorer = PortionScorer(plan, opened_once(plan.job.scorer).load)
    for block, lines in groupby(_by_block(batches), key=itemgetter(0)):
        for found in _portions_of_block(scorer, (each for _, each in lines), source):
            rejects = found.tally.rejects
            if block:
                rejects = tuple(replace(each, file=block) for each in rejects)
            yield replace(found, tally=replace(found.tally, rejects=rejects))


def _by_block(batches: Batches) -> "Iterator[tuple[str, pa.RecordBatch]]":
    """Yield lines with the block of the file that they are in; empty for a file in one task."""
    for batch in batches:
        if batch.num_columns == 1:
            yield "", batch
            continue
        files, starts = (batch.column(name).to_numpy() for name in (FILE, START))
        changes = np.flatnonzero((np.diff(files) != 0) | (np.diff(starts) != 0)) + 1
        for at, end in pairwise([0, *changes.tolist(), batch.num_rows]):
            if end > at:
                yield f"{files[at]}:{starts[at]}", batch.slice(at, end - at)


def _portions_of_block(
    scorer: PortionScorer, batches: Batches, source: Source
) -> Iterator[Portion]:
    blocks = _blocks(batches)
    first = next(blocks, None)
    if first is None:
        return  # a task may have no lines, and so no header
    file: Any = _Stream(chain([first], blocks))
    for piece, head in read_pieces(file, source, scorer.plan):
        yield scorer.piece(piece, source, head)


def portions_of_tables(batches: Batches, plan: Plan) -> Iterator[Portion]:
    """Score the rows of tables."""
    import pyarrow as pa

    scorer = PortionScorer(plan, opened_once(plan.job.scorer).load)
    for batch in batches:
        table = pa.Table.from_batches([batch])
        yield scorer.table(as_frame(table, table.column_names))


def as_text(portions: Iterator[Portion], plan: Plan, count: Count) -> Batches:
    """Yield the bytes of parts as text; the first of a file has the header."""
    scorer, is_first = PortionScorer(plan), True
    for found in portions:
        count(found.tally)
        # Spark ends each row of text with a line end of its own.
        data = scorer.data(found, header=is_first).removesuffix(b"\n")
        if data:
            is_first = False
            yield _as_row(data)
    if is_first and not plan.job.only_top and _writes_a_file_anyway():
        header = header_bytes(plan.output_columns, plan.output).rstrip(b"\n")
        if header:
            yield _as_row(header)


def _as_row(data: bytes) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.record_batch({VALUE: pa.array([data], pa.binary()).cast(pa.string())})


def _writes_a_file_anyway() -> bool:
    """Say whether this is the one task for which Spark makes a file though there are no rows."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return task is not None and task.partitionId() == 0


def as_tables(
    portions: Iterator[Portion], plan: Plan, count: Count, schema: "pa.Schema"
) -> Batches:
    """Yield rows as batches of the declared columns, for Spark to write."""
    for found in portions:
        count(found.tally)
        if plan.job.only_top:
            continue
        yield from joined(found.scored, plan.job.wanted).to_arrow().cast(schema).to_batches()


def tables_as_they_are(batches: Batches, plan: Plan, count: Count) -> Batches:
    """Score tables, keeping all columns and types of the input."""
    import pyarrow as pa

    job = plan.job
    memory = ProcessCache() if job.wanted.dedupe else None
    score = ArrowScorer(opened_once(job.scorer), job.wanted, memory=memory)
    for batch in batches:
        kept, scored = score.scored(pa.Table.from_batches([batch]))
        whole = replace(scored, kept=as_frame(kept, kept.column_names)) if job.top else scored
        count(tally(whole, job))
        yield from score.joined(kept, scored).to_batches()


def _blocks(batches: Batches) -> Iterator[bytes]:
    """Yield the lines of a task with their line ends again."""
    import pyarrow as pa

    for batch in batches:
        # As bytes: whether they are UTF-8 is for the reader to say, with the line.
        lines = batch.column(0).cast(pa.binary()).to_pylist()
        if lines:
            yield b"\n".join(lines) + b"\n"


class _Stream:
    """Blocks of bytes as a file."""

    def __init__(self, blocks: Iterator[bytes]):
        self._blocks = blocks

    def read(self, size: int) -> bytes:
        """Return the next lines, as many as Spark hands over at a time."""
        return next(self._blocks, b"")


def run_spark(job: Job, *, quiet: bool = False, **options: Unpack[WaveOptions]) -> Outcome:
    """Score the input into a folder of waves; an interrupted run of the same job is resumed.

    A session that is there is used and left open; else ``job.address`` names the master, or what
    spark-submit and SPARK_MASTER say; else Spark is started on this machine for the run.
    """
    refuse_arrow(job, "spark")
    with ExitStack() as stack:
        stack.enter_context(one_sentence_errors("spark"))
        spark = stack.enter_context(spark_session(job, quiet))
        stack.enter_context(_set_up(spark))
        store = HadoopStore(spark, job.input_format)

        def prepare(first: str) -> Prepared:
            _refuse_packing(spark, job, first)
            plan = _plan(spark, job, first)

            def score_wave(files: Sequence[str], folder: str) -> Tally:
                found = _score_wave(spark, plan, files, folder)
                _rename_parts(store, plan, folder)
                if found.rejects and not _read_one_by_one(job):
                    found = replace(found, rejects=_with_lines(spark, files, found.rejects))
                return found

            return score_wave, plan.renamed

        return run_waves(job, "spark", store, prepare, **options)


def _plan(spark: "SparkSession", job: Job, first: str) -> Plan:
    """Check the first file before the engine starts."""
    # Spark compresses its output itself.
    plan = Plan(job, Format(job.output_format.kind))
    if job.input_format.kind == "parquet":
        return plan_for_table(plan, without_rows(_no_rows(spark, first), job.wanted))
    rows = spark.read.text(as_named(first), lineSep="\n").limit(_LOOKED_AT).collect()
    data = "".join(f"{row[VALUE]}\n" for row in rows).encode("utf-8", "surrogatepass")
    return plan_for_text(plan, data, source_at(first, job))


def _no_rows(spark: "SparkSession", path: str) -> "pa.Table":
    """Return the columns of a Parquet file with the Arrow types that Spark gives to its tasks."""
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(as_named(path)).limit(0).toArrow()
    except AnalysisException as error:
        raise InputError(
            f"{path}: Spark cannot read this file ({first_cause(str(error))}); expected types that "
            "Spark has: times in microseconds, not in nanoseconds, and no times of day without a "
            "date; write the file again with such types, or pass --engine local or ray."
        ) from None


def _score_wave(spark: "SparkSession", plan: Plan, files: Sequence[str], folder: str) -> Tally:
    job = plan.job
    # Each task hands its counts back when it is done, once, even if it was tried several times.
    found = spark.sparkContext.accumulator(Tally(), TallyParam(job.top))
    is_table = job.input_format.kind == "parquet"
    frame = (_tables if is_table else _lines)(spark, plan, files, found.add)
    writer = frame.write.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
    if job.only_top:
        writer.format("noop").mode("overwrite").save()
    elif job.output_format.kind == "parquet":
        writer.parquet(folder, compression="zstd")
    else:
        packing = {"": None, "gz": "gzip", "zst": _ZSTD}[job.output_format.packing]
        writer.text(folder, compression=packing)
    total: Tally = found.value
    return total


@contextmanager
def _set_up(spark: "SparkSession") -> Iterator[None]:
    """Set the session up for a run, and restore its settings afterwards."""
    before = {name: spark.conf.get(name, None) for name in _SETTINGS}
    for name, value in _SETTINGS.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def _tables(spark: "SparkSession", plan: Plan, files: Sequence[str], count: Count) -> "DataFrame":
    source = spark.read.parquet(*map(as_named, files))
    job = plan.job
    if job.output_format.kind == "parquet":
        schema = added_schema(source, job.scorer, job.wanted, "table")
        return in_arrow(source, lambda each: tables_as_they_are(each, plan, count), schema)
    return in_arrow(
        source,
        lambda each: as_text(portions_of_tables(each, plan), plan, count),
        f"{VALUE} string",
    )


def _lines(spark: "SparkSession", plan: Plan, files: Sequence[str], count: Count) -> "DataFrame":
    """Return the scored rows of files of lines.

    A record of CSV may be several lines, so each file is read from its start by one task. Lines of
    JSON are cut as Spark likes.
    """
    frames = []
    one_by_one = _read_one_by_one(plan.job)
    for paths in [[path] for path in files] if one_by_one else [list(files)]:
        lines = _text(spark, paths)
        place = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        if not one_by_one:
            place = f"{place} (counted from where a task began)"
        source = replace(source_at(paths[0], plan.job), address=place)
        lines = lines.select(VALUE).coalesce(1) if one_by_one else lines.drop(_PATH)
        frames.append(_scored_lines(lines, plan, source, count))
    return reduce(lambda one, other: one.union(other), frames)


def _read_one_by_one(job: Job) -> bool:
    return job.input_format.kind in ("csv", "tsv")


def _text(spark: "SparkSession", files: Sequence[str]) -> "DataFrame":
    """Return the lines of files, each with where it is from."""
    from pyspark.sql import functions as F  # noqa: N812

    path = F.col("_metadata.file_path")
    return spark.read.text([as_named(name) for name in files], lineSep="\n").select(
        VALUE,
        path.alias(_PATH),
        F.xxhash64(path).alias(FILE),
        F.col("_metadata.file_block_start").alias(START),
    )


def _with_lines(
    spark: "SparkSession", files: Sequence[str], rejects: Sequence[Reject]
) -> tuple[Reject, ...]:
    """Return rejects with the names of their files and their line numbers.

    Tasks count from the start of a block. So the lines of all blocks are counted, which is only
    done where there are rejects.
    """
    known = {_plain(name): name for name in files}
    blocks = _text(spark, files).groupBy(_PATH, FILE, START).count().collect()
    places: dict[str, tuple[str, int]] = {}
    before: dict[str, int] = {}
    for row in sorted(blocks, key=itemgetter(START)):
        path = unquote(row[_PATH])
        name = known.get(_plain(path), path)
        places[f"{row[FILE]}:{row[START]}"] = name, before.get(name, 0)
        before[name] = before.get(name, 0) + row["count"]
    placed = []
    for each in rejects:
        name, lines = places[each.file]
        placed.append(replace(each, file=name, line=each.line + lines))
    return tuple(placed)


def _plain(path: str) -> str:
    """Return an address in one spelling: Hadoop writes file:/ and Spark file:/// for the same."""
    return re.sub(r"(?<=:)/+", "/", path)


def _scored_lines(frame: "DataFrame", plan: Plan, source: Source, count: Count) -> "DataFrame":
    if plan.output.kind != "parquet":

        def text(batches: Batches) -> Batches:
            yield from as_text(portions_of_lines(batches, plan, source), plan, count)

        return in_arrow(frame, text, f"{VALUE} string")
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = _table_schema(plan)

    def rows(batches: Batches) -> Iterator[Any]:
        yield from as_tables(portions_of_lines(batches, plan, source), plan, count, schema)

    return in_arrow(frame, rows, from_arrow_schema(schema))


def _table_schema(plan: Plan) -> "pa.Schema":
    """Return the columns of a table that is made of lines."""
    job = plan.job
    kept = plan.schema or pl.Schema(dict.fromkeys(plan.columns, pl.String()))
    new = {
        given: pl.Float32() if name in job.scorer.ids else pl.String()
        for name, given in plan.names.items()
    }
    schema: pa.Schema = pl.DataFrame(schema={**kept, **new}).to_arrow().schema
    return schema


def as_named(path: str) -> str:
    """Escape a file's name, so that Spark does not read it as a pattern."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", path)


def _refuse_packing(spark: "SparkSession", job: Job, first: str) -> None:
    packings = {(format_at(first) or job.input_format).packing, job.output_format.packing}
    hadoop: Any = spark._jvm.org.apache.hadoop
    if "zst" in packings and not hadoop.io.compress.ZStandardCodec.isNativeCodeLoaded():
        raise UsageError(
            "This Spark cannot read or write .zst, as it lacks Hadoop's native library; use .gz or "
            "Parquet, or pass --engine local or ray."
        )


def _rename_parts(store: HadoopStore, plan: Plan, folder: str) -> None:
    """Give text files the right ending; Spark calls all of them .txt."""
    if plan.output.kind == "parquet" or not store.can_rename(folder):
        return
    for number, name in enumerate(store.names(folder)):
        new = f"part-{number:05d}{plan.job.output_format.ending}"
        store.rename(f"{folder}/{name}", f"{folder}/{new}")
