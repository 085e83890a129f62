"""The labels of finished items as JSON Lines, without anything about the people who judged them."""

from collections import Counter
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Source, fields_of, json_text
from tactful.annotation.formats.losses import Loss, Lost, losses

LABELS = "labels.jsonl"
_CARRIED = ("labels", "soft", "confidence", "decisions", "context", "meta")
_FINISHED = ("done", "disputed")


def write_labels(source: Source, folder: Path) -> list[Loss]:
    """Write ``labels.jsonl``, a line for each finished item and step."""
    lost: Lost = Counter()
    with (folder / LABELS).open("w", encoding="utf-8", newline="\n") as handle:
        for record in source.records():
            if record.gold is not None or record.status == "waiting":
                continue
            if record.status not in _FINISHED and not source.unfinished:
                lost["unfinished items", "their labels may still change; see --unfinished"] += 1
                continue
            handle.write(json_text(labels_of(record)) + "\n")
    return losses(source, _CARRIED, lambda _step, _question: True, lost)


def labels_of(record: Annotated) -> dict[str, Any]:
    """Return the labels of an item in a step as JSON has them."""
    return {
        "item": record.id,
        "text": record.text,
        "context": dict(record.context),
        "meta": dict(record.meta),
        "step": record.step,
        "status": record.status,
        "labels": {question: fields_of(label) for question, label in record.labels.items()},
    }
