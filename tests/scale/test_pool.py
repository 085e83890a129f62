"""Worker processes: a failure of one of them is one sentence, and all others end."""

import ctypes
import gzip
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.context import SpawnProcess
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.scale.made import WORDS, ReadsWords, job, read_words

from tactful.errors import InputError, RunError, TactfulError, UsageError
from tactful.scale.local.engine import run_local
from tactful.scale.local.pool import InProcess, Processes, Setup, cannot_write
from tactful.scale.portions import Plan
from tactful.scale.progress import Watch
from tactful.scale.scorer import Columns, ScoreBatch
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import Header
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source

BAD = "bad"
"""A text that has this in it is where the trouble begins."""


def own_children() -> list[BaseProcess]:
    """Return the processes of this test; other libraries keep some of theirs for later tests."""
    children = multiprocessing.active_children()
    return [each for each in children if type(each).__module__.startswith("multiprocessing")]


class Trouble:
    """Scores words until it meets a bad text; then something happens."""

    def __init__(self, happen: Callable[[], None]):
        self.happen = happen

    def __call__(self, texts: list[str]) -> Columns:
        if any(BAD in text for text in texts):
            self.happen()
        return ReadsWords()(texts)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def end_itself() -> None:
    os._exit(3)


def read_at_zero() -> None:
    ctypes.string_at(0)


def load_killed() -> ScoreBatch:
    return Trouble(kill_itself)


def load_ended() -> ScoreBatch:
    return Trouble(end_itself)


def load_crashed() -> ScoreBatch:
    return Trouble(read_at_zero)


def load_nothing() -> ScoreBatch:
    raise FileNotFoundError(2, "No such file or directory", "weights.npz")


def load_without_memory() -> ScoreBatch:
    raise MemoryError


def load_refused() -> ScoreBatch:
    raise InputError("model.onnx: found no model; expected one.")


def load_broken() -> ScoreBatch:
    raise ValueError("these weights are of another kind\nand more")


def write_rows(path: Path, rows: int = 40, bad: int | None = None) -> Path:
    """Write packed rows, whose size tells nothing, so that there are processes for few of them."""
    lines = [f"{at},{BAD if at == bad else 'text'} {at}\n" for at in range(rows)]
    path.write_bytes(gzip.compress(("id,text\n" + "".join(lines)).encode(), mtime=0))
    return path


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (
            load_killed,
            r"A worker was stopped by the system \(SIGKILL\).*memory may have run out: try",
        ),
        (load_ended, r"A worker exited by itself \(exit code 3\) while it scored part 1"),
        (load_crashed, r"A worker was stopped by the system \(SIGSEGV\) while it scored part 1"),
    ],
)
def test_a_worker_that_ends_is_told_and_the_run_goes_on_later(
    tmp_path: Path, load: Callable[[], ScoreBatch], said: str
) -> None:
    source = write_rows(tmp_path / "in.csv.gz", bad=8)
    ends = replace(WORDS, load=load)
    options: dict[str, Any] = {"part_rows": 5, "workers": 2, "output_format": Format("csv")}
    with pytest.raises(RunError, match=said) as caught:
        run_local(job(source, tmp_path / "out", scorer=ends, **options), Watch())
    assert "run the same command again to resume" in str(caught.value)
    assert own_children() == []
    again = run_local(job(source, tmp_path / "out", **options), Watch())
    assert again.summary.rows == 40
    ids = [row for part in sorted(tmp_path.glob("out/part*")) for row in pl.read_csv(part)["id"]]
    assert ids == list(range(40))


@pytest.mark.parametrize(
    ("workers", "load", "said"),
    [
        (1, load_without_memory, r"could not be scored \(MemoryError\); finished parts are kept"),
        (2, load_without_memory, r"could not be scored \(MemoryError\); finished parts are kept"),
        (1, load_nothing, r"could not be scored \(FileNotFoundError: .*No such .*weights.npz"),
        (1, load_refused, r"^model.onnx: found no model; expected one.$"),
        (2, load_refused, r"^model.onnx: found no model; expected one.$"),
        (1, load_broken, r"in.csv.gz, from line 2 on: .*\(ValueError: these weights are of anoth"),
    ],
)
def test_a_model_that_cannot_be_opened_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, workers: int, load: Callable[[], ScoreBatch], said: str
) -> None:
    source = write_rows(tmp_path / "in.csv.gz")
    with pytest.raises(TactfulError, match=said) as caught:
        run_local(
            job(source, tmp_path / "out", scorer=replace(WORDS, load=load), workers=workers),
            Watch(),
        )
    assert "\n" not in str(caught.value)
    assert own_children() == []
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv.gz"]


