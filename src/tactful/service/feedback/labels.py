"""What feedback says about each text: one row for each, to annotate, to train on, to compare."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tactful.service.feedback.records import Record

REMOVED = "decision.remove"
"""The label that is 1 where a moderator removed the text, and 0 where it may stay."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One text, and what was said about it."""

    item: str
    text: str | None
    lang: str | None
    labels: Mapping[str, float] = field(default_factory=dict)
    """id -> from 0 to 1; a later label replaces an earlier one, a decision any other."""
    decision: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    """What the model said when the feedback came."""
    model: str | None = None
    at: float = 0.0


def judged_texts(records: Iterable[Record], *, suggestions: bool = False) -> list[Judged]:
    """Return the texts that were judged, in the order in which they came.

    Parameters
    ----------
    records
        The records of the store, in their order.
    suggestions
        Whether thumbs and suggested scores count, too; a moderator's decision outweighs them.

    """
    found: dict[str, list[Record]] = {}
    for each in records:
        if each.kind == "decided" or (suggestions and each.kind in ("thumb", "suggested")):
            found.setdefault(each.item, []).append(each)
    return [_judged(item, each) for item, each in found.items()]


def _judged(item: str, records: list[Record]) -> Judged:
    # Decisions last, each kind in the order of time.
    ordered = sorted(records, key=lambda each: each.kind == "decided")
    labels: dict[str, float] = {}
    decision = None
    for each in ordered:
        labels |= {name: float(value) for name, value in each.data.get("labels", {}).items()}
        decision = each.data.get("decision", decision)
    if decision in ("keep", "remove"):
        labels[REMOVED] = float(decision == "remove")
    last = ordered[-1]
    return Judged(
        item,
        next((each.text for each in records if each.text is not None), None),
        last.data.get("lang") or last.lang,
        labels,
        decision,
        last.data.get("scores", {}),
        last.data.get("model"),
        last.at,
    )
