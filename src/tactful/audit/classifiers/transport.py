"""Posts JSON to one address, with limits on time and size, retries, and no redirects elsewhere.

No message contains what was sent or received: an endpoint may echo the texts.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, IncompleteRead
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tactful import __version__
from tactful.errors import InputError

MOST_BYTES = 16 * 1024 * 1024
LONGEST_WAIT = 120.0
"""A longer ``Retry-After`` than this, in seconds, is reported as an error."""
_RETRIED = (429, 503)
_TRIES = 6
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts to one address."""

    url: str
    timeout: float = 60.0
    """Seconds for one answer, from the first byte sent to the last one read."""
    token: str | None = field(default=None, repr=False)
    first_wait: float = 1.0
    """Seconds before the first retry; twice as many before each further one."""

    @property
    def place(self) -> str:
        """The address without what follows a question mark, which may hold a key."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"

    def post(self, data: Any) -> Any:
        """Send JSON and return the JSON that comes back."""
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self.url, json.dumps(data).encode(), self._headers(), method="POST"
        )
        opener = self._opener()
        for attempt in range(_TRIES):
            try:
                return self._read(opener, request)
            except urllib.error.HTTPError as error:
                with closing(error):
                    wait = self._wait(error, attempt)
            except (OSError, HTTPException) as error:
                raise InputError(
                    f"{self.place}: found no answer ({_reason(error, self.timeout)}); expected "
                    "one; check the address and that the server is running."
                ) from None
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"tactful/{__version__}",
        }
        return headers | ({} if self.token is None else {"Authorization": f"Bearer {self.token}"})

    def _opener(self) -> urllib.request.OpenerDirector:
        handlers: list[urllib.request.BaseHandler] = [_SameHost(self.place)]
        if is_local(urlsplit(self.url).hostname or ""):
            # Requests to this machine must not go through a proxy.
            handlers.append(urllib.request.ProxyHandler({}))
        return urllib.request.build_opener(*handlers)

    def _read(self, opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Any:
        deadline = time.monotonic() + self.timeout
        pieces, size = [], 0
        response: HTTPResponse
        with opener.open(request, timeout=self.timeout) as response:
            status = response.status
            while piece := response.read1(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > MOST_BYTES:
                    raise InputError(
                        f"{self.place}: found an answer of more than {MOST_BYTES >> 20} MiB; "
                        "expected one label for each text; is this the right address?"
                    )
                if time.monotonic() > deadline:
                    raise TimeoutError
            if response.length:  # the announced bytes that did not arrive
                raise IncompleteRead(b"", response.length)
        if status != 200:
            raise InputError(
                f"{self.place}: found status {_status(status)}; expected 200 with JSON."
            )
        try:
            return json.loads(b"".join(pieces))
        except (ValueError, RecursionError):
            raise InputError(
                f"{self.place}: found an answer of {size:,} bytes that is not JSON; expected JSON; "
                "is this the right address?"
            ) from None

    def _wait(self, error: urllib.error.HTTPError, attempt: int) -> float:
        """Return how long to wait before the next try, or raise when there is none."""
        status = _status(error.code)
        if error.code not in _RETRIED:
            advice = {
                400: "check --endpoint-shape",
                401: "name the variable that holds its token with --token-env",
                403: "name the variable that holds its token with --token-env",
                404: "check the address",
                413: "pass a smaller --batch",
                422: "check --endpoint-shape",
            }.get(error.code, "see the log of the server")
            raise InputError(f"{self.place}: found status {status}; expected 200; {advice}.")
        asked = _retry_after(error.headers)
        if attempt == _TRIES - 1:
            raise InputError(
                f"{self.place}: found status {status} {_TRIES} times; expected 200; run the "
                "same command again later: the answers so far are saved."
            )
        if asked is not None and asked > LONGEST_WAIT:
            raise InputError(
                f"{self.place}: found status {status} and a request to wait {asked:,.0f} seconds; "
                "run the same command again then: the answers so far are saved."
            )
        return self.first_wait * 2**attempt if asked is None else asked


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to the same server, and posts there again."""

    def __init__(self, place: str):
        self.place = place

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: Any,
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request:
        fp.close()  # the library would read what it holds, however long that is
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if _server(old) != _server(new):
            raise InputError(
                f"{self.place}: found a redirect to {new.scheme}://{new.hostname}; expected an "
                "answer from the server that was named; name the other one if you trust it."
            )
        return urllib.request.Request(  # noqa: S310 - the scheme is that of the first address
            newurl, req.data, dict(req.header_items()), method="POST"
        )


def is_local(host: str) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _status(code: int) -> str:
    """Name a status in the words of the standard, not in the server's."""
    try:
        return f"{code} ({HTTPStatus(code).phrase})"
    except ValueError:
        return str(code)


def _server(parts: SplitResult) -> tuple[str, str | None, int | None]:
    standard: Mapping[str, int] = {"http": 80, "https": 443}
    return parts.scheme, parts.hostname, parts.port or standard.get(parts.scheme)


def _retry_after(headers: Message) -> float | None:
    """Read the header, which holds seconds or a date."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _reason(error: Exception, timeout: float) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return f"none within {timeout:g} seconds"
    reason = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return str(reason).splitlines()[0]
