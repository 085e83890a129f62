"""Tactful's own JSON Lines, lossless: every judgement and label, with the log beside them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.annotation.formats.annotated import (
    Annotated,
    Imported,
    Source,
    annotated,
    fields_of,
    json_text,
    plain,
)
from tactful.annotation.formats.log import EVENTS, PROTOCOL, read_log, write_log
from tactful.annotation.formats.losses import Loss, as_losses
from tactful.annotation.protocol.load import read_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State
from tactful.errors import FileFormatError

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project

ANNOTATIONS = "annotations.jsonl"


def write_jsonl(source: Source, folder: Path) -> list[Loss]:
    """Write ``annotations.jsonl``, a line for each item and step, and the log."""
    with (folder / ANNOTATIONS).open("w", encoding="utf-8", newline="\n") as handle:
        for record in source.records():
            handle.write(json_text(as_dict(record)) + "\n")
    return write_log(source, folder)


def read_jsonl(path: Path, protocol: Protocol | None = None) -> Imported:
    """Read the log of an export, from which a new project can be built.

    For an existing project with a ``protocol``, return the items with the judgements that count and
    the answers to hidden tests.
    """
    folder = path.parent if path.name in (ANNOTATIONS, EVENTS) else path
    if not (folder / EVENTS).is_file():
        raise FileFormatError(
            f"{folder}: found no {EVENTS}; expected the folder of an export as jsonl or parquet."
        )
    events, losses = read_log(folder)
    own = folder / PROTOCOL
    items: list[Annotated] = []
    if protocol is not None:
        rules = read_protocol(own) if own.is_file() else protocol
        lost: Counter[tuple[str, str]] = Counter()
        for record in annotated(State.derive(rules, events), rules):
            items.append(_kept(record, lost, folder / EVENTS))
        losses += as_losses(lost)
    return Imported(tuple(items), losses, tuple(events), protocol=own if own.is_file() else None)


def _kept(record: Annotated, lost: Counter[tuple[str, str]], path: Path) -> Annotated:
    """Return what of a record another project can take."""
    judged = tuple(each for each in record.judged if each.counts or each.why == "test")
    gone = len(record.judged) - len(judged)
    lost["judgements that do not count", "they would count in another project"] += gone
    lost["skips", "they belong to the people of the other project"] += len(record.skipped)
    return replace(record, judged=judged, place=str(path))


def as_dict(record: Annotated) -> dict[str, Any]:
    """Return a record as JSON has it."""
    return {
        "item": record.id,
        "text": record.text,
        "context": dict(record.context),
        "meta": dict(record.meta),
        "gold": plain(record.gold),
        "step": record.step,
        "status": record.status,
        "labels": {question: fields_of(label) for question, label in record.labels.items()},
        "judgements": [fields_of(each) | {"counts": each.counts} for each in record.judged],
        "decision": None if record.decision is None else fields_of(record.decision),
        "skipped": list(record.skipped),
    }


def rebuild(
    export: Path, folder: Path, *, name: str | None = None, store: str | None = None
) -> "tuple[Project, Sequence[Loss]]":
    """Create a project from the log of an export; return it open, with what could not be restored.

    Invitation links are never restored: people keep their ids and get new links.
    """
    from tactful.annotation.project.project import Project

    found = read_jsonl(export)
    if found.protocol is None:
        raise FileFormatError(
            f"{export}: found no {PROTOCOL}; expected the protocol beside the log; export again."
        )
    # A broken log must not leave a project behind.
    State.derive(read_protocol(found.protocol), found.events)
    with Project.create(folder, found.protocol, name=name, store=store) as made:
        made.store.append(found.events)
    return Project.open(folder), found.losses
