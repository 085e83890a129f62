import errno
import gzip
import hashlib
import io
import os
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.errors import FileFormatError, OutputError, TactfulError, UsageError
from tactful.files import (
    BROKEN_ARCHIVE,
    atomic_folder,
    atomic_path,
    csv_rows,
    has_bad_bytes,
    open_text,
    sha256,
)

TEXT = "a kind word\nun café\n"

Atomic = Callable[..., AbstractContextManager[Path]]


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def read(path: Path, encoding: str = "utf-8", newline: str = "") -> str:
    with open_text(path, encoding, newline) as handle:
        return handle.read()


@contextmanager
def umask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


# ---- reading ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "byte-order mark"])
@pytest.mark.parametrize("packing", ["plain", "gz", "zip", "stored zip"])
def test_the_bytes_decide_how_a_file_is_read_not_its_name(
    tmp_path: Path, packing: str, mark: bytes
) -> None:
    content = mark + TEXT.encode()
    path = tmp_path / "words.csv"
    if packing == "plain":
        path.write_bytes(content)
    elif packing == "gz":
        path.write_bytes(gzip.compress(content))
    else:
        method = zipfile.ZIP_STORED if packing == "stored zip" else zipfile.ZIP_DEFLATED
        zipped(path, {"inner.csv": content}, method)
    assert read(path) == TEXT


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["plain", "gz", "zip"]))
@settings(max_examples=60)
def test_every_text_comes_back_letter_by_letter(text: str, packing: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        # A text that itself starts with a byte-order mark keeps it after the file's own.
        content = b"\xef\xbb\xbf" + text.encode()
        if packing == "zip":
            zipped(path, {"text": content})
        else:
            path.write_bytes(gzip.compress(content) if packing == "gz" else content)
        assert read(path) == text


def test_line_ends_are_kept_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "ends"
    path.write_bytes(b"a\rb\r\nc\n")
    with open_text(path) as handle:
        assert list(handle) == ["a\r", "b\r\n", "c\n"]
    with open_text(path, newline="\n") as handle:
        assert list(handle) == ["a\rb\r\n", "c\n"]


def test_a_large_archive_is_read_to_its_end(tmp_path: Path) -> None:
    text = "".join(f"{number} is a number\n" for number in range(50_000))
    path = tmp_path / "large.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert read(path) == text
    assert read(zipped(tmp_path / "large.zip", {"large": text.encode()})) == text


def test_bytes_that_are_not_text_are_found_in_their_line(tmp_path: Path) -> None:
    path = tmp_path / "mixed"
    path.write_bytes(b"plain\ncaf\xe9\nun caf\xc3\xa9\n")
    with open_text(path) as handle:
        assert [has_bad_bytes(line) for line in handle] == [False, True, False]
    assert read(path, "iso-8859-1").splitlines()[1] == "café"


@pytest.mark.parametrize("text", ["", "plain", "café", "\U0001f600", "\u2028", "\ud800"])
def test_only_escaped_bytes_count_as_bad(text: str) -> None:
    assert not has_bad_bytes(text)


@pytest.mark.parametrize("byte", [0x80, 0xE9, 0xFF])
def test_every_escaped_byte_counts_as_bad(byte: int) -> None:
    assert has_bad_bytes("caf" + bytes([byte]).decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("asked", ["utf-8", "utf-16", "iso-8859-1"])
def test_utf_16_is_refused_with_advice(tmp_path: Path, encoding: str, asked: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    path = tmp_path / "wide.csv"
    path.write_bytes((mark + TEXT).encode(encoding))
    with pytest.raises(FileFormatError, match=r"wide\.csv: found UTF-16 text.*save the file as"):
        read(path, asked)


@pytest.mark.parametrize("encoding", ["utf-ate", "hex"])
def test_an_unknown_encoding_is_a_usage_error(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(UsageError, match=f"no text encoding named '{encoding}'; try utf-8"):
        read(path, encoding)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found a folder; expected a file; name one file in it\."):
        read(tmp_path)


def test_a_missing_file_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"a.csv": b"1", "b.csv": b"2"}, r"found 2 files in the zip \('a\.csv', 'b\.csv'\)"),
        ({}, r"found 0 files in the zip \(nothing\)"),
        ({"folder/": b""}, r"found 0 files in the zip \(nothing\)"),
    ],
)
def test_a_zip_must_hold_one_file(tmp_path: Path, members: dict[str, bytes], found: str) -> None:
    path = zipped(tmp_path / "several.zip", members)
    with pytest.raises(FileFormatError, match=found + "; expected one; unpack it"):
        read(path)


def test_what_macs_and_folders_add_to_a_zip_does_not_count(tmp_path: Path) -> None:
    members = {"f/": b"", "__MACOSX/f/._a.csv": b"x", ".DS_Store": b"x", "f/a.csv": TEXT.encode()}
    assert read(zipped(tmp_path / "mac.zip", members)) == TEXT


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "locked.zip", {"a.csv": TEXT.encode()}, zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x03\x04") + 6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"locked\.zip: found a zip locked with a password"):
        read(path)


