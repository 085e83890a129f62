"""Parquet and Arrow files: some rows of them, with their types."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from tests.scale.made import scored_file

from tactful.errors import FileFormatError, InputError
from tactful.scale.tables.formats import Format, Kind
from tactful.scale.tables.headers import read_rows, row_count, schema_of
from tactful.scale.tables.sources import Source

kinds = pytest.mark.parametrize("kind", ["parquet", "arrow"])
READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    "parquet": pl.read_parquet,
    "arrow": pl.read_ipc,
}


def odd_table() -> pl.DataFrame:
    """Make a table of types that text has no words for."""
    return pl.DataFrame(
        {
            "text": pl.Series(["one", None, "three"], dtype=pl.Categorical),
            "numbers": [[1, 2], [], None],
            "object": [{"a": 1, "b": ["x"]}, {"a": None, "b": None}, None],
            "bytes": [b"\xff\x00", b"", None],
            "day": [date(2024, 2, 29), None, date(1970, 1, 1)],
            "moment": [datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC), None, None],
            "span": [timedelta(seconds=90), None, timedelta(0)],
            "price": pl.Series([Decimal("1.50"), None, Decimal("-2.00")], dtype=pl.Decimal(10, 2)),
            "pair": pl.Series([[1, 2], None, [3, 4]], dtype=pl.Array(pl.Int16, 2)),
            "grade": pl.Series(["low", "high", None], dtype=pl.Enum(["low", "high"])),
            "small": pl.Series([1, None, 255], dtype=pl.UInt8),
            "nothing": [None, None, None],
        }
    )


def written(table: pl.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.write_parquet(path) if path.suffix == ".parquet" else table.write_ipc(path)
    return path


@kinds
def test_rows_are_counted_and_read_with_their_types(kind: Kind, tmp_path: Path) -> None:
    table = odd_table()
    source = Source(written(table, tmp_path / f"a.{kind}"), Format(kind))
    assert schema_of(source) == table.schema
    assert row_count(source) == 3
    assert read_rows(source, 1, 3).equals(table[1:])
    assert read_rows(source, 0, 0).schema == table.schema


@kinds
def test_a_name_is_no_pattern_and_a_folder_adds_no_column(kind: Kind, tmp_path: Path) -> None:
    written(pl.DataFrame({"text": ["wrong"]}), tmp_path / "day=1" / f"a1.{kind}")
    path = written(pl.DataFrame({"text": ["right"]}), tmp_path / "day=1" / f"a[1]*.{kind}")
    source = Source(path, Format(kind))
    assert read_rows(source, 0, 9).to_dict(as_series=False) == {"text": ["right"]}
    assert schema_of(source) == {"text": pl.String}


@kinds
@pytest.mark.parametrize("data", [b"", b"PAR1", b"text\none\n"])
def test_a_file_of_another_kind_is_told(kind: Kind, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match=rf"a.{kind}: found no {kind} file that can be read"):
        schema_of(Source(path, Format(kind)))


@kinds
def test_a_file_that_is_cut_off_or_gone_is_told(kind: Kind, tmp_path: Path) -> None:
    source = Source(written(odd_table(), tmp_path / f"a.{kind}"), Format(kind))
    path = tmp_path / f"a.{kind}"
    path.write_bytes(path.read_bytes()[:-20])
    for look in (schema_of, row_count):
        with pytest.raises(FileFormatError, match=r"expected a complete one; write it again\.$"):
            look(source)
    path.unlink()
    with pytest.raises(FileFormatError, match=rf"a.{kind}: found no {kind} file"):
        read_rows(source, 0, 1)


@kinds
@pytest.mark.parametrize("into", ["parquet", "arrow"])
def test_types_are_kept_from_file_to_file(kind: str, into: str, tmp_path: Path) -> None:
    table = odd_table()
    path = written(table, tmp_path / f"a.{kind}")
    scored_file(path, tmp_path / f"out.{into}", part_rows=2, workers=1)
    found = READERS[into](tmp_path / f"out.{into}")
    assert found.select(table.columns).schema == table.schema
    assert found.select(table.columns).equals(table)
    assert found["error"].to_list() == [None, "no text", None]


def test_types_without_words_are_json_and_base64_in_csv(tmp_path: Path) -> None:
    path = written(odd_table().drop("nothing"), tmp_path / "a.parquet")
    scored_file(path, tmp_path / "out.csv", workers=1)
    found = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert found.row(0, named=True) | {"kind": "", "kind.fine": "", "other": ""} == {
        "text": "one",
        "numbers": "[1,2]",
        "object": '{"a":1,"b":["x"]}',
        "bytes": "/wA=",
        "day": "2024-02-29",
        "moment": "2024-01-02T03:04:05.000006+0000",
        "span": "PT1M30S",
        "price": "1.50",
        "pair": "[1,2]",
        "grade": "low",
        "small": "1",
        "kind": "",
        "kind.fine": "",
        "other": "",
        "model": "words 1",
        "error": None,
    }
    assert found["numbers"].to_list() == ["[1,2]", "[]", None]
    assert found["object"].to_list()[1:] == ['{"a":null,"b":null}', None]


@kinds
def test_files_with_another_order_of_columns_are_one_table(kind: str, tmp_path: Path) -> None:
    one = written(pl.DataFrame({"id": [1], "text": ["a"]}), tmp_path / f"one.{kind}")
    two = written(pl.DataFrame({"text": ["b"], "id": [2]}), tmp_path / f"two.{kind}")
    scored_file([one, two], tmp_path / f"out.{kind}", workers=1)
    found = READERS[kind](tmp_path / f"out.{kind}")
    assert found.columns[:2] == ["id", "text"]
    assert found.select("id", "text").rows() == [(1, "a"), (2, "b")]


@kinds
@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"text": ["b"]}, r"found other columns than in .*one.* \(id\)"),
        ({"text": ["b"], "id": ["2"]}, "found 'id' as String, and as Int64 in"),
    ],
)
def test_files_with_other_columns_or_types_are_refused_before_a_row_is_read(
    kind: str, other: dict[str, list[str]], said: str, tmp_path: Path
) -> None:
    one = written(pl.DataFrame({"id": [1], "text": ["a"]}), tmp_path / f"one.{kind}")
    two = written(pl.DataFrame(other), tmp_path / f"two.{kind}")
    with pytest.raises(InputError, match=rf"two.{kind}: {said}"):
        scored_file([one, two], tmp_path / f"out.{kind}", workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [one.name, two.name]
