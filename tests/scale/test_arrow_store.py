"""Arrow's file systems on this disk: what is found, and how files are written, renamed, removed."""

import gzip
import re
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import FileFormatError, InputError, OutputError, UsageError
from tactful.scale.tables.formats import Format

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
from tactful.scale.cluster.arrow_store import ArrowStore, file_system, pattern

HARD = ["a b.csv", "c#1.csv", "d?x=1.csv", "e%20.csv", "f[1].csv", "ü+{g}.csv"]


@pytest.fixture
def store() -> ArrowStore:
    return ArrowStore(Format("csv"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "_old").mkdir()
    for name in (*HARD, "deep/z.csv.gz", "_old/no.csv", "_no.csv", ".no.csv", "no.jsonl", "no"):
        (tmp_path / "in" / name).write_text("text\n")
    return tmp_path / "in"


@pytest.mark.parametrize("before", ["", "file://"])
def test_a_folder_gives_its_tables_in_order_and_each_can_be_opened_again(
    before: str, store: ArrowStore, folder: Path
) -> None:
    found = store.find([f"{before}{folder}"])
    assert len(found) == len(HARD) + 1
    names = [unquote(each.path) if before else each.path for each in found]
    assert names == sorted(names)
    for file in found:
        assert (file.size, store.find([file.path])) == (5, [file])
        assert store.read(file.path) == b"text\n"
        assert file.changed is not None


@pytest.mark.parametrize(
    ("wished", "names"),
    [
        ("*.csv", [*HARD, "_no.csv", ".no.csv"]),
        ("?#1.csv", ["c#1.csv"]),
        ("**/*.gz", ["deep/z.csv.gz"]),
        ("[ce]*.csv", ["c#1.csv", "e%20.csv"]),
        ("[!a-e]*[]].csv", ["f[1].csv"]),
    ],
)
def test_a_pattern_gives_what_it_matches(
    wished: str, names: list[str], store: ArrowStore, folder: Path
) -> None:
    found = store.find([f"{folder}/{wished}"])
    assert {each.path for each in found} == {str(folder / name) for name in names}


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=10))
def test_a_name_without_signs_matches_itself_alone(name: str) -> None:
    plain = re.sub(r"[*?\[]", "", name)
    assert re.fullmatch(pattern(plain), plain)
    assert not re.fullmatch(pattern(plain), f"{plain}x")


def test_a_range_that_is_none_stands_for_its_own_letters() -> None:
    assert re.fullmatch(pattern("[z-a].csv"), "[z-a].csv")
    assert not re.fullmatch(pattern("[ab].csv"), "].csv")
    assert not re.fullmatch(pattern("x[!a]y"), "x/y")


def test_what_is_not_there_is_one_sentence(store: ArrowStore, folder: Path) -> None:
    with pytest.raises(UsageError, match="There is no file or folder"):
        store.find([str(folder / "none.csv")])
    with pytest.raises(UsageError, match="No file matches"):
        store.find([f"{folder}/*.tsv"])
    with pytest.raises(InputError, match="found no table in the folder"):
        ArrowStore(Format("tsv")).find([str(folder)])
    assert store.read(str(folder / "none.csv")) is None
    assert store.names(str(folder / "none")) == []


@pytest.mark.parametrize("name", ["nowhere://x/in.csv", "://", "s3://", "http://127.0.0.1/in.csv"])
def test_an_address_that_arrow_does_not_know_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="the address cannot be opened"):
        file_system(name)


def test_a_file_is_written_whole_and_nothing_else_is_left(
    store: ArrowStore, tmp_path: Path
) -> None:
    path = tmp_path / "new" / "deep" / "x.json"
    store.write(str(path), b"one")
    store.write(str(path), b"two")
    assert store.read(str(path)) == b"two"
    assert store.names(str(path.parent)) == ["x.json"]


def test_bytes_are_kept_as_they_are_whatever_the_name_tells(
    store: ArrowStore, tmp_path: Path
) -> None:
    packed = gzip.compress(b"text")
    for data in (packed, b"not packed"):
        store.write(str(tmp_path / "top.csv.gz"), data)
        assert store.read(str(tmp_path / "top.csv.gz")) == data


def test_files_and_folders_are_removed_and_renamed(store: ArrowStore, folder: Path) -> None:
    store.remove(str(folder / "deep"))
    store.remove(str(folder / "a b.csv"))
    store.remove(str(folder / "never there"))
    assert not (folder / "deep").exists()
    assert not (folder / "a b.csv").exists()
    assert store.can_rename(str(folder))
    store.rename(str(folder), str(folder.with_name("new")))
    assert (folder.with_name("new") / "c#1.csv").exists()
    with pytest.raises(OutputError, match="it cannot be renamed"):
        store.rename(str(folder), str(folder.with_name("newer")))


def test_what_cannot_be_written_is_one_sentence(store: ArrowStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/x: it cannot be written") as caught:
        store.write(str(tmp_path / "file" / "x"), b"")
    assert len(str(caught.value).splitlines()) == 1


def test_the_columns_of_parquet_are_told_in_words(store: ArrowStore, tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    table = pl.DataFrame({"text": ["a"], "n": [1], "more": [[1.5]]})
    table.write_parquet(path)
    assert store.columns(str(path)) == {
        "text": "string",
        "n": "int64",
        "more": "list<double>",
    }
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileFormatError, match=r"in\.parquet: found no Parquet file"):
        store.columns(str(path))
    path.write_bytes(b"")
    with pytest.raises(FileFormatError, match="expected a complete one"):
        store.columns(str(path))


def test_a_place_is_told_as_the_files_in_it_are(store: ArrowStore, folder: Path) -> None:
    for name in (str(folder), f"file://{folder}", f"file://{folder}/"):
        assert store.find([name])[0].path.startswith(f"{store.place(name)}/")
