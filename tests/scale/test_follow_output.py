"""Where followed rows go: however a run ends, the next one finds whole batches and its place."""

import io
import json
import os
from pathlib import Path

import pytest

from tactful.errors import InputError, OutputError, UsageError
from tactful.scale.follow import output as module
from tactful.scale.follow.output import (
    NOTE,
    FollowedFile,
    FollowedStream,
    Position,
    hidden_folder,
    refuse_existing,
)
from tactful.scale.tables.atomic_write import write_atomically

TERMS = {"model": "m 1", "ids": ["a"]}
HEADER = b"text,a\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an output; the lock has made its folder."""
    file = tmp_path / "out.csv"
    hidden_folder(file).mkdir()
    return file


def opened(path: Path, restart: bool = False, **terms: object) -> FollowedFile:
    return FollowedFile(path, TERMS | terms, restart=restart)


def write(path: Path, *batches: bytes) -> None:
    with opened(path) as file:
        file.begin(HEADER)
        for at, batch in enumerate(batches, 1):
            file.add(batch, Position(10 * at, at))


def place_in(path: Path) -> Position:
    with opened(path) as file:
        return file.place


def test_batches_are_added_and_the_next_run_knows_its_place(path: Path) -> None:
    write(path, b"one\n", b"two\n")
    with opened(path) as again:
        assert again.place == Position(20, 2)
        again.begin(HEADER)
        again.add(b"three\n", Position(30, 3))
    assert path.read_bytes() == HEADER + b"one\ntwo\nthree\n"


def test_what_was_written_and_not_noted_is_cut_off(path: Path) -> None:
    write(path, b"one\n")
    with path.open("ab") as file:
        file.write(b"half a bat")
    with opened(path) as again:
        assert again.place == Position(10, 1)
        again.add(b"two\n", Position(20, 2))
    assert path.read_bytes() == HEADER + b"one\ntwo\n"


@pytest.mark.parametrize("call", ["flush to disk", "note", "after the note"])
def test_an_interrupt_at_any_point_leaves_whole_batches(
    path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, b"one\n")
    usual = write_atomically

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    def noted_and_interrupted(note: Path, data: bytes) -> None:
        usual(note, data)
        raise KeyboardInterrupt

    if call == "flush to disk":
        monkeypatch.setattr(os, "fsync", interrupted)
    else:
        end = interrupted if call == "note" else noted_and_interrupted
        monkeypatch.setattr(module, "write_atomically", end)
    with pytest.raises(KeyboardInterrupt), opened(path) as file:
        file.add(b"two\n", Position(20, 2))
    monkeypatch.undo()
    is_noted = call == "after the note"
    assert path.read_bytes() == HEADER + b"one\n" + (b"two\n" if is_noted else b"")
    assert place_in(path) == (Position(20, 2) if is_noted else Position(10, 1))


def test_a_header_that_was_written_is_not_written_again(path: Path) -> None:
    write(path)
    write(path, b"one\n")
    assert path.read_bytes() == HEADER + b"one\n"


def test_other_columns_are_refused_and_what_is_there_stays(path: Path) -> None:
    write(path, b"one\n")
    with pytest.raises(InputError, match="other columns than the input has now"), opened(path) as f:
        f.begin(b"text,b\n")
    assert path.read_bytes() == HEADER + b"one\n"


def test_other_terms_are_refused_unless_begun_anew(path: Path) -> None:
    write(path, b"one\n")
    with pytest.raises(UsageError, match=r"the model .*: m 1 then, m 2 now"):
        opened(path, model="m 2")
    with opened(path, restart=True, model="m 2") as file:
        assert file.place == Position()
        file.add(b"new\n", Position(1))
    assert path.read_bytes() == b"new\n"


def test_a_run_that_wrote_nothing_binds_nobody(path: Path) -> None:
    note = {"terms": {"model": "another"}, "size": 0, "place": {"offset": 0}}
    (hidden_folder(path) / NOTE).write_text(json.dumps(note))
    path.touch()
    refuse_existing(path, restart=False, force=False)
    write(path, b"one\n")
    assert path.read_bytes() == HEADER + b"one\n"


@pytest.mark.parametrize("left", [None, b"text,a\no"])
def test_an_output_that_was_cut_off_or_removed_is_refused(path: Path, left: bytes | None) -> None:
    write(path, b"one\n")
    path.unlink() if left is None else path.write_bytes(left)
    with pytest.raises(InputError, match=r"cut off or removed .* expected at least 11 bytes"):
        opened(path)


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"terms": {}, "size": 1, "place": {"x": 1}}'])
def test_a_note_that_cannot_be_read_is_refused(path: Path, note: str) -> None:
    (hidden_folder(path) / NOTE).write_text(note)
    with pytest.raises(InputError, match="found no record of how far the input was read"):
        opened(path)


@pytest.mark.parametrize(
    ("options", "refused"),
    [({}, True), ({"force": True}, False), ({"restart": True}, False)],
)
def test_a_file_of_another_is_refused(path: Path, options: dict[str, bool], refused: bool) -> None:
    path.write_bytes(b"precious\n")
    asked = {"restart": False, "force": False} | options
    if refused:
        with pytest.raises(UsageError, match=r"out.csv: it exists already; .* --force"):
            refuse_existing(path, **asked)
    else:
        refuse_existing(path, **asked)


def test_a_folder_is_no_place_for_rows(path: Path) -> None:
    path.mkdir()
    with pytest.raises(UsageError, match="found a folder; expected the name of a file"):
        refuse_existing(path, restart=False, force=True)


def test_an_error_before_the_first_row_leaves_nothing(path: Path) -> None:
    with pytest.raises(InputError), opened(path):
        raise InputError("no such column")
    assert list(path.parent.iterdir()) == []


def test_an_error_before_the_first_row_leaves_what_was_to_be_written_over(path: Path) -> None:
    path.write_bytes(b"precious\n")
    with pytest.raises(InputError), opened(path, restart=True):
        raise InputError("no such column")
    assert path.read_bytes() == b"precious\n"
    assert list(path.parent.iterdir()) == [path]


def test_an_error_after_a_row_leaves_it(path: Path) -> None:
    write(path, b"one\n")
    with pytest.raises(InputError), opened(path):
        raise InputError("a bad row")
    assert path.read_bytes() == HEADER + b"one\n"
    assert place_in(path) == Position(10, 1)


def test_a_full_disk_is_one_sentence(path: Path) -> None:
    path.symlink_to("/dev/full")
    with pytest.raises(OutputError, match=r"out.csv: cannot be written \(No space left"), \
            opened(path) as file:  # fmt: skip
        file.add(b"one\n", Position(4))


def test_a_stream_has_one_header_and_its_batches_at_once() -> None:
    class Flushed(io.BytesIO):
        seen = b""

        def flush(self) -> None:
            self.seen = self.getvalue()

    out = Flushed()
    stream = FollowedStream(out)
    for _ in range(2):
        stream.begin(HEADER)
        stream.add(b"one\n", Position(9))
    assert out.seen == HEADER + b"one\none\n"
    assert stream.place == Position()
