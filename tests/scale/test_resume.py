"""Going on with a run: only where nothing has changed, and then exactly where it ended."""

import gzip
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.scale.made import WORDS, ReadsWords, job, scored_file

from tactful.errors import InputError, TactfulError, UsageError
from tactful.scale.local.engine import run_local
from tactful.scale.local.manifest import FILE
from tactful.scale.progress import Watch
from tactful.scale.scorer import Columns
from tactful.scale.summary import Outcome, to_json

ROWS = 30


class Ends(Watch):
    """Ends a run after a number of complete parts, as if the machine had crashed."""

    def __init__(self, parts: int):
        self.left = parts

    def part(self, size: int, rows: int) -> None:
        """Count down."""
        self.left -= 1
        if not self.left:
            raise InterruptedRunError


class InterruptedRunError(Exception):
    """A run was ended by a test."""


class Tells(Watch):
    """Remembers what a run tells."""

    def __init__(self) -> None:
        self.started: tuple[int | None, int, int] | None = None
        self.parts = 0

    def start(self, total: int | None, done: int, rows: int) -> None:
        """Remember the start."""
        self.started = (total, done, rows)

    def part(self, size: int, rows: int) -> None:
        """Count."""
        self.parts += 1


def write_input(path: Path, rows: int = ROWS, word: str = "text") -> Path:
    lines = "".join(f"{at},{word} {at % 10}\n" for at in range(rows))
    path.write_text("id,text\n" + lines)
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give a file with rows."""
    return write_input(tmp_path / "in.csv")


def half_done(source: Path | list[Path], output: Path, parts: int = 4, **options: Any) -> None:
    begun = job(source, output, **({"part_rows": 3} | options))
    with pytest.raises(InterruptedRunError):
        run_local(begun, Ends(parts))


def go_on(source: Path | list[Path], output: Path, **options: Any) -> Outcome:
    return scored_file(source, output, **({"part_rows": 3} | options))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("name", ["out", "out.csv", "out.jsonl.zst", "out.parquet", "out.arrow"])
@pytest.mark.parametrize("dedupe", [False, True])
def test_a_run_goes_on_where_it_ended(
    tmp_path: Path, source: Path, name: str, dedupe: bool
) -> None:
    whole = go_on(source, tmp_path / f"whole-{name}", dedupe=dedupe, top=3)
    half_done(source, tmp_path / name, dedupe=dedupe, top=3)
    seen = Tells()
    again = job(source, tmp_path / name, part_rows=3, dedupe=dedupe, top=3)
    outcome = run_local(again, seen)
    assert seen.parts == 6
    assert seen.started == (source.stat().st_size, 10 * 9 + 2 * 10, 12)
    assert not outcome.was_complete
    assert to_json(outcome.summary) == to_json(whole.summary)
    if name == "out":
        one, two = files(tmp_path / "whole-out"), files(tmp_path / "out")
        one.pop(FILE)
        two.pop(FILE)
        assert one == two
    else:
        assert (tmp_path / name).read_bytes() == (tmp_path / f"whole-{name}").read_bytes()
        assert not list(tmp_path.glob(".*"))


def test_equal_texts_are_read_once_also_after_an_interruption(tmp_path: Path, source: Path) -> None:
    read: list[str] = []

    def count(texts: list[str]) -> Columns:
        read.extend(texts)
        return ReadsWords()(texts)

    scorer = replace(WORDS, load=lambda: count)
    half_done(source, tmp_path / "out", dedupe=True, scorer=scorer)
    assert len(read) == 10
    outcome = go_on(source, tmp_path / "out", dedupe=True, scorer=scorer)
    assert len(read) == len(set(read)) == outcome.summary.fresh == 10


def test_a_finished_run_says_so_and_changes_nothing(tmp_path: Path, source: Path) -> None:
    first = go_on(source, tmp_path / "out")
    before = files(tmp_path / "out")
    again = go_on(source, tmp_path / "out")
    assert (first.was_complete, again.was_complete) == (False, True)
    assert to_json(again.summary) == to_json(first.summary)
    assert files(tmp_path / "out") == before


def test_one_file_that_is_there_is_not_written_over(tmp_path: Path, source: Path) -> None:
    go_on(source, tmp_path / "out.csv")
    with pytest.raises(UsageError, match=r"out.csv: it exists already; .*--force"):
        go_on(source, tmp_path / "out.csv")
    write_input(source, word="word")
    go_on(source, tmp_path / "out.csv", force=True)
    assert "word 9" in (tmp_path / "out.csv").read_text()


def other_bytes(source: Path) -> None:
    stat = source.stat()
    source.write_text(source.read_text().replace("text 1", "word 1"))
    assert source.stat().st_size == stat.st_size
    os.utime(source, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def other_name(source: Path) -> None:
    source.write_text(source.read_text().replace("id,", "no,", 1))
    os.utime(source, ns=(0, 0))


def longer(source: Path) -> None:
    write_input(source, ROWS + 1)


@pytest.mark.parametrize("finished", [False, True])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (longer, r"file \S*in.csv has changed \(\d+ bytes then, \d+ now\)\. .*--restart"),
        (other_name, r"file \S*in.csv has other columns.*pass --restart"),
        (other_bytes, r"file \S*in.csv has other rows than .*, from line 2 on\..*pass --restart"),
    ],
)
def test_a_changed_input_is_refused(
    tmp_path: Path, source: Path, change: Any, said: str, finished: bool
) -> None:
    output = tmp_path / "out"
    if finished:
        go_on(source, output)
    else:
        half_done(source, output)
    before = files(output)
    change(source)
    with pytest.raises(InputError, match=said):
        go_on(source, output)
    assert files(output) == before
    assert not go_on(source, output, restart=True).was_complete
    fresh = go_on(source, tmp_path / "fresh")
    assert fresh.summary.rows == sum(len(pl.read_csv(part)) for part in output.glob("part-*.csv"))


def test_a_file_that_was_only_touched_is_accepted(tmp_path: Path, source: Path) -> None:
    half_done(source, tmp_path / "out")
    os.utime(source, ns=(0, 0))
    seen = Tells()
    run_local(job(source, tmp_path / "out", part_rows=3), seen)
    assert seen.parts == 6
    os.utime(source, ns=(5, 5))
    assert go_on(source, tmp_path / "out").was_complete


def test_a_packed_file_that_ends_earlier_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.csv.gz"
    lines = write_input(tmp_path / "plain.csv").read_bytes().splitlines(keepends=True)
    data = gzip.compress(b"".join(lines), mtime=0)
    source.write_bytes(data)
    half_done(source, tmp_path / "out", parts=5)
    shorter = gzip.compress(b"".join(lines[:7]), mtime=0)
    # Bytes behind the end of the packed rows make it as long as it was.
    source.write_bytes(shorter + bytes(len(data) - len(shorter)))
    with pytest.raises(InputError, match=r"has other rows than it had then, from line 1\d on"):
        go_on(source, tmp_path / "out")


def test_columnar_files_that_were_touched_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pl.read_csv(write_input(tmp_path / "in.csv")).write_parquet(source)
    half_done(source, tmp_path / "out")
    os.utime(source, ns=(0, 0))
    with pytest.raises(InputError, match=r"the file \S*in.parquet was written again"):
        go_on(source, tmp_path / "out")


def test_the_file_that_changed_is_named_and_not_one_that_was_touched(tmp_path: Path) -> None:
    sources = [write_input(tmp_path / name) for name in ("a.csv", "b.csv")]
    half_done(sources, tmp_path / "out")
    os.utime(sources[0], ns=(0, 0))
    longer(sources[1])
    with pytest.raises(InputError, match=r"since: the file \S*b.csv has changed \([^;]*\)\. Undo"):
        go_on(sources, tmp_path / "out")


def test_a_file_more_or_less_is_refused(tmp_path: Path) -> None:
    sources = [write_input(tmp_path / name) for name in ("a.csv", "b.csv")]
    half_done(sources, tmp_path / "out")
    third = write_input(tmp_path / "c.csv")
    with pytest.raises(InputError, match=r"since: the file \S*c.csv is new\."):
        go_on([*sources, third], tmp_path / "out")
    with pytest.raises(InputError, match=r"since: the file \S*b.csv is gone\."):
        go_on(sources[:1], tmp_path / "out")
    with pytest.raises(InputError, match=r"since: the order of the files\."):
        go_on(sources[::-1], tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"scorer": replace(WORDS, model="words 2")},
            "the model (--model or --lang): words 1",
        ),
        ({"scorer": replace(WORDS, fingerprint="x")}, "the weights or settings of the model words"),
        ({"part_rows": 4}, "the rows in a part (--part-rows): 3 then, 4 now"),
        ({"where": "id > '3'"}, "--where: none then, id > '3' now"),
        ({"dedupe": True}, "--dedupe: no then, yes now"),
        ({"prefix": "x_"}, "--prefix: none then, x_ now"),
        ({"top": 5}, "--top: 0 then, 5 now"),
        ({"extremes": 5}, "the texts that are kept for --report: 0 then, 5 now"),
    ],
)
@pytest.mark.parametrize("finished", [False, True])
def test_changed_options_are_refused_with_what_changed(
    tmp_path: Path, source: Path, options: dict[str, Any], said: str, finished: bool
) -> None:
    if finished:
        go_on(source, tmp_path / "out")
    else:
        half_done(source, tmp_path / "out")
    before = files(tmp_path / "out")
    with pytest.raises(UsageError) as caught:
        go_on(source, tmp_path / "out", **options)
    assert said in str(caught.value)
    assert files(tmp_path / "out") == before


def test_workers_may_change(tmp_path: Path, source: Path) -> None:
    half_done(source, tmp_path / "out")
    assert go_on(source, tmp_path / "out", workers=2).summary.rows == ROWS


def test_beginning_anew_removes_only_what_the_run_wrote(tmp_path: Path, source: Path) -> None:
    output = tmp_path / "out"
    half_done(source, output, part_rows=1, parts=8)
    (output / "mine.csv").write_text("mine")
    (output / "part-of-mine.csv").write_text("mine")
    made = go_on(source, output, part_rows=10, restart=True)
    assert made.summary.rows == ROWS
    names = {path.name for path in output.iterdir()}
    assert names == {
        *(f"part-0000{at}.csv" for at in range(3)),
        *("summary.json", FILE, ".lock", "mine.csv", "part-of-mine.csv"),
    }


@pytest.mark.parametrize("lost", ["part-00001.csv", "_work/part-00002.summary.json"])
def test_what_was_taken_away_of_a_run_is_made_again(
    tmp_path: Path, source: Path, lost: str
) -> None:
    go_on(source, tmp_path / "whole")
    half_done(source, tmp_path / "out")
    (tmp_path / "out" / lost).unlink()
    go_on(source, tmp_path / "out")
    assert {**files(tmp_path / "out"), FILE: b""} == {**files(tmp_path / "whole"), FILE: b""}


def test_a_part_that_was_taken_away_after_the_end_is_told(tmp_path: Path, source: Path) -> None:
    go_on(source, tmp_path / "out")
    (tmp_path / "out" / "part-00003.csv").unlink()
    with pytest.raises(InputError, match=r"part-00003.csv: it was removed .*--restart"):
        go_on(source, tmp_path / "out")
    go_on(source, tmp_path / "out", restart=True)
    assert (tmp_path / "out" / "part-00003.csv").exists()


@pytest.mark.parametrize("name", ["out", "out.csv"])
def test_what_fails_at_the_end_is_done_again(tmp_path: Path, source: Path, name: str) -> None:
    wanted = job(source, tmp_path / name, part_rows=3)

    def fail(summary: object) -> None:
        raise InterruptedRunError

    with pytest.raises(InterruptedRunError):
        run_local(wanted, Watch(), at_end=fail)
    told: list[object] = []
    outcome = run_local(wanted, Watch(), at_end=told.append)
    assert told == [outcome.summary]
    assert not outcome.was_complete


def test_a_file_that_grows_while_it_is_read_is_told(tmp_path: Path, source: Path) -> None:
    class Grows(Watch):
        def part(self, size: int, rows: int) -> None:
            longer(source)

    with pytest.raises(TactfulError, match="it was changed while it was read"):
        run_local(job(source, tmp_path / "out"), Grows())
