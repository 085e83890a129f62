"""Files are whole or absent, and nothing is left behind."""

import os
from pathlib import Path

import pytest

from tactful.scale.tables.atomic_write import (
    is_temporary,
    remove_temporary,
    temporary_path,
    write_atomically,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_or_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "part-00000.csv"
    for data in (b"one", b"", b"two" * 100_000):
        write_atomically(path, data)
        assert path.read_bytes() == data
        assert names(tmp_path) == [path.name]


def test_a_file_may_wait_in_another_folder(tmp_path: Path) -> None:
    waiting = tmp_path / "_work"
    waiting.mkdir()
    assert temporary_path(tmp_path / "a.csv", waiting).parent == waiting
    write_atomically(tmp_path / "a.csv", b"x", waiting)
    assert (tmp_path / "a.csv").read_bytes() == b"x"
    assert names(waiting) == []


def test_what_cannot_be_put_in_place_is_taken_away_and_told_by_its_own_name(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    (target / "full").mkdir(parents=True)
    with pytest.raises(OSError, match=r"a\.csv") as caught:
        write_atomically(target, b"x")
    assert caught.value.filename == str(target)
    assert names(tmp_path) == ["a.csv"]
    with pytest.raises(FileNotFoundError) as missing:
        write_atomically(tmp_path / "nowhere" / "b.csv", b"x")
    assert missing.value.filename == str(tmp_path / "nowhere" / "b.csv")


def test_an_old_file_stays_whole_if_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match=r"a\.csv"):
        write_atomically(path, b"new", tmp_path / "nowhere")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


def test_an_unfinished_file_is_known_by_its_name(tmp_path: Path) -> None:
    temporary = temporary_path(tmp_path / "part-00000.csv")
    assert temporary.parent == tmp_path
    assert str(os.getpid()) in temporary.name
    assert is_temporary(temporary.name)


@pytest.mark.parametrize(
    "name", ["part-00000.csv", ".a.unfinished", "a.1.unfinished", ".a.b.unfinished", ".a.1.other"]
)
def test_no_other_name_is_taken_for_unfinished(name: str) -> None:
    assert not is_temporary(name)


def test_what_an_ended_run_left_is_swept_away_and_no_more(tmp_path: Path) -> None:
    for name in (".part-00003.csv.4711.unfinished", ".a.1.unfinished", "part-00001.csv", ".lock"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "_work").mkdir()
    remove_temporary(tmp_path)
    assert names(tmp_path) == [".lock", "_work", "part-00001.csv"]
