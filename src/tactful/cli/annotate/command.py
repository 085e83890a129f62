"""``tactful annotate``: run annotation projects, on one laptop or for a team."""

import click

from tactful.cli.main import LAB, LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("tactful.cli.annotate.project:init_cli", "Create a project from a protocol."),
    "import": ("tactful.cli.annotate.importing:import_cli", "Add texts, tests or answers."),
    "serve": ("tactful.cli.annotate.serve:serve_cli", "Open the project to annotators."),
    "invite": ("tactful.cli.annotate.people:invite_cli", "Invite people and print their links."),
    "people": ("tactful.cli.annotate.people:people_cli", "List, remove and readmit people."),
    "status": ("tactful.cli.annotate.project:status_cli", "Show the progress of a project."),
    "adjudicate": (
        "tactful.cli.annotate.adjudicate:adjudicate_cli",
        "Decide disputed items.",
    ),
    "suggest": (
        "tactful.cli.annotate.learning:suggest_cli",
        "Suggest answers with a detector.",
    ),
    "rank": (
        "tactful.cli.annotate.learning:rank_cli",
        "Judge first what helps a model most.",
    ),
    "anchoring": (
        "tactful.cli.annotate.learning:anchoring_cli",
        "Compare judgements with suggestions.",
    ),
    "export": ("tactful.cli.annotate.export:export_cli", "Export judgements and labels."),
    "simulate": (LAB, "Simulate a protocol to see its cost and quality."),
}


@click.group(
    "annotate",
    cls=LazyGroup,
    table=COMMANDS,
    noun="annotate command",
    path="annotate",
    context_settings={"show_default": True},
)
def annotate_cli() -> None:
    """Have people annotate texts by a protocol from one of the papers, or your own.

    A project is a folder. It keeps a log of everything that happens; nothing is overwritten.

    \b
    tactful annotate init my-project --protocol unhealthy
    tactful annotate import my-project comments.csv --text-column comment
    tactful annotate serve my-project
    tactful annotate export my-project --format jsonl -o labels
    """
