"""The files that a job reads: named files, files in folders, and files that match a pattern.

They are streams of decompressed bytes, and parts are compressed so that they can be joined.
"""

import contextlib
import glob
import gzip
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import IO, Any, cast

from tactful.errors import FileFormatError, InputError, UsageError
from tactful.scale.tables.formats import KINDS, Format, Packing, format_of, packing_of

STDIN = "-"
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3


@dataclass(frozen=True, slots=True)
class Source:
    """A file, as it was when the job began; without a path it is standard input."""

    path: Path | None
    format: Format
    size: int = 0
    changed: int = 0
    """When it was last written, in nanoseconds."""
    address: str = ""
    """Where a cluster reads it from; the bytes come as a stream."""

    @property
    def name(self) -> str:
        """The name used in messages."""
        return self.address or ("standard input" if self.path is None else str(self.path))

    def as_data(self) -> dict[str, Any]:
        """Return what identifies the content of the file."""
        return {"file": self.name, "size": self.size, "changed": self.changed}

    def refuse_if_changed(self) -> None:
        """Refuse a file that has changed since the job began."""
        if self.path is None:
            return
        now = _stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise InputError(
                f"{self.path}: it was changed while it was read ({self.size:,} bytes before, "
                f"{now.st_size:,} now); expected a file that does not change; run the command "
                "again with --restart."
            )


def is_remote(name: str) -> bool:
    """Say whether a name is a remote address."""
    return "://" in name


def find_sources(
    named: Sequence[str], wished: Format | None = None, outputs: Sequence[Path] = ()
) -> list[Source]:
    """Return all files to read, each once, in the order named; folders in the order of names.

    ``wished`` is the format of files whose names do not say it. All must be of one kind. What
    the job writes, and what lies in there, is not read.
    """
    if STDIN in named:
        if len(named) > 1:
            raise UsageError("Give files or '-' for standard input, not both.")
        if wished is None or wished.is_columnar:
            raise UsageError(
                "The format of standard input is not known; pass --input-format jsonl, csv, "
                "tsv or txt (Parquet and Arrow are read from files)."
            )
        return [Source(None, wished)]
    found: dict[str, Source] = {}
    for name in named:
        if is_remote(name):
            raise UsageError(
                f"{name}: found an address; the local engine reads files of this machine; pass "
                "--engine ray or --engine spark, which have file systems for it."
            )
        for path in _matches(name, outputs):
            found.setdefault(os.path.realpath(path), _source(path, wished))
    sources = list(found.values())
    kinds = {source.format.kind: source.name for source in sources}
    if len(kinds) > 1:
        one, two = list(kinds.items())[:2]
        raise UsageError(
            f"Found a {one[0]} file ({one[1]}) and a {two[0]} file ({two[1]}); expected files of "
            "one kind; score them separately."
        )
    return sources


def _matches(name: str, outputs: Sequence[Path]) -> Iterator[Path]:
    # Path.expanduser raises for an unknown user; here that is a missing file.
    path = Path(os.path.expanduser(name))  # noqa: PTH111
    if path.is_dir():
        files = sorted(each for each in _walk(path) if not _is_in(each, outputs))
        if not files:
            raise InputError(
                f"{name}: found no table in the folder; expected files that end in "
                f"{', '.join(f'.{each}' for each in KINDS)}, packed as .gz or .zst or not."
            )
        yield from files
    elif path.exists():
        if _is_in(path, outputs):
            raise UsageError(
                f"{name}: found as input and as output; expected two different files; name "
                "another --output."
            )
        yield path
    elif glob.has_magic(name):
        # Path.glob needs a base folder; this one takes the pattern as typed.
        names = glob.iglob(str(path), recursive=True)  # noqa: PTH207
        files = sorted(
            each for each in map(Path, names) if each.is_file() and not _is_in(each, outputs)
        )
        if not files:
            raise UsageError(f"No file matches '{name}'; check the pattern.")
        yield from files
    else:
        raise UsageError(f"There is no file or folder '{name}'; check the name.")


