"""The records between a project and a file: one item in one step, with everybody's answers.

Exports turn a state into these records and write them; imports read a file into them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from json import JSONEncoder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.annotation.formats.losses import Loss
from tactful.annotation.project.exchange import NewAnswer, NewItem, NewSuggestion
from tactful.annotation.protocol.records import Protocol, Step
from tactful.annotation.store.events import Event
from tactful.errors import FileFormatError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.annotation.project.project import Project
    from tactful.annotation.state.labels import Label
    from tactful.annotation.state.project_state import Item, ItemStep, State


@dataclass(frozen=True, slots=True)
class Judged:
    """The answers of one person to the questions of one step about one item."""

    annotator: str
    answers: Mapping[str, Any]
    at: float | None = None
    """When, in seconds since 1970; None where a format does not say."""
    seconds: float | None = None
    trust: float | None = None
    why: str | None = None
    """Why the judgement does not count: ``test``, ``removed: trust``, ``removed: owner`` or
    ``extra`` (it came when there were enough); None: it counts."""

    @property
    def counts(self) -> bool:
        """Whether the judgement counts towards the label."""
        return self.why is None


@dataclass(frozen=True, slots=True)
class Annotated:
    """One item in one step, with its answers and labels."""

    id: str
    text: str
    step: str
    context: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Any] | None = None
    status: str | None = None
    judged: tuple[Judged, ...] = ()
    """Every person's latest answers, also those that no longer count."""
    labels: Mapping[str, "Label"] = field(default_factory=dict)
    decision: Judged | None = None
    """The decision of a referee."""
    suggested: tuple[NewSuggestion, ...] = ()
    """The predictions of a model that the file holds."""
    skipped: tuple[str, ...] = ()
    place: str = ""
    """File and line that it was read from, for errors."""
    made_id: bool = False
    """Whether the file has no id for it: see ``exchange.NewItem``."""

    @property
    def counted(self) -> tuple[Judged, ...]:
        """The judgements that count."""
        return tuple(each for each in self.judged if each.counts)

    @property
    def is_judged(self) -> bool:
        """Whether a judgement counts, or a referee decided."""
        return bool(self.counted) or self.decision is not None

    def value(self, question: str) -> Any:
        """Return the value of a label, with a referee's part in it; None where it is unclear."""
        label = self.labels.get(question)
        return None if label is None else plain(label.value)


@dataclass(frozen=True, slots=True)
class Source:
    """What an export reads."""

    name: str
    protocol: Protocol
    state: "State"
    events: Callable[[], Iterable[Event]]
    """Gives the whole log, from its first event."""
    spreadsheet: bool = False
    """Whether cells that a spreadsheet would run are neutralised in the formats of others, too."""
    unfinished: bool = False
    """Whether the papers' formats give labels that may still change, too."""

    def records(self) -> Iterator[Annotated]:
        """Yield every item in every step."""
        return annotated(self.state, self.protocol)

    def judged(self) -> Iterator[Annotated]:
        """Yield the items and steps with judgements, without hidden tests."""
        return (each for each in self.records() if each.gold is None and each.is_judged)


@dataclass(frozen=True, slots=True)
class Imported:
    """The content of a file of another tool, or of a Tactful export."""

    items: tuple[Annotated, ...] = ()
    losses: Sequence[Loss] = ()
    """Content of the file that a project cannot hold."""
    events: tuple[Event, ...] = ()
    """The whole log, where the format carries it: a new project is rebuilt from it."""
    protocol: Path | None = None
    """The protocol's file beside the log."""


_SIMPLE = frozenset((str, int, float, bool))


def bad_value(place: str, found: str, expected: str) -> FileFormatError:
    """Build the error for something in a file that cannot be read."""
    return FileFormatError(f"{place}: found {found}; expected {expected}.")


def outside(place: str, start: int, end: int, text: str) -> FileFormatError:
    """Build the error for a span that is not a piece of its text."""
    piece = f"a piece of the text, which has {len(text):,} characters"
    return bad_value(place, f"offsets {start} to {end}", piece)


def as_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as texts; lists, mappings and numbers become JSON."""
    return {
        str(name): value if isinstance(value, str) else json_text(value)
        for name, value in values.items()
        if value is not None
    }


def find_step(protocol: Protocol, name: str, place: str) -> Step:
    """Return a step by the name that a file gives it."""
    known = [step.id for step in protocol.steps]
    if name not in known:
        raise FileFormatError(f"{place}: {unknown_name('step', name, known)}")
    return protocol.step(name)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: lists and dictionaries."""
    if value is None or type(value) in _SIMPLE:  # nearly all; asking for a Mapping takes longer
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def json_text(value: object) -> str:
    """Return JSON data as a text, with all letters as they are."""
    return _ENCODER.encode(value)


