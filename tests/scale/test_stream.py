"""Printing: in the order of the input, nothing kept, and one sentence where it fails."""

import gzip
import io
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.children import INTERRUPTED, child, interrupt
from tests.scale.made import IDS, WORDS, job

from tactful.errors import TactfulError, UsageError
from tactful.scale.local.engine import stream_local
from tactful.scale.progress import Watch
from tactful.scale.scorer import Columns, ScoreBatch
from tactful.scale.summary import to_json
from tactful.scale.tables.formats import Format, named_format

ADDED = [*IDS, "model", "error"]


class Uneven:
    """Reads some texts more slowly than others, so that parts are done in another order."""

    def __call__(self, texts: list[str]) -> Columns:
        time.sleep(random.Random(texts[0]).choice([0, 0, 0.02]))
        return WORDS.load()(texts)


def load_uneven() -> ScoreBatch:
    return Uneven()


def write_rows(path: Path, rows: int) -> Path:
    text = "id,text\n" + "".join(f"{at},text {at}\n" for at in range(rows))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def printed(source: Path, written: str = "csv", **options: Any) -> bytes:
    out = io.BytesIO()
    options = {"output_format": named_format(written), "part_rows": 3} | options
    summary = stream_local(job(source, "-", **options), out, Watch()).summary
    assert summary.scored <= summary.rows
    return out.getvalue()


def test_rows_are_printed_in_their_order_with_one_header(tmp_path: Path) -> None:
    found = pl.read_csv(printed(write_rows(tmp_path / "in.csv", 20)))
    assert found.columns == ["id", "text", *ADDED]
    assert found["id"].to_list() == list(range(20))
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_two_workers_print_the_same_bytes_as_one(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.csv.gz", 120)
    uneven = replace(WORDS, load=load_uneven)
    assert printed(source, workers=2, scorer=uneven) == printed(source, part_rows=50)


@pytest.mark.parametrize("written", ["csv.gz", "tsv", "jsonl", "jsonl.zst"])
def test_any_format_of_lines_can_be_printed(tmp_path: Path, written: str) -> None:
    path = tmp_path / f"printed.{written}"
    path.write_bytes(printed(write_rows(tmp_path / "in.csv", 10), written))
    again = printed(path, "csv", prefix="again_")
    assert pl.read_csv(again)["id"].to_list() == list(range(10))


def test_the_summary_is_that_of_all_parts(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.csv", 10)
    found = [
        to_json(stream_local(job(source, "-", part_rows=n), io.BytesIO(), Watch()).summary)
        for n in (1, 4, 100)
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["rows"] == 10


@pytest.mark.parametrize(("dedupe", "read"), [(True, 1), (False, 6)])
def test_equal_texts_are_read_once_over_all_parts_if_so_wished(
    tmp_path: Path, dedupe: bool, read: int
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("text\n" + "the same\n" * 6)
    out = io.BytesIO()
    wanted = job(source, "-", part_rows=2, dedupe=dedupe)
    assert stream_local(wanted, out, Watch()).summary.fresh == read
    assert len(pl.read_csv(out.getvalue())["kind"].unique()) == 1


def test_standard_input_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"at": at, "text": f"text {at}"}) for at in range(7)]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    out = io.BytesIO()
    wanted = job(["-"], "-", input_format=Format("jsonl"), part_rows=2)
    assert stream_local(wanted, out, Watch()).summary.rows == 7
    assert [json.loads(line)["at"] for line in out.getvalue().splitlines()] == list(range(7))


def test_lines_from_standard_input_cannot_become_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text":"a"}\n')))
    wanted = job(["-"], "-", input_format=Format("jsonl"), output_format=Format("csv"))
    with pytest.raises(UsageError, match=r"JSON lines that cannot be read twice.*write JSONL"):
        stream_local(wanted, io.BytesIO(), Watch())


def test_what_was_printed_before_a_bad_row_stays_whole(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,text\n1,a\n2,b\n3,c,too many\n")
    out = io.BytesIO()
    with pytest.raises(TactfulError, match=r"in.csv, line 4"):
        stream_local(job(source, "-", part_rows=1), out, Watch())
    assert pl.read_csv(out.getvalue())["id"].to_list() == [1, 2]


def command(source: Path, *more: str) -> list[str]:
    start = [sys.executable, "-m", "tactful", "score", str(source), "--output", "-", "--model"]
    return [*start, "fast", "--lang", "en", "--quiet", *more]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_output_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command(write_rows(tmp_path / "in.csv", 10)),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "Error: The system refused: No space left on device.\n"


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send")
@pytest.mark.parametrize("how", ["the reader goes", "Ctrl-C"])
def test_a_run_that_nobody_wants_any_more_ends_quietly(tmp_path: Path, how: str) -> None:
    source = write_rows(tmp_path / "in.csv", 60_000)
    words = command(source, "--part-rows", "50", "--workers", "2")
    with child(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"id,text,pcl,")
        if how == "Ctrl-C":
            interrupt(process)
            process.stdout.read()
        else:
            process.stdout.close()
        said = process.stderr.read().decode().strip()
        process.wait()
    assert process.returncode in (INTERRUPTED if how == "Ctrl-C" else (1,)), said
    assert said == ("Error: Interrupted." if how == "Ctrl-C" else "")