def test_a_zip_packed_in_an_unknown_way_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "odd.zip", {"a.csv": TEXT.encode()})
    content = bytearray(path.read_bytes())
    deflate64 = 9
    content[content.index(b"PK\x03\x04") + 8] = deflate64
    content[content.index(b"PK\x01\x02") + 10] = deflate64
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"odd\.zip: found a zip that cannot be unpacked"):
        read(path)


def test_a_damaged_zip_is_one_sentence(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", {"a.csv": TEXT.encode() * 50}).read_bytes()
    path = tmp_path / "damaged.zip"
    for size in (4, 20, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match=r"damaged\.zip: found a damaged .*fetch it ag"):
            read(path)


def test_a_zip_whose_content_was_changed_is_one_sentence(tmp_path: Path) -> None:
    path = zipped(tmp_path / "changed.zip", {"a.csv": b"kind words"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"kind", b"mild"))
    with pytest.raises(FileFormatError, match=r"changed\.zip: found a damaged"):
        read(path)


def test_a_gz_may_end_anywhere_and_is_one_sentence(tmp_path: Path) -> None:
    whole = gzip.compress(TEXT.encode() * 50)
    path = tmp_path / "cut.gz"
    for size in range(2, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match=r"cut\.gz: found a damaged or cut-off gz"):
            read(path)


def test_what_came_before_the_break_can_be_read(tmp_path: Path) -> None:
    lines = [f"{hashlib.sha256(bytes([n])).hexdigest()}\n" for n in range(200)]
    whole = gzip.compress("".join(lines).encode())
    path = tmp_path / "cut.gz"
    path.write_bytes(whole[: len(whole) // 2])
    got: list[str] = []
    with open_text(path) as handle, pytest.raises(BROKEN_ARCHIVE):
        got.extend(handle)
    assert len(got) > 60
    assert got == lines[: len(got)]


def test_the_fingerprint_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    for content in (b"", b"kind", bytes(range(256)) * 10_000):
        path.write_bytes(content)
        assert sha256(path) == hashlib.sha256(content).hexdigest()


# ---- writing ------------------------------------------------------------------------------------


def write(temporary: Path, content: str) -> None:
    """Write to what ``atomic_path`` or ``atomic_folder`` gave."""
    target = temporary / "inner.txt" if temporary.is_dir() else temporary
    target.write_text(content, encoding="utf-8")


def save(
    atomic: Atomic, target: Path, force: bool = False, error: BaseException | None = None
) -> None:
    """Write a new result; with an error, fail when it is half written."""
    with atomic(target, force=force) as temporary:
        write(temporary, "new")
        if error is not None:
            raise error


def content_of(path: Path) -> str:
    return (path / "inner.txt" if path.is_dir() else path).read_text(encoding="utf-8")


BOTH = pytest.mark.parametrize("atomic", [atomic_path, atomic_folder], ids=["file", "folder"])


@BOTH
def test_the_result_appears_when_the_block_ends(tmp_path: Path, atomic: Atomic) -> None:
    target = tmp_path / "new" / "deep" / "result"
    with atomic(target) as temporary:
        assert temporary.parent == target.parent
        write(temporary, "whole")
        assert not target.exists()
    assert content_of(target) == "whole"
    assert list(target.parent.iterdir()) == [target]


@BOTH
def test_what_exists_is_refused_before_anything_is_done(tmp_path: Path, atomic: Atomic) -> None:
    target = tmp_path / "result"
    with atomic(target) as temporary:
        write(temporary, "old")
    with pytest.raises(UsageError, match="it exists already; name another place or pass --force"):
        save(atomic, target)
    assert content_of(target) == "old"
    assert list(tmp_path.iterdir()) == [target]


@BOTH
def test_force_puts_the_new_in_the_place_of_the_old(tmp_path: Path, atomic: Atomic) -> None:
    target = tmp_path / "result"
    for content in ("old", "new"):
        with atomic(target, force=True) as temporary:
            write(temporary, content)
            if content == "new":
                assert content_of(target) == "old"
    assert content_of(target) == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_force_leaves_nothing_of_the_old_folder(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.mkdir()
    (target / "other.txt").write_text("old", encoding="utf-8")
    with atomic_folder(target, force=True) as temporary:
        write(temporary, "new")
    assert [entry.name for entry in target.iterdir()] == ["inner.txt"]


def test_an_empty_folder_may_be_filled(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.mkdir()
    with atomic_folder(target) as temporary:
        write(temporary, "new")
    assert content_of(target) == "new"
    assert list(tmp_path.iterdir()) == [target]


@BOTH
@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize(
    "error", [ValueError("mistake"), KeyboardInterrupt(), SystemExit(3), FileNotFoundError("input")]
)
def test_nothing_is_left_behind_when_the_block_fails(
    tmp_path: Path, atomic: Atomic, old: str | None, error: BaseException
) -> None:
    target = tmp_path / "result"
    if old:
        with atomic(target) as temporary:
            write(temporary, old)
    with pytest.raises(type(error)) as caught:
        save(atomic, target, force=True, error=error)
    assert caught.value is error
    assert list(tmp_path.iterdir()) == ([target] if old else [])
    if old:
        assert content_of(target) == old


@BOTH
def test_nothing_is_left_behind_by_an_interrupt_at_the_first_moment(
    tmp_path: Path, atomic: Atomic
) -> None:
    def interrupt(frame: FrameType, event: str, arg: object) -> Any:
        if any(tmp_path.iterdir()):
            sys.settrace(None)
            raise KeyboardInterrupt
        return interrupt

    sys.settrace(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            save(atomic, tmp_path / "result")
    finally:
        sys.settrace(None)
    assert list(tmp_path.iterdir()) == []


@BOTH
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS])
def test_a_full_disk_is_one_sentence(tmp_path: Path, atomic: Atomic, code: int) -> None:
    target = tmp_path / "result"
    with pytest.raises(OutputError) as caught:
        save(atomic, target, error=OSError(code, os.strerror(code)))
    assert str(caught.value) == (
        f"{target}: cannot be written ({os.strerror(code)}); nothing was left half-written."
    )
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_a_disk_that_fills_up_while_writing(
    tmp_path: Path, atomic: Atomic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match="No space left on device"):
        save(atomic, tmp_path / "result")
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_a_rename_that_fails_keeps_the_old(
    tmp_path: Path, atomic: Atomic, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result"
    with atomic(target) as temporary:
        write(temporary, "old")
    rename = Path.replace

    def refuse(self: Path, to: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OutputError, match=r"cannot be written \(Input/output error\)"):
        save(atomic, target, force=True)
    assert content_of(target) == "old"
    assert list(tmp_path.iterdir()) == [target]


@BOTH
def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path, atomic: Atomic) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(OutputError, match=r"result: cannot be written \("):
        save(atomic, tmp_path / "file" / "deep" / "result")
    assert content_of(tmp_path / "file") == "in the way"


@BOTH
def test_a_folder_without_permission_is_one_sentence(
    tmp_path: Path, atomic: Atomic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # Permissions do not stop the administrator, as whom tests may run: so it is played.
    monkeypatch.setattr(Path, "touch", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OutputError, match=r"cannot be written \(Permission denied\)"):
        save(atomic, tmp_path / "result")


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not stop the administrator")
@BOTH
def test_a_locked_folder_is_one_sentence(tmp_path: Path, atomic: Atomic) -> None:
    locked = tmp_path / "locked"
    for mode in (0o500, 0o000):
        locked.mkdir(mode=mode)
        try:
            with pytest.raises(OutputError, match="Permission denied"):
                save(atomic, locked / "result")
        finally:
            locked.chmod(0o700)
            locked.rmdir()


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_result_is_as_readable_as_any_new_file(tmp_path: Path, mask: int) -> None:
    with umask(mask):
        with atomic_path(tmp_path / "file") as temporary:
            write(temporary, "new")
        with atomic_folder(tmp_path / "folder") as temporary:
            write(temporary, "new")
        assert os.umask(mask) == mask
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o777 & ~mask


def test_a_file_is_not_written_over_a_folder_nor_a_folder_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="found a folder; expected the name of a file"):
        save(atomic_path, tmp_path / "folder", force=True)
    with pytest.raises(UsageError, match="found a file; expected the name of a folder"):
        save(atomic_folder, tmp_path / "file", force=True)
    assert content_of(tmp_path / "file") == "old"


@BOTH
def test_a_device_is_never_replaced(tmp_path: Path, atomic: Atomic) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TactfulError, match="expected the name of a"), atomic(pipe, force=True):
        pytest.fail("the block must not run")
    assert pipe.is_fifo()


def test_an_input_that_is_refused_is_not_called_an_output(tmp_path: Path) -> None:
    with pytest.raises(PermissionError):
        save(
            atomic_path,
            tmp_path / "result",
            error=PermissionError(errno.EACCES, "Permission denied", "input.csv"),
        )
    with pytest.raises(io.UnsupportedOperation):
        save(atomic_path, tmp_path / "result", error=io.UnsupportedOperation())
    assert list(tmp_path.iterdir()) == []


def test_rows_of_a_table_come_with_the_line_they_start_on(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b\n"two\nlines",2\nlast,3\n', encoding="utf-8")
    with open_text(path) as handle:
        assert list(csv_rows(path, handle)) == [
            (1, ["a", "b"]),
            (2, ["two\nlines", "2"]),
            (4, ["last", "3"]),
        ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'a,b\n"open,2\n', "line 2: found a quoting mistake"),
        (b"a,b\nx,\xff\n", "line 2: found bytes that are not UTF-8"),
    ],
)
def test_a_broken_table_is_one_sentence_with_its_line(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with open_text(path) as handle, pytest.raises(FileFormatError, match=said):
        list(csv_rows(path, handle))