def test_what_another_worker_made_is_not_left_where_the_first_part_fails(tmp_path: Path) -> None:
    source = tmp_path / "in.csv.gz"
    slow = "x" * 200_000
    rows = [f'0,"{slow}"\n', "one cell\n", *(f"{at},text\n" for at in range(2, 9))]
    source.write_bytes(gzip.compress(("id,text\n" + "".join(rows)).encode(), mtime=0))
    options: dict[str, Any] = {"part_rows": 2, "workers": 2, "output_format": Format("csv")}
    with pytest.raises(TactfulError, match=r"in.csv.gz, line 3"):
        run_local(job(source, tmp_path / "out", **options), Watch())
    done = run_local(job(source, tmp_path / "out", skip_bad_rows=True, **options), Watch())
    assert (done.summary.rows, done.summary.skipped) == (8, 1)


def test_a_bad_row_or_a_wrong_wish_keeps_its_words_and_its_kind(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.csv.gz")
    with pytest.raises(UsageError, match="gives String and not true or false"):
        run_local(job(source, tmp_path / "out", where="text", workers=2), Watch())
    with pytest.raises(RunError, match=r"in.csv.gz, from line 2 on: --where .*cannot be evaluated"):
        run_local(job(source, tmp_path / "out", where="id > 3"), Watch())


def setup_for(source: Path, workers: int) -> Setup:
    wanted = job(source, "-", workers=workers)
    head = Header(columns=("id", "text"))
    return Setup(
        Plan(wanted, wanted.output_format, head.columns),
        (Source(source, Format("csv")),),
        (head,),
        None,
        read_words,
    )


def pieces(count: int, cut: list[int]) -> Iterator[Piece]:
    """Yield pieces, and note when each is cut."""
    for at in range(count):
        cut.append(at)
        yield Piece(at, 0, at, at + 1, at, at + 1, f"{at},text {at}\n".encode())


@pytest.mark.parametrize("most_ahead", [0, 3])
def test_no_more_is_cut_than_workers_can_take_and_nothing_is_lost(
    tmp_path: Path, most_ahead: int
) -> None:
    cut: list[int] = []
    workers = 2
    pool = Processes(setup_for(tmp_path / "in.csv", workers), workers, Watch())
    done: list[int] = []
    try:
        for each in pool.run(pieces(25, cut), most_ahead):
            # One for each worker, and one that waits for the next that is free.
            assert len(cut) <= len(done) + 2 * workers + 1
            done.append(each.piece.number)
    finally:
        pool.close()
    assert sorted(done) == list(range(25))
    if most_ahead:
        assert all(number - at < most_ahead + workers for at, number in enumerate(done))
    assert own_children() == []


def test_in_one_process_a_piece_is_cut_when_the_last_one_is_done(tmp_path: Path) -> None:
    cut: list[int] = []
    pool = InProcess(setup_for(tmp_path / "in.csv", 1), Watch())
    for at, each in enumerate(pool.run(pieces(4, cut))):
        assert (each.piece.number, len(cut)) == (at, at + 1)
        assert each.piece.data == b""
    pool.close()


def test_a_worker_that_died_while_it_was_idle_is_noticed(tmp_path: Path) -> None:
    cut: list[int] = []
    pool = Processes(setup_for(tmp_path / "in.csv", 1), 1, Watch())
    run = pool.run(pieces(3, cut))
    try:
        next(run)
        for process in own_children():
            process.kill()
            process.join()
        with pytest.raises(RunError, match="SIGKILL"):
            list(run)
    finally:
        pool.close()


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send")
def test_an_interrupt_waits_until_all_workers_are_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[BaseProcess] = []
    now, sent = threading.Event(), threading.Event()
    usual = SpawnProcess.start

    def interrupt() -> None:
        now.wait(120)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        sent.set()

    def start(process: SpawnProcess) -> None:
        now.set()
        sent.wait(120)
        usual(process)
        started.append(process)

    # A signal reaches any thread that has not blocked it.
    other = threading.Thread(target=interrupt)
    other.start()
    monkeypatch.setattr(SpawnProcess, "start", start)
    with pytest.raises(KeyboardInterrupt):
        Processes(setup_for(tmp_path / "in.csv", 1), 2, Watch())
    other.join()
    assert len(started) == 2
    assert not any(process.is_alive() for process in started)


def test_rows_are_told_while_parts_are_made(tmp_path: Path) -> None:
    class Counts(Watch):
        told = 0

        def rows(self, count: int) -> None:
            self.told += count

    for workers in (1, 2):
        counts = Counts()
        source = write_rows(tmp_path / "in.csv.gz")
        run_local(job(source, tmp_path / f"out{workers}", workers=workers, part_rows=7), counts)
        assert counts.told == 40


def test_what_the_system_says_is_told_with_its_place() -> None:
    said = str(cannot_write(OSError(28, "No space left on device", "out/part")))
    assert said.startswith("out/part: cannot be written (No space left on device); finished")
    assert str(cannot_write(OSError("odd"))).startswith("The output: cannot be written (odd)")
