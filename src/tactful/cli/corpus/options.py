"""What the commands of ``tactful corpus`` take in common."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tactful.corpora import CORPORA

F = TypeVar("F", bound=Callable[..., Any])


def _complete_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in CORPORA if name.startswith(incomplete)]


def source_options(command: F) -> F:
    """Add what every reading command takes: the corpus, where it is and how it is encoded."""
    for option in (
        click.option("--encoding", help="The encoding of the text files, if not the authors'."),
        click.option("--sample", is_flag=True, help="Use the few lines that come with Tactful."),
        click.argument("path", required=False, type=click.Path(path_type=Path)),
        click.argument("name", shell_complete=_complete_name),
    ):
        command = option(command)
    return command


def validate_command(name: str, path: Path | None, sample: bool, encoding: str | None) -> str:
    """Return the command line that tells all about the same files."""
    words = ["tactful", "corpus", "validate", name]
    words += [str(path)] if path is not None else []
    words += ["--sample"] if sample else []
    words += ["--encoding", encoding] if encoding is not None else []
    return shlex.join(words)


strict_option = click.option(
    "--strict", is_flag=True, help="Fail, and write nothing, if a row has to be left out."
)
