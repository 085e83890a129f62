"""The settings of a service from a file and from the environment, and how they are shown.

What is on the command line comes first, then the environment (``TACTFUL_SERVE_PORT``), then the
table ``[serve]`` of ``tactful.toml``, then the default.
"""

import json
import os
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError

from tactful.checking.options import CONFIG_FILE
from tactful.checking.options import SERVE as TABLE
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.service.settings import ServiceSettings

PREFIX = "TACTFUL_SERVE_"
FILE_VARIABLE = f"{PREFIX}CONFIG"
OPEN = "open"
"""The one setting that only the command knows: whether everybody may connect without a key."""
_MADE = ("weights",)
"""Fields that the service sets by itself."""
_SHORT = ("public_url", "allowed_hosts", "trusted_proxies")
"""Settings whose variables have a shorter name, too (``TACTFUL_PUBLIC_URL``)."""


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a setting, and where it comes from."""

    value: Any
    origin: str


def known_settings() -> dict[str, Any]:
    """Return the settings that can be given, with their types."""
    types = get_type_hints(ServiceSettings)
    found = {each.name: types[each.name] for each in fields(ServiceSettings)}
    return {**{name: kind for name, kind in found.items() if name not in _MADE}, OPEN: bool}


def read_sources(
    path: Path | None = None, environ: Mapping[str, str] | None = None
) -> dict[str, Value]:
    """Return what a file and the environment set.

    Parameters
    ----------
    path
        The file; without it ``$TACTFUL_SERVE_CONFIG``, or ``tactful.toml`` in this folder if there
        is one.
    environ
        The environment, if it is not that of the process.

    """
    given = os.environ if environ is None else environ
    if path is None and given.get(FILE_VARIABLE):
        path = Path(given[FILE_VARIABLE]).expanduser()
    if path is None and Path(CONFIG_FILE).is_file():
        path = Path(CONFIG_FILE)
    found = {} if path is None else _of_file(path)
    known = known_settings()
    for name in _SHORT:
        variable = f"TACTFUL_{name.upper()}"
        if given.get(variable):
            found[name] = Value(_parsed(variable, known[name], given[variable]), variable)
    for variable, text in given.items():
        if not variable.startswith(PREFIX) or variable == FILE_VARIABLE or not text:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name not in known:
            raise UsageError(
                f"The environment variable {variable} names no setting: "
                f"{unknown_name('setting', name, list(known))}"
            )
        found[name] = Value(_parsed(variable, known[name], text), variable)
    return found


def merged(
    given: Mapping[str, Any], on_command_line: Collection[str], sources: Mapping[str, Value]
) -> dict[str, Value]:
    """Return every setting with its origin; what is on the command line comes first."""
    defaults = {each.name: each.default for each in fields(ServiceSettings)} | {OPEN: False}
    found = {}
    for name in known_settings():
        if name in on_command_line:
            found[name] = Value(given[name], "command line")
        else:
            default = Value(given.get(name, defaults[name]), "default")
            found[name] = sources.get(name, default)
    return found


def shown(values: Mapping[str, Value]) -> str:
    """Return settings as a table of ``tactful.toml``; no password and no token is among them."""
    lines = [f"[{TABLE}]"]
    for name, each in values.items():
        value = _HIDDEN[name](each.value) if name in _HIDDEN and each.value else each.value
        if value is None:
            lines.append(f"# {name} is not set")
        else:
            lines.append(f"{name} = {_toml(value)}  # {each.origin}")
    return "\n".join(lines) + "\n"


def _of_file(path: Path) -> dict[str, Value]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: found no readable TOML ({error}); correct it.") from None
    table, known = data.get(TABLE, {}), known_settings()
    if not isinstance(table, dict):
        raise UsageError(f"{path}: found no table [{TABLE}]; expected settings and values.")
    found = {}
    for name, value in table.items():
        if name not in known:
            raise UsageError(f"{path}: [{TABLE}]: {unknown_name('setting', name, list(known))}")
        found[name] = Value(_checked(f"{path}: [{TABLE}] {name}", known[name], value), str(path))
        if Path in get_args(known[name]):
            # As in every file of settings, a path is relative to the file.
            found[name] = Value(path.parent / found[name].value, str(path))
    return found


def _checked(where: str, kind: Any, value: Any) -> Any:
    """Return a value of TOML as a setting has it; refuse another type."""
    try:
        # JSON has lists and texts, as TOML does, where a setting has tuples and paths.
        found = TypeAdapter(kind).validate_json(json.dumps(value), strict=True)
    except (TypeError, ValidationError):
        raise UsageError(f"{where}: found {value!r}; expected {_expected(kind)}.") from None
    return found.expanduser() if isinstance(found, Path) else found


def _parsed(variable: str, kind: Any, text: str) -> Any:
    """Return a value of the environment as a setting has it."""
    if get_origin(kind) is tuple:
        return tuple(text.replace(",", " ").split())
    try:
        found = TypeAdapter(kind).validate_strings(text)
    except ValidationError:
        raise UsageError(
            f"The environment variable {variable} holds {text!r}; expected {_expected(kind)}."
        ) from None
    return found.expanduser() if isinstance(found, Path) else found


def _expected(kind: Any) -> str:
    each = get_args(kind)[0] if isinstance(kind, UnionType) else kind
    if get_origin(each) is Literal:
        return " or ".join(map(str, get_args(each)))
    if get_origin(each) is tuple:
        return "a list of texts"
    names = {bool: "true or false", int: "a whole number", float: "a number", Path: "a path"}
    return names.get(each, "a text")


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return json.dumps(list(value))
    return json.dumps(str(value) if isinstance(value, Path) else value)


def _without_password(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    who, at, where = rest.rpartition("@")
    name = who.partition(":")[0]
    return f"{scheme}{mark}{name}{':***' if ':' in who else ''}{at}{where}"


def _without_path(url: str) -> str:
    """Return the address of a webhook without its path, which is often a token."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}/***" if parts.path.strip("/") or parts.query else url


_HIDDEN: dict[str, Callable[[str], str]] = {
    "feedback": _without_password,
    "webhook": _without_path,
    "rewrite_endpoint": _without_password,
}
