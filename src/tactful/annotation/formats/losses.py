"""What a format cannot carry, counted, so that nobody finds out later."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tactful.annotation.protocol import Question

if TYPE_CHECKING:
    from tactful.annotation.formats.annotated import Annotated, Source


@dataclass(frozen=True, slots=True)
class Loss:
    """One kind of thing that does not come through, how often, and why."""

    what: str
    count: int
    why: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.what}: {self.count:,} ({self.why})"


NO_PLACE = "the format has no place for them"

ASPECTS: dict[str, tuple[str, Callable[["Source", list["Annotated"]], int]]] = {
    "tests": ("hidden tests", lambda source, _: sum(
        item.gold is not None for item in source.state.items.values()
    )),
    "unjudged": ("items without a judgement that counts", lambda source, records: len(
        {each.id for each in records if each.gold is None}
        - {each.id for each in records if each.counted or each.decision}
    )),
    "uncounted": ("judgements that do not count", lambda _, records: sum(
        not judged.counts and judged.why != "test" for each in records for judged in each.judged
    )),
    "people": ("judgements by person (only the combined label is kept)", lambda _, records: sum(
        len(each.counted) for each in records
    )),
    "labels": ("combined labels", lambda _, records: sum(
        label.value is not None for each in records for label in each.labels.values()
    )),
    "soft": ("soft labels", lambda _, records: sum(
        bool(label.soft) for each in records for label in each.labels.values()
    )),
    "confidence": ("confidences of labels", lambda _, records: sum(
        label.confidence is not None for each in records for label in each.labels.values()
    )),
    "decisions": ("decisions of referees", lambda _, records: sum(
        each.decision is not None for each in records
    )),
    "trust": ("people's trust", lambda source, _: sum(
        person.trust is not None for person in source.state.people.values()
    )),
    "times": ("times of judgements", lambda _, records: sum(
        len(each.counted) for each in records
    )),
    "traits": ("people's traits", lambda source, _: sum(
        bool(person.traits) for person in source.state.people.values()
    )),
    "context": ("items' contexts", lambda source, _: sum(
        bool(item.context) for item in source.state.items.values()
    )),
    "meta": ("items' further columns", lambda source, _: sum(
        bool(item.meta) for item in source.state.items.values()
    )),
    "skips": ("skips", lambda _, records: sum(len(each.skipped) for each in records)),
    "log": ("events of the log", lambda source, _: sum(1 for _ in source.events())),
}  # fmt: skip
"""What a project holds: its name in the report, and how much of it there is."""

_WHY = {
    "tests": "they are no data; keep the project or an export as jsonl",
    "unjudged": "the format lists what was judged",
    "uncounted": "they are of removed people, or came when there were enough",
}


def losses(
    source: "Source",
    carried: Collection[str],
    kept: Callable[[str, Question], bool],
    why: str = NO_PLACE,
) -> list[Loss]:
    """List what is lost by a format that carries such aspects, and the answers ``kept`` says.

    ``kept`` is asked for each step and question.
    """
    unknown = set(carried) - set(ASPECTS)
    if unknown:
        raise ValueError(f"no such aspect: {', '.join(sorted(unknown))}")
    records = list(source.records())
    found = [*_questions(source, records, kept, why)]
    for aspect, (what, count) in ASPECTS.items():
        number = 0 if aspect in carried else count(source, records)
        if number:
            found.append(Loss(what, number, _WHY.get(aspect, NO_PLACE)))
    if "labels" in carried:
        found += _other_labels(source, records, kept)
    return found


def _other_labels(
    source: "Source", records: Iterable["Annotated"], kept: Callable[[str, Question], bool]
) -> Iterable[Loss]:
    """Count the labels of questions that a format, which carries labels, does not carry."""
    other = {
        (step.id, question.id)
        for step in source.protocol.steps
        for question in step.questions
        if not kept(step.id, question)
    }
    count = sum(
        label.value is not None and (each.step, name) in other
        for each in records
        for name, label in each.labels.items()
    )
    if count:
        yield Loss("combined labels of other questions", count, NO_PLACE)


def _questions(
    source: "Source",
    records: Iterable["Annotated"],
    kept: Callable[[str, Question], bool],
    why: str,
) -> Iterable[Loss]:
    given = Counter(
        (each.step, question)
        for each in records
        for judged in each.counted
        for question in judged.answers
    )
    for step in source.protocol.steps:
        for question in step.questions:
            count = given[step.id, question.id]
            if count and not kept(step.id, question):
                yield Loss(f"answers to '{question.id}' (step '{step.id}')", count, why)
