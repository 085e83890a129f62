"""Files as streams of bytes, unpacked on the way; and parts, packed so that they can be joined."""

import contextlib
import gzip
import sys
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from tactful.errors import FileFormatError, InputError
from tactful.scale.formats import Packing
from tactful.scale.sources import Source

_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3


@contextlib.contextmanager
def open_source(source: Source) -> Iterator[IO[bytes]]:
    """Open a source; what is damaged is one sentence."""
    damaged: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if source.format.packing == "zst":
        damaged = (EOFError, zstd().ZstdError)
    try:
        with contextlib.ExitStack() as stack:
            raw: IO[bytes] = sys.stdin.buffer
            if source.path is not None:
                raw = stack.enter_context(source.path.open("rb"))
            if source.format.packing == "gz":
                yield cast(IO[bytes], gzip.GzipFile(fileobj=raw))
            elif source.format.packing == "zst":
                yield zstd().ZstdFile(raw)
            else:
                yield raw
    except damaged as error:
        raise FileFormatError(
            f"{source.name}: found a damaged or cut-off {source.format.packing} file ({error}); "
            "expected a whole one; fetch it again."
        ) from None
    except OSError as error:
        raise InputError(f"{source.name}: it cannot be read ({error.strerror}).") from None


def pack(data: bytes, packing: Packing) -> bytes:
    """Pack the bytes of a part; packed parts laid end to end are a packed file."""
    if packing == "gz":
        # No time and no name inside, so that the same rows give the same bytes.
        return gzip.compress(data, _GZIP_LEVEL, mtime=0)
    if packing == "zst":
        packed: bytes = zstd().compress(data, _ZSTD_LEVEL)
        return packed
    return data


def zstd() -> Any:
    """Return the module for zstd: Python's own from 3.14 on, and its twin before."""
    if sys.version_info >= (3, 14):
        from compression import zstd as found
    else:
        from backports import zstd as found
    return found
