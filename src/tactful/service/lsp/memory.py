"""What was found out about passages, so that only changed ones are read again."""

from collections import OrderedDict
from collections.abc import Hashable
from hashlib import blake2b
from typing import Generic, TypeVar

V = TypeVar("V")

MOST = 50_000
"""So many passages are remembered; those not seen for longest are forgotten."""


def fingerprint(text: str) -> bytes:
    """Return what a text is remembered by; the text itself is not kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Memory(Generic[V]):
    """Remembers a bounded number of answers."""

    def __init__(self, most: int = MOST):
        self._most = most
        self._known: OrderedDict[Hashable, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Hashable) -> V | None:
        """Return what is known, which is then remembered longer."""
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def put(self, key: Hashable, value: V) -> None:
        """Remember an answer."""
        self._known[key] = value
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
