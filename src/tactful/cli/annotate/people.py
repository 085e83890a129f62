"""``tactful annotate invite`` and ``people``: who takes part, and whose judgements count."""

from pathlib import Path
from typing import Any

import click

from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.errors import UsageError

ROLES = ("annotator", "referee", "owner")


@click.command("invite")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--role", type=click.Choice(ROLES), default="annotator", show_default=True, help="What they do."
)
@click.option(
    "--again", metavar="PERSON", help="A new link for somebody who is there, by their id."
)
@click.option(
    "--address",
    default="http://127.0.0.1:8100",
    show_default=True,
    help="Where the project is served.",
)
def invite_cli(
    folder: Path, names: tuple[str, ...], role: str, again: str | None, address: str
) -> None:
    """Let people in: print a link for each NAME, once. Only its hash is kept.

    While a server runs, use the page 'People' instead: one process writes at a time.
    """
    from tactful.annotation.project.project import Project

    if bool(names) == bool(again):
        raise UsageError("Name somebody to invite, or --again with the id of a person.")
    with Project.open(folder) as project:
        if again is not None:
            person = project.state.people.get(again)
            invited = [
                (
                    person.name if person else again,
                    project.invite(
                        person.role if person else "annotator",
                        person.name if person else again,
                        person=again,
                    ),
                )
            ]
        else:
            invited = [(name, project.invite(role, name)) for name in names]  # type: ignore[arg-type]
    rows = [
        [each.person, name, f"{address.rstrip('/')}/join/{each.token}"] for name, each in invited
    ]
    echo(table(["person", "name", "link"], rows, whole=["person", "link"]))
    echo_sentence("Keep the links safe: they are not shown again.", err=True)


@click.command("people")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--revoke", multiple=True, metavar="PERSON", help="End their invitation.")
@click.option("--remove", multiple=True, metavar="PERSON", help="Their judgements no longer count.")
@click.option("--readmit", multiple=True, metavar="PERSON", help="They count again.")
@click.option("--reason", default="", help="Why, kept in the log.")
@format_option
def people_cli(
    folder: Path,
    revoke: tuple[str, ...],
    remove: tuple[str, ...],
    readmit: tuple[str, ...],
    reason: str,
    output_format: str,
) -> None:
    """List the people of the project in FOLDER; revoke, remove or re-admit some of them."""
    from tactful.annotation.project.project import Project

    changes = bool(revoke or remove or readmit)
    with Project.open(folder, read_only=not changes) as project:
        for person in revoke:
            project.revoke(person)
        for person in remove:
            project.remove(person, reason)
        for person in readmit:
            project.readmit(person, reason)
        rows = [person_row(each) for each in project.state.people.values()]
    if output_format == "json":
        echo_json(rows)
    elif not rows:
        echo_sentence("Nobody was invited yet; see 'tactful annotate invite'.")
    else:
        shown = [{**row, "trust": share(row["trust"])} for row in rows]
        columns = list(rows[0])
        echo(table(columns, [list(row.values()) for row in shown], whole=["person"]))


def person_row(person: Any) -> dict[str, Any]:
    """Return what is told about a person; nothing of what they said of themselves."""
    return {
        "person": person.id,
        "name": person.name,
        "role": person.role,
        "status": person.status,
        "answered": person.answered,
        "skipped": person.skipped,
        "tests": person.tests,
        "right": person.right,
        "trust": person.trust,
    }


def share(value: float | None) -> str:
    """Write a share in per cent; nothing where it is undefined."""
    return "" if value is None else f"{value:.0%}"
