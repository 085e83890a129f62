"""Ray and Spark write the cells that one process writes, bit for bit, in every format."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.engine_texts import (
    QUIET,
    hard_table,
    job_for,
    read_parts,
    run_on,
    scored_here,
    write_table,
)

from tactful.errors import FileFormatError, InputError, UsageError
from tactful.scale.job import Job
from tactful.scale.local.engine import run_local
from tactful.scale.progress import Watch
from tactful.scale.scoring import Wanted, joined
from tactful.scale.summary import Summary, summarise, to_json
from tactful.scale.tables.formats import named_format
from tactful.scale.tables.sources import pack
from tactful.scale.tables.writing import part_bytes

pytestmark = QUIET

KINDS = ["parquet", "csv", "jsonl"]
ROWS = 50_000
FEW = 400
_ORDER = pl.col("id").cast(pl.Int64)


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hard_table(ROWS)


@pytest.fixture(scope="module")
def few() -> pl.DataFrame:
    return hard_table(FEW)


def expected(source: pl.DataFrame, job: Job, folder: Path) -> pl.DataFrame:
    """Return the cells that one process writes; of CSV as the text in the file."""
    scored = scored_here(source, job)
    if job.output_format.kind not in ("csv", "tsv"):
        return joined(scored, job.wanted)
    path = folder / "expected.csv"
    path.write_bytes(part_bytes(scored, job.wanted, job.output_format))
    return pl.read_csv(path, infer_schema=False, separator=job.output_format.separator)


def same_cells(found: pl.DataFrame, wanted: pl.DataFrame) -> None:
    found = found.cast(wanted.schema)  # JSON knows one type of number
    assert_frame_equal(found.sort(_ORDER), wanted.sort(_ORDER), check_exact=True)


@pytest.fixture(scope="module")
def local(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives the parts that two processes of the local engine write, in each format."""

    @cache
    def parts(kind: str) -> Path:
        folder = tmp_path_factory.mktemp("local")
        write_table(table, folder / f"in.{kind}")
        job = job_for(str(folder / f"in.{kind}"), folder / "out", kind)
        assert run_local(job, Watch()).summary.rows == ROWS
        return folder / "out"

    return parts


def same_bits(found: Path, wanted: Path, kind: str) -> None:
    """Compare the bytes of text, and those of each column of a table, with the local engine's."""
    theirs, ours = sorted(found.glob("wave-*/part-*")), sorted(wanted.glob("part-*"))
    if kind == "parquet":
        tables = [
            pl.concat([pl.read_parquet(part) for part in parts]).sort("id")
            for parts in (theirs, ours)
        ]
        assert tables[0].schema == tables[1].schema
        for name, type_ in tables[1].schema.items():
            one, two = (each[name] for each in tables)
            assert one.is_null().equals(two.is_null())
            if type_ == pl.Float32:
                one, two = (each.fill_null(0).reinterpret(signed=False) for each in (one, two))
            assert one.equals(two), name
        return
    texts = [[part.read_bytes() for part in parts] for parts in (theirs, ours)]
    if kind == "csv":
        header = texts[1][0].split(b"\n", 1)[0] + b"\n"
        assert all(part.startswith(header) for parts in texts for part in parts)
        texts = [[part.removeprefix(header) for part in parts] for parts in texts]
        assert b"".join(texts[0]) == b"".join(texts[1])
    else:
        # Spark reads the pieces of a file in any order.
        lines = [sorted(b"".join(parts).split(b"\n")) for parts in texts]
        assert lines[0] == lines[1]


