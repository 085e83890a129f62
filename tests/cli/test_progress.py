"""Progress: a bar on a terminal, plain lines elsewhere, and on standard error only."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner
from rich.progress import Progress

from tactful import corpora
from tactful.cli import progress as module
from tactful.cli.main import cli
from tactful.cli.progress import Progress as Shown
from tactful.cli.progress import Ticker, progress, reading
from tactful.corpora import load_corpus
from tactful.settings import load_settings

SAMPLES = Path(corpora.__file__).parent / "samples"
CONVERT = [sys.executable, "-m", "tactful", "corpus", "convert", "dpm", "--sample", "-o"]


def convert(path: Path, progress: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CONVERT, str(path)],
        env={**os.environ, "TACTFUL_PROGRESS": progress, "TERM": "xterm"},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )


def test_piped_there_is_no_bar(tmp_path: Path) -> None:
    for setting in ("auto", "off"):
        done = convert(tmp_path / f"{setting}.jsonl", setting)
        assert "\x1b" not in done.stderr
        assert "Reading" not in done.stderr


def test_asked_for_it_goes_to_standard_error_only(tmp_path: Path) -> None:
    done = convert(tmp_path / "x.jsonl", "on")
    assert "Reading dpm" in done.stderr
    assert done.stdout == f"Wrote 40 examples of 40 texts to {tmp_path / 'x.jsonl'}\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals on Windows")
@pytest.mark.parametrize("setting", ["auto", "off"])
def test_on_a_terminal_the_setting_decides(setting: str, tmp_path: Path) -> None:
    import pty

    keyboard, terminal = pty.openpty()
    done = subprocess.run(
        [*CONVERT, str(tmp_path / "x.jsonl")],
        env={**os.environ, "TACTFUL_PROGRESS": setting, "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        check=True,
        timeout=600,
    )
    os.close(terminal)
    shown = os.read(keyboard, 100_000).decode()
    os.close(keyboard)
    assert ("Reading dpm" in shown) is (setting == "auto")
    assert done.stdout.startswith("Wrote 40 examples")


@pytest.mark.parametrize("name", ["dpm", "ucc", "sbic", "detoxis"])
def test_the_bar_is_about_full_at_the_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Progress] = []
    start = Progress.start

    def remember(self: Progress) -> None:
        bars.append(self)
        start(self)

    monkeypatch.setattr(Progress, "start", remember)
    settings = load_settings({"TACTFUL_PROGRESS": "on"})
    corpus = load_corpus(name, sample=True, settings=settings)
    with reading(corpus, passes=2):
        for _ in corpus.example_batches():
            pass
        corpus.verify()
    [task] = bars[0].tasks
    assert task.total is not None
    assert 0.7 < task.completed / task.total < 1.3
    assert corpus.on_progress is None


def test_of_packed_files_the_length_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    totals: list[float | None] = []
    add_task = Progress.add_task

    def remember(self: Progress, description: str, total: float | None = None) -> object:
        totals.append(total)
        return add_task(self, description, total=total)

    monkeypatch.setattr(Progress, "add_task", remember)
    settings = load_settings({"TACTFUL_PROGRESS": "on"})
    corpus = load_corpus("stereoimmigrants", sample=True, settings=settings)
    with reading(corpus):
        assert list(corpus.example_batches())
    assert totals == [None]


def test_an_error_takes_the_bar_down() -> None:
    corpus = load_corpus("dpm", sample=True, settings=load_settings({"TACTFUL_PROGRESS": "on"}))
    with pytest.raises(ZeroDivisionError), reading(corpus):
        raise ZeroDivisionError
    assert corpus.on_progress is None


class TicksByHand:
    """A ticker that ticks when the test says so, and not by the clock."""

    tickers: ClassVar[list["TicksByHand"]] = []

    def __init__(self, tick: Callable[[], None]):
        self.tick = tick

    def __enter__(self) -> None:
        self.tickers.append(self)

    def __exit__(self, *_: object) -> None:
        # Also at the end, so that a command that is soon done has its line, too.
        self.tick()
        self.tickers.remove(self)


@pytest.fixture
def tickers(monkeypatch: pytest.MonkeyPatch) -> list[TicksByHand]:
    monkeypatch.setattr(module, "Ticker", TicksByHand)
    monkeypatch.delenv("TACTFUL_PROGRESS", raising=False)
    return TicksByHand.tickers


def test_a_line_says_what_is_done_and_how_far_it_is() -> None:
    now = [5.0]
    shown = Shown("Asking a model", unit="prompts", clock=lambda: now[0])
    assert shown.line() == "Asking a model: working, after 0 s"
    shown(1200, 9000)
    now[0] += 90
    assert shown.line() == "Asking a model: 1,200 of 9,000 prompts, 13%, after 1 min 30 s"
    shown(1, 4, "Row 2")
    assert shown.line() == "Row 2: 1 of 4 prompts, 25%, after 1 min 30 s"
    share = Shown("Reading", 200, clock=lambda: 0.0)
    share.advance(50)
    share.advance(500)
    assert share.line() == "Reading: 100%, after 0 s"


def test_the_ticker_ticks_until_it_is_stopped() -> None:
    enough, ticks = threading.Event(), []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 3:
            enough.set()

    before = set(threading.enumerate())
    with Ticker(tick, seconds=0.001):
        assert enough.wait(60)
    assert not set(threading.enumerate()) - before


def test_a_reader_that_is_gone_does_not_end_the_work() -> None:
    tried = threading.Event()

    def tick() -> None:
        tried.set()
        raise BrokenPipeError

    with Ticker(tick, seconds=0.001):
        assert tried.wait(60)


@pytest.mark.parametrize(("setting", "lines"), [("auto", 1), ("off", 0)])
def test_where_there_is_no_terminal_plain_lines_are_printed(
    setting: str, lines: int, tickers: list[TicksByHand], capsys: pytest.CaptureFixture[str]
) -> None:
    with progress("Training", unit="steps", setting=setting) as shown:
        shown(3, 10)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == lines
    assert printed.err.startswith("Training: 3 of 10 steps, 30%, after " if lines else "")
    assert tickers == []


def test_an_error_stops_the_ticker(tickers: list[TicksByHand]) -> None:
    with pytest.raises(ZeroDivisionError), progress("Training"):
        raise ZeroDivisionError
    assert tickers == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("corpus stats dpm --sample", "Reading dpm: "),
        ("corpus convert dpm --sample -o out.jsonl", "Reading dpm: "),
        ("check --lang en a.txt", "Checking: 1 of 1 files, 100%, "),
        ("frame a.txt", "Reading: 1 of 1 batches, 100%, "),
        ("evaluate binary --gold gold.csv --predictions gold.csv", "Measuring: "),
        ("annotate simulate dpm --items 20", "Simulating: working, after "),
        (
            "calibrate old.csv --attribute TOXICITY --old-threshold 0.5 --model fast "
            "--repetitions 50",
            "Scoring 40 texts: working, after ",
        ),
        (
            f"reproduce dpm-task1 --data {SAMPLES}/dpm --models random --folds 2 --fresh",
            "Random, 50 %: 100%, after ",
        ),
        (
            f"reproduce sbic-frames --data {SAMPLES}/sbic --models majority",
            "majority: 100%, after ",
        ),
    ],
)
def test_every_long_command_says_how_far_it_is(
    command: str,
    said: str,
    tickers: list[TicksByHand],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("With our help even they can learn to hope again.\n")
    Path("gold.csv").write_text("id,label\n" + "".join(f"{at},{at % 2}\n" for at in range(20)))
    rows = (f"We meet in the library on day {at}.,{at / 40}\n" for at in range(40))
    Path("old.csv").write_text("text,TOXICITY\n" + "".join(rows))
    done = CliRunner().invoke(cli, command.split())
    assert any(line.startswith(said) for line in done.stderr.splitlines()), done.output
    assert said not in done.stdout