def _is_in(path: Path, outputs: Sequence[Path]) -> bool:
    """Say whether a file is an output of the job, or in its output folder."""
    return any(path.resolve().is_relative_to(each.resolve()) for each in outputs)


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: the folder cannot be listed ({error.strerror}).")

    for base, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(each for each in folders if not each.startswith((".", "_")))
        for name in sorted(names):
            if not name.startswith((".", "_")) and format_of(name) is not None:
                yield Path(base) / name


def _source(path: Path, wished: Format | None) -> Source:
    found = format_from_name(path.name, wished)
    if found is None:
        raise UsageError(
            f"{path}: the name does not show the format; expected one that ends in "
            f"{', '.join(f'.{each}' for each in KINDS)}; pass --input-format."
        )
    stat = _stat(path)
    if not S_ISREG(stat.st_mode):
        raise UsageError(
            f"{path}: found a pipe or a device; expected a file, which can be read again; pass '-' "
            "and pipe it in."
        )
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).") from None
    return Source(path, found, stat.st_size, stat.st_mtime_ns)


def format_from_name(name: str, wished: Format | None) -> Format | None:
    """Return the format that a file's name shows, or else the requested one.

    A ``.txt`` file may hold a table, if a format is requested.
    """
    found = format_of(name)
    if found is None or (found.kind == "txt" and wished is not None):
        packing = packing_of(name)
        return replace(wished, packing=packing) if wished and packing else wished
    return found


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise InputError(f"{path}: it cannot be read ({error.strerror}).") from None


@contextlib.contextmanager
def open_source(source: Source) -> Iterator[IO[bytes]]:
    """Open a source; a damaged file is reported in one sentence."""
    damaged: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if source.format.packing == "zst":
        damaged = (EOFError, zstd().ZstdError)
    try:
        with contextlib.ExitStack() as stack:
            packing = source.format.packing
            if source.path is None:
                yield _standard_input(sys.stdin.buffer, packing)
            else:
                yield _unpacked(stack.enter_context(source.path.open("rb")), packing)
    except damaged as error:
        raise FileFormatError(
            f"{source.name}: found a damaged or cut-off {source.format.packing} file ({error}); "
            "expected a complete one; download it again."
        ) from None
    except OSError as error:
        raise InputError(f"{source.name}: it cannot be read ({error.strerror}).") from None


@lru_cache(maxsize=1)
def _standard_input(raw: IO[bytes], packing: Packing) -> IO[bytes]:
    """Return always the same stream, as it has read ahead."""
    return _unpacked(raw, packing)


def _unpacked(raw: IO[bytes], packing: Packing) -> IO[bytes]:
    if packing == "gz":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if packing == "zst":
        return cast(IO[bytes], zstd().ZstdFile(raw))
    return raw


def packed_size(file: IO[bytes], size: int) -> int:
    """Return about how many bytes on the disk hold the first ``size`` bytes of an open source.

    It is an estimate from what was read so far, and exact at the end.
    """
    on_disk = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    return size * on_disk // max(file.tell(), 1)


def pack(data: bytes, packing: Packing) -> bytes:
    """Compress the bytes of a part; compressed parts can be concatenated."""
    if packing == "gz":
        # No time and no name inside, so that the same rows give the same bytes.
        return gzip.compress(data, _GZIP_LEVEL, mtime=0)
    if packing == "zst":
        # With a checksum, as the other packing has: damage must not pass for text.
        wished = zstd().CompressionParameter
        options = {wished.compression_level: _ZSTD_LEVEL, wished.checksum_flag: 1}
        packed: bytes = zstd().compress(data, options=options)
        return packed
    return data


def zstd() -> Any:
    """Return the module for zstd: Python's own from 3.14 on, and its twin before."""
    if sys.version_info >= (3, 14):
        from compression import zstd as found
    else:
        from backports import zstd as found
    return found
