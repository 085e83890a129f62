"""Messages on standard input and output, also from an editor that sends invalid ones.

pygls can read a stream, but it stops at an invalid length, and it does not answer requests that it
cannot parse. An editor would wait for the answer forever.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

MOST_BYTES = 100_000_000
"""A longer message is not read; a document of this size is no prose."""
_LONGEST_HEADER = 8_192
_CHUNK = 1 << 16
_PARSE_ERROR = types.ErrorCodes.ParseError.value
_INVALID_REQUEST = types.ErrorCodes.InvalidRequest.value
_INVALID_PARAMS = types.ErrorCodes.InvalidParams.value
_NOT_INITIALIZED = types.ErrorCodes.ServerNotInitialized.value
_END = None


def read_messages(stream: BinaryIO) -> Iterator[bytes | str]:
    """Yield the bodies of messages; for invalid input, yield a sentence that describes it."""
    length: int | None = None
    has_headers = False
    while line := stream.readline(_LONGEST_HEADER):
        header = line.strip()
        if header:
            has_headers = True
            name, _, value = header.partition(b":")
            if name.strip().lower() == b"content-length":
                length = _number(value.strip())
            continue
        if length is not None and length <= MOST_BYTES:
            body = stream.read(length)
            if len(body) < length:
                return
            yield body
        elif length is not None:
            _skip(stream, length)
            yield f"a message of {length:,} bytes; expected {MOST_BYTES:,} at most"
        elif has_headers:
            yield "a message without its length; expected a Content-Length before it"
        length, has_headers = None, False


def _number(value: bytes) -> int | None:
    # Longer numbers are not lengths, and Python refuses to parse very long ones.
    return int(value) if value.isdigit() and len(value) <= 15 else None


def _skip(stream: BinaryIO, length: int) -> None:
    while length > 0 and (piece := stream.read(min(length, _CHUNK))):
        length -= len(piece)


class Writer:
    """Writes messages for pygls."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write a message immediately; do nothing if the editor has exited."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (BrokenPipeError, ValueError):
            pass

    def close(self) -> None:
        """Leave the stream open: the last answer may not be written yet."""


class Receiver:
    """Passes messages to pygls, and answers those that pygls cannot handle."""

    def __init__(self, protocol: LanguageServerProtocol):
        self._protocol = protocol
        self._is_initialized = False
        self.is_shut_down = False

    def receive(self, body: bytes) -> str | None:
        """Take one message; return a sentence if it is invalid and is not a request."""
        try:
            raw = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, _PARSE_ERROR, "The message is no JSON.")
            return None
        if not isinstance(raw, dict) or raw.get("jsonrpc") != "2.0":
            self._refuse(None, _INVALID_REQUEST, "The message is no JSON-RPC 2.0.")
            return None
        method, id_ = raw.get("method"), raw.get("id")
        is_request = "method" in raw and "id" in raw
        if is_request and (isinstance(id_, bool) or not isinstance(id_, str | int)):
            self._refuse(None, _INVALID_REQUEST, "The id is neither a text nor a number.")
            return None
        if not self._is_initialized and method not in (types.INITIALIZE, types.EXIT):
            if is_request:
                self._refuse(id_, _NOT_INITIALIZED, "The server is not initialized.")
            return None
        if is_request and (self.is_shut_down or (self._is_initialized and method == "initialize")):
            self._refuse(id_, _INVALID_REQUEST, "The server cannot do this now.")
            return None
        return self._hand_over(raw, method, id_ if is_request else None)

    def _hand_over(self, raw: dict[str, Any], method: object, id_: str | int | None) -> str | None:
        try:
            message = self._protocol.structure_message(raw)
        except Exception:
            if id_ is None:
                return "a message with fields that it should not have; expected those of the LSP"
            self._refuse(id_, _INVALID_PARAMS, "The parameters are not those of the method.")
            return None
        if not hasattr(message, "jsonrpc"):
            return "a message that is none; expected one of the LSP"
        self._is_initialized = self._is_initialized or method == types.INITIALIZE
        self.is_shut_down = self.is_shut_down or method == types.SHUTDOWN
        self._protocol.handle_message(message)
        return None

    def _refuse(self, id_: str | int | None, code: int, message: str) -> None:
        error = types.ResponseError(code=code, message=message)
        self._protocol._send_data(types.ResponseErrorMessage(id=id_, error=error))


def own_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Reserve standard input and output for the protocol; other output goes to stderr."""
    sys.stdout.flush()
    writing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # A copy: Python closes its standard streams at exit, while a thread may still read.
    return os.fdopen(os.dup(sys.stdin.fileno()), "rb"), writing


async def messages_of(stream: BinaryIO) -> "asyncio.Queue[bytes | str | None]":
    """Read in a separate thread, so that waiting for input does not delay the exit."""
    queue: asyncio.Queue[bytes | str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def put(message: bytes | str | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, message)

    def read() -> None:
        try:
            for message in read_messages(stream):
                put(message)
        except (OSError, ValueError):
            pass  # the stream was closed
        finally:
            put(_END)

    threading.Thread(target=read, name="tactful-lsp-input", daemon=True).start()
    return queue
