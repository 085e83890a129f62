"""``tactful annotate init`` and ``status``."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.annotate.people import person_row, share
from tactful.cli.annotate.writing import DEFAULT_ADDRESS
from tactful.cli.options import PATH, flag, option
from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.errors import UsageError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project

JSON_VERSION = 1
_STEP_FIELDS = {
    "step": "step", "waiting": "waiting", "open": "open", "done": "done", "disputed": "disputed",
    "judgements": "collected", "discarded": "discarded", "needed": "needed",
}  # fmt: skip


@click.command("init")
@click.argument("folder", type=PATH)
@option("--protocol NAME|FILE", "pcl, unhealthy, frames, stereotypes, or your own YAML file.")
@option("--name", "Name that people see.  [default: the name of the folder]")
@option(
    "--store URL",
    "Database for the log, such as postgresql+pg8000://user:password@host/database.  "
    "[default: a file in the folder]",
)
@option("--from-export FOLDER", "Rebuild the project from an export as jsonl or parquet.", PATH)
@option("--owner", "Name of the owner.", default="Owner")
def init_cli(
    folder: Path,
    protocol: str | None,
    name: str | None,
    store: str | None,
    from_export: Path | None,
    owner: str,
) -> None:
    """Create a project in a new FOLDER, and print the link of its owner.

    \b
    tactful annotate init my-project --protocol unhealthy
    tactful annotate init my-project --protocol my-own.yaml
    tactful annotate init copy --from-export labels
    """
    from tactful.annotation.project.project import Project
    from tactful.annotation.protocol.load import PROTOCOLS

    if (protocol is None) == (from_export is None):
        raise UsageError(
            f"Give a protocol with --protocol ({', '.join(PROTOCOLS)}, or a YAML file), or an "
            "export with --from-export."
        )
    losses: Sequence[Any] = ()
    if from_export is not None:
        from tactful.annotation.formats.jsonl import rebuild

        project, losses = rebuild(from_export, folder, name=name, store=store)
    else:
        project = Project.create(folder, protocol or "", name=name, store=store)
    with project:
        token = project.invite("owner", owner).token
    echo_sentence(
        f"Created the project '{project.name}' in {folder} with the protocol "
        f"'{project.protocol.id}'."
    )
    for loss in losses:
        echo_sentence(f"Not restored: {loss}")
    click.echo(f"Your owner link, shown only once: {DEFAULT_ADDRESS}/join/{token}")
    echo_sentence(
        f"Next: tactful annotate import {folder} FILE; then: tactful annotate serve {folder}"
    )


@click.command("status")
@click.argument("folder", type=PATH)
@flag("--json as_json", "Print JSON.")
@option("--price", "Price of one answer, to estimate the cost.", float)
def status_cli(folder: Path, as_json: bool, price: float | None) -> None:
    """Show the progress of the project in FOLDER, even while a server runs."""
    from tactful.annotation.project.project import Project

    if price is not None and not price >= 0:
        raise UsageError(f"Found the price {price}; expected 0 or more.")
    with Project.open(folder, read_only=True) as project:
        found = status(project, time.time(), price)
    if as_json:
        echo_json(found)
        return
    echo_sentence(
        f"{found['name']} ({found['protocol']}): {counted(found['items'], 'item')}, "
        f"{found['tests']:,} hidden tests, {counted(found['events'], 'event')}."
    )
    columns = ["step", "waiting", "open", "done", "disputed", "judgements", "needed"]
    echo("", table(columns, [[row[name] for name in columns] for row in found["steps"]]))
    if found["people"]:
        shown = ["person", "name", "role", "status", "answered", "trust"]
        people = [{**row, "trust": share(row["trust"])} for row in found["people"]]
        rows = [[row[name] for name in shown] for row in people]
        echo("", table(shown, rows, whole=["person"]))
    left = found["left"]
    click.echo()
    echo_sentence(_left(left))
    for note in left["notes"]:
        echo_sentence(note, "  - ", "    ")
    for warning in found["warnings"]:
        echo_sentence(f"Hidden tests: {warning}")
    if found["unwanted"]:
        noun = "item was" if found["unwanted"] == 1 else "items were"
        echo_sentence(
            f"{found['unwanted']:,} {noun} skipped, and too few people are left to finish them; "
            "see the owner's page 'Status'."
        )


def status(project: "Project", now: float, price: float | None = None) -> dict[str, Any]:
    """Return the figures of a project as plain data."""
    from tactful.annotation.analysis.estimate import estimate
    from tactful.annotation.analysis.gold_pool import pool_warnings
    from tactful.annotation.analysis.overview import progress, skipped_items

    state = project.state
    steps = progress(state)
    left = estimate(state.protocol, steps, state.people.values(), now, price)
    tests = sum(item.is_test for item in state.items.values())
    return {
        "schema_version": JSON_VERSION,
        "name": project.name,
        "protocol": project.protocol.id,
        "items": len(state.items) - tests,
        "tests": tests,
        "events": state.number,
        "finished": state.finished(),
        "unwanted": sum(1 for _ in skipped_items(state)),
        "warnings": pool_warnings(state),
        "steps": [
            {name: getattr(each, field) for name, field in _STEP_FIELDS.items()} for each in steps
        ],
        "people": [person_row(person) for person in state.people.values()],
        "settings": dict(state.settings),
        "left": {
            "least": left.least,
            "expected": round(left.expected, 1),
            "most": left.most,
            "answers": round(left.answers, 1),
            **{name: _rounded(getattr(left, name)) for name in ("hours", "days", "cost")},
            "notes": list(left.notes),
        },
    }


def _left(left: dict[str, Any]) -> str:
    if not left["most"]:
        return "All judgements are collected."
    parts = [
        f"Judgements left: about {left['expected']:,g} ({left['least']:,} to {left['most']:,})"
    ]
    parts += [f"{left[name]:,g} {name} of work" for name in ("hours",) if left[name] is not None]
    parts += [f"{left['days']:,g} days"] if left["days"] is not None else []
    parts += [f"a cost of {left['cost']:,g}"] if left["cost"] is not None else []
    return "; ".join(parts) + "."


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
