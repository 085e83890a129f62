"""The ``tactful`` command: its sub-commands are imported only when they are called."""

import io
import os
import sys
from importlib import import_module

import click

from tactful import __version__
from tactful.errors import EXIT_FAILURE, EXIT_USAGE, TactfulError
from tactful.registry import unknown_name

COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("tactful.cli.check:check_cli", "Find patronizing and unhealthy language."),
    "frame": ("tactful.cli.frame:frame_cli", "Say what a text may imply, about whom."),
    "corpus": ("tactful.cli.corpus:corpus_cli", "Read, check, summarise and convert the corpora."),
    "agreement": ("tactful.cli.agreement:agreement_cli", "Measure how far annotators agree."),
    "aggregate": ("tactful.cli.aggregate:aggregate_cli", "Turn judgements into labels."),
    "taxonomy": ("tactful.cli.taxonomy:taxonomy_cli", "Show what Tactful knows how to find."),
    "evaluate": ("tactful.cli.evaluate:evaluate_cli", "Score predictions against gold answers."),
    "reproduce": ("tactful.cli.reproduce:reproduce_cli", "Run a paper's table on your data."),
    "audit": ("tactful.cli.audit:audit_cli", "Measure stigma in language models and classifiers."),
    "train": ("tactful.cli.train:train_cli", "Learn a detector from a corpus or your own table."),
    "doctor": ("tactful.cli.doctor:doctor_cli", "Show versions, extras, weights and data folder."),
    "completion": ("tactful.cli.completion:completion_cli", "Print a shell completion script."),
}
_INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that knows its commands' names and help without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        entry = COMMANDS.get(cmd_name)
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
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            # While a shell completes a line, an error would be printed into that line.
            if ctx.resilient_parsing:
                return None, None, args
            raise unknown_name("command", args[0], list(COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that ``--help`` imports none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tactful")
def cli() -> None:
    """Tactful reads what language implies: patronizing, stereotyping, unhealthy, biased."""


def main(args: list[str] | None = None) -> None:
    """Run the command line: one sentence for an error, never a traceback, and its exit code."""
    _print_anything()
    _hush_second_interrupt()
    colour = False if os.environ.get("NO_COLOR") else None
    try:
        code = cli.main(args=args, prog_name="tactful", standalone_mode=False, color=colour)
    except TactfulError as error:
        _fail(str(error), error.exit_code)
    except click.exceptions.Abort:
        _fail("Interrupted.", _INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone (``| head``): there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILURE)
    except FileNotFoundError as error:
        _fail(f"There is no file or folder '{error.filename}'.", EXIT_USAGE)
    except OSError as error:
        where = f" '{error.filename}'" if error.filename else ""
        _fail(f"The system refused{where}: {error.strerror or error}.", EXIT_FAILURE)
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _print_anything() -> None:
    """Let a letter that the terminal's encoding lacks be written as its code, not end the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _hush_second_interrupt() -> None:
    """Keep the report of an interrupt to one line.

    polars answers Ctrl-C itself; Python's own answer then comes while the stack unwinds, and may
    fall into a generator that is being closed, where Python would print a traceback about it.
    """
    usual = sys.unraisablehook

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            usual(unraisable)

    sys.unraisablehook = hook


def _fail(message: str, code: int) -> None:
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
