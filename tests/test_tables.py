"""Reading a plain table for a command: every format says the same, every mistake has its line."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from tactful.errors import FileFormatError, InputError, TactfulError, UnknownNameError, UsageError
from tactful.tables import read_table, require_columns, split_questions

FRAME = pl.DataFrame({"item": ["a", "b"], "label": ["1", None]})
CSV = b'item,label\na,1\nb,""\n'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.CSV", b"\xef\xbb\xbf" + CSV),
        ("t.csv.gz", gzip.compress(CSV, mtime=0)),
        ("t.tsv", CSV.replace(b",", b"\t").replace(b"\n", b"\r\n")),
        ("t.tab", CSV.replace(b",", b"\t")),
        ("index.csv", b",item,label\n0,a,1\n1,b,\n\n"),
        ("t.jsonl", b'{"item":"a","label":"1"}\n\n{"item":"b","label":null}'),
        ("t.ndjson", b'{"item":"a","label":"1"}\n{"item":"b"}\n'),
        ("t.jsonl.gz", gzip.compress(b'{"item":"a","label":"1"}\n{"item":"b"}\n', mtime=0)),
    ],
)
def test_all_formats_say_the_same(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert read_table(path).equals(FRAME)


def test_parquet(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").equals(FRAME)


def test_text_stays_as_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('item,label\n007,"a, ""b""\nc"\n', encoding="utf-8")
    assert read_table(path).rows() == [("007", 'a, "b"\nc')]


def test_many_rows_come_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tactful.tables._BATCH_ROWS", 3)
    path = tmp_path / "t.csv"
    path.write_text("item\n" + "".join(f"{i}\n" for i in range(10)), encoding="utf-8")
    assert read_table(path)["item"].to_list() == [str(i) for i in range(10)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "found an empty file; expected a table"),
        ("t.csv", b"item,label\n", "found no rows"),
        ("t.csv", b"item,label\na,1\nb\n", r"line 3: found 1 fields; expected 2"),
        ("t.csv", b'item,label\n"a\nb",1\nc,d,e\n', r"line 4: found 3 fields"),
        ("t.csv", b'item,label\na,"b"c\n', "line 2: found a quoting mistake"),
        ("t.csv", b'item,label\na,1\nb,"2\n', "line 3: found a quoting mistake"),
        ("t.csv", b"item,item\na,1\n", "line 1: found the column 'item' twice"),
        ("t.csv", b",\na,1\n", "line 1: found no names"),
        ("t.csv", b"item,label\na,\xff\n", "line 2: found bytes that are not UTF-8"),
        ("t.csv", b"\xff\xfea\x00", "found UTF-16"),
        ("t.csv.gz", gzip.compress(CSV, mtime=0)[:-9], "damaged or cut-off"),
        ("t.jsonl", b"\n\n", "found no rows"),
        ("t.jsonl", b'{"a":1}\n{"a":\n', "line 2: found invalid JSON"),
        ("t.jsonl", b'{"a":1}\n{"a":"\xff"}\n', "line 2: found bytes that are not UTF-8"),
        ("t.jsonl", b"[1]\n", "line 1: found a JSON list; expected an object"),
        ("t.parquet", b"PAR1", "found a file that is not Parquet"),
    ],
)
def test_mistakes_have_their_place(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_table(path)
    assert str(path) in str(caught.value)


def test_an_empty_parquet_file(tmp_path: Path) -> None:
    FRAME.clear().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(FileFormatError, match="found no rows"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t.xlsx", "t", "t.parquet.gz", "t.gz"])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UsageError, match=r"found the ending .*; expected \.csv, \.tsv"):
        read_table(tmp_path / name)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match="found a folder"):
        read_table(tmp_path / "folder.csv")


def test_columns_and_questions() -> None:
    path = Path("t.csv")
    with pytest.raises(InputError, match=r"t\.csv: .*Did you mean 'label'"):
        require_columns(FRAME, ["item", "lable"], path)
    assert list(split_questions(FRAME, path, "question")) == [None]
    with pytest.raises(InputError, match="no column named 'question'"):
        split_questions(FRAME, path, "question", ["q"])
    asked = FRAME.with_columns(question=pl.Series([2, 1]))
    parts = split_questions(asked, path, "question")
    assert {name: part["item"].to_list() for name, part in parts.items()} == {
        "2": ["a"],
        "1": ["b"],
    }
    assert list(split_questions(asked, path, "question", ["1"])) == ["1"]
    with pytest.raises(UnknownNameError, match="no question named '3'"):
        split_questions(asked, path, "question", ["3"])
    with pytest.raises(TactfulError, match="1 row without 'label'"):
        split_questions(FRAME, path, "label")
