"""CSV and TSV: what was written in the cells comes out, and what is no row does not."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.scale.tables import parse
from tactful.scale.tables.formats import Format
from tactful.scale.tables.parse import read_delimited
from tactful.scale.tables.sources import Source

Cells = tuple[str | None, ...]
CSV, TSV = Format("csv"), Format("tsv")
PLACE = "here.csv"
PARTS = [b"\xc3\xa9", b"\xff", b"\xef\xbb\xbf"]
ANY_BYTES = st.lists(
    st.sampled_from(
        [b'"', b'""', b'"a\nb"', b"\n", b"\r\n", b"\r", b",", b"a", b" ", b"a,b\n", b"\0", *PARTS]
    ),
    max_size=14,
).map(b"".join)
LETTERS = st.sampled_from(list('ab"\n\r,\t \ufeff\0é\u2028\U0001f600')) | st.characters(
    codec="utf-8"
)
cells = st.text(LETTERS, max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=6)
)


def read(
    data: bytes, columns: str = "xy", kind: Format = CSV, skip: bool = False, line: int = 2
) -> tuple[list[Cells], int]:
    source = Source(Path(PLACE), kind)
    table, rejects = read_delimited(data, source, list(columns), line, skip_bad_rows=skip)
    assert table.schema == dict.fromkeys(columns, pl.String)
    return table.rows(), len(rejects)


@settings(max_examples=300)
@given(
    tables,
    st.sampled_from([CSV, TSV]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
def test_what_is_written_in_cells_comes_out(
    rows: list[Cells], kind: Format, ends: str, quoting: int, has_last_end: bool
) -> None:
    # Some versions of Python write a carriage return without quotes, and it is a line end then.
    assume(quoting == csv.QUOTE_ALL or not any((row[-1] or "").endswith("\r") for row in rows))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=kind.separator, lineterminator=ends, quoting=quoting)  # type: ignore[arg-type]
    writer.writerows(rows)
    data = buffer.getvalue()
    if not has_last_end:
        data = data.removesuffix(ends)
    # Without quotes an empty cell is null; the only cell of a row is quoted by the writer.
    is_null = quoting == csv.QUOTE_MINIMAL and len(rows[0]) > 1
    expected = [tuple(None if is_null and not cell else cell for cell in row) for row in rows]
    assert read(data.encode(), "abcd"[: len(rows[0])], kind) == (expected, 0)


def cell_by_cell(data: bytes) -> Iterator[Cells | None]:
    """Read rows as the slow way does, without the shortcut for plain ones."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        if data[at:end] not in (b"\n", b"\r\n", b"\r"):
            cells, behind = parse._cells(data, at, ",")
            end = behind or end
            try:
                texts = (cell if cell is None else cell.decode() for cell in cells or ())
                yield tuple(texts) if cells else None
            except UnicodeDecodeError:
                yield None
        at = end


@settings(max_examples=400)
@given(ANY_BYTES, st.integers(1, 3))
def test_the_fast_way_and_the_slow_way_agree(data: bytes, width: int) -> None:
    columns = "xyz"[:width]
    fast = parse._quickly(data, CSV, list(columns))
    slow = list(cell_by_cell(data))
    if fast is not None:
        assert fast.rows() == slow
    else:
        found, skipped = read(data, columns, skip=True)
        assert found == [row for row in slow if row is not None and len(row) == width]
        assert skipped == len(slow) - len(found)


@settings(max_examples=300)
@given(ANY_BYTES)
def test_a_row_is_read_the_same_whatever_stands_beside_it(data: bytes) -> None:
    data += b"\n"
    # A quoting mistake may open a quote that takes in what follows.
    assume(not any("quote" in (row.fault or "") for row in parse._rows(data, ",", 2, 1)))
    rows, skipped = read(data, skip=True)
    assert read(data + b'a"b,""\n', skip=True) == ([*rows, ('a"b', "")], skipped)
    assert read(data + b"short\n", skip=True) == (rows, skipped + 1)
    assert read(b"\xff,\n" + data, skip=True) == (rows, skipped + 1)
    assert read(b"a,\n\n" + data, skip=True) == ([("a", None), *rows], skipped)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'a,\n,"b"\n"",""\n', [("a", None), (None, "b"), ("", "")]),
        (b"a,b\n\n\r\nc,d", [("a", "b"), ("c", "d")]),
        (b'12" pipe,a "word" here\n"",\n', [('12" pipe', 'a "word" here'), ("", None)]),
        (b'a,5"\n6",b\n', [("a", '5"'), ('6"', "b")]),
        (b"a\rb,c\r\n\r,d\r\n", [("a\rb", "c"), ("\r", "d")]),
        (b"\xef\xbb\xbfa,b\n", [("\ufeffa", "b")]),
        (b"a b , c\n#d,\0\n", [("a b ", " c"), ("#d", "\0")]),
        (b"007,1.50\nNULL,nan\n", [("007", "1.50"), ("NULL", "nan")]),
        (b"", []),
        (b"\n\r\n\r", []),
    ],
)
def test_cells_are_kept_as_they_were_written(data: bytes, expected: list[Cells]) -> None:
    assert read(data) == (expected, 0)


