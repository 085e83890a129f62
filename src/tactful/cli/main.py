"""The ``tactful`` command: its sub-commands are imported only when they are called."""

import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, NoReturn

import click

from tactful import __version__
from tactful.errors import EXIT_FAILURE, EXIT_USAGE, TactfulError

Table = Mapping[str, tuple[str, str]]
"""Name -> where the command is (``module:function``, or :data:`LAB`), and its help."""

LAB = "tactful-lab"
"""The distribution whose commands are listed here and found by their entry points."""

_READERS = ("check", "rewrite", "score", "frame", "serve", "lsp")
"""Commands in which numpy multiplies small matrices only: more threads would just wait, busily."""


def import_command(target: str) -> click.Command:
    """Import a command by its ``module:object``."""
    module, _, name = target.partition(":")
    command = getattr(import_module(module), name)
    if not isinstance(command, click.Command):
        raise TypeError(f"{target} is not a command")
    return command


class LazyGroup(click.Group):
    """A group that knows its commands' names and help without importing them.

    ``path`` is what users type before the name of a command, for commands of other packages.
    """

    def __init__(
        self, *args: Any, table: Table, noun: str = "command", path: str = "", **kwargs: Any
    ):
        super().__init__(*args, **kwargs)
        self.table, self.noun, self.path = table, noun, path

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table; those of the lab if it is installed."""
        lab = find_spec("tactful_lab") is not None
        return [name for name, (target, _) in self.table.items() if lab or target != LAB]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        target, _ = self.table.get(cmd_name, (LAB, ""))
        if cmd_name in _READERS:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if target != LAB:
            return import_command(target)
        from tactful.cli.added import find_command

        return find_command(self.path, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown command with the nearest one and the list."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            # While a shell completes a line, an error would be printed into that line.
            if ctx.resilient_parsing:
                return None, None, args
            from tactful.cli.added import unknown_command

            raise unknown_command(self, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that ``--help`` imports none."""
        with formatter.section("Commands"):
            names = self.list_commands(ctx)
            formatter.write_dl([(name, self.table[name][1]) for name in names])


COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("tactful.cli.check:check_cli", "Find patronizing and unhealthy language."),
    "rewrite": ("tactful.cli.rewrite:rewrite_cli", "Suggest what to write instead."),
    "score": (
        "tactful.cli.score.command:score_cli",
        "Score a table of any size: a column for each id.",
    ),
    "frame": ("tactful.cli.frame.command:frame_cli", "Say what a text may imply, about whom."),
    "corpus": (
        "tactful.cli.corpus:corpus_cli",
        "Read, check, summarise and convert the corpora.",
    ),
    "agreement": (
        "tactful.cli.agreement.command:agreement_cli",
        "Measure how far annotators agree.",
    ),
    "aggregate": ("tactful.cli.aggregate:aggregate_cli", "Turn judgements into labels."),
    "taxonomy": ("tactful.cli.taxonomy:taxonomy_cli", "Show what Tactful knows how to find."),
    "evaluate": (LAB, "Score predictions against gold answers."),
    "reproduce": (LAB, "Run a paper's table on your data."),
    "audit": (
        "tactful.cli.audit.command:audit_cli",
        "Measure stigma in language models and classifiers.",
    ),
    "annotate": (
        "tactful.cli.annotate.command:annotate_cli",
        "Have people judge texts by a protocol.",
    ),
    "serve": ("tactful.cli.serve:serve_cli", "Serve the API, Perspective's API and the web app."),
    "feedback": (
        "tactful.cli.feedback.command:feedback_cli",
        "Use what users and moderators said.",
    ),
    "calibrate": ("tactful.cli.calibrate:calibrate_cli", "Carry old Perspective thresholds over."),
    "lsp": ("tactful.cli.lsp:lsp_cli", "Show findings in an editor, as one writes."),
    "train": (
        "tactful.cli.train.command:train_cli",
        "Learn a detector from a corpus or your own table.",
    ),
    "doctor": ("tactful.cli.doctor:doctor_cli", "Show versions, extras, weights and data folder."),
    "completion": ("tactful.cli.completion:completion_cli", "Print a shell completion script."),
}
_INTERRUPTED = 130


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tactful")
def cli() -> None:
    """Find patronizing, stereotyping, unhealthy, biased and toxic language."""


def main(args: list[str] | None = None) -> None:
    """Run the command line: one sentence for an error, never a traceback, and its exit code."""
    _print_anything()
    colour = False if os.environ.get("NO_COLOR") else None
    with _noted_interrupts() as interrupts:
        try:
            code = cli.main(args=args, prog_name="tactful", standalone_mode=False, color=colour)
        except Exception as error:
            if interrupts or isinstance(error, click.exceptions.Abort):
                _fail("Interrupted.", _INTERRUPTED)
            _end_with(error)
    sys.exit(code if isinstance(code, int) else 0)


def _end_with(error: Exception) -> NoReturn:
    """End the program with a sentence about an error that users can mend; raise any other."""
    match error:
        case TactfulError():
            _fail(str(error), error.exit_code)
        case click.ClickException():
            error.show()
            sys.exit(error.exit_code)
        case ModuleNotFoundError():
            from tactful.libraries import missing_extra

            missing = missing_extra(error, "This command")
            if missing is not None:
                _fail(str(missing), missing.exit_code)
        case BrokenPipeError():
            # The reader of our output has gone (``| head``): there is nobody left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(EXIT_FAILURE)
        case FileNotFoundError():
            _fail(f"There is no file or folder '{error.filename}'.", EXIT_USAGE)
        case OSError():
            where = f" '{error.filename}'" if error.filename else ""
            _fail(f"The system refused{where}: {error.strerror or error}.", EXIT_FAILURE)
    raise error


def _print_anything() -> None:
    """Let a letter that the terminal's encoding lacks be written as its code, not end the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """Collect the interrupts that arrive: an error that follows one is the interrupt's doing.

    An interrupt may fall into a library that calls Python. polars, for one, makes an error of its
    own out of it, or reports it as one that cannot be raised; neither deserves a traceback.
    """
    interrupts: list[int] = []
    usual, usual_hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    noted = usual is signal.default_int_handler and current_thread() is main_thread()

    def note(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        signal.default_int_handler(number, frame)

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            interrupts.append(signal.SIGINT)
        else:
            usual_hook(unraisable)

    sys.unraisablehook = hook
    if noted:
        signal.signal(signal.SIGINT, note)
    try:
        yield interrupts
    finally:
        sys.unraisablehook = usual_hook
        if noted:
            signal.signal(signal.SIGINT, usual)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
