"""Where the commands that serve listen, what a browser opens, and how they stop."""

import contextlib
import errno
import signal
import socket
from collections.abc import Iterator
from types import FrameType

from tactful.errors import UsageError

_BACKLOG = 2048


@contextlib.contextmanager
def until_stopped() -> Iterator[None]:
    """Run the block until Ctrl-C or SIGTERM, which service managers send; both end it quietly.

    uvicorn answers what it has accepted, and then passes the signal on to this handler.
    """
    before = signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C does now; where a shell has it ignored, what it usually does."""
    handler = signal.getsignal(signal.SIGINT)
    (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; an address that cannot be had is a :class:`UsageError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(
                f"Another program uses the port {port} of {host}; name another with --port."
            ) from None
        raise UsageError(
            f"{host}:{port} cannot be listened on ({error.strerror or error}); "
            "name another with --host or --port."
        ) from None
    # Connections take it over. Without it the second packet of an answer waits for the browser to
    # acknowledge the first, which it does 40 ms late.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(host: str, port: int) -> str:
    """Return the address that a browser on this machine opens."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (only shown)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"
