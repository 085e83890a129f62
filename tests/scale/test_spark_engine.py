"""Spark: frames that users have, sessions and masters that are there, and what is said else."""

import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.clusters import score, spark_cluster
from tests.scale.engine_texts import QUIET, hard_table, job_for, read_parts, run_on
from tests.scale.made import IDS, WORDS

from tactful.errors import UsageError
from tactful.scale.cluster.hadoop_store import HadoopStore
from tactful.scale.scoring import TableScorer, Wanted, joined
from tactful.scale.spark.engine import score_dataframe
from tactful.scale.tables.formats import Format

pytestmark = QUIET
ROWS = 200
FAST = ["--model", "fast", "--lang", "en", "--workers", "2"]


@pytest.fixture
def store(spark_here: Any) -> HadoopStore:
    return HadoopStore(spark_here, Format("csv"))


def test_a_frame_is_scored_with_all_its_columns(spark_here: Any, tmp_path: Path) -> None:
    table = hard_table(ROWS)
    table.write_parquet(tmp_path / "in.parquet")
    frame = spark_here.read.parquet(str(tmp_path / "in.parquet"))
    wanted = Wanted(where="id < 150", prefix="t_")
    found = pl.DataFrame(score_dataframe(frame, WORDS, wanted).toArrow()).sort("id")
    assert_frame_equal(found, joined(TableScorer(WORDS, wanted)(table), wanted), check_exact=True)


def test_a_frame_of_lines_gets_further_keys(spark_here: Any, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text":"one"}\n{"text":"two"}\n')
    lines = spark_here.read.text(str(tmp_path / "in.jsonl"))
    rows = score_dataframe(lines, WORDS, shape="lines").collect()
    assert len(rows) == 2
    assert all(f'"{IDS[0]}":' in row["line"] for row in rows)


@pytest.mark.parametrize("before", ["", "file://"])
def test_paths_and_addresses_of_files_are_read_and_written(
    before: str, spark_here: Any, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    for number, name in enumerate(["a b.csv", "c#1.csv", "d?x=1.csv", "e%20.csv", "k=1.csv"]):
        (tmp_path / "in" / name).write_text(f"id,text\n{number},one\n")
    job = job_for(f"{before}{tmp_path}/in", tmp_path / "out", "csv", top=2)
    found = run_on("spark", job, wave_files=2)
    assert found.summary.rows == 5
    assert sorted(read_parts(tmp_path / "out", "csv")["id"].to_list()) == list("01234")
    assert run_on("spark", job, wave_files=2).was_complete


def test_a_name_that_spark_would_leave_out_is_refused(spark_here: Any, tmp_path: Path) -> None:
    for name in ("a.csv", "_b.csv"):
        (tmp_path / name).write_text("id,text\n0,one\n")
    with pytest.raises(UsageError, match=r"_b\.csv: found a name that begins with"):
        run_on("spark", job_for(f"{tmp_path}/*.csv", tmp_path / "out", "csv"))
    assert run_on("spark", job_for(str(tmp_path), tmp_path / "out", "csv")).summary.rows == 1


def test_the_store_reads_writes_and_removes(store: HadoopStore, tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "x y.json")
    store.write(path, b"one")
    store.write(path, b"two")
    assert store.read(path) == b"two"
    assert store.names(str(tmp_path / "new")) == ["x y.json"]
    store.remove(path)
    assert store.read(path) is None
    store.remove(str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()
    assert store.names(str(tmp_path / "new")) == []


def test_the_columns_of_parquet_are_told_whoever_wrote_them(
    store: HadoopStore, spark_here: Any, tmp_path: Path
) -> None:
    table = pl.DataFrame({"text": ["a"], "n": [1], "more": [[1.5]]})
    table.write_parquet(tmp_path / "ours.parquet")
    frame = spark_here.read.parquet(str(tmp_path / "ours.parquet"))
    frame.coalesce(1).write.parquet(str(tmp_path / "theirs"))
    theirs = next((tmp_path / "theirs").glob("*.parquet"))
    found = store.columns(str(tmp_path / "ours.parquet"))
    assert list(found) == ["text", "n", "more"]
    assert store.columns(str(theirs)) == found


def test_a_master_is_used_by_its_address(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    source = tmp_path / "in.csv"
    hard_table(ROWS).write_csv(source)
    here = score(source, "--output", tmp_path / "here.csv", *FAST)
    assert here.returncode == 0, here.stderr
    with spark_cluster() as master:
        options = ["--engine", "spark", "--address", master, *FAST]
        done = score(source, "--output", tmp_path / "out", *options, PYSPARK_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr[-3000:]
    wanted = pl.read_csv(tmp_path / "here.csv", infer_schema=False)
    assert_frame_equal(read_parts(tmp_path / "out", "csv"), wanted)


@pytest.mark.parametrize("address", ["spark://127.0.0.1:1", "nothing"])
def test_an_address_where_there_is_no_master_is_one_sentence(address: str, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    (tmp_path / "in.csv").write_text("text\none\n")
    options = ["--engine", "spark", "--address", address, "--model", "fast", "--quiet"]
    done = score(tmp_path / "in.csv", "--output", tmp_path / "out", *options)
    assert done.returncode == 1
    assert f"Spark cannot be reached at {address}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_bad_row_is_told_by_the_command_in_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    (tmp_path / "in.csv").write_text("id,text\n0,one\n1,two,three\n")
    options = ["--engine", "spark", "--address", "local[2]", "--model", "fast"]
    done = score(tmp_path / "in.csv", "--output", tmp_path / "out", *options)
    assert done.returncode == 1
    assert "in.csv, line 3: found 3 cells" in done.stderr
    assert len(done.stderr.splitlines()) <= 8, done.stderr
