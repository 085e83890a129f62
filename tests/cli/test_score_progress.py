"""How far a run is: the figures, the lines for scripts, and the bar on a terminal."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner
from tests.scale.made import job

from tactful.cli.main import cli
from tactful.cli.progress import spoken
from tactful.cli.score import progress as module
from tactful.cli.score.progress import Bar, Clock, Lines, watching
from tactful.errors import RunError
from tactful.scale.local.engine import run_local
from tactful.scale.options import ScoreOptions
from tactful.scale.tables.sources import pack

OPTIONS = ScoreOptions(("a.csv",), "out.csv")


class Time:
    """A clock that is set by hand."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(module, "time", time)
    return time


def test_the_rate_is_that_since_the_first_rows(time: Time) -> None:
    clock = Clock()
    clock.start(1000, 0, 0)
    time.now += 20  # the model is opened
    clock.rows(10)
    rates = [clock.rate]
    time.now += 5
    clock.rows(90)
    assert [*rates, clock.rate] == [None, 20]
    assert clock.seconds == 25


def test_the_time_left_is_told_when_some_parts_are_whole(time: Time) -> None:
    clock = Clock()
    clock.start(1000, 400, 40)
    for _ in range(2):
        assert clock.seconds_left is None
        time.now += 10
        clock.rows(5)
        clock.part(50, 5)
    assert clock.share == 0.5
    assert clock.seconds_left == 100  # 20 seconds for 100, and 500 are left
    assert clock.as_data() == {
        "rows": 50,
        "parts": 2,
        "share": 0.5,
        "rows_per_second": 1.0,
        "seconds": 20.0,
        "seconds_left": 100.0,
    }


def test_what_is_not_known_is_none_until_all_is_done(time: Time) -> None:
    clock = Clock()
    clock.start(None, 0, 0)
    clock.part(50, 5)
    clock.part(50, 5)
    assert (clock.share, clock.seconds_left) == (None, None)
    clock.end()
    assert (clock.share, clock.seconds_left) == (1.0, 0.0)


def test_nothing_to_do_is_no_share(time: Time) -> None:
    clock = Clock()
    clock.start(0, 0, 0)
    assert clock.share is None


def test_lines_are_told_each_second_and_not_more_often(
    time: Time, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines()
    lines.start(100, 0, 0)
    for _ in range(10):
        lines.rows(1)
        time.now += 0.25
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [each["seconds"] for each in told] == [0.0, 1.0, 2.0]
    assert [each["rows"] for each in told] == [1, 5, 9]
    assert {each["event"] for each in told} == {"progress"}


class TicksByHand:
    """A ticker that ticks when the test says so, and not by the clock."""

    tickers: ClassVar[list["TicksByHand"]] = []

    def __init__(self, tick: Callable[[], None]):
        self.tick = tick

    def __enter__(self) -> None:
        self.tickers.append(self)

    def __exit__(self, *_: object) -> None:
        self.tickers.remove(self)


def test_where_there_is_no_terminal_plain_lines_say_how_far_it_is(
    time: Time, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "Ticker", TicksByHand)
    with watching(OPTIONS) as watch:
        (ticker,) = TicksByHand.tickers
        watch.start(1000, 0, 0)
        time.now += 30
        ticker.tick()
        for _ in range(3):
            time.now += 20
            watch.rows(25_000)
            watch.part(250, 25_000)
        ticker.tick()
    assert capsys.readouterr().err.splitlines() == [
        "Scoring: loading the model, 0%, after 30 s",
        "Scoring: 75,000 rows, 1,875 a second, 30 s left, 75%, after 1 min 30 s",
    ]
    assert TicksByHand.tickers == []


@pytest.mark.parametrize(
    ("options", "setting"),
    [
        ({"quiet": True}, "auto"),
        ({"progress": "json"}, "auto"),
        ({"progress": "off"}, "auto"),
        ({"follow": True}, "auto"),
        ({}, "off"),
    ],
)
def test_no_plain_lines_where_they_are_not_wished(
    options: dict[str, Any], setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_PROGRESS", setting)
    monkeypatch.setattr(module, "Ticker", TicksByHand)
    with watching(replace(OPTIONS, **options)):
        assert TicksByHand.tickers == []


def test_the_bar_guesses_within_parts(time: Time) -> None:
    bar = Bar(forced=False)
    bar.start(1000, 0, 0)
    bar.rows(5)
    assert bar._guess() == 0  # how long a row is, is not known yet
    bar.part(100, 10)
    bar.rows(15)
    assert bar._guess() == 200
    bar.rows(500)
    assert bar._guess() == 1000
    bar.stop()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.7, "1 h 0 min"),
        (90_000, "25 h 0 min"),
    ],
)
def test_times_are_said_in_words(seconds: float, said: str) -> None:
    assert spoken(seconds) == said


