"""Groups of commands that are imported only when they are called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from tactful.registry import unknown_name

Table = Mapping[str, tuple[str, str]]
"""Name -> where the command is (``module:function``), and its help."""


class LazyGroup(click.Group):
    """A group that knows its commands' names and help without importing them."""

    def __init__(self, *args: Any, table: Table, noun: str = "command", **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.table, self.noun = table, noun

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        entry = self.table.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry[0].partition(":")
        command = getattr(import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{entry[0]} is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown command with the nearest one and the list."""
        if args and not args[0].startswith("-") and args[0] not in self.table:
            # While a shell completes a line, an error would be printed into that line.
            if ctx.resilient_parsing:
                return None, None, args
            raise unknown_name(self.noun, args[0], list(self.table))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that ``--help`` imports none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in self.table.items()])
