"""How commands declare options: what most of them have in common is said here once.

``names`` are the flags, then the name of the parameter if it is another one, then what the help
calls the value: ``--measure measures NAME``. The help shows the default of an option that has one.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from tactful.errors import EXIT_USAGE, UsageError

F = TypeVar("F", bound=Callable[..., Any])
Complete = Callable[[click.Context, click.Parameter, str], list[str]]

PATH = click.Path(path_type=Path)
SHARE = click.FloatRange(0, 1)
POSITIVE = click.IntRange(min=1)
NOT_NEGATIVE = click.IntRange(min=0)


def option(
    names: str, help_text: str, kind: Any = None, default: Any = None, **more: Any
) -> Callable[[F], F]:
    """Return an option with a value; a list as its ``kind`` has all its values."""
    if default is not None:
        more = {"default": default, "show_default": default != "", **more}
    words = names.split()
    if words[-1][0].isupper():
        more["metavar"] = words.pop()
    kind = click.Choice(kind) if isinstance(kind, tuple | list) else kind
    return click.option(*words, type=kind, help=help_text, **more)


def several(names: str, help_text: str, kind: Any = None, **more: Any) -> Callable[[F], F]:
    """Return an option with a value that may be given several times."""
    return option(names, help_text, kind, multiple=True, **more)


def flag(names: str, help_text: str, **more: Any) -> Callable[[F], F]:
    """Return an option without a value."""
    return click.option(*names.split(), is_flag=True, help=help_text, **more)


def turn_off(names: str, help_text: str) -> Callable[[F], F]:
    """Return an option that turns off what is on without it."""
    return flag(names, help_text, callback=lambda ctx, each, is_off: not is_off)


force_option = flag("--force", "Replace what is already there.")


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds options and arguments, in the order of the help."""

    def add(command: F) -> F:
        for each in reversed(options):
            command = each(command)
        return command

    return add


def collect(kind: type[Any], name: str) -> Callable[[F], F]:
    """Give a command the options that are fields of a dataclass as one parameter."""

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def collected(*args: Any, **given: Any) -> Any:
            chosen = {each.name: given.pop(each.name) for each in fields(kind)}
            return command(*args, **{name: kind(**chosen)}, **given)

        return cast(F, collected)

    return decorate


def given_options(ctx: click.Context) -> dict[str, str]:
    """Return the flags of the options on the command line, by the names of their parameters."""
    return {
        each.name: each.opts[-1]
        for each in ctx.command.params
        if each.name and ctx.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
    }


texts_argument = click.argument("paths", nargs=-1, metavar="[FILE|FOLDER|-]...", type=PATH)


def require_texts(ctx: click.Context, paths: Sequence[Path], text: str | None) -> None:
    """Show how a command is used where it is given no text; refuse files beside --text."""
    if text is None and not paths and sys.stdin.isatty():
        command = f"tactful {ctx.command.name}"
        click.echo(ctx.get_usage(), err=True)
        click.echo(f'For example: {command} letter.md, or {command} --text "…"', err=True)
        ctx.exit(EXIT_USAGE)
    if text is not None and paths:
        raise UsageError("Give files or --text, not both.")


def split_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in an option that is repeated, or has commas between them."""
    return tuple(part.strip() for name in names for part in name.split(",") if part.strip())


def only_option(help_text: str) -> Callable[[F], F]:
    """Return the option that chooses ids."""
    return several("--only ID", help_text, callback=lambda ctx, each, names: split_names(names))


def refuse_output(folder: Path, force: bool) -> None:
    """Refuse a folder that cannot be written, before long work starts."""
    from tactful.files import refuse_existing

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: found a file; expected the name of a folder to write.")
    if folder.is_dir() and any(folder.iterdir()):
        refuse_existing(folder, force)


def complete(names: Callable[[], Iterable[str]] | Iterable[str]) -> Complete:
    """Return what completes the names of a collection in a shell."""

    def matching(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
        return [name for name in (names() if callable(names) else names) if name.startswith(start)]

    return matching