@pytest.mark.parametrize(
    ("options", "setting", "shown"),
    [
        ({}, "auto", Clock),  # standard error is no terminal here: plain lines
        ({}, "on", Bar),
        ({}, "off", Clock),
        ({"follow": True}, "on", Clock),
        ({"progress": "bar"}, "off", Bar),
        ({"progress": "bar", "quiet": True}, "on", Clock),
        ({"progress": "json"}, "off", Lines),
        ({"progress": "json", "quiet": True}, "on", Clock),
        ({"progress": "off"}, "on", Clock),
    ],
)
def test_what_is_shown_is_as_wished(
    options: dict[str, Any], setting: str, shown: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACTFUL_PROGRESS", setting)
    with watching(replace(OPTIONS, **options)) as watch:
        assert type(watch) is shown


SHOWN = """
import sys
from tactful.cli.score import progress as module
from tactful.scale.options import ScoreOptions

class Time:
    now = 0.0
    def monotonic(self):
        return self.now

time = module.time = Time()
with module.watching(ScoreOptions(("a.csv",), "out.csv")) as watch:
    watch.start(1000, 0, 0)
    for _ in range(3):
        time.now += 20
        watch.rows(25_000)
        watch.part(250, 25_000)
    watch._bar.refresh()
"""


def test_a_terminal_shows_the_rate_and_the_time_left() -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", SHOWN], stderr=slave, env=os.environ | {"COLUMNS": "100"}
    ) as process:
        os.close(slave)
        said = _all_of(master)
    assert process.returncode == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
    assert "Scoring" in plain
    assert "75,000 rows, 1,875 a second, 20 s left" in plain
    assert plain.split("\r")[-1].strip() == ""  # it is taken away at the end


def _all_of(terminal: int) -> str:
    said = b""
    while True:
        try:
            new = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            new = b""
        if not new:
            os.close(terminal)
            return said.decode()
        said += new


def test_a_run_of_many_parts_tells_its_share_in_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "".join(f"text {at}\n" for at in range(40)))
    args = ["score", path, "-o", tmp_path / "out.csv", "--model", "fast", "--lang", "en",
            "--part-rows", 10, "--progress", "json"]  # fmt: skip
    result = CliRunner().invoke(cli, list(map(str, args)), catch_exceptions=False)
    told = [json.loads(line) for line in result.stderr.splitlines()]
    assert [each["event"] for each in told][-2:] == ["progress", "summary"]
    assert (told[-2]["rows"], told[-2]["parts"], told[-2]["share"]) == (40, 4, 1.0)
    assert told[-1]["rows"] == told[-1]["scored"] == 40
    assert told[-1]["written"] == [str(tmp_path / "out.csv")]
    assert result.stdout == ""


class Told(Clock):
    """Remembers the share after each part."""

    def __init__(self) -> None:
        super().__init__()
        self.shares: list[float | None] = []

    def part(self, size: int, rows: int) -> None:
        super().part(size, rows)
        self.shares.append(self.share)


@pytest.mark.parametrize("packing", ["", "gz", "zst"])
def test_the_share_of_packed_input_is_known_too(tmp_path: Path, packing: Any) -> None:
    path = tmp_path / f"a.csv{f'.{packing}' if packing else ''}"
    digits = [blake2b(str(at).encode()).hexdigest() for at in range(5000)]
    path.write_bytes(pack("".join(["text\n", *(f"{each}\n" for each in digits)]).encode(), packing))
    told = Told()
    wanted = job(path, tmp_path / "out.csv", part_rows=500, part_bytes=20_000)
    run_local(wanted, told)
    shares = [share for share in told.shares if share is not None]
    assert len(shares) == told.parts > 10
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=0.001)
    assert 0.3 < shares[len(shares) // 2] < 0.7


def test_what_an_earlier_run_did_of_packed_input_is_counted(tmp_path: Path) -> None:
    rows = [blake2b(str(at).encode()).hexdigest() for at in range(2000)]
    rows[1500] = "two,cells"
    path = tmp_path / "a.csv.gz"
    path.write_bytes(pack("".join(["text\n", *(f"{each}\n" for each in rows)]).encode(), "gz"))
    wanted = job(path, tmp_path / "out.csv", part_rows=100)
    first, second = Told(), Told()
    with pytest.raises(RunError, match="line 1502"):
        run_local(wanted, first)
    run_local(replace(wanted, skip_bad_rows=True), second)
    assert first.done == second.before
    assert second.shares[0] == pytest.approx(0.8, abs=0.05)
    assert second.shares[-1] == pytest.approx(1.0, abs=0.001)
