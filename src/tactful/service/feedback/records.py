"""What is stored of one piece of feedback, and the secret that replaces names and texts by hashes.

No route and no log holds a hash: without the secret it says nothing, and with it it names a text.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tactful.errors import InputError, UsageError

Kind = Literal["suggested", "thumb", "queued", "decided"]
"""The kinds of feedback:

``suggested``
    a client of the Perspective API suggested scores. ``data``: labels (id -> score), attributes.
``thumb``
    a client says whether an answer was right. ``data``: thumb (up or down), labels, note.
``queued``
    a client asks for a decision. ``data``: note.
``decided``
    a moderator decided. ``data``: decision (keep, remove or escalate), labels (id -> 0 or 1), note.

Each also has, in ``data``, the model and its scores at that time.
"""
ASKING: tuple[Kind, ...] = ("suggested", "thumb", "queued")
"""The kinds that put a text into the queue of the moderators."""
SECRET_VARIABLE = "TACTFUL_FEEDBACK_SECRET"  # noqa: S105 (the name of a variable)
_LEAST_SECRET = 16


@dataclass(frozen=True, slots=True)
class Record:
    """One piece of feedback."""

    id: str
    """Unique: feedback that is sent twice with the same id is stored once."""
    kind: Kind
    at: float
    """Seconds since 1970, UTC."""
    item: str
    """The keyed hash of the text: what is said about the same text belongs together."""
    text: str | None = None
    """None where only hashes are stored."""
    lang: str | None = None
    author: str | None = None
    """The keyed hash of the token by which the caller names the author of the text."""
    key: str | None = None
    """The id of the API key that sent it."""
    data: Mapping[str, Any] = field(default_factory=dict)


class Secret:
    """Makes the hashes of texts and authors, which cannot be guessed without it."""

    def __init__(self, value: str):
        if len(value) < _LEAST_SECRET:
            raise UsageError(
                f"Found a secret of {len(value)} characters in {SECRET_VARIABLE}; expected at "
                f"least {_LEAST_SECRET}, such as those of 'openssl rand -hex 32'."
            )
        self._key = value.encode("utf-8", "surrogatepass")

    def item(self, text: str) -> str:
        """Return the hash of a text; white space around it does not count."""
        return self._hash("text", text.strip())

    def author(self, token: str) -> str:
        """Return the hash of an author's token."""
        return self._hash("author", token)

    @property
    def mark(self) -> str:
        """What a store keeps, to recognise the secret."""
        return self._hash("mark", "")

    def _hash(self, purpose: str, value: str) -> str:
        data = f"{purpose}\0{value}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, data, hashlib.sha256).hexdigest()


def read_secret(beside: Path | None, *, create: bool = True) -> Secret:
    """Return the secret: that of the environment, or the one in a file beside an SQLite store.

    Parameters
    ----------
    beside
        The file of the store; None for a store on a server, which has no such place.
    create
        Whether a missing file is written, readable only by its owner.

    """
    given = os.environ.get(SECRET_VARIABLE, "").strip()
    if given:
        return Secret(given)
    if beside is None:
        raise UsageError(
            f"A feedback store on a server needs a secret for its hashes: set the environment "
            f"variable {SECRET_VARIABLE} to a random value, such as that of 'openssl rand -hex 32'."
        )
    path = beside.with_name(f"{beside.name}.secret")
    if create:
        try:
            # Exclusive: of several processes that start together, one writes it.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        except OSError as error:
            raise InputError(f"{path}: cannot write the secret ({error.strerror}).") from None
        else:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(f"{secrets.token_hex(32)}\n")
                file.flush()
                os.fsync(file.fileno())
    try:
        return Secret(path.read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        raise InputError(
            f"{path}: found no secret; expected the file that 'tactful serve --feedback' wrote "
            f"beside the store; restore it, or set {SECRET_VARIABLE}."
        ) from None
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: cannot read the secret; check who owns the file.") from None
