"""The local engine: the same cells for any size of parts and any number of workers."""

import gzip
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.children import INTERRUPTED, LIMIT, child, interrupt
from tests.scale.made import IDS, WORDS, job, scored_file

from tactful.errors import InputError, TactfulError, UsageError
from tactful.scale.local.engine import Input, run_local
from tactful.scale.local.manifest import FILE
from tactful.scale.local.place import SUMMARY
from tactful.scale.progress import Watch
from tactful.scale.summary import to_json
from tactful.scale.tables.formats import Format, format_of
from tactful.scale.tables.sources import find_sources, zstd

ADDED = [*IDS, "model", "error"]
TABLE = pl.DataFrame(
    {
        "id": range(23),
        "text": [
            *(f"text {at % 8}" for at in range(15)),
            *(None, "", "  ", "raise", "nothing", 'a "quote", and\na line', "é 🙏", "\u2028"),
        ],
        "likes": [None, *range(22)],
    },
    schema_overrides={"likes": pl.Float64},
)
KINDS = ["csv", "tsv.gz", "jsonl", "jsonl.zst", "parquet", "arrow"]


def write_input(folder: Path, kind: str = "csv") -> Path:
    path = folder / f"in.{kind}"
    if kind == "parquet":
        TABLE.write_parquet(path)
    elif kind == "arrow":
        TABLE.write_ipc(path)
    else:
        text = (
            TABLE.write_ndjson()
            if kind.startswith("jsonl")
            else TABLE.write_csv(separator="\t" if kind.startswith("tsv") else ",")
        )
        path.write_bytes(gzip.compress(text.encode()) if kind.endswith("gz") else text.encode())
    return path


def read(path: Path) -> pl.DataFrame:
    """Read a file that was written; cells of CSV and TSV as text."""
    data, found = path.read_bytes(), format_of(path.name)
    assert found is not None
    if found.packing == "gz":
        data = gzip.decompress(data)
    elif found.packing == "zst":
        data = zstd().decompress(data)
    if found.kind == "parquet":
        return pl.read_parquet(data)
    if found.kind == "arrow":
        return pl.read_ipc(data)
    if found.kind == "jsonl":
        return pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    return pl.read_csv(data, separator=found.separator, infer_schema=False)


def read_all(output: Path) -> pl.DataFrame:
    if output.is_file():
        return read(output)
    parts = sorted(output.glob("part-*"))
    return pl.concat(map(read, parts), how="vertical_relaxed")


@pytest.mark.parametrize("written", KINDS)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_cells_are_the_same_for_any_size_of_parts(
    tmp_path: Path, kind: str, written: str
) -> None:
    source = write_input(tmp_path, kind)
    made = {}
    for rows in (1, 7, 1000):
        output = tmp_path / f"{rows}.{written}"
        summary = scored_file(source, output, part_rows=rows).summary
        scored_file(
            source,
            tmp_path / f"parts-{rows}",
            part_rows=rows,
            output_format=format_of(f"x.{written}"),
        )
        made[rows] = (output, summary)
        assert_frame_equal(read_all(tmp_path / f"parts-{rows}"), read(output))
    first, summary = made[1]
    assert read(first)["id"].cast(pl.Int64).to_list() == list(range(23))
    assert read(first).columns == ["id", "text", "likes", *ADDED]
    for output, other in made.values():
        assert_frame_equal(read(output), read(first))
        assert to_json(other) == to_json(summary)
        if written in ("csv", "jsonl"):
            assert output.read_bytes() == first.read_bytes()


@pytest.mark.parametrize("options", [{}, {"dedupe": True, "top": 4, "where": "id <> '3'"}])
def test_two_workers_write_the_same_bytes_as_one(tmp_path: Path, options: dict[str, Any]) -> None:
    source = tmp_path / "in.csv.gz"
    text = TABLE.write_csv() + "".join(f"{at},text {at % 50},\n" for at in range(23, 300))
    source.write_bytes(gzip.compress(text.encode()))
    outputs = [tmp_path / f"out{workers}.csv" for workers in (1, 2)]
    for workers, output in enumerate(outputs, 1):
        scored_file(source, output, workers=workers, part_rows=9, **options)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    if options:
        tops = [output.with_name(f"{output.stem}.top.csv").read_bytes() for output in outputs]
        assert tops[0] == tops[1]
        assert tops[0].count(b"\n") == 5


