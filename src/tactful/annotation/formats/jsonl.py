"""Our own JSON Lines, without loss: every judgement, every label, and the log beside them."""

import json
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Imported, Judged, Source, plain
from tactful.annotation.formats.log import EVENTS, PROTOCOL, read_log, write_log
from tactful.annotation.formats.losses import Loss
from tactful.annotation.protocol import Protocol
from tactful.errors import FileFormatError

ANNOTATIONS = "annotations.jsonl"


def write_jsonl(source: Source, folder: Path) -> list[Loss]:
    """Write ``annotations.jsonl``, a line for each item and step, and the log."""
    with (folder / ANNOTATIONS).open("w", encoding="utf-8", newline="\n") as handle:
        for record in source.records():
            handle.write(json.dumps(as_dict(record), ensure_ascii=False) + "\n")
    return write_log(source, folder)


def read_jsonl(path: Path, protocol: Protocol | None = None) -> Imported:
    """Read the log of an export back; a new project is built from it."""
    folder = path.parent if path.name in (ANNOTATIONS, EVENTS) else path
    if not (folder / EVENTS).is_file():
        raise FileFormatError(
            f"{folder}: found no {EVENTS}; expected the folder of an export as jsonl or parquet."
        )
    events, losses = read_log(folder)
    own = folder / PROTOCOL
    return Imported(
        losses=tuple(losses), events=tuple(events), protocol=own if own.is_file() else None
    )


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
        "labels": {
            question: {
                "value": plain(label.value),
                "confidence": label.confidence,
                "soft": dict(label.soft),
                "votes": label.votes,
                "why": label.why,
                "applies": label.applies,
                "decided": label.decided,
            }
            for question, label in record.labels.items()
        },
        "judgements": [_judged(each) | {"counts": each.counts} for each in record.judged],
        "decision": None if record.decision is None else _judged(record.decision),
        "skipped": list(record.skipped),
    }


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "annotator": judged.annotator,
        "answers": plain(judged.answers),
        "at": judged.at,
        "seconds": judged.seconds,
        "trust": judged.trust,
        "why": judged.why,
    }
