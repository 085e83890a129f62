"""``tactful annotate``: run a protocol of annotation, on one laptop or for a team."""

import click

from tactful.cli.lazy_group import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("tactful.cli.annotate.project:init_cli", "Begin a project from a protocol."),
    "import": ("tactful.cli.annotate.project:import_cli", "Add texts, tests or answers."),
    "serve": ("tactful.cli.annotate.serve:serve_cli", "Open the project to annotators."),
    "invite": ("tactful.cli.annotate.project:invite_cli", "Let somebody in, by a link."),
    "people": ("tactful.cli.annotate.project:people_cli", "List, remove and re-admit people."),
    "status": ("tactful.cli.annotate.project:status_cli", "Show how far the project is."),
    "adjudicate": (
        "tactful.cli.annotate.project:adjudicate_cli",
        "Decide what annotators could not.",
    ),
    "export": ("tactful.cli.annotate.export:export_cli", "Write all judgements and labels."),
    "simulate": (
        "tactful.cli.annotate.simulate:simulate_cli",
        "See what a protocol costs and yields before paying for it.",
    ),
}


@click.group("annotate", cls=LazyGroup, table=COMMANDS, noun="annotate command")
def annotate_cli() -> None:
    """Have people judge texts by a protocol of the papers, or one of your own.

    A project is a folder. All that happens in it is kept; nothing is overwritten.

    \b
    tactful annotate init my-project --protocol unhealthy
    tactful annotate import my-project comments.csv --text-column comment
    tactful annotate serve my-project
    tactful annotate export my-project --format jsonl -o labels
    """
