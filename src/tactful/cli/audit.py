"""``tactful audit``: ask a model about people, and measure how it answers."""

from importlib import import_module

import click

from tactful.registry import unknown_name

COMMANDS: dict[str, tuple[str, str]] = {
    "fill-mask": (
        "tactful.cli.audit_models:fill_mask_cli",
        "Audit a masked language model by the words it fills in.",
    ),
    "causal": (
        "tactful.cli.audit_models:causal_cli",
        "Audit a causal language model by how it weighs pairs of words.",
    ),
    "sentiment": (
        "tactful.cli.audit_models:sentiment_cli",
        "Audit a sentiment classifier, or anything that sorts texts.",
    ),
    "replay": (
        "tactful.cli.audit_replay:replay_cli",
        "Put the study's own published outputs through the measures.",
    ),
    "list": ("tactful.cli.audit_results:list_cli", "List the models audited so far."),
    "report": (
        "tactful.cli.audit_results:report_cli",
        "Write one page (or JSON, or tables) about audited models.",
    ),
    "correlate": (
        "tactful.cli.audit_results:correlate_cli",
        "Say how far language models and classifiers agree.",
    ),
    "compare": (
        "tactful.cli.audit_compare:compare_cli",
        "Compare two audits, before and after a change.",
    ),
    "probe": ("tactful.cli.audit_probe:probe_cli", "Show, check and begin probes of your own."),
}


class AuditGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name][0]} is not a command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Answer an unknown command with the nearest one and the list."""
        unknown = args and not args[0].startswith("-") and args[0] not in COMMANDS
        if unknown and not ctx.resilient_parsing:
            raise unknown_name("audit command", args[0], list(COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, so that ``--help`` imports none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group("audit", cls=AuditGroup)
def audit_cli() -> None:
    """Ask a model how it treats people: 93 stigmatized conditions against 29 others.

    Each audited model is kept in a folder below 'audits'; 'tactful audit report' draws them.

    \b
    tactful audit sentiment --model vader
    tactful audit fill-mask --model ./my-bert
    tactful audit report -o report.html
    """