@pytest.mark.parametrize("kind", KINDS)
def test_50000_rows_have_the_same_cells(
    engine: str, kind: str, table: pl.DataFrame, local: Callable[[str], Path], tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    write_table(table, source)
    job = job_for(str(source), output, kind)
    outcome = run_on(engine, job)
    read = pl.read_csv(source, infer_schema=False) if kind == "csv" else table
    same_cells(read_parts(output, kind), expected(read, job, tmp_path))
    here = summarise(scored_here(read, job), job.scorer, job.wanted)
    assert to_json(outcome.summary) == to_json(here)
    same_bits(output, local(kind), kind)


def test_what_an_encoder_reads_has_the_same_cells(
    engine: str, table: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out"
    # The texts of 100 kB are for the fast model alone: an encoder reads them for minutes.
    short = table.filter(pl.col("text").str.len_bytes().fill_null(0) < 1000).head(2000)
    write_table(short, source)
    job = job_for(str(source), output, "parquet", "default", part_rows=300)
    run_on(engine, job)
    same_cells(read_parts(output, "parquet"), expected(short, job, tmp_path))


@pytest.mark.parametrize(
    ("kind", "written"),
    [("csv", "parquet"), ("parquet", "csv"), ("parquet", "jsonl"), ("tsv", "jsonl")],
)
def test_one_format_becomes_another(
    engine: str, kind: str, written: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    write_table(few, source)
    job = job_for(str(source), output, kind, written=written)
    run_on(engine, job)
    separator = "\t" if kind == "tsv" else ","
    text = kind in ("csv", "tsv")
    read = pl.read_csv(source, infer_schema=False, separator=separator) if text else few
    same_cells(read_parts(output, written), expected(read, job, tmp_path))


def test_lines_of_json_become_a_table(engine: str, few: pl.DataFrame, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out"
    write_table(few, source)
    job = job_for(str(source), output, "jsonl", written="parquet")
    run_on(engine, job)
    same_cells(read_parts(output, "parquet"), expected(few, job, tmp_path))


def test_packed_lines_are_read_and_written(engine: str, few: pl.DataFrame, tmp_path: Path) -> None:
    for kind in ("csv", "jsonl"):
        source, output = tmp_path / f"in.{kind}.gz", tmp_path / f"out-{kind}"
        plain = tmp_path / f"in.{kind}"
        write_table(few, plain)
        source.write_bytes(gzip.compress(plain.read_bytes()))
        job = job_for(str(source), output, f"{kind}.gz", written=f"{kind}.gz")
        outcome = run_on(engine, job)
        assert outcome.summary.rows == FEW
        read = pl.read_csv(plain, infer_schema=False) if kind == "csv" else few
        unpacked = replace(job, output_format=named_format(kind))
        same_cells(read_parts(output, kind), expected(read, unpacked, tmp_path))
        parts = list(output.glob("wave-*/*"))
        assert all(part.name.endswith(f".{kind}.gz") for part in parts)
        assert all(part.read_bytes().startswith(b"\x1f\x8b") for part in parts)


def test_zst_is_read_by_ray_and_refused_by_a_spark_that_cannot(
    engine: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    plain, source = tmp_path / "in.csv", tmp_path / "in.csv.zst"
    write_table(few, plain)
    source.write_bytes(pack(plain.read_bytes(), "zst"))
    job = job_for(str(source), tmp_path / "out", "csv.zst", written="csv")
    if engine == "ray":
        assert run_on(engine, job).summary.rows == FEW
    else:
        with pytest.raises(UsageError, match=r"cannot read or write \.zst"):
            run_on(engine, job)


@pytest.mark.parametrize("kind", KINDS)
def test_where_prefix_dedupe_and_groups(
    engine: str, kind: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    write_table(few, source)
    condition = "source = 'forum'"
    wanted = Wanted(where=condition, dedupe=True, prefix="t_", by=("source",))
    job = job_for(str(source), output, kind, wanted=wanted)
    outcome = run_on(engine, job)
    read = pl.read_csv(source, infer_schema=False) if kind == "csv" else few
    same_cells(read_parts(output, kind), expected(read, job, tmp_path))
    assert set(outcome.summary.by["source"]) == {"forum"}
    assert outcome.summary.fresh < outcome.summary.rows


@pytest.mark.parametrize(
    ("kind", "written"),
    [("parquet", "parquet"), ("csv", "csv"), ("jsonl", "jsonl"), ("jsonl", "parquet")],
)
def test_columns_of_the_input_keep_their_names(
    engine: str, kind: str, written: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    own = few.with_columns(pl.lit("mine").alias("model"), pl.lit(0.5).alias("pcl"))
    write_table(own, source)
    job = job_for(str(source), output, kind, written=written, top=3)
    outcome = run_on(engine, job)
    assert outcome.renamed == {"pcl": "tactful_pcl", "model": "tactful_model"}
    read = pl.read_csv(source, infer_schema=False) if kind == "csv" else own
    found, wanted = read_parts(output, written), expected(read, job, tmp_path)
    assert set(found["model"]) == {"mine"}
    same_cells(found.select(wanted.columns), wanted)
    if written == "jsonl":
        for part in output.glob("wave-*/*"):
            for line in part.read_text(encoding="utf-8").split("\n")[:-1]:
                keys = [key for key, _ in json.loads(line, object_pairs_hook=list)]
                assert len(keys) == len(set(keys))


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_an_earlier_run_are_refused(
    engine: str, kind: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source = tmp_path / f"in.{kind}"
    job = job_for(str(source), tmp_path / "out", kind)
    write_table(joined(scored_here(few, job), job.wanted), source)
    with pytest.raises(UsageError, match="the scores of an earlier run"):
        run_on(engine, job)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_the_worst_rows_are_written_apart(
    engine: str, kind: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    write_table(few, source)
    job = job_for(str(source), output, kind, top=5, only_top=kind == "csv", part_rows=50)
    outcome = run_on(engine, job)
    read = pl.read_csv(source, infer_schema=False) if kind == "csv" else few
    top = Path(outcome.written[-1])
    worst = joined(scored_here(read, job), job.wanted).select(pl.max_horizontal(job.scorer.ids))
    if kind == "parquet":
        found = pl.read_parquet(top)
    elif kind == "jsonl":
        found = pl.read_ndjson(top)
    else:
        found = pl.read_csv(top, infer_schema=False)
    highest = found.select(pl.max_horizontal(pl.col(job.scorer.ids).cast(pl.Float32))).to_series()
    wanted = worst.to_series().drop_nulls().sort(descending=True).head(5)
    assert highest.to_list() == wanted.to_list()
    assert set(read.columns) < set(found.columns)
    assert bool(list(output.glob("wave-*/*"))) == (kind != "csv")


def test_folders_and_patterns(engine: str, few: pl.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    (folder / "2024" / "_old").mkdir(parents=True)
    write_table(few.head(100), folder / "b.csv")
    write_table(few.slice(100, 100), folder / "2024" / "a.csv")
    write_table(few.head(3), folder / "2024" / "_old" / "hidden.csv")
    write_table(few.head(3), folder / "other.jsonl")
    whole = run_on(engine, job_for(str(folder), tmp_path / "one", "csv"))
    assert whole.summary.rows == 200
    found = run_on(engine, job_for(f"{folder}/*/*.csv", tmp_path / "two", "csv"))
    assert found.summary.rows == 100
    assert read_parts(tmp_path / "two", "csv")["id"].to_list() == [str(n) for n in range(100, 200)]


def test_what_is_not_there_is_one_sentence(engine: str, tmp_path: Path) -> None:
    job = job_for(str(tmp_path / "none.csv"), tmp_path / "out", "csv")
    with pytest.raises(UsageError, match="There is no file or folder"):
        run_on(engine, job)
    with pytest.raises(UsageError, match="No file matches"):
        run_on(engine, job_for(f"{tmp_path}/*.csv", tmp_path / "out", "csv"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="found no table in the folder"):
        run_on(engine, job_for(str(tmp_path / "empty"), tmp_path / "out", "csv"))
    with pytest.raises(UsageError, match="the address cannot be opened"):
        run_on(engine, job_for("nowhere://x/in.csv", tmp_path / "out", "csv"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_wrong_column_is_refused_before_anything_is_written(
    engine: str, kind: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    source, output = tmp_path / f"in.{kind}", tmp_path / "out"
    write_table(few.rename({"text": "body"}), source)
    job = job_for(str(source), output, kind)
    with pytest.raises(UsageError, match="There is no column named 'text'"):
        run_on(engine, job)
    assert not output.exists()


def test_a_bad_row_stops_the_run_with_its_line_or_is_skipped(engine: str, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,text\n0,one\n1,two,three\n2,four\n")
    with pytest.raises(InputError, match=r"in\.csv, line 3: found 3 cells"):
        run_on(engine, job_for(str(source), tmp_path / "out", "csv"))
    skipped = run_on(engine, job_for(str(source), tmp_path / "two", "csv", skip_bad_rows=True))
    assert (skipped.summary.rows, skipped.summary.skipped) == (2, 1)
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"id":0,"text":"one"}\n' * 200_000 + "no JSON\n")
    with pytest.raises(InputError, match="found no JSON"):
        run_on(engine, job_for(str(lines), tmp_path / "three", "jsonl"))


def test_a_damaged_archive_is_one_sentence(engine: str, few: pl.DataFrame, tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    write_table(few, source)
    source.write_bytes(source.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match=r"in\.parquet: found no Parquet file") as caught:
        run_on(engine, job_for(str(source), tmp_path / "out", "parquet"))
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 600


def test_files_with_other_columns_are_refused(
    engine: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    write_table(few, tmp_path / "a.csv")
    write_table(few.rename({"source": "origin"}), tmp_path / "b.csv")
    job = job_for(f"{tmp_path}/*.csv", tmp_path / "out", "csv")
    with pytest.raises(InputError, match="found other columns than in the first file"):
        run_on(engine, job)


def test_waves_are_recorded_and_the_run_is_whole(
    engine: str, few: pl.DataFrame, tmp_path: Path
) -> None:
    for number in range(4):
        write_table(few.slice(number * 100, 100), tmp_path / f"{number}.jsonl")
    job = job_for(f"{tmp_path}/*.jsonl", tmp_path / "out", "jsonl")
    told: list[tuple[int, int, int]] = []

    def on_wave(done: int, of: int, so_far: Summary) -> None:
        told.append((done, of, so_far.rows))

    outcome = run_on(engine, job, wave_files=1, on_wave=on_wave)
    assert told == [(1, 4, 100), (2, 4, 200), (3, 4, 300), (4, 4, 400)]
    assert not outcome.was_complete
    record = json.loads((tmp_path / "out" / "_tactful" / "wave-00002.json").read_text())
    assert record["rows"] == 100
    assert record["files"][0].endswith("2.jsonl")
    again = run_on(engine, job, wave_files=1)
    assert again.was_complete
    assert to_json(again.summary) == to_json(outcome.summary)
    write_table(few, tmp_path / "2.jsonl")
    with pytest.raises(InputError, match=r"2\.jsonl has changed"):
        run_on(engine, job)
    assert run_on(engine, job, restart=True).summary.rows == 300 + FEW
