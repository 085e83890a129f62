"""A cheap load generator, in a process of its own: raw HTTP over asyncio, and nothing else.

``closed`` keeps clients busy, each with one request at a time; ``open`` sends at a fixed rate, as a
crowd does, and does not wait for answers. The result is a line of JSON on standard output.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import cast

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length: "
POOL = 1024
"""Connections of a flood; more than requests may be under way in the service."""


class Connection(asyncio.Protocol):
    """One keep-alive connection with one request under way."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._buffer = b""
        self._answer: asyncio.Future[int] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast(asyncio.Transport, transport)  # uvloop's own are no subclass

    def data_received(self, data: bytes) -> None:
        """Collect one answer; the status is all that is wanted of it."""
        self._buffer += data
        head = self._buffer.find(_END_OF_HEAD)
        if head < 0:
            return
        at = self._buffer.find(_LENGTH, 0, head)
        length = int(self._buffer[at + len(_LENGTH) : self._buffer.find(b"\r\n", at)])
        if len(self._buffer) < head + 4 + length:
            return
        status = int(self._buffer[9:12])
        self._buffer = b""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(status)

    def connection_lost(self, exc: Exception | None) -> None:
        """A connection that breaks counts as status 0."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(0)
        self.transport = None

    async def send(self, request: bytes) -> int:
        """Send a request and return the status of its answer."""
        if self.transport is None:
            return 0
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self._answer


async def _connect(port: int) -> Connection:
    _, connection = await asyncio.get_running_loop().create_connection(
        Connection, "127.0.0.1", port
    )
    return connection


class Load:
    """Sends requests and remembers what came back."""

    def __init__(self, port: int, path: str, bodies: list[bytes]):
        self.port = port
        self.requests = [
            b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body)
            for body in bodies
        ]
        self.statuses: Counter[int] = Counter()
        self.times: list[float] = []
        self.sent = self.held_back = 0

    def next_request(self) -> bytes:
        """Return the next request in turn."""
        self.sent += 1
        return self.requests[self.sent % len(self.requests)]

    async def one(self, connection: Connection) -> int:
        """Send one request and note how it went."""
        began = time.perf_counter()
        status = await connection.send(self.next_request())
        self.statuses[status] += 1
        if status == 200:
            self.times.append(time.perf_counter() - began)
        return status

    async def closed(self, clients: int, seconds: float, count: int) -> None:
        """Keep clients busy until the time is over or all requests are sent."""
        ends = time.perf_counter() + seconds

        async def client() -> None:
            connection = await _connect(self.port)
            while time.perf_counter() < ends and (not count or self.sent < count):
                if await self.one(connection) == 0:
                    connection = await _connect(self.port)

        await asyncio.gather(*(client() for _ in range(clients)))

    async def open(self, rate: float, seconds: float) -> None:
        """Send at a fixed rate over a pool of connections, as a proxy does.

        What finds all of them in use is held back by the proxy, and not counted as sent.
        """
        idle = [await _connect(self.port) for _ in range(POOL)]
        running: set[asyncio.Task[None]] = set()

        async def send(connection: Connection) -> None:
            if connection.transport is None:  # closed while it was idle, as servers may
                connection = await _connect(self.port)
            await self.one(connection)
            idle.append(connection)

        began = time.perf_counter()
        number = 0
        while (now := time.perf_counter() - began) < seconds:
            while number < now * rate:
                number += 1
                if not idle:
                    self.held_back += 1
                    continue
                task = asyncio.ensure_future(send(idle.pop(0)))
                running.add(task)
                task.add_done_callback(running.discard)
            await asyncio.sleep(0.002)
        await asyncio.gather(*running)


def main() -> None:
    """Run one load and print what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--bodies", type=Path, required=True, help="one JSON body a line")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rate", type=float, help="send at this rate instead")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--count", type=int, default=0)
    options = parser.parse_args()
    load = Load(options.port, options.path, options.bodies.read_bytes().splitlines())

    async def run() -> float:
        began = time.perf_counter()
        if options.rate:
            await load.open(options.rate, options.seconds)
        else:
            await load.closed(options.clients, options.seconds, options.count)
        return time.perf_counter() - began

    try:
        import uvloop
    except ImportError:
        wall = asyncio.run(run())
    else:
        wall = uvloop.run(run())
    times = sorted(load.times) or [0.0]
    answer = {
        "wall": wall,
        "cpu": time.process_time(),
        "statuses": {str(key): value for key, value in load.statuses.items()},
        "held_back": load.held_back,
        "rate": load.statuses[200] / wall,
        **{
            f"p{part}": 1000 * times[min(len(times) - 1, len(times) * part // 100)]
            for part in (50, 90, 99)
        },
    }
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
