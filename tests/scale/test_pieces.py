"""The same pieces each time, wherever a run goes on."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tactful.errors import FileFormatError
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import read_headers
from tactful.scale.tables.pieces import Begin, Piece, begin_behind, cut_pieces
from tactful.scale.tables.sources import Source, find_sources, pack

MARK = b"\xef\xbb\xbf"
CSV_ROWS = [b"a,b", b'"a\nb",c', b'"""",x', b'5" x,y', b",", b'"a\r\nb",""', b"", "é,ü".encode()]
JSON_ROWS = [b'{"text": "a"}', b'{"text": "\\n\\""}', b"", b'  {"a":[1]} ', '{"é":1}'.encode()]
in_tmp_path = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def files_of(rows: list[bytes], head: bytes) -> st.SearchStrategy[bytes]:
    """Make files of rows, with and without a mark, line ends of Windows and a last line end."""
    ends = st.sampled_from([b"\n", b"\r\n"])
    lines = st.lists(st.tuples(st.sampled_from(rows), ends).map(b"".join), max_size=12)
    last = st.sampled_from([b"", b"a,b", *rows[:2]])
    marks = st.sampled_from([b"", MARK])
    return st.tuples(marks, st.just(head), lines.map(b"".join), last).map(b"".join)


def pieces_of(
    sources: list[Source], rows: int, most: int, begin: Begin | None = None
) -> list[Piece]:
    return list(cut_pieces(sources, read_headers(sources), rows, most, begin))


def check_pieces(sources: list[Source], whole: list[bytes], rows: int, most: int) -> None:
    """All bytes are in a piece, in order, and the rest is the same from any piece on."""
    found = pieces_of(sources, rows, most)
    headers = read_headers(sources)
    assert [each.number for each in found] == list(range(len(found)))
    for at, (head, data) in enumerate(zip(headers, whole, strict=True)):
        mine = [each for each in found if each.source == at]
        assert b"".join(each.data for each in mine) == data[head.size :]
        for each in mine:
            assert data[each.start : each.end] == each.data
            assert each.line == 1 + data.count(b"\n", 0, each.start)
            assert each.next_line == 1 + data.count(b"\n", 0, each.end)
        assert all(one.end == two.start for one, two in pairwise(mine))
    records: dict[int, dict[str, Any]] = {}
    for each in found:
        begin = begin_behind(records)
        assert pieces_of(sources, rows, most, begin) == found[each.number :]
        records[each.number] = each.record()


@in_tmp_path
@given(
    st.lists(files_of(CSV_ROWS, b'id,"te\nxt"\n'), min_size=1, max_size=3),
    st.integers(1, 4),
    st.integers(1, 40),
    st.sampled_from(["csv", "csv.gz", "csv.zst"]),
)
def test_any_csv_is_cut_and_resumed_the_same(
    tmp_path: Path, whole: list[bytes], rows: int, most: int, ending: str
) -> None:
    check_pieces(stored(tmp_path, whole, ending), whole, rows, most)


@in_tmp_path
@given(
    st.lists(files_of(JSON_ROWS, b""), min_size=1, max_size=3),
    st.integers(1, 4),
    st.integers(1, 40),
    st.sampled_from(["jsonl", "jsonl.gz", "txt", "txt.zst"]),
)
def test_any_lines_are_cut_and_resumed_the_same(
    tmp_path: Path, whole: list[bytes], rows: int, most: int, ending: str
) -> None:
    check_pieces(stored(tmp_path, whole, ending), whole, rows, most)


def stored(folder: Path, whole: list[bytes], ending: str) -> list[Source]:
    packing = Format("csv", ending.partition(".")[2]).packing  # type: ignore[arg-type]
    for at, data in enumerate(whole):
        (folder / f"{at}.{ending}").write_bytes(pack(data, packing))
    return find_sources([str(folder / f"{at}.{ending}") for at in range(len(whole))])


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_tables_are_cut_by_rows(tmp_path: Path, kind: str) -> None:
    for name, rows in (("a", 5), ("b", 0), ("c", 2)):
        table = pl.DataFrame({"text": ["x"] * rows}, schema={"text": pl.String})
        path = tmp_path / f"{name}.{kind}"
        table.write_parquet(path) if kind == "parquet" else table.write_ipc(path)
    sources = find_sources([str(tmp_path)])
    found = pieces_of(sources, 2, 1)
    assert [(each.source, each.start, each.end, each.line) for each in found] == [
        (0, 0, 2, 1),
        (0, 2, 4, 3),
        (0, 4, 5, 5),
        (2, 0, 2, 1),
    ]
    done = {each.number: each.record() for each in found[:2]}
    assert pieces_of(sources, 2, 1, begin_behind(done)) == found[2:]


@pytest.mark.parametrize(
    ("ending", "data", "start"),
    [("csv", b"a,b\n", 4), ("csv", MARK + b"a,b", 6), ("jsonl", b"", 0), ("txt", MARK, 3)],
)
def test_without_any_row_there_is_one_empty_piece(
    tmp_path: Path, ending: str, data: bytes, start: int
) -> None:
    (found,) = pieces_of(stored(tmp_path, [data], ending), 5, 5)
    assert (found.number, found.start, found.end, found.data) == (0, start, start, b"")


def test_a_file_without_rows_among_others_is_no_piece(tmp_path: Path) -> None:
    found = pieces_of(stored(tmp_path, [b"a\n", b"a\nx\n", b"a\n"], "csv"), 5, 5)
    assert [(each.number, each.source) for each in found] == [(0, 1)]


def test_a_piece_is_remembered_with_its_place_and_a_digest(tmp_path: Path) -> None:
    one, two = pieces_of(stored(tmp_path, [b"a\nx\ny\n"], "csv"), 1, 100)
    record = one.record()
    assert {**record, "digest": ""} == {
        "source": 0,
        "start": 2,
        "end": 4,
        "line": 2,
        "next line": 3,
        "digest": "",
    }
    assert len(record["digest"]) == 32
    assert record["digest"] != two.record()["digest"]
    assert Piece(0, 0, 0, 5, 1, 6).record()["digest"] == ""


def test_a_run_goes_on_behind_the_first_gap(tmp_path: Path) -> None:
    found = pieces_of(stored(tmp_path, [b"a\n1\n2\n3\n4\n"], "csv"), 1, 100)
    records = {each.number: each.record() for each in found}
    assert begin_behind({}) == Begin()
    assert begin_behind({1: records[1]}) == Begin()
    assert begin_behind({0: records[0], 1: records[1], 3: records[3]}) == Begin(2, 0, 6, 4)
    assert begin_behind(records).number == 4


def test_a_file_that_is_cut_off_is_told_behind_its_good_pieces(tmp_path: Path) -> None:
    data = pack(b"a\n" + b"x" * 9 + b"\n", "gz") + pack(b"y" * 500, "gz")[:-6]
    (tmp_path / "a.csv.gz").write_bytes(data)
    sources = find_sources([str(tmp_path)])
    with pytest.raises(FileFormatError, match=r"a.csv.gz: found a damaged or cut-off gz file"):
        list(cut_pieces(sources, read_headers(sources), 1, 4))
