"""Following: rows come out in order, each once, even if the file changes meanwhile."""

import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scale.made import IDS, job, read_words

from tactful.errors import FileFormatError, InputError, RunError, TactfulError, UsageError
from tactful.scale.follow import follow as module
from tactful.scale.follow.follow import FIRST_ROWS, GrowingFile, follow_local
from tactful.scale.local.manifest import locked
from tactful.scale.progress import Watch
from tactful.scale.scorer import Columns, Scorer
from tactful.scale.summary import Summary
from tactful.scale.tables.formats import Format

Action = Callable[[], object]
LATENCY = 0.02


@pytest.fixture(autouse=True)
def not_for_ever() -> Iterator[None]:
    """End a test that waits for rows which do not come."""

    def too_long(*_: object) -> None:
        raise TimeoutError("the rows did not come")

    usual = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, usual)


class Steps(io.BytesIO):
    """Collects printed lines, and calls a function after a number of them."""

    def __init__(self, *steps: tuple[int, Action]):
        super().__init__()
        self.steps = list(steps)

    def flush(self) -> None:
        while self.steps and len(self.lines) >= self.steps[0][0]:
            self.steps.pop(0)[1]()

    @property
    def lines(self) -> list[str]:
        return self.getvalue().decode().splitlines()

    @property
    def rows(self) -> list[str]:
        """The rows below the header, without what was added."""
        added = len(IDS) + 2
        return [line.rsplit(",", added)[0] for line in self.lines[1:]]


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def follow(path: Path | str, out: io.BytesIO, latency: float = LATENCY, **options: Any) -> Summary:
    return follow_local(job([path], "-", **options), Watch(), latency, out).summary


def appends(path: Path, data: str) -> Action:
    def append() -> None:
        with path.open("a", newline="") as file:
            file.write(data)

    return append


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("id,text\n1,one\n")
    return path


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Give the end of a pipe whose other end is standard input."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as other:
        monkeypatch.setattr(sys, "stdin", other)
        yield writing


def test_rows_come_once_and_a_line_that_is_not_whole_waits(log: Path) -> None:
    out = Steps(
        (2, appends(log, "2,two\n3,th")),
        (3, appends(log, 'ree\n4,"a cell\nof two')),
        (4, appends(log, ' lines, and a "" in it"\n5,')),
        (6, appends(log, "five\n")),
        (7, interrupt),
    )
    summary = follow(log, out)
    assert out.rows == ["1,one", "2,two", "3,three", out.rows[3], out.rows[4], "5,five"]
    assert '4,"a cell\nof two lines, and a "" in it",' in out.getvalue().decode()
    assert (summary.rows, summary.scored) == (5, 5)


def renamed(log: Path, new: str) -> Action:
    def rotate() -> None:
        log.rename(log.with_name("log.csv.1"))
        log.write_text(new)

    return rotate


def copied(log: Path, new: str) -> Action:
    def rotate() -> None:
        shutil.copy(log, log.with_name("log.csv.1"))
        os.truncate(log, 0)
        appends(log, new)()

    return rotate


@pytest.mark.parametrize("rotates", [renamed, copied])
def test_a_log_that_is_rotated_is_read_from_its_new_start(
    log: Path, rotates: Callable[[Path, str], Action]
) -> None:
    out = Steps(
        (2, rotates(log, "id,text\n2,two\n3,three\n")),
        (4, rotates(log, "id,text\n4,four\n")),
        (5, interrupt),
    )
    assert follow(log, out).rows == 4
    assert out.rows == ["1,one", "2,two", "3,three", "4,four"]


def test_nothing_of_a_renamed_log_is_lost_not_even_a_last_line_without_an_end(log: Path) -> None:
    old = log.with_name("log.csv.1")

    def rotate() -> None:
        appends(log, "2,two\n")()
        log.rename(old)
        appends(old, "3,three\n4,four")()
        log.write_text("id,text\n5,five\n")

    out = Steps((2, rotate), (6, interrupt))
    follow(log, out)
    assert out.rows == ["1,one", "2,two", "3,three", "4,four", "5,five"]


def test_a_new_file_may_have_its_columns_in_another_order(log: Path) -> None:
    out = Steps((2, renamed(log, "text,id\ntwo,2\n")), (3, interrupt))
    follow(log, out)
    assert out.rows == ["1,one", "2,two"]


def test_a_new_file_with_other_columns_is_refused(log: Path) -> None:
    out = Steps((2, renamed(log, "id,text,likes\n2,two,3\n")))
    with pytest.raises(InputError, match="found the columns id, text, likes where the file was"):
        follow(log, out)
    assert out.rows == ["1,one"]


def test_the_model_is_opened_once_for_all_files(log: Path) -> None:
    opened: list[int] = []

    def load() -> Any:
        opened.append(1)
        return read_words()

    out = Steps((2, renamed(log, "id,text\n2,two\n")), (3, interrupt))
    follow(log, out, scorer=Scorer(load, IDS, "m", "f"))
    assert opened == [1]


