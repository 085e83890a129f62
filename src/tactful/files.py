"""Reading and writing the user's files safely.

Text is opened the same way everywhere: plain, gzip or zip, with or without a byte-order mark.
Bytes that are not text become lone surrogates (``surrogateescape``), so that the reader can go on
and report the line. Everything is written under a temporary name and renamed when it is whole.
"""

import csv
import errno
import gzip
import io
import json
import re
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from tactful.errors import FileFormatError, OutputError, UsageError

BROKEN_ARCHIVE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)
"""What reading a cut-off or damaged gz or zip raises."""

_NOT_TEXT = re.compile("[\udc80-\udcff]")
_CANNOT_STORE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_UTF8_MARK = b"\xef\xbb\xbf"
_READ_BYTES = 1 << 16
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def has_bad_bytes(line: str) -> bool:
    """Say whether a line read by :func:`open_text` holds bytes that its encoding does not know."""
    return not line.isascii() and _NOT_TEXT.search(line) is not None


@contextmanager
def open_text(path: Path, encoding: str = "utf-8", newline: str = "") -> Iterator[io.TextIOWrapper]:
    """Open a text file, unpacking gz and zip; ``newline`` is that of :func:`open`.

    A damaged archive is a :class:`FileFormatError`, unless the block handles
    :data:`BROKEN_ARCHIVE` itself because it can use what was read so far.
    """
    try:
        with _open_bytes(path) as raw:
            buffered = io.BufferedReader(_AsItComes(raw), _READ_BYTES)
            start = buffered.peek(4)[:4]
            if start.startswith(_UTF16_MARKS):
                raise FileFormatError(
                    f"{path}: found UTF-16 text; expected UTF-8 or one byte per letter; "
                    "save the file as UTF-8 and pass --encoding utf-8."
                )
            if start.startswith(_UTF8_MARK):
                encoding = "utf-8-sig"
            yield _as_text(buffered, encoding, newline)
    except BROKEN_ARCHIVE:
        raise FileFormatError(
            f"{path}: found a damaged or cut-off gz or zip file; expected a whole one; "
            "fetch it again."
        ) from None
    except UnicodeEncodeError:
        raise
    except UnicodeError as error:
        # Bytes of a known encoding become surrogates; this one cannot be read at all.
        raise FileFormatError(
            f"{path}: found bytes that cannot be read as {encoding} ({error}); expected text; "
            "leave --encoding out or name another."
        ) from None


def _as_text(
    buffered: "io.BufferedReader[_AsItComes]", encoding: str, newline: str
) -> io.TextIOWrapper:
    try:
        return io.TextIOWrapper(
            buffered, encoding=encoding, errors="surrogateescape", newline=newline
        )
    except LookupError:
        raise UsageError(
            f"There is no text encoding named '{encoding}'; try utf-8, iso-8859-1 or cp1252."
        ) from None


class _AsItComes(io.RawIOBase):
    """Hands on each piece as soon as it is unpacked.

    Reading until a buffer is full would throw away what came before the break of a cut-off
    archive.
    """

    def __init__(self, unpacked: BinaryIO):
        self._read1 = cast(io.BufferedReader, unpacked).read1

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        data = self._read1(len(view))
        view[: len(data)] = data
        return len(data)


@contextmanager
def _open_bytes(path: Path) -> Iterator[BinaryIO]:
    if path.is_dir():
        raise UsageError(f"{path}: found a folder; expected a file; name one file in it.")
    with path.open("rb") as plain:
        magic = plain.read(4)
        plain.seek(0)
        if magic.startswith(_GZIP_MAGIC):
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield cast(BinaryIO, unpacked)
        elif magic in _ZIP_MAGICS:
            with zipfile.ZipFile(plain) as archive, _open_member(path, archive) as member:
                yield cast(BinaryIO, member)
        else:
            yield plain


def _open_member(path: Path, archive: zipfile.ZipFile) -> IO[bytes]:
    try:
        return archive.open(_only_member(path, archive))
    except NotImplementedError as error:
        raise FileFormatError(
            f"{path}: found a zip that cannot be unpacked here ({error}); expected an ordinary "
            "one; unpack it first."
        ) from None


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        info
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith(("__MACOSX/", "."))
    ]
    if len(members) != 1:
        names = ", ".join(repr(info.filename) for info in members[:5]) or "nothing"
        raise FileFormatError(
            f"{path}: found {len(members)} files in the zip ({names}); expected one; "
            "unpack it and name the file."
        )
    if members[0].flag_bits & 1:
        raise FileFormatError(
            f"{path}: found a zip locked with a password; expected an open one; unpack it first."
        )
    return members[0]


