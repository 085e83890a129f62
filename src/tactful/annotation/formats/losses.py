"""What a format cannot hold, counted for the report of an export."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.protocol.records import Question

if TYPE_CHECKING:
    from tactful.annotation.formats.annotated import Annotated, Source


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a format cannot hold, how often it occurs, and why."""

    what: str
    count: int
    why: str

    def __str__(self) -> str:
        """Return the loss as one line."""
        return f"{self.what}: {self.count:,} ({self.why})"


_OfProject = Callable[["Source"], int]
_OfRecord = Callable[["Annotated"], int]
NO_PLACE = "the format has no place for them"

ASPECTS: dict[str, tuple[str, "_OfProject | None", "_OfRecord | None"]] = {
    "tests": ("hidden tests", lambda source: sum(
        item.gold is not None for item in source.state.items.values()
    ), None),
    "unjudged": ("items without a judgement that counts", None, None),
    "uncounted": ("judgements that do not count", None, lambda record: sum(
        not judged.counts and judged.why != "test" for judged in record.judged
    )),
    "people": ("judgements by person (only the combined label is kept)", None, lambda record: len(
        record.counted
    )),
    "labels": ("combined labels", None, lambda record: sum(
        label.value is not None for label in record.labels.values()
    )),
    "soft": ("soft labels", None, lambda record: sum(
        bool(label.soft) for label in record.labels.values()
    )),
    "confidence": ("confidences of labels", None, lambda record: sum(
        label.confidence is not None for label in record.labels.values()
    )),
    "decisions": ("decisions of referees", None, lambda record: record.decision is not None),
    "trust": ("people's trust", lambda source: sum(
        person.trust is not None for person in source.state.people.values()
    ), None),
    "times": ("times of judgements", None, lambda record: len(record.counted)),
    "traits": ("people's traits", lambda source: sum(
        bool(person.traits) for person in source.state.people.values()
    ), None),
    "context": ("items' contexts", lambda source: sum(
        bool(item.context) for item in source.state.items.values()
    ), None),
    "meta": ("items' further columns", lambda source: sum(
        bool(item.meta) for item in source.state.items.values()
    ), None),
    "skips": ("skips", None, lambda record: len(record.skipped)),
    "log": ("events of the log", lambda source: source.state.number, None),
}  # fmt: skip
"""What a project holds: its name in the report, and how much of it there is in the project itself
or in each record; what was not judged is counted by item."""

_WHY = {
    "tests": "they are not data; keep the project, or export as jsonl",
    "unjudged": "the format lists what was judged",
    "uncounted": "they are by removed people, or came after there were enough",
}


def as_losses(lost: Mapping[tuple[str, str], int]) -> tuple[Loss, ...]:
    """Turn counts by (what, why) into losses."""
    return tuple(Loss(what, count, why) for (what, why), count in lost.items() if count)


def losses(
    source: "Source",
    carried: Collection[str],
    kept: Callable[[str, Question], bool],
    why: str = NO_PLACE,
) -> list[Loss]:
    """List the losses of a format that holds the aspects ``carried`` and the questions ``kept``.

    ``kept`` is called with each step and question. Records are read one at a time: all records of
    a large project would take gigabytes.
    """
    unknown = set(carried) - set(ASPECTS)
    if unknown:
        raise ValueError(f"no such aspect: {', '.join(sorted(unknown))}")
    other = {
        (step.id, question.id)
        for step in source.protocol.steps
        for question in step.questions
        if not kept(step.id, question)
    }
    count = _count(source, [name for name in ASPECTS if name not in carried], other)
    found = [
        Loss(f"answers to '{question}' (step '{step}')", count.answers[step, question], why)
        for step, question in _in_order(source, other)
        if count.answers[step, question]
    ]
    found += [
        Loss(ASPECTS[name][0], number, _WHY.get(name, NO_PLACE))
        for name, number in count.aspects.items()
        if number
    ]
    if "labels" in carried and count.labels:
        found.append(Loss("combined labels of other questions", count.labels, NO_PLACE))
    return found


@dataclass(slots=True)
class _Count:
    aspects: dict[str, int]
    answers: Counter[tuple[str, str]]
    labels: int = 0


def _count(source: "Source", lost: list[str], other: set[tuple[str, str]]) -> _Count:
    count = _Count(dict.fromkeys(lost, 0), Counter())
    for name in lost:
        of_project = ASPECTS[name][1]
        if of_project is not None:
            count.aspects[name] = of_project(source)
    each_record = [(name, of) for name in lost if (of := ASPECTS[name][2]) is not None]
    unjudged: set[str] = set()
    judged: set[str] = set()
    for record in source.records():
        for name, of_record in each_record:
            count.aspects[name] += of_record(record)
        count.answers.update(
            (record.step, question) for each in record.counted for question in each.answers
        )
        count.labels += sum(
            label.value is not None and (record.step, name) in other
            for name, label in record.labels.items()
        )
        if record.gold is None:
            (judged if record.is_judged else unjudged).add(record.id)
    if "unjudged" in count.aspects:
        count.aspects["unjudged"] = len(unjudged - judged)
    return count


def _in_order(source: "Source", other: set[tuple[str, str]]) -> list[tuple[str, str]]:
    asked = ((step.id, each.id) for step in source.protocol.steps for each in step.questions)
    return [place for place in asked if place in other]
