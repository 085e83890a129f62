"""A command whose first word may be that of another command with options of its own."""

from collections.abc import Mapping
from typing import Any

import click

from tactful.cli.main import LAB, import_command


class DelegatingCommand(click.Command):
    """Takes files or a task as its first word, and a few words that are commands themselves."""

    def __init__(self, *args: Any, delegates: Mapping[str, str], **options: Any):
        super().__init__(*args, **options)
        self.delegates = dict(delegates)
        """Word -> ``module:object`` of the command, or LAB; imported when it is asked for."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Hand a known first word on, and read everything else as this command's own."""
        command = self._delegate(args[0]) if args else None
        if command is None:
            return super().make_context(info_name, args, parent, **extra)
        return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)

    def _delegate(self, word: str) -> click.Command | None:
        target = self.delegates.get(word)
        if target is None or target != LAB:
            return None if target is None else import_command(target)
        from tactful.cli.added import find_command, missing_lab

        path = self.name or ""
        command = find_command(path, word)
        if command is None:
            raise missing_lab(path, word)
        return command
