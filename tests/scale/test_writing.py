"""Scored tables become bytes that other programs read back."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.made import IDS, WORDS, job, scored_file

from tactful.errors import InputError
from tactful.scale.portions import Plan, plan_for_table
from tactful.scale.scoring import LINE, TableScorer, Wanted
from tactful.scale.tables.formats import Format
from tactful.scale.tables.json_lines import lines_as_table
from tactful.scale.tables.parse import read_delimited
from tactful.scale.tables.sources import Source, pack
from tactful.scale.tables.writing import (
    as_table,
    header_bytes,
    part_bytes,
    table_bytes,
)

CSV, JSONL, PARQUET = Format("csv"), Format("jsonl"), Format("parquet")
cells = st.none() | st.text(st.sampled_from(list('ab",;\n\r\t é\0\u2028')), max_size=5)
BYTES = {
    "plain": pl.Series([b"\xff\x00", b"", None]),
    "list": pl.Series([[b"\xff", None], [], None]),
    "object": pl.Series([{"a": b"\xff", "n": 1}, {"a": None, "n": 2}, None]),
    "deep": pl.Series([[{"a": [b"\xff"]}], [None], None]),
    "pair": pl.Series([[b"\xff", b"\x01"], [None, b""], None], dtype=pl.Array(pl.Binary, 2)),
}


@settings(max_examples=150)
@given(st.lists(st.tuples(cells, cells), max_size=6), st.sampled_from(["csv", "tsv"]))
def test_cells_come_back_as_they_were_with_null_and_empty_apart(
    rows: list[tuple[str | None, ...]], kind: str
) -> None:
    output = Format(kind)  # type: ignore[arg-type]
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    data = table_bytes(table, output, header=False)
    assert table_bytes(table, output) == header_bytes(["a", "b"], output) + data
    source = Source(Path("x"), output)
    assert read_delimited(data, source, "ab", 2, skip_bad_rows=False)[0].rows() == rows
    reader = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=output.separator)
    assert [tuple(row) for row in reader] == [tuple(cell or "" for cell in row) for row in rows]


def test_a_header_is_there_for_cells_only_and_quoted_where_it_must_be() -> None:
    assert header_bytes(["a,b", 'c"', "d\n"], CSV) == b'"a,b","c""","d\n"\n'
    assert header_bytes(["a\tb", "c,d"], Format("tsv")) == b'"a\tb"\tc,d\n'
    assert header_bytes(["a"], JSONL) == header_bytes(["a"], PARQUET) == b""
    assert header_bytes(["a"], Format("csv", "gz")) == pack(b"a\n", "gz")


def test_columns_are_named_as_in_the_output() -> None:
    def columns(own: str, **options: str) -> tuple[str, ...]:
        work = job("in.csv", "out.csv", scorer=WORDS, **options)
        table = pl.DataFrame(schema={own: pl.String, "text": pl.String})
        return plan_for_table(Plan(work, CSV), table).output_columns

    assert columns("id") == ("id", "text", *IDS, "model", "error")
    assert columns("id", prefix="t_")[2] == "t_kind"
    assert columns("kind")[:4] == ("kind", "text", "tactful_kind", "kind.fine")


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_bytes_are_base64_at_any_depth(name: str, kind: str) -> None:
    data = table_bytes(pl.DataFrame({"id": [1, 2, 3], "x": BYTES[name]}), Format(kind))  # type: ignore[arg-type]
    if kind == "jsonl":
        first, _, last = (json.loads(line) for line in data.splitlines())
        assert last == {"id": 3, "x": None}
        written = json.dumps(first["x"])
    else:
        first, _, last = csv.DictReader(io.StringIO(data.decode()))
        assert last == {"id": "3", "x": ""}
        written = first["x"]
    assert "/w" in written
    assert "ff" not in written


def test_lists_and_objects_in_cells_are_json_and_nulls_are_empty() -> None:
    table = pl.DataFrame({"a": [[1, None], None, []], "b": [{"c": 'x"y'}, None, {"c": None}]})
    found = list(csv.reader(io.StringIO(table_bytes(table, CSV, header=False).decode())))
    assert found == [["[1,null]", '{"c":"x\\"y"}'], ["", ""], ["[]", '{"c":null}']]


def test_a_span_of_time_is_written_in_iso_form() -> None:
    table = pl.DataFrame({"a": [timedelta(minutes=1, seconds=30), None]})
    assert table_bytes(table, CSV) == b"a\nPT1M30S\n\n"


def test_a_column_that_a_format_cannot_hold_is_one_sentence() -> None:
    table = pl.DataFrame({"a": [{}]}, schema={"a": pl.Struct({})})
    with pytest.raises(InputError, match=r"^Found columns that parquet cannot hold \(.*JSONL"):
        table_bytes(table, PARQUET)


@pytest.mark.parametrize("kind", ["csv", "tsv.gz", "jsonl.zst", "jsonl", "parquet", "arrow"])
def test_the_same_rows_give_the_same_bytes(kind: str) -> None:
    name, _, packing = kind.partition(".")
    output = Format(name, packing)  # type: ignore[arg-type]
    table = pl.DataFrame({"a": ["x", None] * 500, "b": range(1000)})
    assert table_bytes(table, output) == table_bytes(table.clone(), output)