@pytest.mark.parametrize(
    ("kind", "said", "rows"),
    [
        ("csv", 'id,text\n1,one\n2,"two\nlines"\n3,three', 3),
        ("tsv", "id\ttext\n1\tone\n", 1),
        ("jsonl", '{"text": "one"}\n{"text": "two"}', 2),
        ("txt", "one\n\ntwo", 2),
        ("csv", "id,text", 0),
        ("jsonl", "", 0),
    ],
)
def test_the_end_of_a_stream_writes_the_rest(stdin: int, kind: Any, said: str, rows: int) -> None:
    os.write(stdin, said.encode())
    os.close(stdin)
    out = io.BytesIO()
    write = Format("csv" if kind == "txt" else kind)
    summary = follow("-", out, input_format=Format(kind), output_format=write)
    assert summary.rows == summary.scored == rows
    assert out.getvalue().startswith({"csv": b"id,text,kind", "tsv": b"id\ttext\tkind"}.get(
        kind, b'{"text": "one","kind":' if rows and kind == "jsonl" else b""))  # fmt: skip


def test_a_stream_of_nothing_has_no_columns(stdin: int) -> None:
    os.close(stdin)
    with pytest.raises(FileFormatError, match="standard input, line 1: found nothing"):
        follow("-", io.BytesIO(), input_format=Format("csv"))


def numbered(first: int, behind: int) -> str:
    return "".join(f"{at},text {at}\n" for at in range(first, behind))


@pytest.mark.parametrize(("times", "rows"), [(1, FIRST_ROWS + 8), (2, FIRST_ROWS)])
def test_an_interrupt_writes_what_was_read_of_a_stream_and_a_second_ends_at_once(
    stdin: int, times: int, rows: int
) -> None:
    os.write(stdin, f"id,text\n{numbered(0, FIRST_ROWS + 8)}99,ha".encode())
    out = Steps(*[(FIRST_ROWS + 1, interrupt)] * times)
    assert follow("-", out, latency=1000, input_format=Format("csv")).rows >= rows - 1
    assert out.rows == numbered(0, rows).splitlines()
    os.close(stdin)


def test_an_interrupt_before_the_first_line_is_an_end_too(stdin: int) -> None:
    threading.Timer(0.1, interrupt).start()
    assert follow("-", io.BytesIO(), input_format=Format("csv")).rows == 0
    os.close(stdin)


class Clock:
    """A clock that moves only when something is scored, or somebody sleeps."""

    def __init__(self, for_each: float, for_all: float = 0.0):
        self.now, self.for_each, self.for_all = 0.0, for_each, for_all
        self.batches: list[int] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def load(self) -> "Clock":
        return self

    def __call__(self, texts: list[str]) -> Columns:
        self.batches.append(len(texts))
        self.now += self.for_all + self.for_each * len(texts)
        return read_words()(texts)