@pytest.mark.parametrize(
    ("data", "line", "fault"),
    [
        (b"a,b\nc\n", 3, "found 1 cell; expected 2 cells"),
        (b"a,b\nc,d,e\n", 3, "found 3 cells; expected 2 cells"),
        (b"a,b\nc,d,\n", 3, "found 3 cells"),
        (b"a,b\nc", 3, "found 1 cell"),
        (b'"a\nb",c\n\nd\n', 5, "found 1 cell"),
        (b"a\nb,c,d\n", 2, "found 1 cell"),
        (b"a,b,c\nd\n", 2, "found 3 cells"),
        (
            b'a,b\n"c"d,e\nf,g\n',
            3,
            r"found a quoting mistake \(a quote that is not closed, or not doubled",
        ),
        (b'a,b\nc,"d\ne,f\n', 3, "found a quoting mistake"),
        (b'a,"b" \nc,d\n', 2, "found a quoting mistake"),
        (b'a,b\nc,"d"\r\r\n', 3, "found a quoting mistake"),
        (b"a,b\n\xffc,d\n", 3, "found bytes that are not UTF-8 text"),
        (b"a\xc3,\xa9b\n", 2, "found bytes that are not UTF-8 text"),
        (b'"\xed\xa0\xbd",b\n', 2, "found bytes that are not UTF-8 text"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(data: bytes, line: int, fault: str) -> None:
    with pytest.raises(InputError, match=rf"^{PLACE}, line {line}: {fault}.*--bad-rows skip"):
        read(data)


@pytest.mark.parametrize(
    ("data", "expected", "skipped"),
    [
        (b"a,b\nc\nd,e,f\ng,h\n", [("a", "b"), ("g", "h")], 2),
        (b'a,""\nc,"d\ne,f\n', [("a", ""), ("e", "f")], 1),
        (b'"c"d,e\n"f\ng",h\n', [("f\ng", "h")], 1),
        (b"\xff,b\nc,d\n", [("c", "d")], 1),
        (b"a\nb\n", [], 2),
    ],
)
def test_bad_rows_are_skipped_and_counted(data: bytes, expected: list[Cells], skipped: int) -> None:
    assert read(data, skip=True) == (expected, skipped)


@pytest.mark.parametrize("short", [b"c", b'"c"', b'"c\nd"', b"c\r"])
@pytest.mark.parametrize("last_end", [b"", b"\n"])
def test_a_short_row_is_never_filled_up(short: bytes, last_end: bytes) -> None:
    many = b'a,"b\n"\n' * 3000
    for data in (short + b"\n" + many, many + short + b"\n" + many, many + short + last_end):
        with pytest.raises(InputError, match="found 1 cell; expected 2 cells"):
            read(data)
        assert read(data, skip=True)[1] == 1


def test_the_only_column_may_have_empty_texts_but_blank_lines_are_none() -> None:
    assert read(b'a\n\n""\n \n"\n"\n', "x") == ([("a",), ("",), (" ",), ("\n",)], 0)
    with pytest.raises(InputError, match="found 2 cells; expected 1 cell as"):
        read(b"a\nb,c\n", "x")


def test_many_rows_with_line_ends_in_cells_are_read_as_written() -> None:
    rows = [(f"{at}", 'two\nlines, "so"' * (at % 3), "é\r\n" * (at % 5)) for at in range(20_000)]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, quoting=csv.QUOTE_ALL).writerows(rows)
    assert read(buffer.getvalue().encode(), "abc") == (rows, 0)
