"""A job on Spark: waves of files, read and written by Spark, scored in tasks."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import reduce
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Unpack
from urllib.parse import unquote

import polars as pl

from tactful.errors import InputError, UsageError
from tactful.scale.cluster.addresses import format_at
from tactful.scale.cluster.arrow_tables import without_rows
from tactful.scale.cluster.engine_errors import first_cause, one_sentence_errors
from tactful.scale.cluster.hadoop_store import HadoopStore
from tactful.scale.cluster.pieces import plan_for_text, source_at
from tactful.scale.cluster.waves import Prepared, WaveOptions, refuse_arrow, run_waves
from tactful.scale.job import Job
from tactful.scale.portions import Plan, plan_for_table
from tactful.scale.rejects import Reject
from tactful.scale.spark.engine import added_schema, in_arrow
from tactful.scale.spark.session import spark_session
from tactful.scale.spark.tasks import (
    FILE,
    START,
    VALUE,
    Batches,
    Count,
    TallyParam,
    as_tables,
    as_text,
    portions_of_lines,
    portions_of_tables,
    tables_as_they_are,
)
from tactful.scale.summary import Outcome
from tactful.scale.tables.formats import Format
from tactful.scale.tables.sources import Source
from tactful.scale.tally import Tally

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

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
