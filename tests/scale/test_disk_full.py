"""A disk that is full: one sentence, and with room made the same command goes on."""

import contextlib
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.scale.made import job, scored_file

from tactful.errors import OutputError
from tactful.scale.local.engine import run_local
from tactful.scale.local.manifest import FILE
from tactful.scale.local.place import output_folder
from tactful.scale.progress import Watch

resource = pytest.importorskip("resource", reason="this system has no limits to set")
ROWS, PART_ROWS = 400, 20
_LIMITED = """
import resource, sys
from tactful.cli.main import main
if __name__ == "__main__":
    size = int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    main()
"""


@contextlib.contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Limit the bytes that can be written to a file, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give a file with rows."""
    path = tmp_path / "in.csv"
    path.write_text("id,text\n" + "".join(f"{at},text {at}\n" for at in range(ROWS)))
    return path


def files(place: Path) -> dict[str, bytes]:
    """Return what was written; the record of a run may have lines twice."""
    found = sorted(place.rglob("*")) if place.is_dir() else [place]
    return {path.name: path.read_bytes() for path in found if path.is_file() and path.name != FILE}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param("out", 300, id="no room for the record"),
        pytest.param("out", 1200, id="no room for a part"),
        pytest.param("out", 2500, id="no room for the record of all parts"),
        pytest.param("out.csv", 5000, id="no room to join lines"),
        pytest.param("out.parquet", 5000, id="no room to join tables"),
        pytest.param("out.arrow", 5000, id="no room to join arrows"),
    ],
)
def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(
    tmp_path: Path, source: Path, name: str, size: int
) -> None:
    scored_file(source, tmp_path / f"whole-{name}", part_rows=PART_ROWS)
    output = tmp_path / name
    wanted = job(source, output, part_rows=PART_ROWS)
    with no_file_larger_than(size), pytest.raises(OutputError) as caught:
        run_local(wanted, Watch())
    said = str(caught.value)
    assert "cannot be written (" in said
    assert "File too large" in said
    assert "make room and run the same command again to resume" in said
    assert "\n" not in said
    assert not list(tmp_path.rglob("*.unfinished"))
    assert not output.is_file()
    run_local(wanted, Watch())
    assert list(files(output).values()) == list(files(tmp_path / f"whole-{name}").values())


def test_what_was_whole_before_the_disk_was_full_is_not_made_again(
    tmp_path: Path, source: Path
) -> None:
    wanted = job(source, tmp_path / "out.csv", part_rows=PART_ROWS)
    with no_file_larger_than(5000), pytest.raises(OutputError):
        run_local(wanted, Watch())
    folder = output_folder(wanted).folder
    assert len(list(folder.glob("part-*"))) == ROWS // PART_ROWS

    class Counts(Watch):
        parts = 0

        def part(self, size: int, rows: int) -> None:
            self.parts += 1

    counts = Counts()
    run_local(wanted, counts)
    assert counts.parts == 0


def test_equal_texts_need_no_room_to_be_remembered(tmp_path: Path, source: Path) -> None:
    """The file of texts that were read saves work; a run does not hang on it."""
    plain = tmp_path / "plain"
    scored_file(source, plain, part_rows=PART_ROWS)
    with no_file_larger_than(6000):
        scored_file(source, tmp_path / "out", part_rows=PART_ROWS, dedupe=True)
    for part in plain.glob("part-*"):
        assert (tmp_path / "out" / part.name).read_bytes() == part.read_bytes()


def test_the_command_and_its_workers_say_it_in_one_line(tmp_path: Path) -> None:
    source = tmp_path / "in.csv.gz"
    source.write_bytes(gzip.compress(b"text\n" + b"we meet our neighbours\n" * 400))
    script = tmp_path / "limited.py"
    script.write_text(_LIMITED)

    def run(size: int) -> "subprocess.CompletedProcess[str]":
        options: list[Any] = ["--model", "fast", "--lang", "en", "--workers", "2", "--quiet"]
        options += ["--part-rows", "100"]
        return subprocess.run(
            [sys.executable, script, str(size), "score", source, "-o", tmp_path / "out", *options],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        )

    full = run(10_000)
    assert full.returncode == 1
    assert full.stderr.count("\n") == 1
    assert full.stderr.startswith("Error: ")
    assert "cannot be written (File too large); finished parts are kept: make room" in full.stderr
    assert run(1 << 30).returncode == 0
    parts = [path for path in (tmp_path / "out").iterdir() if path.name.startswith("part-")]
    assert sum(path.read_bytes().count(b"we meet") for path in parts) == 400


def test_a_small_disk_that_is_really_full(tmp_path: Path, source: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        scored_file(source, tmp_path / "whole", part_rows=PART_ROWS)
        (disk / "ballast").write_bytes(bytes(20_000))
        with pytest.raises(OutputError, match="No space left on device"):
            scored_file(source, disk / "out", part_rows=PART_ROWS)
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        scored_file(source, disk / "out", part_rows=PART_ROWS)
        assert files(disk / "out") == files(tmp_path / "whole")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
