"""Every setting: its name, default, help and environment variable.

There is no global settings object: read them once with :func:`load_settings` and pass them on.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from tactful.errors import SettingError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, as ``tactful doctor`` and the documentation show it."""

    name: str
    env: str
    default: str
    help: str
    expected: str
    parse: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings."""

    data: Path | None
    batch_rows: int
    max_problems: int
    progress: str
    public_url: str
    allowed_hosts: tuple[str, ...]
    trusted_proxies: tuple[str, ...]


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError(value)
    return number


def _several(value: str) -> tuple[str, ...]:
    return tuple(value.replace(",", " ").split())


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in allowed:
            raise ValueError(value)
        return value

    return parse


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "data",
        "TACTFUL_DATA",
        "",
        "the folder with the authors' corpora, one sub-folder each",
        "the path of a folder",
        lambda value: Path(value).expanduser() if value else None,
    ),
    Setting(
        "batch_rows",
        "TACTFUL_BATCH_ROWS",
        "20000",
        "how many rows are read at a time; less memory when smaller",
        "a whole number above 0",
        _positive,
    ),
    Setting(
        "max_problems",
        "TACTFUL_MAX_PROBLEMS",
        "1000",
        "how many problems of one kind are kept in full; all are counted",
        "a whole number above 0",
        _positive,
    ),
    Setting(
        "progress",
        "TACTFUL_PROGRESS",
        "auto",
        "progress: auto draws a bar on a terminal, and elsewhere prints a line every 30 seconds",
        "auto, on or off",
        _one_of("auto", "on", "off"),
    ),
    Setting(
        "public_url",
        "TACTFUL_PUBLIC_URL",
        "",
        "the address by which clients reach 'tactful serve'",
        "an address like https://tactful.example.org",
        str,
    ),
    Setting(
        "allowed_hosts",
        "TACTFUL_ALLOWED_HOSTS",
        "",
        "hosts that 'tactful serve' may give to clients as its address",
        "names, separated by commas",
        _several,
    ),
    Setting(
        "trusted_proxies",
        "TACTFUL_TRUSTED_PROXIES",
        "",
        "proxies whose X-Forwarded headers 'tactful serve' believes",
        "addresses or networks, separated by commas",
        _several,
    ),
)


def load_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Read all settings from the environment; a wrong value is a :class:`SettingError`."""
    source = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        raw = source.get(setting.env) or setting.default
        try:
            values[setting.name] = setting.parse(raw)
        except ValueError:
            raise SettingError(
                f"The environment variable {setting.env} holds {raw!r}; "
                f"expected {setting.expected} ({setting.help})."
            ) from None
    return Settings(**{field.name: values[field.name] for field in fields(Settings)})
