"""Callers: the API key of a request, and its rate limit."""

import math
from base64 import b64decode
from urllib.parse import parse_qs

from starlette.types import Scope

from tactful.service.http.errors import ServiceError
from tactful.service.http.keys import Key, KeyRing, RateLimits
from tactful.service.logs import Note
from tactful.service.settings import ServiceSettings

REVIEW = "/review"
PAGES = ("/audits", REVIEW)
"""Pages with private content; a browser asks for the key as a password."""
GUARDED = ("/v1/", "/v1alpha1/", "/batch", "/metrics", *PAGES)
"""Paths that need a key, if there are keys; other pages, docs and health checks are open."""
TOKENS_OF_A_REQUEST = 512
"""A request counts once for each of this many tokens; they are about 400 words of prose."""
_BEARER, _BASIC = "bearer ", "basic "
_MOST_FIELDS = 100


class Callers:
    """Checks the keys of callers, and limits their requests."""

    def __init__(self, settings: ServiceSettings):
        self._settings = settings
        self._ring = KeyRing(settings.keys_file) if settings.keys_file else None
        self._limits = RateLimits(settings.workers)
        self._tokens = RateLimits(settings.workers)

    def admit(self, scope: Scope, path: str, note: Note) -> None:
        """Note who calls; refuse an unknown key (401) and too many requests (429)."""
        if not path.startswith(GUARDED):
            return
        key = self._key(scope, path)
        if key is not None:
            note.key = key.id
            if path.startswith(REVIEW) and not key.review:
                raise ServiceError(
                    403,
                    "This API key may not review; make one with: tactful serve --keys FILE "
                    "--add-key NAME --reviewer",
                    "NOT_A_REVIEWER",
                )
        note.rate = (key.rate_per_minute if key else None) or self._settings.rate_per_minute
        own = key.tokens_per_minute if key else None
        note.token_rate = own or self._settings.tokens_per_minute
        if note.rate is None and note.token_rate is None:
            return
        client = scope.get("client")
        note.caller = key.id if key else client[0] if client else "unknown"
        self._take(note, note.caller)

    def charge(self, note: Note) -> None:
        """Count what a request cost: many tokens as several requests, and each of them."""
        new, note.charged = note.tokens - note.charged, note.tokens
        if note.caller is None or new <= 0:
            return
        if new > TOKENS_OF_A_REQUEST:
            self._limits.charge(note.caller, new / TOKENS_OF_A_REQUEST - 1)
        self._tokens.charge(note.caller, new)

    def settle(self, note: Note) -> None:
        """Count what a stream has cost so far, and refuse (429) to go on above its rate."""
        if note.caller is not None and note.tokens:
            self.charge(note)
            self._take(note, note.caller)

    def _take(self, note: Note, caller: str) -> None:
        if note.rate is not None and (wait := self._limits.wait_for(caller, note.rate)):
            raise _limited(
                f"More than {note.rate:,} requests a minute, of which a long one counts as several",
                wait,
            )
        if note.token_rate is not None and (wait := self._tokens.wait_for(caller, note.token_rate)):
            raise _limited(f"More than {note.token_rate:,} tokens a minute", wait)

    def _key(self, scope: Scope, path: str) -> Key | None:
        if self._ring is None:
            return None
        shown = secret_of(scope)
        key = self._ring.find(shown) if shown else None
        if key is None:
            problem = "This API key is not known" if shown else "An API key is needed"
            is_page = path.startswith(PAGES)
            way = (
                "load the page again and enter the key as the password, with any name"
                if is_page
                else "send it as 'Authorization: Bearer KEY', 'X-API-Key: KEY' or ?key=KEY"
            )
            raise ServiceError(
                401,
                f"{problem}; {way}.",
                "API_KEY_INVALID" if shown else "API_KEY_MISSING",
                headers={"WWW-Authenticate": 'Basic realm="Tactful"' if is_page else "Bearer"},
            )
        return key


def _limited(what: str, wait: float) -> ServiceError:
    seconds = math.ceil(wait)
    return ServiceError(
        429,
        f"{what}; try again in {seconds} s.",
        "RATE_LIMITED",
        headers={"Retry-After": str(seconds)},
    )


def secret_of(scope: Scope) -> str | None:
    """Return the key that a request shows: in a header, in the query, or as a password.

    Clients of Perspective send it in the query, browsers that ask for a password as Basic.
    """
    password = None
    for name, value in scope["headers"]:
        if name == b"authorization":
            text = value.decode("latin-1")
            if text.lower().startswith(_BEARER):
                return str(text[len(_BEARER) :].strip())
            if text.lower().startswith(_BASIC):
                password = _password(text[len(_BASIC) :])
        elif name == b"x-api-key":
            return str(value.decode("latin-1").strip())
    return _key_in_query(scope.get("query_string", b"")) or password


def _password(encoded: str) -> str | None:
    try:
        return b64decode(encoded.strip()).decode("utf-8").partition(":")[2] or None
    except ValueError:  # neither base64 nor UTF-8
        return None


def _key_in_query(query: bytes) -> str | None:
    if b"key=" not in query:
        return None
    try:
        found = parse_qs(query.decode("latin-1"), max_num_fields=_MOST_FIELDS).get("key")
    except ValueError:  # too many fields, which no client sends
        return None
    return found[0] if found else None
