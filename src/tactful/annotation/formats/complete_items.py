"""Items with all their steps together, for the papers' own formats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Judged, Source
from tactful.annotation.formats.losses import Loss
from tactful.annotation.protocol.records import Protocol, Question

_YES = ("yes", "1", "1.0", "true", "sí", "si")
_NO = ("no", "0", "0.0", "false")
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class CompleteItem:
    """One item in all its steps."""

    id: str
    text: str
    context: Mapping[str, str]
    meta: Mapping[str, str]
    steps: tuple[Annotated, ...]
    of_annotators: frozenset[str]
    """The steps that are not a referee's."""
    labelled: tuple[Annotated, ...]
    """The steps whose labels hold: not of those that the item no longer enters, and not of those
    that are still being judged, unless these were asked for."""
    unfinished: bool
    """Whether somebody still has to judge it, in any step."""

    def people(self) -> dict[str, list[Judged]]:
        """Return what each annotator judged that counts, step after step."""
        found: dict[str, list[Judged]] = {}
        for step in self.steps:
            for each in step.counted if step.step in self.of_annotators else ():
                found.setdefault(each.annotator, []).append(each)
        return found


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no, with its confidence and the number of votes."""

    value: int | None
    confidence: float | None = None
    votes: int = 0
    decided: bool = False


def complete_items(source: Source) -> Iterator[CompleteItem]:
    """Yield the items with judgements, without hidden tests."""
    steps: dict[str, list[Annotated]] = {}
    for record in source.judged():
        steps.setdefault(record.id, []).append(record)
    roles = frozenset(step.id for step in source.protocol.steps if step.role == "annotator")
    for name, found in steps.items():
        first = found[0]
        unsettled = _unsettled(source, name)
        labelled = tuple(
            step
            for step in found
            if step.status != "waiting" and (source.unfinished or step.step not in unsettled)
        )
        yield CompleteItem(
            name,
            first.text,
            first.context,
            first.meta,
            tuple(found),
            roles,
            labelled,
            bool(unsettled),
        )


def lost_unfinished(source: Source, what: str, count: int, instead: str) -> list[Loss]:
    """Report the unfinished items, and what happened to their labels."""
    if not count:
        return []
    why = (
        "their labels may still change"
        if source.unfinished
        else f"{instead}; --unfinished includes them as they are now"
    )
    return [Loss(f"{what} that are not finished", count, why)]


def _unsettled(source: Source, item: str) -> set[str]:
    """Return the steps whose labels may still change: open ones, and those under review."""
    parts = source.state.items[item].steps
    found = {name for name, part in parts.items() if part.status == "open"}
    return found | {
        step.entry.step
        for step in source.protocol.steps
        if step.id in found and step.entry is not None and step.entry.rule == "disputed"
    }


class YesNo:
    """Finds the question about an id: the question itself, or one with the id as an option."""

    def __init__(self, protocol: Protocol):
        self._questions: dict[str, Question] = {}
        self._options: dict[str, Question] = {}
        for step in protocol.steps:
            for question in step.questions:
                if question.per is not None:
                    continue
                if question.kind in ("choice", "scale"):
                    self._questions.setdefault(question.id, question)
                elif question.kind == "choices":
                    for option in question.options:
                        self._options.setdefault(option.value, question)

    def asks(self, question: Question) -> set[str]:
        """Return the ids that a question answers with yes or no."""
        if question.id in self._questions:
            return {question.id}
        return {name for name, holder in self._options.items() if holder.id == question.id}

    def knows(self, name: str) -> bool:
        """Say whether the protocol asks about an id."""
        return name in self._questions or name in self._options

    def given(self, name: str, judged: list[Judged]) -> int | None:
        """Return what one person answered about an id; None if they were not asked."""
        for each in judged:
            value = self._read(name, each.answers)
            if value is not None:
                return value
        return None

    def label(self, name: str, steps: tuple[Annotated, ...]) -> Flag:
        """Return the label of an id; its value is None if it is unclear or was not asked."""
        asked = self._questions.get(name) or self._options.get(name)
        for step in steps:
            label = None if asked is None else step.labels.get(asked.id)
            if label is None or label.value is None or asked is None:
                continue
            value = self._read(name, {asked.id: step.value(asked.id)})
            sure = label.confidence
            if asked.kind == "choices" and sure is not None:
                share = label.soft.get(name, 0.0)
                sure = share if value else 1 - share
            return Flag(value, sure, label.votes, label.decided)
        return Flag(None)

    def _read(self, name: str, answers: Mapping[str, Any]) -> int | None:
        question = self._questions.get(name)
        if question is not None:
            return yes_no(question, answers.get(name))
        holder = self._options.get(name)
        given = None if holder is None else answers.get(holder.id)
        return None if given is None else int(name in given)


def yes_no(question: Question, answer: Any) -> int | None:
    """Read an answer as 1 or 0, by the option's score or by its word."""
    value = score(question, answer)
    return None if value is None else int(value >= _HALF)


def score(question: Question, answer: Any) -> float | None:
    """Return the number of an answer: the option's score, or 1 for yes and 0 for no."""
    for option in question.options:
        if option.value == answer and option.score is not None:
            return option.score
    word = str(answer).casefold()
    if word in _YES or word in _NO:
        return float(word in _YES)
    return None
