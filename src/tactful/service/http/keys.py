"""API keys: random, stored as hashes, each with its own rate limit.

The file is JSON, and only its owner can read it. It is read again when it changes, so that keys can
be added and removed while the service runs.
"""

import hashlib
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path

PREFIX = "tactful_"
_NAME = re.compile(r"[\w .@-]{1,60}")
_LOOK_AGAIN_SECONDS = 2.0
_MOST_BUCKETS = 10_000
"""The number of callers that are kept; the least recent are dropped first."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is known of a key; not the key itself."""

    id: str
    name: str
    sha256: str
    created: str
    rate_per_minute: int | None = None
    """None for the limit of the service."""
    tokens_per_minute: int | None = None
    """None for the limit of the service."""
    review: bool = False
    """Whether its holder may see and decide what waits for a moderator."""


def hash_of(secret: str) -> str:
    """Return what is stored of a key. It has 256 random bits, so no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def read_keys(path: Path) -> list[Key]:
    """Read the file with the keys."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return [Key(**each) for each in found["keys"]]
    except FileNotFoundError:
        raise UsageError(
            f"There is no file '{path}' with API keys; make a key with: "
            f"tactful serve --keys {path} --add-key NAME"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise FileFormatError(
            f"{path}: found no list of API keys; expected the file that 'tactful serve --add-key' "
            "wrote; restore it."
        ) from None


def add_key(
    path: Path,
    name: str,
    rate_per_minute: int | None = None,
    *,
    tokens_per_minute: int | None = None,
    review: bool = False,
) -> tuple[Key, str]:
    """Create a key, store its hash, and return both; the secret cannot be shown again."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"Found '{name}' as the name of a key; expected up to 60 letters, digits, spaces and "
            "the signs . @ _ -"
        )
    keys = read_keys(path) if path.exists() else []
    if any(each.name == name for each in keys):
        raise UsageError(f"{path}: there is a key named '{name}' already; expected another name.")
    secret = PREFIX + secrets.token_urlsafe(32)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    number = f"k_{secrets.token_hex(4)}"
    key = Key(number, name, hash_of(secret), now, rate_per_minute, tokens_per_minute, review)
    _write(path, [*keys, key])
    return key, secret


def remove_key(path: Path, name: str) -> None:
    """Remove a key, by its name or its id."""
    keys = read_keys(path)
    kept = [each for each in keys if name not in (each.name, each.id)]
    if len(kept) == len(keys):
        known = ", ".join(each.name for each in keys) or "none"
        raise UsageError(f"{path}: there is no key named '{name}'. Known: {known}.")
    _write(path, kept)


def _write(path: Path, keys: Sequence[Key]) -> None:
    text = json.dumps({"keys": [asdict(key) for key in keys]}, indent=2) + "\n"
    with atomic_path(path, force=True) as temporary:
        temporary.chmod(0o600)  # only its owner can read it
        temporary.write_text(text, encoding="utf-8")


class KeyRing:
    """The keys of a running service."""

    def __init__(self, path: Path):
        self._path = path
        self._by_hash = {key.sha256: key for key in read_keys(path)}
        self._stamp = self._stamp_now()
        self._looked = time.monotonic()

    def find(self, secret: str) -> Key | None:
        """Return the key that a caller has shown, if it is one."""
        if time.monotonic() - self._looked > _LOOK_AGAIN_SECONDS:
            self._look_again()
        # Looking up a hash takes the same time, whichever part of the secret is right.
        return self._by_hash.get(hash_of(secret))

    def _look_again(self) -> None:
        self._looked = time.monotonic()
        stamp = self._stamp_now()
        if stamp is None or stamp == self._stamp:
            return
        try:
            self._by_hash = {key.sha256: key for key in read_keys(self._path)}
            self._stamp = stamp
        except (FileFormatError, UsageError, OSError):
            return  # the known keys stay valid until the file can be read again

    def _stamp_now(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino


class RateLimits:
    """A token bucket for each caller: short bursts pass, and the average rate is limited."""

    def __init__(self, share: int = 1):
        self._share = share
        """How many workers count apart; each lets its part of the rate pass."""
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_for(self, caller: str, rate_per_minute: int, now: float | None = None) -> float:
        """Take a token; return 0, or how many seconds to wait where there is none."""
        now = time.monotonic() if now is None else now
        rate = rate_per_minute / self._share / 60
        most = max(1.0, rate_per_minute / self._share / 6)  # what ten seconds bring
        tokens, at = self._buckets.pop(caller, (most, now))
        tokens = min(most, tokens + (now - at) * rate)
        allowed = tokens >= 1
        self._buckets[caller] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) / rate

    def charge(self, caller: str, tokens: float) -> None:
        """Take tokens for finished work; the number of tokens may become negative."""
        known = self._buckets.get(caller)
        if known is not None:
            self._buckets[caller] = (known[0] - tokens, known[1])
