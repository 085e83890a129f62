"""Items with all their steps together, for the papers' own formats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Judged, Source
from tactful.annotation.protocol.records import Protocol, Question

_YES = ("yes", "1", "1.0", "true", "sí", "si")
_NO = ("no", "0", "0.0", "false")
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class CompleteItem:
    """One item in all its steps."""

    id: str
    text: str
    meta: Mapping[str, str]
    people: Mapping[str, list[Judged]]
    """What each annotator judged that counts, step after step, without referees' steps."""
    labelled: tuple[Annotated, ...]
    """The steps whose labels hold: not of those that the item no longer enters, and not of those
    that are still being judged, unless these were asked for."""
    unfinished: bool
    """Whether somebody still has to judge it, in any step."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no, with its confidence and the number of votes."""

    value: int | None
    confidence: float | None = None
    votes: int = 0


def complete_items(source: Source) -> Iterator[CompleteItem]:
    """Yield the items with judgements, without hidden tests."""
    steps: dict[str, list[Annotated]] = {}
    for record in source.judged():
        steps.setdefault(record.id, []).append(record)
    for name, found in steps.items():
        people: dict[str, list[Judged]] = {}
        for step in found:
            if source.protocol.step(step.step).role == "annotator":
                for each in step.counted:
                    people.setdefault(each.annotator, []).append(each)
        unsettled = _unsettled(source, name)
        labelled = tuple(
            step
            for step in found
            if step.status != "waiting" and (source.unfinished or step.step not in unsettled)
        )
        first = found[0]
        yield CompleteItem(name, first.text, first.meta, people, labelled, bool(unsettled))


def lost_unfinished(source: Source, what: str, instead: str) -> tuple[str, str]:
    """Return what is lost of unfinished items, and what happens to their labels."""
    told = f"{instead}; --unfinished includes them as they are now"
    why = "their labels may still change" if source.unfinished else told
    return f"{what} that are not finished", why


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
        questions: dict[str, Question] = {}
        options: dict[str, Question] = {}
        for step in protocol.steps:
            for question in step.questions:
                if question.kind in ("choice", "scale") and question.per is None:
                    questions.setdefault(question.id, question)
                elif question.kind == "choices" and question.per is None:
                    for option in question.options:
                        options.setdefault(option.value, question)
        self._asked = options | questions

    def asks(self, question: Question) -> set[str]:
        """Return the ids that a question answers with yes or no."""
        return {name for name, asked in self._asked.items() if asked.id == question.id}

    def knows(self, name: str) -> bool:
        """Say whether the protocol asks about an id."""
        return name in self._asked

    def given(self, name: str, judged: list[Judged]) -> int | None:
        """Return what one person answered about an id; None if they were not asked."""
        for each in judged:
            value = self._read(name, each.answers)
            if value is not None:
                return value
        return None

    def label(self, name: str, steps: tuple[Annotated, ...]) -> Flag:
        """Return the label of an id; its value is None if it is unclear or was not asked."""
        asked = self._asked.get(name)
        for step in steps:
            label = None if asked is None else step.labels.get(asked.id)
            if label is None or label.value is None or asked is None:
                continue
            value = self._read(name, {asked.id: step.value(asked.id)})
            sure = label.confidence
            if asked.kind == "choices" and sure is not None:
                share = label.soft.get(name, 0.0)
                sure = share if value else 1 - share
            return Flag(value, sure, label.votes)
        return Flag(None)

    def _read(self, name: str, answers: Mapping[str, Any]) -> int | None:
        asked = self._asked.get(name)
        given = None if asked is None else answers.get(asked.id)
        if asked is None or given is None:
            return None
        return int(name in given) if asked.kind == "choices" else yes_no(asked, given)


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
