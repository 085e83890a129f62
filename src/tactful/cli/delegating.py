"""A command whose first word may be that of another command with options of its own."""

from collections.abc import Mapping
from typing import Any

import click

from tactful.cli.main import import_command


class DelegatingCommand(click.Command):
    """Takes files or a task as its first word, and a few words that are commands themselves."""

    def __init__(self, *args: Any, delegates: Mapping[str, str], **options: Any):
        super().__init__(*args, **options)
        self.delegates = dict(delegates)
        """Word -> ``module:object`` of the command, imported when it is asked for."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Hand a known first word on, and read everything else as this command's own."""
        target = self.delegates.get(args[0]) if args else None
        if target is None:
            return super().make_context(info_name, args, parent, **extra)
        return import_command(target).make_context(
            f"{info_name} {args[0]}", args[1:], parent, **extra
        )
