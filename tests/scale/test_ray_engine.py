"""Ray: datasets that users have, clusters that are there, and what is said where there are none."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.scale.clusters import ray_cluster, score
from tests.scale.engine_texts import QUIET, hard_table, job_for, read_parts, run_on
from tests.scale.made import IDS, WORDS

from tactful.errors import FileFormatError, InputError
from tactful.scale.ray.engine import score_dataset
from tactful.scale.scoring import TableScorer, Wanted, joined

pytestmark = QUIET
ROWS = 200
FAST = ["--model", "fast", "--lang", "en", "--workers", "2"]


def as_frame(dataset: Any) -> pl.DataFrame:
    import pyarrow as pa
    import ray

    found = pl.from_arrow(pa.concat_tables(ray.get(dataset.to_arrow_refs())))
    assert isinstance(found, pl.DataFrame)
    return found


@pytest.mark.parametrize("concurrency", [None, (1, 2)])
def test_a_dataset_is_scored_with_all_its_columns(
    ray_here: Any, concurrency: int | tuple[int, int] | None
) -> None:
    table = hard_table(ROWS)
    dataset = ray_here.data.from_arrow(table.to_arrow())
    wanted = Wanted(where="id < 150", prefix="t_")
    scored = score_dataset(dataset, WORDS, wanted, concurrency=concurrency, batch_size=64)
    found = as_frame(scored).sort("id")
    assert_frame_equal(found, joined(TableScorer(WORDS, wanted)(table), wanted), check_exact=True)


def test_a_dataset_of_lines_gets_further_keys(ray_here: Any) -> None:
    lines = ray_here.data.from_items([{"line": f'{{"text":"number {n}"}}'} for n in range(9)])
    scored = score_dataset(lines, WORDS, shape="lines", concurrency=1)
    rows = scored.take_all()
    assert len(rows) == 9
    assert all(f'"{IDS[0]}":' in row["line"] for row in rows)


def test_the_order_of_the_input_is_kept(ray_here: Any, tmp_path: Path) -> None:
    table = hard_table(ROWS)
    for number in range(4):
        table.slice(number * 50, 50).write_parquet(tmp_path / f"{number}.parquet")
    run_on("ray", job_for(f"{tmp_path}/*.parquet", tmp_path / "out", "parquet", part_rows=20))
    assert read_parts(tmp_path / "out", "parquet")["id"].to_list() == list(range(ROWS))


def test_a_cluster_is_joined_by_its_address_and_by_the_environment(tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="Ray is not installed")
    source = tmp_path / "in.csv"
    hard_table(ROWS).write_csv(source)
    here = score(source, "--output", tmp_path / "here.csv", *FAST)
    assert here.returncode == 0, here.stderr
    with ray_cluster() as address:
        one = score(
            source, "--output", tmp_path / "one", "--engine", "ray", "--address", address, *FAST
        )
        two = score(
            source, "--output", tmp_path / "two", "--engine", "ray", *FAST, RAY_ADDRESS=address
        )
    wanted = pl.read_csv(tmp_path / "here.csv", infer_schema=False)
    for name, done in (("one", one), ("two", two)):
        assert done.returncode == 0, done.stderr[-2000:]
        assert_frame_equal(read_parts(tmp_path / name, "csv"), wanted)


def test_an_address_where_there_is_no_cluster_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="Ray is not installed")
    (tmp_path / "in.csv").write_text("text\none\n")
    options = ["--engine", "ray", "--address", "127.0.0.1:1", "--model", "fast", "--quiet"]
    done = score(tmp_path / "in.csv", "--output", tmp_path / "out", *options)
    assert done.returncode == 1
    assert "Ray cannot be reached at 127.0.0.1:1" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_bad_row_is_told_by_the_command_in_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="Ray is not installed")
    (tmp_path / "in.csv").write_text("id,text\n0,one\n1,two,three\n")
    options = ["--engine", "ray", "--workers", "1", "--model", "fast"]
    done = score(tmp_path / "in.csv", "--output", tmp_path / "out", *options)
    assert done.returncode == 1
    assert "in.csv, line 3: found 3 cells" in done.stderr
    assert len(done.stderr.splitlines()) <= 5, done.stderr


def test_an_error_of_a_task_that_reads_is_one_sentence(ray_here: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n0,one\n")
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(FileFormatError) as caught:
        run_on("ray", job_for(f"{tmp_path}/*.csv", tmp_path / "out", "csv"))
    said = str(caught.value)
    assert said == (f"{tmp_path}/b.csv, line 1: found nothing; expected the names of the columns.")


def test_files_with_hard_names_are_all_read(ray_here: Any, tmp_path: Path) -> None:
    names = ["a b.csv", "c#1.csv", "d?x=1.csv", "e%20.csv", "f[1].csv", "_g.csv", "k=1.csv"]
    for number, name in enumerate(names):
        (tmp_path / name).write_text(f"id,text\n{number},one\n")
    found = run_on("ray", job_for(f"{tmp_path}/*.csv", tmp_path / "out", "csv"))
    assert found.summary.rows == len(names)
    with pytest.raises(InputError, match="found no table in the folder"):
        run_on("ray", job_for(str(tmp_path), tmp_path / "out-2", "tsv"))
