"""Posts JSON to one address, with limits on time and size, retries, and no redirects elsewhere.

No message contains what was sent or received: an endpoint may echo the texts.
"""

import json
import math
import os
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
from tactful.errors import InputError, UsageError

MOST_BYTES = 16 * 1024 * 1024
LONGEST_WAIT = 120.0
"""A longer ``Retry-After`` than this, in seconds, is reported as an error."""
RETRIED = (429, 503)
"""The states of an endpoint that is busy, which are tried again."""
PASSING = (*RETRIED, 500, 502, 504)
"""States that often pass by themselves, for those who ask thousands of times."""
_TRIES = 6
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Advice:
    """What error messages of a :class:`Poster` tell its users to do."""

    size: str = "expected a shorter one"
    """What is expected instead of an answer that is too long."""
    by_status: Mapping[int, str] = field(default_factory=dict)
    """What to do about a status that is not 200."""
    later: str = "run the same command again later"
    """What to do where the endpoint is busy."""


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts to one address."""

    url: str
    timeout: float = 60.0
    """Seconds for one answer, from the first byte sent to the last one read."""
    token: str | None = field(default=None, repr=False)
    first_wait: float = 1.0
    """Seconds before the first retry; twice as many before each further one."""
    most_bytes: int = MOST_BYTES
    """A longer answer is refused."""
    tries: int = _TRIES
    advice: Advice = Advice()
    retried: tuple[int, ...] = RETRIED
    """The states that are tried again."""
    retries_lost: bool = False
    """Whether to try again where a connection was lost or no answer came in time."""

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
        opener = opener_of(self.url, SameHost(self.place))
        for attempt in range(self.tries):
            try:
                return self._read(opener, request)
            except urllib.error.HTTPError as error:
                with closing(error):
                    wait = self._wait(error, attempt)
            except (OSError, HTTPException) as error:
                if not self.retries_lost or attempt == self.tries - 1:
                    raise InputError(
                        f"{self.place}: found no answer ({_reason(error, self.timeout)}); expected "
                        "one; check the address and that the server is running."
                    ) from None
                wait = self.first_wait * 2**attempt
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"tactful/{__version__}",
        }
        return headers | ({} if self.token is None else {"Authorization": f"Bearer {self.token}"})

    def _read(self, opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Any:
        deadline = time.monotonic() + self.timeout
        pieces, size = [], 0
        response: HTTPResponse
        with opener.open(request, timeout=self.timeout) as response:
            status = response.status
            while piece := response.read1(_PIECE):
                pieces.append(piece)
                size += len(piece)
                if size > self.most_bytes:
                    raise InputError(
                        f"{self.place}: found an answer of more than {_size(self.most_bytes)}; "
                        f"{self.advice.size}; is this the right address?"
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
        if error.code not in self.retried:
            known = {404: "check the address", **self.advice.by_status}
            advice = known.get(error.code, "see the log of the server")
            raise InputError(f"{self.place}: found status {status}; expected 200; {advice}.")
        asked = _retry_after(error.headers)
        if attempt == self.tries - 1:
            times = "once" if self.tries == 1 else f"{self.tries} times"
            raise InputError(
                f"{self.place}: found status {status} {times}; expected 200; {self.advice.later}."
            )
        if asked is not None and asked > LONGEST_WAIT:
            raise InputError(
                f"{self.place}: found status {status} and a request to wait {asked:,.0f} seconds; "
                f"{self.advice.later}."
            )
        return self.first_wait * 2**attempt if asked is None else asked


def opener_of(
    url: str, redirects: urllib.request.HTTPRedirectHandler
) -> urllib.request.OpenerDirector:
    """Return what opens an address; requests to this machine go through no proxy."""
    direct = [urllib.request.ProxyHandler({})] if is_local(urlsplit(url).hostname or "") else []
    return urllib.request.build_opener(redirects, *direct)


class SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to the same server, and sends the same there again."""

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
        """Return the request to send again, or refuse to."""
        fp.close()  # the library would read what it holds, however long that is
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if _server(old) != _server(new):
            raise InputError(
                f"{self.place}: found a redirect to {new.scheme}://{new.hostname}; expected an "
                "answer from the server that was named; name the other one if you trust it."
            )
        return urllib.request.Request(  # noqa: S310 - the scheme is that of the first address
            newurl, req.data, dict(req.header_items()), method=req.get_method()
        )


def is_local(host: str) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def read_address(url: str, *, option: str, example: str) -> SplitResult:
    """Return the parts of an address; refuse one that cannot be used.

    Parameters
    ----------
    url
        The address.
    option
        The option by which users name the variable of the token.
    example
        An address such as users should give.

    Returns
    -------
    SplitResult
        The parts of the address.

    """
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not url.isascii() or any(letter <= " " or letter == "\x7f" for letter in url):
        raise UsageError(
            f"The address of the endpoint cannot be read; expected one such as {example}, without "
            "spaces and other letters than ASCII."
        )
    if parts.scheme not in ("http", "https"):
        raise UsageError(f"The address begins with '{parts.scheme}:'; expected https or http.")
    if parts.username is not None or parts.password is not None:
        # Reports and messages show the address.
        raise UsageError(
            "The address of the endpoint holds a user's name or password; expected none; put a "
            f"token into an environment variable and name that with {option}."
        )
    return parts


def refuse_plain_http(parts: SplitResult, what: str, option: str | None = None) -> None:
    """Refuse an address that would get texts unencrypted from another machine.

    Parameters
    ----------
    parts
        The address.
    what
        What would be sent, such as "the prompts".
    option
        The option that allows it, if there is one.

    """
    if _is_exposed(parts):
        allowed = "" if option is None else f"; pass {option} to allow it"
        raise UsageError(
            f"'http://{parts.hostname}' would get {what} unencrypted; expected https, or http on "
            f"this machine{allowed}."
        )


def checked_timeout(seconds: float) -> float:
    """Return a time-out in seconds; refuse one that is not above 0."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise UsageError(f"The timeout is {seconds:g}; expected seconds above 0.")
    return seconds


def read_token(variable: str | None, parts: SplitResult, option: str) -> str | None:
    """Return the token that an environment variable holds, to be sent to an address.

    Parameters
    ----------
    variable
        The name of the variable; without one, no token is sent.
    parts
        The address.
    option
        The option that error messages name.

    """
    if variable is None:
        return None
    if _is_exposed(parts):
        raise UsageError(
            f"'http://{parts.hostname}' would get the token unencrypted; expected https; leave "
            f"{option} out."
        )
    token = os.environ.get(variable, "").strip()
    if not token:
        raise UsageError(
            f"The environment variable '{variable}' is unset or empty; expected the endpoint's "
            "token."
        )
    if not token.isascii() or not token.isprintable():
        raise UsageError(
            f"The environment variable '{variable}' holds letters that no token has; expected "
            "printable ASCII."
        )
    return token


def _is_exposed(parts: SplitResult) -> bool:
    return parts.scheme == "http" and not is_local(parts.hostname or "")


def _size(number: int) -> str:
    return f"{number >> 20} MiB" if number >= 1 << 20 else f"{number >> 10} KiB"


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