@pytest.mark.parametrize(
    ("clock", "options", "batches"),
    [
        # Half a second for scoring, at 1/128 of a second for each text.
        (Clock(1 / 128), {}, [32, 64, 64, 40]),
        (Clock(1 / 4), {}, [32, *[2] * 84]),
        (Clock(8), {"latency": 0.5}, [32, *[1] * 168]),
        (Clock(0), {}, [32, 168]),
        (Clock(0), {"part_rows": 100}, [32, 100, 68]),
        # What a batch costs besides is shared by its rows.
        (Clock(1 / 128, 1 / 4), {}, [*[32] * 6, 8]),
        # Rows that are not wanted cost nothing, so that more of them are read at a time.
        (Clock(1 / 4), {"where": "CAST(id AS INT) % 8 = 0"}, [4, 2, 2, 2]),
    ],
)
def test_batches_are_as_large_as_the_time_allows(
    log: Path, clock: Clock, options: Any, batches: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_text(f"id,text\n{numbered(0, 200)}")
    monkeypatch.setattr(module, "time", clock)
    whole = 26 if "where" in options else 201
    out = Steps((whole, interrupt))
    latency = options.pop("latency", 1.0)
    follow(log, out, latency, scorer=Scorer(clock.load, IDS, "m", "f"), **options)
    assert clock.batches[: len(batches)] == batches
    assert sum(clock.batches) == whole - 1


def test_what_cannot_be_scored_yet_waits_in_the_file(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_text(f"id,text\n{numbered(0, 50_000)}")
    sizes: list[int] = []
    usual = GrowingFile.read

    def read(self: GrowingFile) -> bytes:
        data = usual(self)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(GrowingFile, "read", read)
    monkeypatch.setattr(module, "time", Clock(0))
    follow(log, Steps((3000, interrupt)), scorer=Scorer(Clock(1.0).load, IDS, "m", "f"),
           part_rows=50)  # fmt: skip
    assert sum(sizes) < log.stat().st_size / 4


def test_a_bad_row_is_named_by_its_line_after_those_before_it_are_written(log: Path) -> None:
    out = Steps((2, appends(log, "2,two\n3,three,four\n")))
    with pytest.raises(InputError, match=r"log.csv, line 4: found 3 cells"):
        follow(log, out)
    skipped = Steps((3, interrupt))
    assert follow(log, skipped, skip_bad_rows=True).skipped == 1
    assert skipped.rows == ["1,one", "2,two"]


def follow_into(log: Path, output: Path, rows: int, **options: Any) -> Summary:
    """Follow a file into another until ``rows`` more rows are written."""
    again = {name: options.pop(name) for name in ("restart", "force") if name in options}

    class Enough(Watch):
        left = rows

        def part(self, size: int, rows: int) -> None:
            self.left -= rows
            if self.left <= 0:
                interrupt()

    work = job([log], output, **options)
    return follow_local(work, Enough(), LATENCY, io.BytesIO(), **again).summary


def ids_in(output: Path) -> list[str]:
    return [line.partition(",")[0] for line in output.read_text().splitlines()]


def test_a_run_goes_on_where_the_last_one_ended(log: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    follow_into(log, output, 1)
    appends(log, "2,two\n3,three\n")()
    assert follow_into(log, output, 2).rows == 2
    renamed(log, "id,text\n4,four\n")()
    follow_into(log, output, 1)
    assert ids_in(output) == ["id", "1", "2", "3", "4"]
    with pytest.raises(UsageError, match=r"--text-column: text then, id now"):
        follow_into(log, output, 1, text_column="id")
    follow_into(log, output, 1, text_column="id", restart=True)
    assert ids_in(output) == ["id", "4"]


def test_another_input_is_not_added_to_the_same_output(log: Path, tmp_path: Path) -> None:
    follow_into(log, tmp_path / "out.csv", 1)
    other = tmp_path / "other.csv"
    shutil.copy(log, other)
    with pytest.raises(UsageError, match=r"the input: \S*log.csv then, \S*other.csv now"):
        follow_into(other, tmp_path / "out.csv", 1)


def test_a_refused_run_leaves_nothing(log: Path, tmp_path: Path) -> None:
    with pytest.raises(TactfulError, match="There is no column named 'body'"):
        follow_into(log, tmp_path / "out.csv", 1, text_column="body")
    (tmp_path / "there.csv").write_text("precious")
    with pytest.raises(UsageError, match="it exists already"):
        follow_into(log, tmp_path / "there.csv", 1)
    with pytest.raises(TactfulError, match="There is no column named 'body'"):
        follow_into(log, tmp_path / "there.csv", 1, text_column="body", force=True)
    assert (tmp_path / "there.csv").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv", "there.csv"]
    follow_into(log, tmp_path / "there.csv", 1, force=True)
    assert ids_in(tmp_path / "there.csv") == ["id", "1"]


def test_first_lines_without_the_key_are_refused_and_later_ones_are_not(tmp_path: Path) -> None:
    lines = tmp_path / "log.jsonl"
    lines.write_text('{"id": 1, "text": "we meet"}\n{"id": 2, "text": "we talk"}\n')
    with pytest.raises(TactfulError, match="There is no column named 'body'"):
        follow_into(lines, tmp_path / "out.jsonl", 1, text_column="body")
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]
    follow_into(lines, tmp_path / "out.jsonl", 2)
    with lines.open("a") as file:
        file.write('{"id": 3}\n')
    follow_into(lines, tmp_path / "out.jsonl", 1)
    assert '"error":"no text"' in (tmp_path / "out.jsonl").read_text().splitlines()[-1]


def test_two_runs_cannot_write_to_one_output(log: Path, tmp_path: Path) -> None:
    with locked(tmp_path / ".out.csv.tactful"), pytest.raises(RunError, match="another run"):
        follow_into(log, tmp_path / "out.csv", 1)


@pytest.mark.parametrize(
    ("names", "output", "said"),
    [
        (["a.csv.gz"], "out.csv", "a csv.gz file does not grow line by line"),
        (["a.parquet"], "out.csv", "a parquet file does not grow"),
        (["a.csv", "b.csv"], "out.csv", "reads one file or '-', and found 2"),
        (["a.csv"], "out.csv.gz", "csv.gz cannot grow so; write csv, tsv or jsonl"),
        (["a.csv"], "out.parquet", "parquet cannot grow so"),
        (["a.jsonl"], "out.csv", "cannot know the columns of JSON lines to come"),
    ],
)
def test_what_cannot_be_followed_is_refused(
    tmp_path: Path, names: list[str], output: str, said: str
) -> None:
    files = [tmp_path / name for name in names]
    for file in files:
        file.write_text("text\n")
    with pytest.raises(UsageError, match=said):
        follow_local(job(files, tmp_path / output), Watch(), 1, io.BytesIO())
    assert sorted(path.name for path in tmp_path.iterdir()) == names
