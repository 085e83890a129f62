"""Tokens that let people in, and handles that stand for items: what a browser may know."""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable

from tactful.annotation.protocol.records import Role
from tactful.annotation.state.people import Person

SECRET_BYTES = 32
_LETTERS: dict[Role, str] = {"annotator": "a", "referee": "r", "owner": "o"}


def new_token() -> str:
    """Return a token that nobody can guess: 256 bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(token: str) -> str:
    """Return what is stored of a token; it is random, so that it needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def find_person(people: Iterable[Person], token: str) -> Person | None:
    """Return whom a token lets in; all are compared, each in constant time."""
    wanted, found = hashed(token), None
    for person in people:
        if person.token is not None and hmac.compare_digest(person.token, wanted):
            found = person
    return found


def new_person(role: Role, taken: Collection[str]) -> str:
    """Return a short id that nobody has: a1, a2 … for annotators, r1 … and o1 …"""
    letter, number = _LETTERS[role], 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"


def handle_of(secret: bytes, person: str, item: str, step: str) -> str:
    """Return what stands for an item of a step before one person, and for nobody else."""
    # Each part with its length: no two triples make the same message.
    parts = (f"{len(part)}:{part}" for part in (person, item, step))
    message = f"handle {' '.join(parts)}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:40]
