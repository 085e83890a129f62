"""``tactful annotate invite`` and ``people``: invite, list and remove people."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.annotate.writing import DEFAULT_ADDRESS, writing
from tactful.cli.options import PATH, option, several
from tactful.cli.output import echo, echo_json, echo_sentence, format_option, table
from tactful.errors import UsageError

if TYPE_CHECKING:
    from tactful.annotation.client import Client, Invited
    from tactful.annotation.project.exchange import Invitation
    from tactful.annotation.project.project import Project

ROLES = ("annotator", "referee", "lead", "reader", "owner")


@click.command("invite")
@click.argument("folder", type=PATH)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@option("--role", "Their role.", ROLES, "annotator")
@option("--again PERSON", "Make a new link for this person, given by id.")
@option(
    "--address",
    "Address of the server, for the links; by default that of the running server, otherwise "
    f"{DEFAULT_ADDRESS}.",
)
def invite_cli(
    folder: Path, names: tuple[str, ...], role: str, again: str | None, address: str | None
) -> None:
    """Invite people: print a personal link for each NAME. Only a hash of it is stored.

    \b
    annotator  judges texts
    referee    decides disputed texts
    lead       decides, sees figures and items, invites annotators
    reader     sees figures and exports labels
    owner      may do everything
    """
    from tactful.annotation.client import Client
    from tactful.annotation.project.project import Project

    if bool(names) == bool(again):
        raise UsageError("Give the NAME of somebody to invite, or --again with the id of a person.")
    if again is not None:
        with Project.open(folder, read_only=True) as project:
            known = project.state.people.get(again)
            role, names = (known.role, (known.name,)) if known else ("annotator", (again,))
    with writing(folder) as open_one:
        if address is None:
            address = open_one.address if isinstance(open_one, Client) else DEFAULT_ADDRESS
        invited = [(name, _invite(open_one, role, name, again)) for name in names]
    rows = [
        [each.person, name, f"{address.rstrip('/')}/join/{each.token}"] for name, each in invited
    ]
    echo(table(["person", "name", "link"], rows, whole=["person", "link"]))
    echo_sentence("Keep the links safe: they are shown only once.", err=True)


def _invite(
    project: "Project | Client", role: str, name: str, again: str | None
) -> "Invitation | Invited":
    from tactful.annotation.client import Client

    if isinstance(project, Client):
        return project.invite(name, role, person=again)  # type: ignore[arg-type]
    return project.invite(role, name, person=again)  # type: ignore[arg-type]


@click.command("people")
@click.argument("folder", type=PATH)
@several("--revoke PERSON", "Revoke the invitation of this person; repeatable.")
@several("--remove PERSON", "Stop counting the judgements of this person; repeatable.")
@several("--readmit PERSON", "Count the judgements of this person again; repeatable.")
@option("--reason", "Reason, kept in the log.", default="")
@format_option
def people_cli(
    folder: Path,
    revoke: tuple[str, ...],
    remove: tuple[str, ...],
    readmit: tuple[str, ...],
    reason: str,
    output_format: str,
) -> None:
    """List the people of the project in FOLDER, or revoke, remove and readmit them."""
    from tactful.annotation.project.project import Project

    if revoke or remove or readmit:
        with writing(folder) as open_one:
            for person in revoke:
                open_one.revoke(person)
            for person in remove:
                open_one.remove(person, reason)
            for person in readmit:
                open_one.readmit(person, reason)
    with Project.open(folder, read_only=True) as project:
        rows = [person_row(each) for each in project.state.people.values()]
    if output_format == "json":
        echo_json(rows)
    elif not rows:
        echo_sentence("Nobody has been invited yet; see 'tactful annotate invite'.")
    else:
        shown = [{**row, "trust": share(row["trust"])} for row in rows]
        columns = list(rows[0])
        echo(table(columns, [list(row.values()) for row in shown], whole=["person"]))


def person_row(person: Any) -> dict[str, Any]:
    """Return the figures of a person, without their traits."""
    names = ("name", "role", "status", "answered", "skipped", "tests", "right", "trust")
    return {"person": person.id} | {name: getattr(person, name) for name in names}


def share(value: float | None) -> str:
    """Format a share as a percentage; empty if undefined."""
    return "" if value is None else f"{value:.0%}"
