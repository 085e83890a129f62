"""The examples do what they say, each run as a user would run it."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.engine_texts import QUIET, hard_table

from tactful.checking.bulk import bulk_scorer
from tactful.scale.scoring import TableScorer, Wanted, joined

pytestmark = QUIET

EXAMPLES = Path(__file__).parents[2] / "examples"
SUBMIT = str(Path(sys.executable).with_name("spark-submit"))


def run(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=_environment(),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def _environment() -> dict[str, str]:
    here = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    here |= {"RAY_ADDRESS": "local"}  # not the cluster that happens to run on this machine
    return {**os.environ, **here, "RAY_USAGE_STATS_ENABLED": "0", "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("in") / "comments.parquet"
    hard_table(120).rename({"text": "body"}).write_parquet(path)
    return path


def expected(source: Path) -> pl.DataFrame:
    wanted = Wanted(text_column="body")
    return joined(TableScorer(bulk_scorer("fast", "en"), wanted)(pl.read_parquet(source)), wanted)


def same(found: pl.DataFrame, source: Path) -> None:
    assert_frame_equal(found.sort("id"), expected(source), check_exact=True)


def test_every_example_is_tested_and_says_what_it_takes() -> None:
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert names == {"score_local.py", "score_on_ray.py", "score_on_spark.py"}


def test_the_local_example(source: Path, tmp_path: Path) -> None:
    command = [sys.executable, EXAMPLES / "score_local.py", source, tmp_path / "scored.parquet"]
    said = run(*command, "--text-column", "body", "--model", "fast", "--workers", "2")
    assert said.startswith("120 rows")
    same(pl.read_parquet(tmp_path / "scored.parquet"), source)


def test_the_example_of_ray(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    command = [sys.executable, EXAMPLES / "score_on_ray.py", source, tmp_path / "scored"]
    said = run(*command, "--text-column", "body", "--model", "fast", "--actors", "1")
    assert said.splitlines()[-1] == "120 rows"
    same(pl.read_parquet(tmp_path / "scored" / "*.parquet"), source)


def test_the_example_of_spark_by_spark_submit(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    options = ["--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    command = [SUBMIT, *options, EXAMPLES / "score_on_spark.py", source, tmp_path / "scored"]
    said = run(*command, "--text-column", "body", "--model", "fast")
    assert "120 rows" in said.splitlines()
    same(pl.read_parquet(tmp_path / "scored" / "*.parquet"), source)
