"""``tactful feedback``: use what users and moderators said about the answers of the service."""

import click

from tactful.cli.main import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "status": ("tactful.cli.feedback.store:status_cli", "Count what is stored."),
    "export": ("tactful.cli.feedback.store:export_cli", "Write judged texts as a table."),
    "delete": ("tactful.cli.feedback.store:delete_cli", "Delete by author, key, text or age."),
    "retrain": (
        "tactful.cli.feedback.retrain:retrain_cli",
        "Refit a detector, and show before and after.",
    ),
}


@click.group("feedback", cls=LazyGroup, table=COMMANDS, noun="feedback command", path="feedback")
def feedback_cli() -> None:
    """Use the feedback that 'tactful serve --feedback URL' has stored.

    STORE is the same URL, such as sqlite:///feedback.db.

    \b
    tactful feedback status sqlite:///feedback.db
    tactful feedback export sqlite:///feedback.db -o decisions.csv
    tactful feedback delete sqlite:///feedback.db --author user-17
    tactful feedback retrain sqlite:///feedback.db -o my-detector
    """
