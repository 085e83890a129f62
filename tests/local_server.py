"""A real HTTP server on this machine that answers as a test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One answer of the server."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    hold: threading.Event | None = None
    """Answer when this is set."""


@dataclass
class Server:
    """Answers with the replies in turn, the last one for ever, and keeps what it was asked."""

    url: str
    replies: list[Reply | Callable[[Any], Any]] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@contextmanager
def serving(path: str) -> Iterator[Server]:
    """Run a server on this machine; its address ends with ``path``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known.asked.append((self.path, dict(self.headers), data))
            at = min(len(known.asked), len(known.replies)) - 1
            reply = known.replies[at]
            found = reply if isinstance(reply, Reply) else Reply(reply(data))
            if found.hold is not None:
                found.hold.wait(120)
            body = json.dumps(found.body).encode() if found.raw is None else found.raw
            try:
                self.send_response(found.status)
                for name, value in found.headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in found.headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the client went away, as it should

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Server(f"http://127.0.0.1:{http.server_port}{path}")
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield known
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
