"""Inputs with nothing in them, on both engines: an error if they are wrong, else written."""

from pathlib import Path

import polars as pl
import pytest
from tests.scale.engine_texts import QUIET, job_for, read_parts, run_on, write_table

from tactful.errors import FileFormatError, InputError
from tactful.scale.scoring import Wanted

pytestmark = QUIET
EMPTY = pl.DataFrame(schema={"id": pl.Int64, "text": pl.String})
TWO = pl.DataFrame({"id": [1, 2], "text": ["one", "two"]})


def write(table: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    write_table(table, path)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_without_bytes_is_refused_by_its_name(
    engine: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / f"in.{kind}").write_bytes(b"")
    with pytest.raises(FileFormatError, match=rf"in\.{kind}.*: found (nothing|no Parquet file)"):
        run_on(engine, job_for(str(tmp_path / f"in.{kind}"), tmp_path / "out", kind))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("written", ["csv", "parquet"])
def test_a_table_without_rows_is_a_run_without_rows(
    engine: str, kind: str, written: str, tmp_path: Path
) -> None:
    source = write(EMPTY, tmp_path / f"in.{kind}")
    job = job_for(str(source), tmp_path / "out", kind, written=written, top=2)
    assert run_on(engine, job).summary.rows == 0
    assert run_on(engine, job).was_complete
    for part in (tmp_path / "out").glob("wave-*/*"):
        read = pl.read_parquet if written == "parquet" else pl.read_csv
        if kind == "jsonl":
            continue  # nobody knows the columns
        assert read(part).columns[:2] == ["id", "text"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_no_row_that_is_wanted_leaves_no_rows(engine: str, kind: str, tmp_path: Path) -> None:
    source = write(TWO, tmp_path / f"in.{kind}")
    wanted = Wanted(where="text = 'three'")
    found = run_on(engine, job_for(str(source), tmp_path / "out", kind, wanted=wanted, top=3))
    assert (found.summary.rows, Path(found.written[1]).exists()) == (0, True)
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_table_without_rows_among_others_disturbs_nobody(
    engine: str, kind: str, tmp_path: Path
) -> None:
    write(EMPTY, tmp_path / "in" / f"a.{kind}")
    write(TWO, tmp_path / "in" / f"b.{kind}")
    job = job_for(str(tmp_path / "in"), tmp_path / "out", kind, written="parquet")
    assert run_on(engine, job).summary.rows == 2
    found = read_parts(tmp_path / "out", "parquet")
    assert found["text"].to_list() == ["one", "two"]


def test_lines_with_a_new_key_are_kept_as_lines_and_refused_as_a_table(
    engine: str, tmp_path: Path
) -> None:
    write(TWO, tmp_path / "in" / "a.jsonl")
    write(TWO.with_columns(new=pl.lit(1)), tmp_path / "in" / "b.jsonl")
    found = run_on(engine, job_for(str(tmp_path / "in"), tmp_path / "lines", "jsonl"))
    assert found.summary.rows == 4
    job = job_for(str(tmp_path / "in"), tmp_path / "table", "jsonl", written="parquet")
    with pytest.raises(InputError, match="found the key 'new', which the first lines do not have"):
        run_on(engine, job)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (TWO.with_columns(new=pl.lit(1)), r"b\.parquet: found other columns than in .*\(new\)"),
        (TWO.select("text"), r"b\.parquet: found other columns than in .*\(id\)"),
        (TWO.cast({"id": pl.String}), r"b\.parquet: found 'id' as"),
    ],
)
def test_tables_with_other_columns_are_refused_and_not_cut(
    engine: str, other: pl.DataFrame, said: str, tmp_path: Path
) -> None:
    write(TWO, tmp_path / "in" / "a.parquet")
    write(other, tmp_path / "in" / "b.parquet")
    with pytest.raises(InputError, match=said):
        run_on(engine, job_for(str(tmp_path / "in"), tmp_path / "out", "parquet"))


def test_tables_with_their_columns_in_another_order_are_one_table(
    engine: str, tmp_path: Path
) -> None:
    write(TWO, tmp_path / "in" / "a.parquet")
    write(TWO.select("text", pl.col("id") + 2), tmp_path / "in" / "b.parquet")
    run_on(engine, job_for(str(tmp_path / "in"), tmp_path / "out", "parquet"))
    found = read_parts(tmp_path / "out", "parquet").sort("id")
    assert found.select("id", "text").rows() == [(1, "one"), (2, "two"), (3, "one"), (4, "two")]
