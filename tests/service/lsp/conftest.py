"""A small editor: it starts ``tactful lsp`` and talks to it as editors do."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 120.0
"""Seconds; the machine of a test may be busy, and the first answer opens a model."""
Message = dict[str, Any]


class Editor:
    """Speaks JSON-RPC with a language server in a process of its own."""

    def __init__(self, folder: Path, *options: str):
        self.folder = folder
        self.errors = folder / "stderr.txt"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tactful", "lsp", *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
            )
        self._next_id = 0
        self._incoming: queue.Queue[Message | None] = queue.Queue()
        self.noise = b""
        self.unread: list[Message] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            if not line.lower().startswith(b"content-length:"):
                self.noise += line  # nothing but the protocol may be here
                continue
            length = int(line.partition(b":")[2])
            while stream.readline().strip():
                pass
            self._incoming.put(json.loads(stream.read(length)))
        self._incoming.put(None)

    def send_bytes(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def send_body(self, body: bytes) -> None:
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, params: Any = None) -> None:
        self.send_body(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def send_request(self, method: str, params: Any = None) -> int:
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}
        self.send_body(json.dumps(message).encode())
        return self._next_id

    def request(self, method: str, params: Any = None) -> Any:
        number = self.send_request(method, params)
        answer = self.wait_for(lambda each: each.get("id") == number and "method" not in each)
        assert "error" not in answer, answer
        return answer.get("result")

    def wait_for(self, wanted: Callable[[Message], bool], patience: float = PATIENCE) -> Message:
        """Return the next message that is wanted; others are kept for later."""
        for at, message in enumerate(self.unread):
            if wanted(message):
                return self.unread.pop(at)
        end = time.monotonic() + patience
        while True:
            try:
                received = self._incoming.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no such message; got {self.unread}") from None
            assert received is not None, f"the server ended: {self.errors.read_text()}"
            if wanted(received):
                return received
            self.unread.append(received)

    def initialize(self, options: Any = None, **capabilities: Any) -> Any:
        found = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": self.folder.as_uri(),
                "capabilities": capabilities,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return found["capabilities"]

    def open(self, name: str, text: str, language: str = "plaintext") -> str:
        uri = (self.folder / name).as_uri()
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )
        return uri

    def change(self, uri: str, version: int, *changes: Any) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    def replace(self, uri: str, version: int, text: str) -> None:
        self.change(uri, version, {"text": text})

    def diagnostics(
        self,
        uri: str,
        version: int | None = 1,
        until: Callable[[list[Message]], bool] = lambda found: True,
    ) -> list[Message]:
        """Return the next diagnostics of a version of a document that are as wanted.

        On a busy machine there may be some before, of a document that is not read to its end.
        """

        def wanted(message: Message) -> bool:
            params = message.get("params") or {}
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and params["uri"] == uri
                and params.get("version") == version
            )

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found: list[Message] = self.wait_for(wanted)["params"]["diagnostics"]
            if until(found):
                return found
        raise AssertionError(f"no such diagnostics; the last were {found}")

    def hover(self, uri: str, line: int, character: int) -> Any:
        position = {"line": line, "character": character}
        return self.request(
            "textDocument/hover", {"textDocument": {"uri": uri}, "position": position}
        )

    def actions(self, uri: str, diagnostic: Message, **context: Any) -> list[Message]:
        found: list[Message] = self.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": uri},
                "range": diagnostic["range"],
                "context": {"diagnostics": [diagnostic], **context},
            },
        )
        return found

    def message_shown(self) -> str:
        shown = self.wait_for(lambda each: each.get("method") == "window/showMessage")
        text: str = shown["params"]["message"]
        return text

    def end(self) -> int:
        """Say goodbye as the protocol wants it; return the exit code."""
        self.request("shutdown")
        self.notify("exit")
        code = self.process.wait(timeout=120)
        assert self.noise == b""
        return code


Start = Callable[..., Editor]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start servers; those that still run are ended with the test."""
    editors: list[Editor] = []

    def begin(*options: str) -> Editor:
        editors.append(Editor(tmp_path, *options))
        return editors[-1]

    yield begin
    for editor in editors:
        if editor.process.poll() is None:
            editor.process.kill()
        editor.process.wait(timeout=120)
        for stream in (editor.process.stdin, editor.process.stdout):
            if stream is not None:
                stream.close()
