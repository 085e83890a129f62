"""Following through ``kill -9``: real processes, ended at the worst moments, and each row once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import os, signal, sys
from pathlib import Path
from tests.scale.made import job
from tactful.scale.follow.follow import follow_local
from tactful.scale.progress import Watch

log, output, moment, kill_at, enough = sys.argv[1:]
calls = 0


def count_down():
    global calls
    calls += 1
    if calls == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)


def kill_before(name, usual):
    def called(*args):
        if moment == f"before {name}":
            count_down()
        usual(*args)
        if moment == f"after {name}":
            count_down()
    return called


os.fsync = kill_before("fsync", os.fsync)
Path.replace = kill_before("rename", Path.replace)


class Enough(Watch):
    def part(self, size, rows):
        if Path(output).read_bytes().count(b"\\n") + rows >= int(enough):
            os.kill(os.getpid(), signal.SIGINT)


wanted = job([log], output, part_rows=7)
print(follow_local(wanted, Enough(), 0.01, sys.stdout.buffer).summary.rows)
"""


def follow(log: Path, output: Path, moment: str = "", kill_at: int = 0, enough: int = 0) -> int:
    command = [sys.executable, "-c", SCRIPT, str(log), str(output), moment, str(kill_at)]
    done = subprocess.run(
        [*command, str(enough)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_each_row_stands_once_after_many_kills(tmp_path: Path, ending: str) -> None:
    log, output = tmp_path / f"log.{ending}", tmp_path / f"out.{ending}"
    rows = [f"row {at}" for at in range(200)]
    head, line = ("text\n", "{}\n") if ending == "csv" else ("", '{{"text": "{}"}}\n')
    log.write_text(head)
    # A note is flushed and renamed after each batch, which is flushed before it.
    moments = [("before fsync", 1), ("after fsync", 5), ("before rename", 4), ("after rename", 6)]
    for at, (moment, number) in enumerate(moments):
        with log.open("a") as file:
            file.writelines(line.format(row) for row in rows[at * 50 : (at + 1) * 50])
        assert follow(log, output, moment, number, 1000) == -signal.SIGKILL
    assert follow(log, output, enough=200 + len(head.splitlines())) == 0
    texts = [text.split(",")[0] for text in output.read_text().splitlines()]
    expected = [row if ending == "csv" else f'{{"text": "{row}"' for row in rows]
    assert texts == [*head.splitlines(), *expected]
    left = sorted(path.name for path in (tmp_path / f".out.{ending}.tactful").iterdir())
    assert left == [".lock", "follow.json"]
