"""Killed again and again: every row is there once, and every part as if nothing had happened.

A kill hits the whole group of processes, or the first one alone, so that its workers are orphans
while the next run begins. Its time depends on the progress of the run, not on a clock, so
that all of a run is covered on fast and on slow machines: the start, each stretch of the parts, and
what is done when all parts are there.
"""

import contextlib
import gzip
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from tactful.scale.local.manifest import FILE
from tactful.scale.local.place import SUMMARY
from tactful.scale.local.pool import WORK

ROOT = Path(__file__).parents[2]
WORDS = ["we", "meet", "our", "kind", "neighbours", "on Sunday", "and talk", "about", "work, bread"]
LIMIT = 120.0
"""Seconds after which a run counts as hanging."""
_DRIVER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tests.scale.made import job
from tactful.scale.local.engine import run_local
from tactful.scale.progress import Watch

if __name__ == "__main__":
    source, output = map(Path, sys.argv[1:])
    run_local(job(source, output, workers=2, part_rows=50, top=20), Watch())
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no groups of processes")
Command = Callable[[Path], list[str]]


def write_input(path: Path, rows: int) -> None:
    """Write rows with quotes and line ends in some cells, so that cuts are not all alike."""
    rng = random.Random(5)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 40))) for _ in range(rows)]
    texts[::7] = [f'{text}\n"again", {text}' for text in texts[::7]]
    data = pl.DataFrame({"id": range(rows), "text": texts}).write_csv().encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def run_to_the_end(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def parts_done(folder: Path) -> int:
    try:
        return (folder / FILE).read_bytes().count(b'\n{"part"')
    except OSError:
        return 0


def alive_in_group(group: int) -> list[int]:
    """Return the processes of a group that still run; those that only wait to be buried do not."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, process_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(process_group) == group and state not in "ZX":
                found.append(int(path.parent.name))
    return found


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.0005)


def moments(
    kills: int, folder: Path, target: Path, total: int, rng: random.Random
) -> Iterator[Callable[[], bool]]:
    """Yield what must have happened before each kill: at most one in five at the end of a run."""
    late = max(kills // 5, 3)
    early = max(kills // 10, 1)
    for _ in range(early):
        yield folder.exists
    steps = kills - late - early
    for step in range(steps):
        wanted = min(1 + step * total // steps + rng.randint(0, max(total // steps - 1, 0)), total)
        yield lambda wanted=wanted: parts_done(folder) >= wanted  # type: ignore[misc]
    ends: list[Callable[[], bool]] = [
        lambda: parts_done(folder) >= total,
        lambda: any((folder / WORK).glob(f".{target.name}.*.unfinished")) or target.is_file(),
        (folder / SUMMARY).exists,
    ]
    for at in range(late):
        yield ends[at % len(ends)]


def killed_runs(command: Command, output: Path, folder: Path, kills: int, total: int) -> int:
    """Run, kill and run again; return how many kills hit a process that was at work."""
    rng = random.Random(kills)
    hits = 0
    for number, reached in enumerate(moments(kills, folder, output, total, rng)):
        process = started(command(output))
        with process:
            wait_until(lambda now=reached, run=process: now() or run.poll() is not None)  # type: ignore[misc]
            time.sleep(rng.choice([0, 0, 0.001, 0.01, 0.05]))
            group_too = number % 2 == 0
            if process.poll() is None:
                (os.killpg if group_too else os.kill)(process.pid, signal.SIGKILL)
            said, _ = process.communicate(timeout=LIMIT)
        hits += process.returncode == -signal.SIGKILL
        assert process.returncode in (0, -signal.SIGKILL), said.decode()
        assert b"Traceback" not in said or process.returncode, said.decode()
        if number % 5 == 1:
            wait_until(lambda run=process: not alive_in_group(run.pid))  # type: ignore[misc]
        if process.returncode == 0:
            break
    else:
        run_to_the_end(command(output))
    return hits


def compare(output: Path, whole: Path, rows: int) -> None:
    """Compare what was written with what a run wrote that nobody disturbed."""
    files = sorted(path.name for path in output.parent.rglob("*") if path.is_file())
    assert files == sorted(path.name for path in whole.parent.rglob("*") if path.is_file())
    found: list[int] = []
    for path in sorted(whole.rglob("*") if whole.is_dir() else [whole]):
        twin = output / path.relative_to(whole) if whole.is_dir() else output
        if path.name not in (FILE, ".lock"):
            assert twin.read_bytes() == path.read_bytes(), path.name
        if path.name.startswith(("part-", "out.")):
            read = pl.read_parquet if path.suffix == ".parquet" else pl.read_csv
            found += map(int, read(twin)["id"])
    assert found == list(range(rows))


def check(tmp_path: Path, command: Command, name: str, kills: int, total: int, rows: int) -> None:
    places = [tmp_path / each / name for each in ("whole", "killed")]
    for place in places:
        place.parent.mkdir()
    whole, output = places
    run_to_the_end(command(whole))
    merged = "." in name
    folder = output.with_name(f".{name}.tactful") if merged else output
    hits = killed_runs(command, output, folder, kills, total)
    # The last stretch of a run is short: some of the last kills may come too late.
    assert hits >= kills - max(kills // 5, 3)
    compare(output, whole, rows)


@pytest.mark.parametrize(
    ("name", "kills"), [("out", 6), pytest.param("out.csv.gz", 10, marks=pytest.mark.slow)]
)
def test_a_run_that_is_killed_many_times_ends_as_if_it_never_was(
    tmp_path: Path, name: str, kills: int
) -> None:
    source, script = tmp_path / "in.csv.gz", tmp_path / "driver.py"
    write_input(source, 3000)
    script.write_text(_DRIVER)

    def command(output: Path) -> list[str]:
        return [sys.executable, str(script), str(source), str(output)]

    check(tmp_path, command, name, kills=kills, total=60, rows=3000)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out", "out.csv.gz", "out.parquet"])
def test_the_command_that_is_killed_thirty_times_ends_as_if_it_never_was(
    tmp_path: Path, name: str
) -> None:
    source = tmp_path / "in.csv"
    write_input(source, 12_000)

    def command(output: Path) -> list[str]:
        return [
            *(sys.executable, "-m", "tactful", "score", str(source), "--output", str(output)),
            *("--model", "fast", "--lang", "en", "--workers", "2", "--part-rows", "100"),
            *("--top", "20", "--quiet"),
        ]

    check(tmp_path, command, name, kills=30, total=120, rows=12_000)