def not_utf8(path: Path, line: int) -> FileFormatError:
    """Build the error of a line whose bytes are no text."""
    return FileFormatError(
        f"{path}, line {line}: found bytes that are not UTF-8 text; expected UTF-8; save the file "
        "as UTF-8."
    )


def csv_rows(
    path: Path, handle: Iterable[str], delimiter: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row of a CSV file starts, and its fields.

    ``handle`` is the open text of ``path``; bytes that are no text and quotes that do not close are
    a :class:`FileFormatError` with their line.
    """
    count = 0

    def watched() -> Iterator[str]:
        nonlocal count
        for line in handle:
            count += 1
            if has_bad_bytes(line):
                raise not_utf8(path, count)
            yield line

    reader = csv.reader(watched(), delimiter=delimiter, strict=True)
    while True:
        start = count + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FileFormatError(
                f"{path}, line {start}: found a quoting mistake ({error}); expected a field in "
                "quotes to end with a quote, and quotes inside it to be doubled."
            ) from None
        yield start, row


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each line and the JSON object on it; blank lines are skipped."""
    with open_text(path, newline="\n") as handle:
        for number, line in enumerate(handle, 1):
            if not line.strip():
                continue
            try:
                found = None if has_bad_bytes(line) else json.loads(line)
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                raise FileFormatError(
                    f"{path}, line {number}: found no JSON object; expected one on each line."
                )
            yield number, found


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as handle:
        return file_digest(handle, "sha256").hexdigest()


@contextmanager
def atomic_path(path: Path, force: bool = False) -> Iterator[Path]:
    """Give a temporary name beside ``path``; rename it when the block ends well, else remove it.

    An existing file is refused unless ``force``.
    """
    with _writing(path):
        if path.is_dir():
            raise UsageError(f"{path}: found a folder; expected the name of a file to write.")
        if path.exists() and not path.is_file():
            # Renaming a file to /dev/null or to a pipe would put it in the place of the device.
            raise UsageError(f"{path}: found a device; expected the name of a file to write.")
        refuse_existing(path, force)
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _name_beside(path)
    try:
        with _writing(path):
            temporary.touch(exist_ok=False)
        with _writing(path, only_full_disk=True):
            yield temporary
        with _writing(path):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path, force: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``path``; rename it when the block ends well, else remove it.

    An existing folder is refused unless it is empty or ``force``.
    """
    with _writing(path):
        if path.exists() and not path.is_dir():
            raise UsageError(f"{path}: found a file; expected the name of a folder to write.")
        if path.is_dir() and any(path.iterdir()):
            refuse_existing(path, force)
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _name_beside(path)
    try:
        with _writing(path):
            temporary.mkdir()
        with _writing(path, only_full_disk=True):
            yield temporary
        with _writing(path):
            if path.is_dir():
                _swap_folders(temporary, path)
            else:
                temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _swap_folders(new: Path, path: Path) -> None:
    """Replace the folder ``path`` by ``new``; where that fails, the old folder is put back.

    A crash leaves one of the two whole.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as name:
        aside = Path(name) / path.name
        path.replace(aside)
        try:
            new.replace(path)
        except BaseException:  # an interrupt, too, must not leave it aside
            aside.replace(path)
            raise


@contextmanager
def _writing(path: Path, only_full_disk: bool = False) -> Iterator[None]:
    """Turn the system's refusals to write into one sentence."""
    try:
        yield
    except OSError as error:
        # Inside the caller's block an OSError may be about what is read: leave that one alone.
        if only_full_disk and error.errno not in _CANNOT_STORE:
            raise
        reason = error.strerror or str(error)
        raise OutputError(
            f"{path}: cannot be written ({reason}); nothing was left half-written."
        ) from error


def refuse_existing(path: Path, force: bool = False) -> None:
    """Refuse to overwrite a file unless ``force``."""
    if path.exists() and not force:
        raise UsageError(f"{path}: it exists already; name another place or pass --force.")


def _name_beside(path: Path) -> Path:
    """Return a new name, known before it is made: an interrupt at any moment can remove it."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
