"""``tactful completion``: the script that teaches a shell to complete ``tactful``."""

import os
from collections.abc import Mapping
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from tactful.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


def completion(shell: str, command: click.Command) -> str:
    """Return the completion script of ``command`` for one of :data:`SHELLS`."""
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"There is no completion for '{shell}'; choose {_alternatives()}.")
    return kind(command, {}, "tactful", "_TACTFUL_COMPLETE").source()


def shell_in_use(environ: Mapping[str, str] | None = None) -> str:
    """Return the shell that ``$SHELL`` names; another one than we know is a usage error."""
    path = (os.environ if environ is None else environ).get("SHELL", "")
    name = PurePath(path).name
    if name in SHELLS:
        return name
    found = f"$SHELL is {path!r}" if path else "$SHELL is not set"
    raise UsageError(
        f"Cannot tell which shell to write for: {found}. "
        f"Name it: tactful completion {_alternatives()}."
    )


def _alternatives() -> str:
    return f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}"


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.pass_context
def completion_cli(ctx: click.Context, shell: str | None) -> None:
    """Print a shell completion script; SHELL is taken from $SHELL when left out.

    \b
    To complete tactful in every new shell, run once:
      bash  tactful completion bash >> ~/.bashrc     (bash 4.4 or newer)
      zsh   tactful completion zsh >> ~/.zshrc
      fish  tactful completion fish > ~/.config/fish/completions/tactful.fish

    To try it in this shell only: eval "$(tactful completion)"
    """
    click.echo(completion(shell or shell_in_use(), ctx.find_root().command))
