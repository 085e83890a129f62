"""The files of a project's folder: its name, protocol, store and secret."""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from tactful.annotation.protocol.records import Protocol, Role
from tactful.annotation.state.people import Person
from tactful.errors import FileFormatError, InputError, UsageError

PROJECT_FILE = "project.yaml"
PROTOCOL_FILE = "protocol.yaml"
SECRET_FILE = "secret"  # noqa: S105 (the name of a file)
PASSWORD_FILE = "store-password"  # noqa: S105 (the name of a file)
FORMAT = 1
_MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of ``project.yaml``."""

    name: str
    protocol: str
    """The id of a protocol that comes with Tactful, or ``protocol.yaml``."""
    store: str


def write_plan(folder: Path, plan: Plan) -> None:
    """Write ``project.yaml``."""
    values = {"format": FORMAT, **asdict(plan)}
    text = yaml.safe_dump(values, allow_unicode=True, sort_keys=False)
    (folder / PROJECT_FILE).write_text(text, encoding="utf-8")


def read_plan(folder: Path) -> Plan:
    """Read ``project.yaml``; a mistake in it is one error."""
    path = folder / PROJECT_FILE
    if not path.is_file():
        raise UsageError(
            f"{folder}: found no {PROJECT_FILE}; expected the folder of a project; create one "
            "with 'tactful annotate init'."
        )
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f", line {mark.line + 1}"
        raise FileFormatError(
            f"{path}{line}: found invalid YAML; expected name, protocol and store."
        ) from None
    if not isinstance(found, Mapping):
        raise FileFormatError(f"{path}: found no fields; expected name, protocol and store.")
    if found.get("format") != FORMAT:
        raise FileFormatError(
            f"{path}: found the format {found.get('format')!r}; expected {FORMAT}; the "
            "project may come from another version of Tactful."
        )
    for name in ("name", "protocol", "store"):
        value = found.get(name)
        if not isinstance(value, str) or not value.strip():
            raise FileFormatError(f"{path}: found {value!r} as '{name}'; expected a text.")
    return Plan(found["name"], found["protocol"], found["store"])


def check_name(name: str) -> str:
    """Return the name of a project or a person, trimmed; refuse an empty or long one."""
    plain = " ".join(name.split())
    if not plain or len(plain) > _MOST_NAME or not plain.isprintable():
        raise UsageError(
            f"Found the name {name[:40]!r}; expected 1 to {_MOST_NAME} printable characters."
        )
    return plain


def load_plan_protocol(folder: Path, plan: Plan) -> Protocol:
    """Load the protocol of a project."""
    from tactful.annotation.protocol.load import load_protocol, read_protocol

    if plan.protocol == PROTOCOL_FILE:
        return read_protocol(folder / PROTOCOL_FILE)
    return load_protocol(plan.protocol)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text, encoding="utf-8")


def write_secret(folder: Path, secret: bytes | None = None) -> None:
    """Keep the secret that signs handles and sessions and hides tests; without one, make it."""
    if secret is None:
        secret = secrets.token_bytes(SECRET_BYTES)
    elif len(secret) != SECRET_BYTES:
        raise UsageError(f"Found a secret of {len(secret)} bytes; expected {SECRET_BYTES}.")
    write_private(folder / SECRET_FILE, secret.hex())


def read_secret(folder: Path) -> bytes:
    """Read the secret."""
    path = folder / SECRET_FILE
    try:
        found = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        raise InputError(
            f"{path}: found no secret; expected the file that 'init' created; copy it from "
            "your backup."
        ) from None
    except ValueError:
        found = b""
    if len(found) != SECRET_BYTES:
        raise InputError(
            f"{path}: found no secret; expected {SECRET_BYTES * 2} hexadecimal digits."
        )
    return found


def read_password(folder: Path) -> str | None:
    """Read the password of the store, if one was given to ``init``."""
    path = folder / PASSWORD_FILE
    return path.read_text(encoding="utf-8") if path.is_file() else None


SECRET_BYTES = 32
_LETTERS: dict[Role, str] = {
    "annotator": "a", "referee": "r", "lead": "l", "reader": "v", "owner": "o",
}  # fmt: skip


def new_token() -> str:
    """Return a random token of 256 bits."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(token: str) -> str:
    """Return the hash of a token; tokens are random and need no salt."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def command_token(secret: bytes) -> str:
    """Return the token of commands on the server's machine: who can read the secret has it."""
    return hmac.new(secret, b"command", hashlib.sha256).hexdigest()


def find_person(people: Iterable[Person], token: str) -> Person | None:
    """Return the person of a token; all are compared, each in constant time."""
    wanted, found = hashed(token), None
    for person in people:
        if person.token is not None and hmac.compare_digest(person.token, wanted):
            found = person
    return found


def new_person(role: Role, taken: Collection[str]) -> str:
    """Return a new short id: a1, a2 … for annotators, o1 … for owners, and so on."""
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
