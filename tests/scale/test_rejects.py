"""Rows that cannot be read are listed with their place, once each, even after an interruption."""

import io
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.scale.engine_texts import QUIET, job_for, run_on
from tests.scale.made import WORDS, job, scored_file

from tactful.errors import UsageError
from tactful.scale.cluster.addresses import beside
from tactful.scale.follow.follow import follow_local
from tactful.scale.local.engine import run_local, stream_local
from tactful.scale.local.manifest import FILE
from tactful.scale.progress import Watch
from tactful.scale.rejects import LONGEST_ROW, as_lines, from_lines, reject
from tactful.scale.tables.formats import Format

CELLS = "as in the header, in UTF-8, with quotes inside a quoted cell doubled"


def csv_with(bad: dict[int, str], rows: int) -> str:
    """Return a table of rows on lines from 2 on, some of which are bad."""
    lines = [bad.get(line, f"{line},text {line}") for line in range(2, rows + 2)]
    return "id,text\n" + "\n".join(lines) + "\n"


def listed(path: Path | str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def places(path: Path | str) -> list[tuple[str, int]]:
    return [(Path(each["file"]).name, each["line"]) for each in listed(path)]


def test_a_reject_has_its_place_its_reason_and_the_start_of_its_row() -> None:
    raw = b"caf\xe9 \xf0\x9f\x98\x80" + b"x" * 9000 + b"\r\n"
    found = reject("a.csv", 7, "found too much", raw)
    assert found.row.startswith("caf\\xe9 😀xxx")
    assert len(found.row) == LONGEST_ROW
    assert from_lines(as_lines([found, found])) == (found, found)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        (
            "in.csv",
            b'id,text\n1,one\n2,two,three\n\n3,"open\n4,\xff\n5,five\n',
            [
                (3, f"found 3 cells; expected 2 cells {CELLS}", "2,two,three"),
                (
                    5,
                    "found a quoting mistake (a quote that is not closed, or not doubled inside a "
                    f"cell); expected 2 cells {CELLS}",
                    '3,"open',
                ),
                (6, f"found bytes that are not UTF-8 text; expected 2 cells {CELLS}", "4,\\xff"),
            ],
        ),
        (
            "in.jsonl",
            b'{"text": "one"}\n\nno\n{"text": "\xff"}\n[1]\n{"text": "two"}\n',
            [
                (
                    3,
                    "found no JSON (Expecting value: line 1 column 1 (char 0)); expected a JSON "
                    "object on each line",
                    "no",
                ),
                (4, "found bytes that are not UTF-8 text; expected UTF-8", '{"text": "\\xff"}'),
                (5, "found JSON that is a list; expected a JSON object on each line", "[1]"),
            ],
        ),
        (
            "in.txt",
            b"one\n\xff\ntwo\n",
            [(2, "found bytes that are not UTF-8 text; expected UTF-8", "\\xff")],
        ),
    ],
)
def test_rows_are_listed_beside_the_output(
    name: str, data: bytes, expected: list[tuple[int, str, str]], tmp_path: Path
) -> None:
    source = tmp_path / name
    source.write_bytes(data)
    write = Format("csv") if name.endswith(".txt") else None
    more = {} if write is None else {"output_format": write}
    ending = "csv" if write else name.partition(".")[2]
    done = scored_file(source, tmp_path / f"out.{ending}", skip_bad_rows=True, **more)
    assert done.rejects == str(tmp_path / "out.rejects.jsonl")
    assert done.summary.skipped == len(expected)
    assert listed(done.rejects) == [
        {"file": str(source), "line": line, "reason": reason, "row": row}
        for line, reason, row in expected
    ]


def test_where_all_rows_are_well_there_is_no_file(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({}, 5))
    done = scored_file(source, tmp_path / "out.csv", skip_bad_rows=True)
    assert done.rejects is None
    assert {each.name for each in tmp_path.iterdir()} == {"in.csv", "out.csv"}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", ["out.csv", "out"])
