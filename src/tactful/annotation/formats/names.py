"""File names made from ids: safe on every system, inside the folder, and unique."""

import re
from collections.abc import Iterable
from hashlib import sha256

_LONGEST = 80
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_RESERVED = re.compile(r"(?i)con|prn|aux|nul|com[0-9]|lpt[0-9]")


def safe_name(name: str) -> str:
    """Return a file name for an id; an unsafe id gets a hash as a suffix.

    >>> safe_name("par-17"), safe_name("../x").startswith("x~")
    ('par-17', True)
    """
    plain = _UNSAFE.sub("_", name).strip("_-")[:_LONGEST]
    if name and plain == name and not _RESERVED.fullmatch(name):
        return name
    return _marked(plain, name)


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Return a unique file name for each id, even where ids differ only in case.

    Some systems treat ``A.txt`` and ``a.txt`` as the same file.
    """
    given: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        safe = safe_name(name)
        if safe.casefold() in taken:
            safe = _marked(_UNSAFE.sub("_", name).strip("_-")[:_LONGEST], name)
        taken.add(safe.casefold())
        given[name] = safe
    return given


def _marked(plain: str, name: str) -> str:
    # An id from JSON can contain lone surrogates; they must not stop an export here.
    return f"{plain}~{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
