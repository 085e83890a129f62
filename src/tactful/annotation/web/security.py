"""Security headers, CSRF tokens, and limits on request bodies."""

import asyncio
import hmac
import json
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tactful.annotation.web.session import Session

MOST_BYTES = 256 * 1024
"""Maximum size of a request body."""
RECEIVE_SECONDS = 10.0
"""Time limit for receiving a request body."""
LONGEST_SECONDS = 600.0
"""Time limit for a long body, such as a file."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}
_FORGED = (
    "This request did not come from a page of the project, or the page is too old; "
    "load the page again."
)


class SecurityHeaders:
    """Adds security headers to each response; browsers and proxies never cache pages.

    ``secure`` says that browsers use HTTPS, even if the proxy reports HTTP, so that links such as
    invitations are HTTPS, too.
    """

    def __init__(self, app: ASGIApp, secure: bool = False):
        self._app, self._secure = app, secure
        headers = HEADERS | (_HTTPS_ONLY if secure else {})
        # Encoded once, as they go with each response.
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and add headers to the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._secure:
            scope["scheme"] = "https"
        root = scope.get("root_path", "")
        is_static = scope["path"].removeprefix(root).startswith("/static/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Scripts and styles are revalidated each time.
                kept = (b"cache-control", b"no-cache" if is_static else b"no-store")
                given = [_rooted(header, root) for header in message.get("headers", ())]
                message["headers"] = [*given, *self._headers, kept]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _rooted(header: tuple[bytes, bytes], root: str) -> tuple[bytes, bytes]:
    """Return a header; a redirect within the project gets the address of the project."""
    name, value = header
    if root and name == b"location" and value.startswith(b"/"):
        return name, root.encode() + value
    return header


def check_csrf(session: Session, given: object) -> None:
    """Refuse (403) a request that does not carry the token of the session."""
    if not isinstance(given, str) or not hmac.compare_digest(
        given.encode("utf-8", "surrogatepass"), session.csrf.encode()
    ):
        raise HTTPException(403, _FORGED)


async def read_body(request: Request) -> bytes:
    """Return the body of a request; refuse a long (413) or slow (408) one."""
    body = bytearray()
    try:
        async with asyncio.timeout(request.app.state.receive_seconds):
            async for piece in request.stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise HTTPException(413, f"The request is longer than {MOST_BYTES // 1024} KB.")
    except TimeoutError:
        raise HTTPException(408, "The request took too long to arrive; send it again.") from None
    return bytes(body)


async def read_long_body(request: Request, most: int) -> bytes:
    """Return a long body, as long as pieces of it keep arriving; refuse a longer (413) one."""
    body = bytearray()
    pieces = request.stream()
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            while True:
                async with asyncio.timeout(request.app.state.receive_seconds):
                    piece = await anext(pieces, None)
                if piece is None:
                    return bytes(body)
                body += piece
                if len(body) > most:
                    raise HTTPException(413, f"The request is longer than {most >> 20} MiB.")
    except TimeoutError:
        raise HTTPException(408, "The request took too long to arrive; send it again.") from None


async def read_fields(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form."""
    body = await read_body(request)
    try:
        return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        raise HTTPException(400, "The form that was sent cannot be read.") from None


async def read_form(request: Request, session: Session) -> dict[str, list[str]]:
    """Return the fields of a form; its field ``csrf`` must be valid."""
    form = await read_fields(request)
    check_csrf(session, "".join(form.pop("csrf", [])))
    return form


def parse_json(request: Request, session: Session, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a request; its header ``X-CSRF-Token`` must be valid."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send the request with 'Content-Type: application/json'.")
    check_csrf(session, request.headers.get("X-CSRF-Token"))
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is not JSON.") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "The request is not a JSON object.")
    return found
