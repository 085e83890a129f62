"""Files as streams of decompressed bytes, and parts compressed so that they can be joined."""

import contextlib
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import IO, Any, cast

from tactful.errors import FileFormatError, InputError
from tactful.scale.tables.formats import Packing
from tactful.scale.tables.sources import Source

_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3


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
