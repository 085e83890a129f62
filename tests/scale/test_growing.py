"""Input that grows: what is read of it, and how a file that takes its place is noticed."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tactful.scale.follow.follow import GrowingFile, GrowingStream, Replaced
from tactful.scale.follow.output import Position


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "log.txt"
    file.write_bytes(b"one\ntwo\n")
    return file


@pytest.fixture
def growing(path: Path) -> Iterator[GrowingFile]:
    file = GrowingFile(path, Position())
    yield file
    file.close()


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def rename(path: Path) -> Path:
    return path.rename(path.with_name("log.txt.1"))


def test_what_is_added_is_read_and_nothing_twice(path: Path, growing: GrowingFile) -> None:
    assert growing.read() == b"one\ntwo\n"
    assert growing.read() == b""
    append(path, b"thr")
    assert growing.read() == b"thr"
    append(path, b"ee\n")
    assert growing.read() == b"ee\n"
    assert not growing.ended


def cut_off(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    os.truncate(path, 0)


def cut_off_and_grown_again(path: Path) -> None:
    cut_off(path)
    append(path, b"something else that is longer\n")


def grown_again_from_the_first_line_on(path: Path) -> None:
    cut_off(path)
    append(path, b"one\nTWO\n")


@pytest.mark.parametrize(
    "how", [cut_off, cut_off_and_grown_again, grown_again_from_the_first_line_on]
)
def test_a_file_that_is_cut_off_is_noticed(
    path: Path, growing: GrowingFile, how: Callable[[Path], None]
) -> None:
    growing.read()
    how(path)
    with pytest.raises(Replaced) as noticed:
        growing.read()
    assert not noticed.value.is_whole


def test_a_file_that_is_renamed_is_read_to_its_end_first(path: Path, growing: GrowingFile) -> None:
    rename(path)
    path.write_bytes(b"new\n")
    assert growing.read() == b"one\ntwo\n"
    with pytest.raises(Replaced) as noticed:
        growing.read()
    assert noticed.value.is_whole


def test_a_renamed_file_is_read_until_its_writer_goes_on_to_the_next(
    path: Path, growing: GrowingFile
) -> None:
    growing.read()
    old = rename(path)
    assert growing.read() == b""  # there is none of that name
    path.touch()
    append(old, b"three\n")  # as logrotate creates the new file before it tells the writer
    assert growing.read() == b"three\n"
    assert growing.read() == b""
    append(old, b"four\n")
    append(path, b"new\n")
    assert growing.read() == b"four\n"
    with pytest.raises(Replaced):
        growing.read()


def test_what_the_writer_wrote_last_is_read_though_it_came_between_two_looks(
    path: Path, growing: GrowingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing.read()
    old = rename(path)
    monkeypatch.setattr(GrowingFile, "_has_a_successor", _writing(old, path))
    assert growing.read() == b"last\n"
    with pytest.raises(Replaced):
        growing.read()


def _writing(old: Path, new: Path) -> Callable[[GrowingFile], bool]:
    """Return a look at the new file before which the writer writes to both."""
    look = GrowingFile._has_a_successor

    def late(file: GrowingFile) -> bool:
        if not new.exists():
            append(old, b"last\n")
            new.write_bytes(b"new\n")
        return look(file)

    return late


def test_reading_goes_on_at_a_place_in_the_same_file(path: Path, growing: GrowingFile) -> None:
    growing.read()
    place = growing.marked(Position(4, 2))
    again = GrowingFile(path, place)
    assert again.place == place
    again.skip_to(place.offset)
    assert again.read() == b"two\n"
    again.close()


@pytest.mark.parametrize("other", [b"", b"on", b"ONE\ntwo\n"])
def test_a_place_in_another_file_is_its_start(
    path: Path, growing: GrowingFile, other: bytes
) -> None:
    place = growing.marked(Position(4, 2))
    path.write_bytes(other)
    again = GrowingFile(path, place)
    assert again.place == Position()
    again.close()


def test_only_the_start_of_a_large_file_is_marked(path: Path) -> None:
    path.write_bytes(b"x" * 10_000)
    file = GrowingFile(path, Position())
    place = file.marked(Position(9_000))
    assert (place.offset, place.marked) == (9_000, 4_096)
    file.close()


def test_a_stream_ends_and_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        stream = GrowingStream()
        assert (stream.read(), stream.ended) == (b"", False)
        os.write(writing, b"one\nt")
        assert (stream.read(), stream.ended) == (b"one\nt", False)
        assert (stream.read(), stream.ended) == (b"", False)
        os.close(writing)
        assert (stream.read(), stream.ended) == (b"", True)
        assert stream.read() == b""
        assert stream.marked(Position(5, 2)) == Position()
