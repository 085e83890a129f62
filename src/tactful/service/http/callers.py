"""Callers: the API key of a request, and its rate limit."""

import math
from base64 import b64decode
from urllib.parse import parse_qs

from starlette.types import Scope

from tactful.service.http.errors import ServiceError
from tactful.service.http.keys import Key, KeyRing, RateLimits
from tactful.service.logs import Note
from tactful.service.settings import ServiceSettings

PAGES = ("/audits",)
"""Pages with private content; a browser asks for the key as a password."""
GUARDED = ("/v1/", "/v1alpha1/", "/metrics", *PAGES)
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

    def admit(self, scope: Scope, path: str, note: Note) -> None:
        """Note who calls; refuse an unknown key (401) and too many requests (429)."""
        if not path.startswith(GUARDED):
            return
        key = self._key(scope, path)
        if key is not None:
            note.key = key.id
        rate = (key.rate_per_minute if key else None) or self._settings.rate_per_minute
        if rate is None:
            return
        client = scope.get("client")
        note.caller = key.id if key else client[0] if client else "unknown"
        wait = math.ceil(self._limits.wait_for(note.caller, rate))
        if wait:
            raise ServiceError(
                429,
                f"More than {rate} requests a minute, of which a long one counts as several; try "
                f"again in {wait} s.",
                "RATE_LIMITED",
                headers={"Retry-After": str(wait)},
            )

    def charge(self, note: Note) -> None:
        """Count a request that had many tokens to read as several."""
        if note.caller is not None and note.tokens > TOKENS_OF_A_REQUEST:
            self._limits.charge(note.caller, note.tokens / TOKENS_OF_A_REQUEST - 1)

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
