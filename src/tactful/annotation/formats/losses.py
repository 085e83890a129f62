"""What a format cannot hold, counted for the report of an export."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.protocol.records import Question

if TYPE_CHECKING:
    from tactful.annotation.formats.annotated import Source


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a format cannot hold, how often it occurs, and why."""

    what: str
    count: int
    why: str

    def __str__(self) -> str:
        """Return the loss as one line."""
        return f"{self.what}: {self.count:,} ({self.why})"


Lost = Counter[tuple[str, str]]
"""What is lost, and why -> how often."""
NO_PLACE = "the format has no place for them"

ASPECTS = {
    "tests": "hidden tests",
    "unjudged": "items without a judgement that counts",
    "uncounted": "judgements that do not count",
    "people": "judgements by person (only the combined label is kept)",
    "labels": "combined labels",
    "soft": "soft labels",
    "confidence": "confidences of labels",
    "decisions": "decisions of referees",
    "trust": "people's trust",
    "times": "times of judgements",
    "traits": "people's traits",
    "context": "items' contexts",
    "meta": "items' further columns",
    "skips": "skips",
    "log": "events of the log",
}
"""What a project holds, and its name in the report."""

_WHY = {
    "tests": "they are not data; keep the project, or export as jsonl",
    "unjudged": "the format lists what was judged",
    "uncounted": "they are by removed people, or came after there were enough",
}


def as_losses(lost: Mapping[tuple[str, str], int]) -> list[Loss]:
    """Turn counts by (what, why) into losses."""
    return [Loss(what, count, why) for (what, why), count in lost.items() if count]


def losses(
    source: "Source",
    carried: Collection[str],
    kept: Callable[[str, Question], bool],
    lost: Mapping[tuple[str, str], int] | None = None,
    why: str = NO_PLACE,
) -> list[Loss]:
    """List the losses of a format that holds the aspects ``carried`` and the questions ``kept``.

    ``kept`` is called with each step and question; ``lost`` has what else was lost.
    """
    unknown = set(carried) - set(ASPECTS)
    if unknown:
        raise ValueError(f"no such aspect: {', '.join(sorted(unknown))}")
    other = {
        (step.id, question.id): 0
        for step in source.protocol.steps
        for question in step.questions
        if not kept(step.id, question)
    }
    count, labels = _count(source, other)
    found: Lost = Counter()
    for (step, question), number in other.items():
        found[f"answers to '{question}' (step '{step}')", why] = number
    for name, title in ASPECTS.items():
        if name not in carried:
            found[title, _WHY.get(name, NO_PLACE)] = count[name]
    if "labels" in carried:
        found["combined labels of other questions", NO_PLACE] = labels
    return as_losses(found) + as_losses(lost or {})


def _count(source: "Source", other: dict[tuple[str, str], int]) -> tuple[Counter[str], int]:
    """Count all aspects, the labels of the ``other`` questions and, in ``other``, their answers.

    Records are read one at a time: all records of a large project would take gigabytes.
    """
    state, labels = source.state, 0
    count = Counter(log=state.number)
    for item in state.items.values():
        count.update(tests=item.is_test, context=bool(item.context), meta=bool(item.meta))
    for person in state.people.values():
        count.update(trust=person.trust is not None, traits=bool(person.traits))
    unjudged: set[str] = set()
    judged: set[str] = set()
    for record in source.records():
        given = record.counted
        count.update(
            uncounted=sum(not each.counts and each.why != "test" for each in record.judged),
            people=len(given),
            times=len(given),
            decisions=record.decision is not None,
            skips=len(record.skipped),
        )
        for each in given:
            for place in other.keys() & {(record.step, question) for question in each.answers}:
                other[place] += 1
        for name, label in record.labels.items():
            has_value = label.value is not None
            sure = label.confidence is not None
            count.update(labels=has_value, soft=bool(label.soft), confidence=sure)
            labels += has_value and (record.step, name) in other
        if record.gold is None:
            (judged if record.is_judged else unjudged).add(record.id)
    count["unjudged"] = len(unjudged - judged)
    return count, labels