def test_equal_texts_that_are_read_once_have_the_same_cells(tmp_path: Path) -> None:
    source = write_input(tmp_path)
    plain = scored_file(source, tmp_path / "plain.csv", part_rows=4)
    once = scored_file(source, tmp_path / "once.csv", part_rows=4, dedupe=True)
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "once.csv").read_bytes()
    # What has no score is not remembered: each part may ask for it once more.
    assert (plain.summary.fresh, once.summary.fresh) == (23, 16)


@pytest.mark.parametrize("name", ["out", "out.csv", "out.jsonl", "out.parquet", "out.arrow"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_without_rows_has_its_columns(tmp_path: Path, name: str, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    empty = TABLE[:0]
    empty.write_csv(source) if kind == "csv" else empty.write_parquet(source)
    done = scored_file(source, tmp_path / name, top=3)
    assert (done.summary.rows, done.summary.scored) == (0, 0)
    for path in map(Path, done.written):
        if path.suffix == ".jsonl":
            assert path.read_bytes() == b""
        else:
            table = read_all(path)
            assert (len(table), table.columns) == (0, ["id", "text", "likes", *ADDED])
    assert done.written[0] == str(tmp_path / name)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_of_lines_is_an_empty_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "in.jsonl").write_text(text)
    done = scored_file(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
    assert done.summary.rows == 0
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_an_empty_file_without_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("")
    with pytest.raises(TactfulError, match=r"in.csv"):
        scored_file(tmp_path / "in.csv", tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_texts_that_are_all_null_have_reasons_and_no_scores(tmp_path: Path, kind: str) -> None:
    source = tmp_path / f"in.{kind}"
    table = pl.DataFrame({"id": [1, 2], "text": [None, None]}, schema_overrides={"id": pl.Int64})
    if kind == "csv":
        table.write_csv(source)
    elif kind == "jsonl":
        table.write_ndjson(source)
    else:
        table.write_parquet(source) if kind == "parquet" else table.write_ipc(source)
    done = scored_file(source, tmp_path / f"out.{kind}", dedupe=True)
    found = read(tmp_path / f"out.{kind}")
    assert found["error"].to_list() == ["no text"] * 2
    assert [found[name].null_count() for name in (*IDS, "model")] == [2] * 4
    assert done.summary.errors == {"no text": 2}


def test_several_files_are_one_table_in_the_order_of_the_first_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n1,a\n2,b\n")
    (tmp_path / "b.csv").write_text("text,id\nc,3\n")
    scored_file([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out.csv", part_rows=1)
    found = read(tmp_path / "out.csv")
    assert found.columns == ["id", "text", *ADDED]
    assert found["id"].to_list() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text_column": "body"}, "There is no column named 'body'"),
        ({"by": ("source",)}, "There is no column named 'source'"),
        ({"where": "source = 'x'"}, "There is no column named 'source'"),
        ({"where": "MAX(likes) > 1"}, "looks at several rows"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_what_could_only_fail_later_is_refused_before_anything_is_written(
    tmp_path: Path, kind: str, options: dict[str, Any], said: str
) -> None:
    source = write_input(tmp_path, kind)
    with pytest.raises(UsageError, match=said):
        scored_file(source, tmp_path / "out", **options)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


def test_lines_whose_keys_change_cannot_become_a_table(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text":"a"}\n{"text":"b","new":1}\n')
    with pytest.raises(TactfulError, match=r"in.jsonl, from line 2 on: found the key 'new'"):
        scored_file(source, tmp_path / "out.csv", part_bytes=10)
    scored_file(source, tmp_path / "out.jsonl", part_rows=1)
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[1])["new"] == 1


def test_what_a_run_writes_among_its_input_is_not_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("text\nwe meet\nwe talk\n")
    options: dict[str, Any] = {"output_format": Format("csv"), "top": 1, "part_rows": 1}
    first = scored_file([folder], folder / "scored.csv", **options)
    assert (folder / "scored.top.csv").exists()
    again = scored_file([folder], folder / "scored.csv", restart=True, **options)
    assert first.summary.rows == again.summary.rows == 2


def test_a_column_named_line_is_a_column_and_no_line_of_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("line\nwe meet\n")
    scored_file(tmp_path / "a.csv", tmp_path / "out.jsonl", text_column="line")
    assert json.loads((tmp_path / "out.jsonl").read_text())["line"] == "we meet"


def test_a_folder_has_parts_a_record_and_a_summary(tmp_path: Path) -> None:
    done = scored_file(write_input(tmp_path), tmp_path / "out", part_rows=10, top=2)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *(f"part-0000{at}.csv" for at in range(3)),
        *(FILE, SUMMARY, "top.csv", ".lock"),
    }
    assert json.loads((tmp_path / "out" / SUMMARY).read_text()) == to_json(done.summary)
    assert done.written == (str(tmp_path / "out"), str(tmp_path / "out" / "top.csv"))


@pytest.mark.parametrize("text", ["no json", "{}", "[3]"])
def test_a_summary_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    source = write_input(tmp_path)
    scored_file(source, tmp_path / "out")
    (tmp_path / "out" / SUMMARY).write_text(text)
    with pytest.raises(InputError, match=r"summary.json: .*cannot be read .*--restart"):
        scored_file(source, tmp_path / "out")


def test_the_model_is_laid_out_only_for_several_processes_and_taken_away(tmp_path: Path) -> None:
    folders: list[Path] = []

    def lay_out(folder: Path) -> Any:
        folder.mkdir(parents=True)
        (folder / "weights.npz").write_bytes(bytes(9))
        folders.append(folder)
        return WORDS.load

    shared = replace(WORDS, lay_out=lay_out)
    for workers in (1, 2):
        source = write_input(tmp_path, "tsv.gz")
        run_local(
            job(
                source,
                tmp_path / f"out{workers}",
                scorer=shared,
                workers=workers,
                output_format=Format("csv"),
            ),
            Watch(),
        )
    assert len(folders) == 1
    assert not folders[0].exists()


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send")
def test_an_interrupt_is_one_line_and_the_command_goes_on_later(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    sentence = "we meet our kind neighbours on Sunday " * 4
    text = "".join(f"{at},{sentence} {at}\n" for at in range(8_000))
    source.write_text("id,text\n" + text)

    command = [sys.executable, "-m", "tactful", "score", str(source), "-o", str(tmp_path / "out")]
    command += ["--model", "fast", "--lang", "en", "--part-rows", "200", "--workers", "2", "-q"]
    with child(command, stderr=subprocess.PIPE, text=True) as process:
        while not list(tmp_path.glob("out/part-*")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.001)
        interrupt(process)
        said = process.communicate(timeout=LIMIT)[1].strip()
    assert process.returncode in INTERRUPTED
    assert said == "Error: Interrupted."
    assert not list(tmp_path.rglob("*.unfinished"))
    assert subprocess.run(command, check=False).returncode == 0
    parts = sorted(tmp_path.glob("out/part-*"))
    assert len(parts) == 40
    assert [row for part in parts for row in pl.read_csv(part)["id"]] == list(range(8_000))


def test_progress_counts_the_bytes_of_all_files(tmp_path: Path) -> None:
    sources = []
    for name, size in (("a.csv", 5), ("b.csv", 7)):
        (tmp_path / name).write_bytes(b"x" * size)
        sources += find_sources([str(tmp_path / name)])
    whole = Input(tuple(sources), (), cast("Any", None))
    assert whole.total == 12