def test_parts_are_put_together_in_the_order_of_the_input(
    name: str, workers: int, tmp_path: Path
) -> None:
    bad = {line: f"{line},too,many" for line in range(3, 400, 7)}
    sources = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for source in sources:
        # Enough bytes for several processes.
        source.write_text(csv_with(bad | {401: f"401,{'long ' * 200_000}"}, 400))
    done = scored_file(
        [str(each) for each in sources],
        tmp_path / name,
        skip_bad_rows=True,
        part_rows=10,
        workers=workers,
        output_format=Format("csv"),
    )
    assert done.rejects == str(tmp_path / "out.rejects.jsonl")
    wanted = [(source.name, line) for source in sources for line in bad]
    assert places(done.rejects) == wanted
    again = scored_file(
        [str(each) for each in sources],
        tmp_path / "again",
        skip_bad_rows=True,
        rejects=str(tmp_path / "elsewhere.jsonl"),
        output_format=Format("csv"),
    )
    assert again.rejects == str(tmp_path / "elsewhere.jsonl")
    assert places(again.rejects) == wanted


class Killed(Watch):
    """Ends a run after some parts."""

    def __init__(self, parts: int):
        self.left = parts

    def part(self, size: int, rows: int) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("parts", range(1, 6))
def test_a_resumed_run_lists_each_row_once(parts: int, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    bad = {line: f"{line},too,many" for line in (2, 5, 6, 11, 20)}
    source.write_text(csv_with(bad, 20))
    work = job(source, tmp_path / "out.csv", skip_bad_rows=True, part_rows=4)
    with pytest.raises(KeyboardInterrupt):
        run_local(work, Killed(parts))
    assert not (tmp_path / "out.rejects.jsonl").exists()
    done = run_local(work, Watch())
    assert places(done.rejects or "") == [("in.csv", line) for line in bad]
    assert done.summary.rows == 15


def test_a_list_of_a_part_that_was_lost_is_made_again(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many", 10: "10,too,many"}, 12))
    work = job(source, tmp_path / "out", skip_bad_rows=True, part_rows=4)
    with pytest.raises(KeyboardInterrupt):
        run_local(work, Killed(2))
    (tmp_path / "out" / "_work" / "part-00000.rejects.jsonl").unlink()
    done = run_local(work, Watch())
    assert places(done.rejects or "") == [("in.csv", 2), ("in.csv", 10)]


def test_parts_of_a_version_that_listed_nothing_are_made_again(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many", 10: "10,too,many"}, 12))
    work = job(source, tmp_path / "out", skip_bad_rows=True, part_rows=4)
    with pytest.raises(KeyboardInterrupt):
        run_local(work, Killed(2))
    manifest = tmp_path / "out" / FILE
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    for line in lines:
        line.pop("rejects", None)
    manifest.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "out" / "_work" / "part-00000.rejects.jsonl").unlink()
    done = run_local(work, Watch())
    assert places(done.rejects or "") == [("in.csv", 2), ("in.csv", 10)]
    assert (done.summary.rows, done.summary.skipped) == (10, 2)


def test_a_list_that_is_in_the_way_is_not_written_over(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many"}, 2))
    mine = tmp_path / "out.rejects.jsonl"
    mine.write_text("mine")
    for name in ("out.csv", "out"):
        with pytest.raises(UsageError, match=r"out\.rejects\.jsonl: it exists already"):
            scored_file(source, tmp_path / name, skip_bad_rows=True, output_format=Format("csv"))
    assert mine.read_text() == "mine"
    scored_file(source, tmp_path / "out.csv", skip_bad_rows=True, force=True)
    assert places(mine) == [("in.csv", 2)]
    source.write_text(csv_with({}, 2))
    scored_file(source, tmp_path / "out.csv", skip_bad_rows=True, force=True)
    assert not mine.exists()


def test_restart_makes_the_list_again(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many"}, 2))
    scored_file(source, tmp_path / "out", skip_bad_rows=True)
    again = scored_file(source, tmp_path / "out", skip_bad_rows=True)
    assert (again.was_complete, again.rejects) == (True, str(tmp_path / "out.rejects.jsonl"))
    source.write_text(csv_with({}, 2))
    done = scored_file(source, tmp_path / "out", skip_bad_rows=True, restart=True)
    assert done.rejects is None
    assert not (tmp_path / "out.rejects.jsonl").exists()


def test_what_is_printed_lists_its_rejects_where_a_name_is_given(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many", 5: "5,too,many"}, 6))
    bare = job(source, "-", skip_bad_rows=True, part_rows=2)
    assert stream_local(bare, io.BytesIO(), Watch()).rejects is None
    assert {each.name for each in tmp_path.iterdir()} == {"in.csv"}
    named = replace(bare, rejects=str(tmp_path / "bad.jsonl"))
    assert stream_local(named, io.BytesIO(), Watch()).rejects == named.rejects
    assert places(named.rejects or "") == [("in.csv", 2), ("in.csv", 5)]
    with pytest.raises(UsageError, match=r"bad\.jsonl: it exists already"):
        stream_local(named, io.BytesIO(), Watch())


def test_printing_that_fails_leaves_no_list(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text(csv_with({2: "2,too,many"}, 6))
    named = job(source, "-", skip_bad_rows=True, part_rows=2, rejects=str(tmp_path / "bad.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        stream_local(named, io.BytesIO(), Killed(2))
    assert {each.name for each in tmp_path.iterdir()} == {"in.csv"}


class Ended(Watch):
    """Ends a follower in the middle of its third batch, or softly behind the last row."""

    def __init__(self, rows: int):
        self.rows_left, self.batches = rows, 0

    def part(self, size: int, rows: int) -> None:
        self.batches += 1
        self.rows_left -= rows
        if self.rows_left <= 0:
            os.kill(os.getpid(), signal.SIGINT)
        elif self.batches == 3:
            raise KeyboardInterrupt


@pytest.fixture
def interrupts_heard() -> Iterator[None]:
    """Let the process receive Ctrl-C, even if it was started without."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.usefixtures("interrupts_heard")
def test_following_lists_each_row_once_however_often_it_is_ended(tmp_path: Path) -> None:
    log, output = tmp_path / "in.csv", tmp_path / "out.csv"
    bad = {line: f"{line},too,many" for line in (3, 90, 150)}
    rows = 200 - len(bad)
    log.write_text(csv_with(bad, 200))
    work = job([log], output, skip_bad_rows=True, part_rows=10)
    ends, written = [], 0
    while written < rows:
        ends.append(follow_local(work, Ended(rows - written), 0.01, io.BytesIO()).rejects)
        written = len(output.read_text().splitlines()) - 1
    assert len(ends) > 3
    assert places(tmp_path / "out.rejects.jsonl") == [("in.csv", line) for line in bad]
    assert written == rows
    assert str(tmp_path / "out.rejects.jsonl") in ends


@pytest.mark.usefixtures("interrupts_heard")
def test_a_followed_list_is_cut_back_to_what_was_noted(tmp_path: Path) -> None:
    log, output = tmp_path / "in.csv", tmp_path / "out.csv"
    log.write_text(csv_with({3: "3,too,many"}, 40))
    work = job([log], output, skip_bad_rows=True, part_rows=2)
    follow_local(work, Ended(40), 0.01, io.BytesIO())
    listing = tmp_path / "out.rejects.jsonl"
    assert places(listing) == [("in.csv", 3)]
    with listing.open("ab") as file:
        file.write(b'{"file": "a batch that a crash cut')
    follow_local(work, Ended(1), 0.01, io.BytesIO())
    assert places(listing) == [("in.csv", 3)]


@pytest.mark.parametrize(
    ("name", "ending", "expected"),
    [
        ("scored.csv", ".csv", "scored.rejects"),
        ("out/", ".csv", "out.rejects"),
        ("s3://bucket/out", ".csv", "s3://bucket/out.rejects"),
        ("s3://bucket/out?scheme=http", ".csv", "s3://bucket/out.rejects?scheme=http"),
        ("s3://bucket", ".csv", "s3://bucket/rejects"),
    ],
)
def test_the_list_lies_beside_the_output(name: str, ending: str, expected: str) -> None:
    assert beside(name, ".rejects", ending) == expected


@pytest.mark.engines
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
class TestEngines:
    """Ray and Spark list the rows that the local engine lists."""

    pytestmark = QUIET

    def sources(self, folder: Path, kind: str) -> list[Path]:
        """Write files of which one is cut into several blocks by Spark."""
        paths = [folder / f"{name}.{kind}" for name in ("a b", "b", "c")]
        for path, rows in zip(paths, (30, 60_000, 3), strict=True):
            bad = {2, 3, rows // 2, rows - 1, rows}
            with path.open("w") as file:
                file.write("id,text\n" if kind == "csv" else "")
                for at in range(1, rows + 1):
                    if at in bad:
                        file.write(f"{at},two,three\n" if kind == "csv" else f"no {at}\n")
                    else:
                        word = f"text {at}"
                        line = f"{at},{word}" if kind == "csv" else f'{{"id":{at},"text":"{word}"}}'
                        file.write(f"{line}\n")
        return paths

    def test_they_list_the_rows_that_the_local_engine_lists(
        self, engine: str, kind: str, tmp_path: Path, request: pytest.FixtureRequest
    ) -> None:
        (tmp_path / "in").mkdir()
        self.sources(tmp_path / "in", kind)
        more: dict[str, Any] = {"skip_bad_rows": True, "part_rows": 5_000}
        work = replace(job_for(str(tmp_path / "in"), tmp_path / "out", kind, **more), scorer=WORDS)
        here = run_local(replace(work, output=str(tmp_path / "here")), Watch())
        if engine == "spark":
            spark = request.getfixturevalue("spark_here")
            before = spark.conf.get("spark.sql.files.maxPartitionBytes")
            spark.conf.set("spark.sql.files.maxPartitionBytes", str(200_000))
            try:
                there = run_on(engine, work, wave_files=2)
            finally:
                spark.conf.set("spark.sql.files.maxPartitionBytes", before)
        else:
            there = run_on(engine, work, wave_files=2)
        assert there.rejects == str(tmp_path / "out.rejects.jsonl")
        assert there.summary.skipped == here.summary.skipped
        ours, theirs = listed(here.rejects or ""), listed(there.rejects or "")
        for each in (*ours, *theirs):
            each["file"] = Path(each["file"]).name
        assert theirs == ours
        again = run_on(engine, work, wave_files=2)
        assert (again.was_complete, again.rejects) == (True, there.rejects)

    def test_a_resumed_run_lists_each_row_once(
        self, engine: str, kind: str, tmp_path: Path
    ) -> None:
        (tmp_path / "in").mkdir()
        self.sources(tmp_path / "in", kind)
        more: dict[str, Any] = {"skip_bad_rows": True, "part_rows": 20_000}
        work = replace(job_for(str(tmp_path / "in"), tmp_path / "out", kind, **more), scorer=WORDS)

        def stop(done: int, *_: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_on(engine, work, wave_files=1, on_wave=stop)
        assert not (tmp_path / "out.rejects.jsonl").exists()
        assert (tmp_path / "out" / "_tactful" / "wave-00000.rejects.jsonl").exists()
        done = run_on(engine, work, wave_files=1)
        found = places(done.rejects or "")
        assert len(found) == len(set(found)) == done.summary.skipped
        assert {name for name, _ in found} == {f"{name}.{kind}" for name in ("a b", "b", "c")}
        Path(done.rejects or "").unlink()
        fresh = run_on(engine, work, wave_files=1, restart=True)
        assert places(fresh.rejects or "") == found