def test_lines_get_keys_and_tables_get_columns() -> None:
    lines = pl.DataFrame({LINE: [' {"text": "a"} ', r'{"text": "\ud83d"}']})
    scored = TableScorer(WORDS, Wanted())(lines, "lines")
    data = part_bytes(scored, Wanted(), Format("jsonl", "gz"))
    assert part_bytes(scored, Wanted(), Format("jsonl", "gz")) == data
    plain = part_bytes(scored, Wanted(), JSONL)
    assert data == pack(plain, "gz")
    assert plain.endswith(b"\n")
    assert plain.splitlines()[1].startswith(rb'{"text": "\ud83d","kind":')
    table = TableScorer(WORDS, Wanted())(pl.DataFrame({"text": ["a"]}))
    assert json.loads(part_bytes(table, Wanted(), JSONL))["text"] == "a"
    assert part_bytes(table, Wanted(), CSV).startswith(b"text,kind,kind.fine,other,model,error\na,")
    assert part_bytes(table, Wanted(), CSV, header=False).startswith(b"a,")
    nothing = TableScorer(WORDS, Wanted())(lines.clear(), "lines")
    assert part_bytes(nothing, Wanted(), JSONL) == b""


def as_columns(schema: dict[str, Any], *lines: str) -> pl.DataFrame:
    return as_table(pl.Series(LINE, lines), pl.Schema(schema), "here, from line 5 on")


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (pl.Int64, "5", 5),
        (pl.Float64, "5", 5.0),
        (pl.Float64, "null", None),
        (pl.List(pl.Float64), "[1, null]", [1.0, None]),
        (pl.List(pl.Int64), "[]", []),
        (pl.Struct({"b": pl.Float64}), '{"b": 1}', {"b": 1.0}),
        (pl.List(pl.Struct({"b": pl.String})), '[{"b": null}]', [{"b": None}]),
    ],
)
def test_values_take_the_type_of_the_first_lines_if_nothing_is_lost(
    kind: pl.DataType, written: str, value: object
) -> None:
    found = as_columns({"t": pl.String, "a": kind}, f'{{"a": {written}, "t": "x"}}')
    assert found.schema == {"t": pl.String, "a": kind}
    assert found.rows() == [("x", value)]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (pl.Int64, "5.5"),
        (pl.Int64, '"5"'),
        (pl.Int64, "true"),
        (pl.String, "5"),
        (pl.Float64, "9007199254740993"),
        (pl.Float64, "9223372036854775807"),
        (pl.List(pl.Int64), "[1.5]"),
        (pl.List(pl.Int64), '["5"]'),
        (pl.List(pl.String), "[5]"),
        (pl.List(pl.Float64), "[9007199254740993]"),
        (pl.Struct({"b": pl.Int64}), '{"b": 1, "c": 2}'),
        (pl.Struct({"b": pl.Int64, "c": pl.Int64}), '{"b": 1}'),
        (pl.Struct({"b": pl.Int64}), '{"b": 1.5}'),
        (pl.Struct({"b": pl.Int64}), '["b"]'),
    ],
)
def test_values_that_would_be_changed_are_refused(kind: pl.DataType, written: str) -> None:
    said = "^here, from line 5 on: found 'a' as .*, and as .* in the first lines; .* write JSONL"
    with pytest.raises(InputError, match=said):
        as_columns({"a": kind}, f'{{"a": {written}}}')


def test_a_new_key_is_refused_and_a_missing_one_is_null() -> None:
    with pytest.raises(InputError, match="from line 5 on: found the key 'b', which the first"):
        as_columns({"a": pl.Int64}, '{"a": 1}', '{"b": 1}')
    found = as_columns({"a": pl.Int64, "b": pl.String}, "{}", '{"a": 1}')
    assert found.rows() == [(None, None), (1, None)]
    assert as_columns({"a": pl.Int64}).schema == {"a": pl.Int64}


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_one_file_of_many_parts_is_read_back_and_always_the_same(
    packing: str, tmp_path: Path
) -> None:
    path = tmp_path / "in.csv"
    texts = ['12" pipe', "two\nlines", "a,b", "", "é", "x\ry"]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["text"], *([each] for each in texts)])
    for name in ("one", "two"):
        scored_file(path, tmp_path / f"{name}.csv{packing}", part_rows=2, workers=1)
    data = (tmp_path / f"one.csv{packing}").read_bytes()
    assert data == (tmp_path / f"two.csv{packing}").read_bytes()
    scored_file(tmp_path / f"one.csv{packing}", tmp_path / "again.csv", prefix="again_", workers=1)
    with (tmp_path / "again.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == texts
    assert [row["kind"] for row in rows] == [row["again_kind"] for row in rows]


def test_lines_with_unlike_values_are_scored_and_kept(tmp_path: Path) -> None:
    lines = ['{"text": "a", "meta": true}', '{"text": "b", "meta": {"x": 1}}', '{"meta": [2]}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    scored_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl", part_rows=2, workers=1)
    found = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [line.startswith(old[:-1] + ",") for line, old in zip(found, lines, strict=True)] == [
        True
    ] * 3


def test_keys_of_objects_may_come_in_another_order() -> None:
    first, later = '{"a":{"x":1,"y":[{"p":1,"q":2}]}}', '{"a":{"y":[{"q":4,"p":3}],"x":2}}'
    schema = lines_as_table(pl.Series(LINE, [first])).schema
    found = as_table(pl.Series(LINE, [later, '{"a":null}']), schema, "x")
    assert found.schema == schema
    assert found["a"].to_list() == [{"x": 2, "y": [{"p": 3, "q": 4}]}, None]
