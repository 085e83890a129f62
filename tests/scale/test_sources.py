"""Which files are read: each once, in order, and never what the job itself writes."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tactful.errors import InputError, TactfulError, UsageError
from tactful.scale.tables.formats import Format
from tactful.scale.tables.sources import Source, find_sources, format_from_name, is_remote

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
CSV, JSONL, TXT = Format("csv"), Format("jsonl"), Format("txt")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text\nfine\n")


def found(*named: str, wished: Format | None = None, output: str | None = None) -> list[str]:
    outputs = [] if output is None else [Path(output)]
    return [str(each.path) for each in find_sources(named, wished, outputs)]


def test_a_folder_gives_all_its_tables_in_the_order_of_names(here: Path) -> None:
    made(here, "in/b.csv", "in/a/z.csv.gz", "in/a.csv", "in/c/d/e.csv", "in/readme.md", "in/x.json")
    assert found("in") == ["in/a/z.csv.gz", "in/a.csv", "in/b.csv", "in/c/d/e.csv"]


def test_hidden_and_internal_files_of_a_folder_are_not_read(here: Path) -> None:
    made(here, "in/a.csv", "in/.b.csv", "in/_c.csv", "in/.d/e.csv", "in/_work/f.csv")
    made(here, "in/.scored.csv.tactful/part-00000.csv")
    assert found("in") == ["in/a.csv"]


def test_a_pattern_is_searched_and_sorted_and_leaves_out_hidden_files(here: Path) -> None:
    made(here, "in/b.csv", "in/a.csv", "in/deep/c.csv", "in/.h.csv", "in/d.tsv")
    assert found("in/*.csv") == ["in/a.csv", "in/b.csv"]
    assert found("in/**/*.csv") == ["in/a.csv", "in/b.csv", "in/deep/c.csv"]
    assert found("in/[b]*") == ["in/b.csv"]


def test_a_name_that_looks_like_a_pattern_is_a_name_if_there_is_such_a_file(here: Path) -> None:
    made(here, "a[1].csv", "a1.csv")
    assert found("a[1].csv") == ["a[1].csv"]


def test_files_come_in_the_order_named_and_each_once(here: Path) -> None:
    made(here, "b.csv", "a.csv", "in/c.csv")
    (here / "in" / "link.csv").symlink_to(here / "b.csv")
    assert found("b.csv", "a.csv", "in", "./b.csv", "*.csv") == ["b.csv", "a.csv", "in/c.csv"]


def test_the_home_folder_may_be_a_wave(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here))
    made(here, "a.csv")
    assert found("~/a.csv") == [str(here / "a.csv")]
    with pytest.raises(UsageError, match=r"^There is no file or folder '~nobody-there/a\.csv'"):
        found("~nobody-there/a.csv")


def test_what_the_job_writes_is_not_read(here: Path) -> None:
    made(here, "in/a.csv", "in/scored.csv", "in/out/part-00000.csv")
    assert found("in", output="in/scored.csv") == ["in/a.csv", "in/out/part-00000.csv"]
    assert found("in", output="in/out") == ["in/a.csv", "in/scored.csv"]
    assert found("in/*.csv", output=str(here / "in/scored.csv")) == ["in/a.csv"]
    assert found("in/a.csv", output="in/a.csv.out") == ["in/a.csv"]


@pytest.mark.parametrize("output", ["in/a.csv", "in", "./in/../in/a.csv"])
def test_a_file_cannot_be_input_and_output(here: Path, output: str) -> None:
    made(here, "in/a.csv")
    with pytest.raises(UsageError, match=r"^in/a.csv: found as input and as output"):
        found("in/a.csv", output=output)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["nope.csv"], r"^There is no file or folder 'nope.csv'; check the name"),
        (["nope*.csv"], r"^No file matches 'nope\*.csv'; check the pattern"),
        (["data"], r"^data: the name does not show the format; .*--input-format"),
        (["*ta"], r"^data: the name does not show the format"),
        (["empty"], r"^empty: found no table in the folder; expected files that end in \.csv"),
        (["a.csv", "b.jsonl"], r"^Found a csv file \(a.csv\) and a jsonl file \(b.jsonl\)"),
        (["-", "a.csv"], r"^Give files or '-'"),
        (["-"], r"^The format of standard input is not known; pass --input-format"),
        (["s3://bucket/a.csv"], r"^s3://bucket/a.csv: found an address; .*--engine ray"),
        (["c.parquet.gz"], r"^c.parquet.gz: found a compressed parquet file"),
        (["broken.csv"], r"^There is no file or folder 'broken.csv'"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(
    here: Path, named: list[str], said: str
) -> None:
    made(here, "data", "a.csv", "b.jsonl", "c.parquet.gz")
    (here / "empty").mkdir()
    (here / "broken.csv").symlink_to(here / "gone.csv")
    with pytest.raises(TactfulError, match=said):
        found(*named)


def test_a_link_to_nothing_in_a_folder_is_told(here: Path) -> None:
    (here / "in").mkdir()
    (here / "in" / "a.csv").symlink_to(here / "gone.csv")
    with pytest.raises(InputError, match=r"^in/a.csv: it cannot be read \(No such file"):
        found("in")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(here: Path) -> None:
    os.mkfifo(here / "pipe.csv")
    for named in ("pipe.csv", "."):
        with pytest.raises(UsageError, match=r"pipe.csv: found a pipe or a device; .*pass '-'"):
            found(named)
    with pytest.raises(UsageError, match=r"^/dev/null: found a pipe or a device"):
        found("/dev/null", wished=CSV)


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_what_may_not_be_read_is_told(here: Path) -> None:
    made(here, "a.csv", "in/b.csv")
    (here / "a.csv").chmod(0)
    with pytest.raises(InputError, match=r"^a.csv: it cannot be read \(Permission denied\)"):
        found("a.csv")
    (here / "in").chmod(0)
    try:
        with pytest.raises(InputError, match=r"^in: the folder cannot be listed \(Permission"):
            found("in")
    finally:
        (here / "in").chmod(0o700)


def test_standard_input_is_a_source_without_a_path() -> None:
    (source,) = find_sources(["-"], JSONL)
    assert source == Source(None, JSONL)
    assert source.name == "standard input"
    source.refuse_if_changed()
    with pytest.raises(UsageError, match="Parquet and Arrow are read from files"):
        find_sources(["-"], Format("parquet"))


@pytest.mark.parametrize(
    ("name", "wished", "expected"),
    [
        ("a.csv", None, CSV),
        ("a.csv", JSONL, CSV),
        ("a", JSONL, JSONL),
        ("a", None, None),
        ("a.gz", JSONL, Format("jsonl", "gz")),
        ("a.log.zst", CSV, Format("csv", "zst")),
        ("a.txt", None, TXT),
        ("a.txt", Format("tsv"), Format("tsv")),
        ("a.txt.gz", Format("tsv"), Format("tsv", "gz")),
    ],
)
def test_a_wish_counts_where_the_name_tells_nothing(
    name: str, wished: Format | None, expected: Format | None
) -> None:
    assert format_from_name(name, wished) == expected


@pytest.mark.parametrize(
    ("name", "remote"), [("s3://b/a.csv", True), ("hdfs://n:1/a", True), ("a:b.csv", False)]
)
def test_an_address_is_told_from_a_name(name: str, remote: bool) -> None:
    assert is_remote(name) is remote


def test_a_file_that_changes_under_way_is_refused(here: Path) -> None:
    made(here, "a.csv")
    (source,) = find_sources(["a.csv"])
    source.refuse_if_changed()
    assert source.as_data() == {"file": "a.csv", "size": 10, "changed": source.changed}
    with pytest.raises(InputError, match="it was changed while it was read"):
        replace(source, changed=source.changed - 1).refuse_if_changed()
    with (here / "a.csv").open("a") as file:
        file.write("more\n")
    with pytest.raises(InputError, match=r"\(10 bytes before, 15 now\).*--restart"):
        source.refuse_if_changed()
    (here / "a.csv").unlink()
    with pytest.raises(InputError, match=r"^a.csv: it cannot be read \(No such file"):
        source.refuse_if_changed()


@pytest.mark.parametrize(
    ("name", "wished", "found"),
    [
        ("rows", Format("csv"), Format("csv")),
        ("rows.gz", Format("csv"), Format("csv", "gz")),
        ("rows.txt.gz", Format("jsonl"), Format("jsonl", "gz")),
        ("rows.gz", None, None),
        ("rows.jsonl", Format("csv"), Format("jsonl")),
    ],
)
def test_the_name_shows_the_compression_of_a_requested_format(
    name: str, wished: Format | None, found: Format | None
) -> None:
    assert format_from_name(name, wished) == found
