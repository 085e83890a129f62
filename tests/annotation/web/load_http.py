"""HTTP as a browser speaks it, and as cheaply as can be: the clients share the server's machine."""

import asyncio
from dataclasses import dataclass

_EACH_DIFFERS = b"date"


class LostError(Exception):
    """The connection ended before the server had answered."""

    @property
    def is_gone(self) -> bool:
        """Whether there was nobody to connect to."""
        return isinstance(self.__cause__, ConnectionRefusedError)


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    """All but the date, with small letters."""
    body: bytes

    def header(self, name: bytes) -> str:
        """Return a header that must be there."""
        return dict(self.headers)[name].decode()


class Connection:
    """One connection that is kept; opened when it is first used."""

    def __init__(self, port: int):
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b""
    ) -> Reply:
        """Send a request and return the answer."""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            *(f"{name}: {value}" for name, value in headers.items()),
            f"Content-Length: {len(body)}",
        ]
        try:
            # A server closes a connection that was idle; browsers then open another.
            if self._streams is not None and self._streams[0].at_eof():
                self.close()
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self.port)
            reader, writer = self._streams
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            return await _read(reader)
        except (OSError, EOFError) as error:
            self.close()
            raise LostError(str(error)) from error

    def close(self) -> None:
        """Let the connection go."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _read(reader: asyncio.StreamReader) -> Reply:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].split(b"\r\n")
    pairs = (line.partition(b": ") for line in lines)
    headers = tuple((name.lower(), value) for name, _, value in pairs)
    kept = tuple(pair for pair in headers if pair[0] != _EACH_DIFFERS)
    length = int(dict(headers)[b"content-length"])
    return Reply(int(first.split(b" ", 2)[1]), kept, await reader.readexactly(length))
