"""Access tokens, and handles for items: what a browser may know."""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable

from tactful.annotation.protocol.records import Role
from tactful.annotation.state.people import Person

SECRET_BYTES = 32
_LETTERS: dict[Role, str] = {"annotator": "a", "referee": "r", "owner": "o"}


def new_token() -> str:
    """Return a random token of 256 bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(token: str) -> str:
    """Return the hash of a token; tokens are random and need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def find_person(people: Iterable[Person], token: str) -> Person | None:
    """Return the person of a token; all are compared, each in constant time."""
    wanted, found = hashed(token), None
    for person in people:
        if person.token is not None and hmac.compare_digest(person.token, wanted):
            found = person
    return found


def new_person(role: Role, taken: Collection[str]) -> str:
    """Return a new short id: a1, a2 … for annotators, r1 … and o1 … for referees and owners."""
    letter, number = _LETTERS[role], 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"


def handle_of(secret: bytes, person: str, item: str, step: str) -> str:
    """Return the handle of an item and step for one person."""
    # With the length of each part, so that no two triples make the same message.
    parts = (f"{len(part)}:{part}" for part in (person, item, step))
    message = f"handle {' '.join(parts)}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:40]
