"""The address of a server that has a project open, so that commands on its machine can use it.

One process writes to a project. While a server does, it keeps the file ``serving.json`` in the
folder of the project, and commands send their changes there.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.annotation.project.files import command_token, read_secret
from tactful.files import atomic_path

if TYPE_CHECKING:
    from tactful.annotation.client import Client

SERVING_FILE = "serving.json"
_PATIENCE = 600.0
"""Seconds for an answer: a long file takes a while to import."""


@contextmanager
def announced(folder: Path, address: str) -> Iterator[None]:
    """Publish the address of the server of a project for commands, while the block runs."""
    path = folder / SERVING_FILE
    with atomic_path(path, force=True) as temporary:
        temporary.write_text(json.dumps({"address": address}) + "\n", encoding="utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def reach(folder: Path) -> "Client | None":
    """Return a client of the server that has a project; None where no server says so.

    The file of a server that was killed may still be there: ask only if the store is in use.
    """
    from tactful.annotation.client import Client

    try:
        found = json.loads((folder / SERVING_FILE).read_text(encoding="utf-8"))
        address = found["address"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Client(str(address), command_token(read_secret(folder)), timeout=_PATIENCE)
