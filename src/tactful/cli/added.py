"""Commands that other packages add, by entry points of ``tactful.commands``.

A dot means a space: ``annotate.simulate`` is ``tactful annotate simulate``.
"""

import os
from typing import Any

import click

from tactful.cli.annotate.command import annotate_cli
from tactful.cli.audit.command import audit_cli
from tactful.cli.main import LAB, LazyGroup, cli
from tactful.errors import MissingExtraError, UsageError
from tactful.registry import Registry, unknown_name


def _command(found: Any) -> click.Command:
    if not isinstance(found, click.Command):
        raise TypeError(f"found {found!r}; expected a command of click")
    return found


def _full_name(path: str, word: str) -> str:
    return f"{path}.{word}" if path else word


def _built_in() -> set[str]:
    """Return the names of all commands of Tactful to which others can be added."""
    return {
        _full_name(group.path, word)
        for group in (cli, annotate_cli, audit_cli)
        for word, (target, _) in group.table.items()
        if target != LAB
    }


ADDED = Registry[click.Command](
    "command", {}, group="commands", accept=_command, reserved=_built_in()
)
"""The commands of other packages, by their full names."""


def find_command(path: str, word: str) -> click.Command | None:
    """Import the command that users call by ``tactful``, a path and a word, if there is one."""
    name = _full_name(path, word)
    return ADDED.get(name) if name in ADDED else None


def missing_lab(path: str, word: str) -> MissingExtraError:
    """Build the error for a command of the lab where the lab is not installed."""
    return MissingExtraError("lab", f"'{' '.join(filter(None, ('tactful', path, word)))}'")


def unknown_command(group: LazyGroup, word: str) -> UsageError:
    """Build the error for a command that neither Tactful nor an installed package has."""
    if word in group.table:
        return missing_lab(group.path, word)
    if not group.path and os.path.exists(word):  # noqa: PTH110 (never raises, whatever the word)
        return UsageError(f"There is no command named '{word}'. To check it: tactful check {word}")
    names = (name.rpartition(".") for name in ADDED)
    added = (last for path, _, last in names if path == group.path and last not in group.table)
    return unknown_name(group.noun, word, [*group.table, *added])
