"""``tactful score --follow`` as users run it: a process that lives, is killed, and goes on."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FAST = ("--model", "fast", "--lang", "en", "--only", "pcl.metaphor")
SECONDS = 120.0


RUNNING: "list[subprocess.Popen[str]]" = []


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in an empty folder, and leave no process behind."""
    monkeypatch.chdir(tmp_path)
    yield
    while RUNNING:
        with RUNNING.pop() as process:
            process.kill()


def started(*args: str, **options: Any) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tactful", "score", *args, "--follow", "--latency", "0.05"]
    process = subprocess.Popen([*command, *FAST], text=True, stderr=subprocess.PIPE, **options)
    RUNNING.append(process)
    return process


def wait_for(is_so: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait until something has happened; a process that ends or never does it fails the test."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def append(first: int, behind: int, rest: str = "") -> None:
    with Path("log.jsonl").open("a") as file:
        file.writelines(json.dumps({"id": at, "text": f"Row {at}."}) + "\n"
                        for at in range(first, behind))  # fmt: skip
        file.write(rest)


def ids() -> list[int]:
    if not Path("out.jsonl").exists():
        return []
    lines = Path("out.jsonl").read_text().splitlines(keepends=True)
    return [json.loads(line)["id"] for line in lines if line.endswith("\n")]


def interrupted(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, said
    return said


def test_a_file_is_followed_through_kills_and_each_row_stands_once() -> None:
    rows = 0
    for _ in range(3):
        append(rows, rows + 40)
        process = started("log.jsonl", "-o", "out.jsonl")
        wait_for(lambda: len(ids()) > rows, process)  # noqa: B023 (it is called at once)
        process.kill()
        process.communicate()
        rows += 40
    append(rows, rows + 1, '{"id": 999, "te')
    process = started("log.jsonl", "-o", "out.jsonl")
    wait_for(lambda: len(ids()) == rows + 1, process)
    append(0, 0, 'xt": "Now it is whole."}\n')
    wait_for(lambda: len(ids()) == rows + 2, process)
    said = interrupted(process)
    assert ids() == [*range(rows + 1), 999]
    assert "scored with fast-en 2.3" in said
    assert "Traceback" not in said


def test_the_output_is_refused_by_others_and_begun_anew_if_so_wished() -> None:
    append(0, 3)
    process = started("log.jsonl", "-o", "out.jsonl")
    wait_for(lambda: len(ids()) == 3, process)
    second = started("log.jsonl", "-o", "out.jsonl")
    assert "another run is writing here" in second.communicate(timeout=SECONDS)[1]
    assert second.returncode == 1
    interrupted(process)
    Path("log.jsonl").write_text("")
    append(7, 9)
    process = started("log.jsonl", "-o", "out.jsonl", "--restart")
    wait_for(lambda: ids() == [7, 8], process)
    interrupted(process)


def test_rows_of_standard_input_come_as_they_are_written_and_the_end_writes_the_rest() -> None:
    process = started(
        "-", "-o", "-", "--input-format", "csv", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("id,text\n1,The first row.\n")
    process.stdin.flush()
    assert process.stdout.readline() == "id,text,pcl.metaphor,model,error\n"
    assert process.stdout.readline().startswith("1,The first row.,0.")
    process.stdin.write('2,"A cell\nof two lines."\n3,The last')
    out, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert out.startswith('2,"A cell\nof two lines.",0.')
    assert out.splitlines()[2].startswith("3,The last,0.")
    assert "3 rows, 3 scored" in said


def test_progress_for_scripts_ends_with_the_summary() -> None:
    process = started(
        "-", "-o", "-", "--input-format", "txt", "--progress", "json",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    _, said = process.communicate("One row.\n", timeout=SECONDS)
    told = [json.loads(line) for line in said.splitlines()]
    assert {each["event"] for each in told[:-1]} == {"progress"}
    assert (told[-1]["event"], told[-1]["rows"]) == ("summary", 1)


def test_a_reader_that_goes_away_ends_it_without_a_traceback() -> None:
    append(0, 5)
    process = started("log.jsonl", "-o", "-", stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    append(5, 6)
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(SECONDS) == 1


def test_nothing_scored_is_a_failure() -> None:
    process = started(
        "-", "-o", "-", "--input-format", "jsonl", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    out, said = process.communicate('{"text": null}\n', timeout=SECONDS)
    assert process.returncode == 1
    assert '"error":"no text"' in out
    assert "no text" in said