_ENCODER = JSONEncoder(ensure_ascii=False)
"""Made once: an export writes hundreds of thousands of lines."""


def source_of(project: "Project", spreadsheet: bool = False, unfinished: bool = False) -> Source:
    """Return what an export reads of a project: the log as far as the state knows it."""
    state = project.state

    def events() -> Iterator[Event]:
        # Another process may write while this one only reads.
        return takewhile(lambda event: (event.number or 0) <= state.number, project.store.read())

    return Source(project.name, project.protocol, state, events, spreadsheet, unfinished)


def fields_of(record: "Judged | Label") -> dict[str, Any]:
    """Return the fields of a judgement or a label as plain data."""
    # Slots are the fields, and ``fields`` takes as long as all the rest.
    return {name: plain(getattr(record, name)) for name in record.__slots__}


def annotated(
    state: "State", protocol: Protocol, items: "Iterable[Item] | None" = None
) -> Iterator[Annotated]:
    """Yield all items, or some, in every step, in the order of import and of the protocol."""
    for item in state.items.values() if items is None else items:
        for step in protocol.steps:
            found = item.steps.get(step.id)
            if found is not None:
                yield record_of(state, item, step.id, found)


def together(records: Iterable[Annotated]) -> tuple[Annotated, ...]:
    """Join the records of the same item in the same step; refuse different texts."""
    found: dict[tuple[str, str, str], Annotated] = {}
    for each in records:
        key = (each.id, each.step, each.text if each.made_id else "")
        first = found.setdefault(key, each)
        if first.text != each.text:
            raise FileFormatError(
                f"{each.place}: found a different text than at {first.place} for the item "
                f"'{each.id}'; expected one text per item."
            )
        if first is not each:
            decision = each.decision or first.decision
            found[key] = replace(first, judged=first.judged + each.judged, decision=decision)
    return tuple(found.values())


def new_items(items: Iterable[Annotated]) -> list[NewItem]:
    """Turn what was imported into what a project adds: each item once, with everybody's answers."""
    steps: dict[tuple[str, str], list[Annotated]] = {}
    texts: dict[str, Annotated] = {}
    for each in items:
        known = texts.setdefault(each.id, each)
        if known.text != each.text and not each.made_id:
            raise FileFormatError(
                f"{each.place}: found the id '{each.id}' again, with a different text than at "
                f"{known.place}; expected one text per id; change one of the ids."
            )
        steps.setdefault((each.id, each.text), []).append(each)
    return [
        NewItem(
            id=name,
            text=parts[0].text,
            context=dict(parts[0].context),
            meta=dict(parts[0].meta),
            gold=None if parts[0].gold is None else dict(parts[0].gold),
            answers=tuple(answer for part in parts for answer in _new_answers(part)),
            suggestions=tuple(each for part in parts for each in part.suggested),
            place=parts[0].place,
            made_id=parts[0].made_id,
        )
        for (name, _), parts in steps.items()
    ]


def _new_answers(record: Annotated) -> Iterator[NewAnswer]:
    for each in record.judged:
        yield NewAnswer(each.annotator, record.step, each.answers, each.at, each.seconds)
    decided = record.decision
    if decided is not None:
        yield NewAnswer(
            decided.annotator, record.step, decided.answers, decided.at, decided.seconds, True
        )


def record_of(state: "State", item: "Item", step: str, found: "ItemStep") -> Annotated:
    """Return one item in one step."""
    counting = {answer.annotator for answer in state.counted(item.id, step)}
    decision = found.decision
    return Annotated(
        id=item.id,
        text=item.text,
        step=step,
        context=item.context,
        meta=item.meta,
        gold=item.gold,
        status=found.status,
        judged=tuple(
            Judged(
                answer.annotator,
                answer.answers,
                answer.at,
                answer.seconds,
                state.people[answer.annotator].trust,
                None if answer.annotator in counting else _why_not(state, item, answer.annotator),
            )
            for answer in found.answers.values()
        ),
        labels=state.labels(item.id, step),
        decision=None
        if decision is None
        else Judged(decision.annotator, decision.answers, decision.at, decision.seconds),
        skipped=tuple(sorted(found.skipped)),
    )


def _why_not(state: "State", item: "Item", annotator: str) -> str:
    if item.gold is not None:
        return "test"
    person = state.people[annotator]
    return "extra" if person.counts else f"removed: {person.removed_for}"
