"""What comes before the first row, and which files may be read as one table."""

import io
import sys
from pathlib import Path

import polars as pl
import pytest

from tactful.errors import FileFormatError, InputError
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import Header, empty_table, header_of, read_header, read_headers
from tactful.scale.tables.sources import Source, find_sources, pack

MARK = b"\xef\xbb\xbf"


def source(kind: str = "csv") -> Source:
    return Source(Path(f"here.{kind}"), Format(kind))  # type: ignore[arg-type]


def head(data: bytes, kind: str = "csv") -> Header:
    return read_header(io.BytesIO(data), source(kind))


@pytest.mark.parametrize(
    ("data", "size", "lines", "columns"),
    [
        (b"a,b\n1,2\n", 4, 1, ("a", "b")),
        (b"a,b\r\n1,2\r\n", 5, 1, ("a", "b")),
        (MARK + b"a,b\n1,2\n", 7, 1, ("a", "b")),
        (b"a,b", 3, 0, ("a", "b")),
        (b"a,b\r", 4, 0, ("a", "b")),
        (b'"a\nb","c""d",\n1,2,3\n', 14, 2, ("a\nb", 'c"d', "")),
        (b'size 5",b\n', 10, 1, ('size 5"', "b")),
        ("größe,\u2028\n".encode(), 12, 1, ("größe", "\u2028")),
    ],
)
def test_a_header_ends_with_its_record(
    data: bytes, size: int, lines: int, columns: tuple[str, ...]
) -> None:
    assert head(data) == Header(size, lines, columns)


@pytest.mark.parametrize("start", [b"", MARK])
@pytest.mark.parametrize(("kind", "columns"), [("jsonl", ()), ("txt", ("text",))])
def test_lines_have_no_header_and_a_mark_is_left_out(
    kind: str, columns: tuple[str, ...], start: bytes
) -> None:
    for body in (b"", b"x", b"{}\n{}\n"):
        assert head(start + body, kind) == Header(len(start), 0, columns)


def test_a_head_is_found_as_soon_as_it_is_whole_and_stays() -> None:
    data = MARK + b'"a\n1",b\r\n1,2\n3,4\n'
    found = [header_of(data[:at], source(), is_all=False) for at in range(len(data) + 1)]
    assert found == [None] * 12 + [Header(12, 2, ("a\n1", "b"))] * (len(data) - 11)


def test_a_stream_keeps_what_was_read_behind_the_head() -> None:
    standard_input = Source(None, Format("csv"))
    assert read_header(io.BytesIO(b"a,b\n1,2\n"), standard_input).rest == b"1,2\n"
    lines = Source(None, Format("jsonl"))
    assert read_header(io.BytesIO(MARK + b"{}\n"), lines) == Header(3, 0, (), rest=b"{}\n")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "line 1: found nothing; expected the names"),
        (MARK, "line 1: found nothing"),
        (b"\n1,2\n", "line 1: found nothing"),
        (b"a,b,a\n", "line 1: found the column 'a' twice"),
        (b"a,,\n", "line 1: found the column '' twice"),
        (b"\xff,b\n", "line 1: found a header that cannot be read"),
        (b'"a"b,c\n', "line 1: found a header that cannot be read"),
        (b'"a,b\n1,2\n', "line 1: found a header that cannot be read"),
        (b"a,b\r1,2\r3,4\r", "line 1: found a carriage return without a line feed"),
        (b"a\rb,c\n1,2\n", "line 1: found a carriage return without a line feed"),
        ("a,b\n".encode("utf-16"), "found UTF-16 or no text at all; .*save it as UTF-8"),
        ("a,b\n".encode("utf-16-le"), "found UTF-16 or no text at all"),
        ("a,b\n".encode("utf-16-be"), "found UTF-16 or no text at all"),
        (b'"' + b"a,b\n" * (1 << 19), "line 1: found a header that does not end within 1 MB"),
    ],
)
def test_a_header_that_is_none_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(FileFormatError, match=rf"^here.csv(, |: ){said}"):
        head(data)


@pytest.mark.parametrize("kind", ["jsonl", "txt"])
def test_lines_in_another_encoding_are_refused(kind: str) -> None:
    with pytest.raises(FileFormatError, match="found UTF-16"):
        head('{"a": 1}\n'.encode("utf-16"), kind)


def written(folder: Path, **files: bytes) -> list[Source]:
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    return find_sources([str(folder / name.replace("_", ".")) for name in files])


def test_files_with_the_same_columns_in_another_order_are_one_table(tmp_path: Path) -> None:
    gz = pack(b"b,a\n", "gz")
    headers = read_headers(written(tmp_path, one_csv=b"a,b\n", two_csv=b"b,a\n", three_csv_gz=gz))
    assert [each.columns for each in headers] == [("a", "b"), ("b", "a"), ("b", "a")]


def test_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    sources = written(tmp_path, one_csv=b"a,b\n", two_csv=b"a,c\n")
    with pytest.raises(InputError, match=r"two.csv: found other columns than in .*one.csv \(b, c"):
        read_headers(sources)


def test_files_with_other_types_are_refused(tmp_path: Path) -> None:
    for name, ids in (("one", [1]), ("two", ["1"])):
        pl.DataFrame({"text": ["x"], "id": ids}).write_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match=r"two.parquet: found 'id' as String, and as Int64 in "):
        read_headers(find_sources([str(tmp_path)]))


def test_the_first_table_is_known_without_its_rows(tmp_path: Path) -> None:
    pl.DataFrame({"text": ["x"], "id": [1]}).write_ipc(tmp_path / "a.arrow")
    (found,) = read_headers(find_sources([str(tmp_path)]))
    assert empty_table(found).schema == {"text": pl.String, "id": pl.Int64}
    assert empty_table(head(b"a,b\n1,2\n")).schema == {"a": pl.String, "b": pl.String}
    assert not len(empty_table(found))


def test_the_head_of_standard_input_is_read_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO(pack(b"a,b\n1,2\n", "gz"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    (found,) = read_headers([Source(None, Format("csv", "gz"))])
    assert (found.columns, found.rest) == (("a", "b"), b"1,2\n")
