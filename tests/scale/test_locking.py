"""One run at a time: a folder is locked by one process, and unlocked however it ends."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tactful.errors import OutputError, RunError
from tactful.scale.local import manifest
from tactful.scale.local.manifest import LOCK, locked

_HOLDS = """
import sys
from pathlib import Path
from tactful.scale.local.manifest import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_is_refused_while_the_first_one_works(tmp_path: Path) -> None:
    with (
        locked(tmp_path),
        pytest.raises(RunError, match="another run is writing here; expected no other"),
        locked(tmp_path),
    ):
        raise AssertionError
    with locked(tmp_path):
        assert (tmp_path / LOCK).exists()


def test_an_error_lets_the_folder_go(tmp_path: Path) -> None:
    with pytest.raises(KeyError), locked(tmp_path / "new" / "folder"):
        raise KeyError
    with locked(tmp_path / "new" / "folder"):
        pass


def test_no_file_is_left_open_by_a_run_that_is_refused(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("this system does not tell which files are open")
    with locked(tmp_path):
        before = os.listdir("/proc/self/fd")  # noqa: PTH208
        for _ in range(3):
            with pytest.raises(RunError), locked(tmp_path):
                pass
        assert len(os.listdir("/proc/self/fd")) == len(before)  # noqa: PTH208


def test_a_process_that_is_killed_lets_the_folder_go(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RunError), locked(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with locked(tmp_path):
        pass


def test_a_folder_that_the_first_run_took_away_at_its_end_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, take = tmp_path / "work", manifest._take
    taken: list[int] = []

    def taken_away_meanwhile(handle: int) -> bool:
        if not taken:
            shutil.rmtree(folder)
        taken.append(handle)
        return take(handle)

    monkeypatch.setattr(manifest, "_take", taken_away_meanwhile)
    with locked(folder):
        assert len(taken) == 2
        with pytest.raises(RunError), locked(folder):
            raise AssertionError


def test_a_disk_that_cannot_lock_is_not_taken_for_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(handle: int, how: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks available"), locked(tmp_path):
        raise AssertionError


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/below: cannot be written \(Not a directory\)"):
        locked(tmp_path / "file" / "below").__enter__()
