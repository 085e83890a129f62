"""A driver that is killed, a worker that dies and Ctrl-C: nothing is lost, nothing is doubled."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.engine_texts import QUIET, hard_table, read_parts

pytestmark = QUIET

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.py")
ENGINES = ["ray", "spark"]
FILES, ROWS, KILLS = 4, 40, 4
DEADLY = "a word that ends a worker"


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    """Give each engine that is installed; every run starts it in a new process."""
    pytest.importorskip({"ray": "ray.data", "spark": "pyspark"}[request.param])
    return str(request.param)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    text = pl.when(pl.col("id") == 2 * ROWS + 7).then(pl.lit(DEADLY)).otherwise("text")
    table = hard_table(FILES * ROWS).with_columns(text.alias("text"))
    for number in range(FILES):
        table.slice(number * ROWS, ROWS).write_ndjson(folder / f"{number}.jsonl")
    return folder


def start(engine: str, source: Path, output: Path, *more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, str(DRIVER), engine, str(source), str(output), "jsonl", *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
        cwd=ROOT,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, said = process.communicate(timeout=240)
    return process.returncode, said


def wait_for_records(output: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until the run has begun to score, or has ended."""
    while not (output / "_tactful" / "job.json").exists() and process.poll() is None:
        time.sleep(0.02)


def rows(folder: Path) -> pl.DataFrame:
    return read_parts(folder, "jsonl").sort("id")


def test_a_driver_killed_at_random_moments_leaves_every_row_once(
    engine_name: str, source: Path, tmp_path: Path
) -> None:
    whole, output = tmp_path / "whole", tmp_path / "out"
    code, said = finish(start(engine_name, source, whole))
    assert code == 0, said[-2000:]
    rng = random.Random(11)
    killed = 0
    for _ in range(KILLS):
        process = start(engine_name, source, output)
        wait_for_records(output, process)
        # However long this is, the outcome must be the same.
        time.sleep(rng.uniform(0, 3))
        process.send_signal(signal.SIGKILL)
        killed += finish(process)[0] == -signal.SIGKILL
    assert killed, "no run was killed before its end"
    code, said = finish(start(engine_name, source, output))
    assert code == 0, said[-2000:]
    assert rows(whole)["id"].to_list() == list(range(FILES * ROWS))
    assert_frame_equal(rows(output), rows(whole), check_exact=True)
    for name in ("summary.json", "wave-00002.json"):
        here, there = (folder / "_tactful" / name for folder in (output, whole))
        assert here.read_bytes() == there.read_bytes()
    assert (output / "top.jsonl").read_bytes() == (whole / "top.jsonl").read_bytes()
    left = {path.name for path in output.iterdir() if not path.name.startswith(".")}
    assert left == {"_tactful", "top.jsonl", *(f"wave-{n:05d}" for n in range(FILES))}


def test_a_worker_that_dies_is_told_in_one_sentence_and_the_rest_is_kept(
    engine_name: str, source: Path, tmp_path: Path
) -> None:
    code, said = finish(start(engine_name, source, tmp_path / "out", "--dies-at", DEADLY))
    assert code == 1
    assert f"The engine {engine_name}" in said
    assert "run the same command again to resume" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 8, said
    done = {path.name for path in (tmp_path / "out" / "_tactful").glob("wave-*.json")}
    assert done == {"wave-00000.json", "wave-00001.json"}
    code, said = finish(start(engine_name, source, tmp_path / "out"))
    assert code == 0, said[-2000:]
    assert rows(tmp_path / "out")["id"].to_list() == list(range(FILES * ROWS))


def test_an_interrupt_ends_the_run_without_a_traceback(
    engine_name: str, source: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    process = start(engine_name, source, output)
    wait_for_records(output, process)
    process.send_signal(signal.SIGINT)
    code, said = finish(process)
    assert code == 130, said[-2000:]
    assert "Traceback" not in said
    assert not (output / "_tactful" / "summary.json").exists()
