"""New items as events: everything is checked first, and all that is wrong is said together."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tactful.annotation.answers import check_answers, check_gold
from tactful.annotation.events import Event
from tactful.annotation.exchange import NewAnswer, NewItem
from tactful.annotation.protocol import Protocol
from tactful.annotation.state import State
from tactful.annotation.trust import is_tested
from tactful.errors import BadRowsError, InputError, Problem, TactfulError

_MOST_TEXT = 100_000
_KEPT = 20


def check_test(protocol: Protocol, gold: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the right answers of a hidden test, cleaned, or raise one sentence."""
    known = {question.id for step in protocol.steps for question in step.questions}
    for name in gold:
        if name not in known:
            raise InputError(
                f"Found a right answer to '{name}'; expected one of the questions of the protocol: "
                f"{', '.join(sorted(known))}."
            )
    for step in protocol.steps:
        if step.entry is None and step.role == "annotator" and not is_tested(step, gold):
            questions = ", ".join(f"'{question.id}'" for question in step.questions)
            raise InputError(
                f"Found right answers without one for the step '{step.id}'; expected one to at "
                f"least one of its questions ({questions}); add it, or import it as an ordinary "
                "item."
            )
    cleaned: dict[str, Any] = {}
    for step in protocol.steps:
        cleaned |= check_gold(step, gold, text)
    return cleaned


def events_of(state: State, items: Iterable[NewItem], now: float) -> list[Event]:
    """Return the events that bring items in; raise all that is wrong with them, and bring none."""
    incoming = _Incoming(state, now)
    for item in items:
        incoming.add(item)
    if incoming.problems:
        raise BadRowsError(incoming.problems, incoming.total)
    return incoming.events


class _Incoming:
    def __init__(self, state: State, now: float):
        self._state, self._now = state, now
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self.total = 0
        self._seen: dict[str, str] = {}
        self._people = set(state.people)

    def add(self, item: NewItem) -> None:
        """Check an item, and add its events or what is wrong with it."""
        try:
            events = [self._imported(item), *self._answered(item)]
        except TactfulError as error:
            self.total += 1
            if len(self.problems) < _KEPT:
                self.problems.append(Said(item.place, str(error)))
        else:
            self.events += events
        self._seen.setdefault(item.id, item.place)

    def _imported(self, item: NewItem) -> Event:
        if not item.id.strip() or not item.id.isprintable():
            raise InputError(
                f"Found the id {item.id[:40]!r}; expected letters that can be printed."
            )
        if item.id in self._seen:
            first = self._seen[item.id]
            where = f", which stands in {first} already" if first else ""
            raise InputError(f"Found the id '{item.id}' again{where}; expected each id once.")
        if item.id in self._state.items:
            raise InputError(
                f"Found the id '{item.id}', which the project has already; expected a new one."
            )
        if not item.text.strip():
            raise InputError("Found an empty text; expected something to judge.")
        for text in (item.id, item.text, *item.context.values()):
            if any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):
                raise InputError(
                    "Found half a character (a lone surrogate) in a text; expected whole ones; "
                    "write the file as UTF-8 again."
                )
        if len(item.text) > _MOST_TEXT:
            raise InputError(
                f"Found a text of {len(item.text):,} characters; expected {_MOST_TEXT:,} at most; "
                "split it."
            )
        data: dict[str, Any] = {"text": item.text}
        if item.context:
            data["context"] = dict(item.context)
        if item.meta:
            data["meta"] = dict(item.meta)
        if item.priority:
            data["priority"] = float(item.priority)
        if item.gold is not None:
            data["gold"] = check_test(self._state.protocol, item.gold, item.text)
        return Event("imported", self._now, item.id, data=data)

    def _answered(self, item: NewItem) -> Iterator[Event]:
        steps = {step.id: step for step in self._state.protocol.steps}
        twice = set()
        for answer in item.answers:
            if answer.step not in steps:
                raise InputError(
                    f"Found an answer in the step '{answer.step}'; expected one of "
                    f"{', '.join(steps)}."
                )
            place = (answer.annotator, answer.step, answer.adjudicated)
            if place in twice:
                raise InputError(
                    f"Found two answers of '{answer.annotator}' in the step '{answer.step}'; "
                    "expected one."
                )
            twice.add(place)
            cleaned = check_answers(steps[answer.step], answer.answers, item.text)
            yield from self._invited(answer)
            data: dict[str, Any] = {"answers": cleaned, "seconds": answer.seconds}
            at = self._now if answer.at is None else answer.at
            kind = "adjudicated" if answer.adjudicated else "answered"
            yield Event(kind, at, item.id, answer.annotator, answer.step, data)  # type: ignore[arg-type]

    def _invited(self, answer: NewAnswer) -> Iterator[Event]:
        """Make somebody who is not known yet; they have no token, and cannot come in."""
        name = answer.annotator
        if name in self._people:
            return
        if not name.strip() or not name.isprintable():
            raise InputError(f"Found the annotator {name[:40]!r}; expected a name.")
        self._people.add(name)
        role = "referee" if answer.adjudicated else "annotator"
        yield Event("invited", self._now, None, name, data={"role": role, "name": name})


class Said(Problem):
    """A problem of one row whose sentence is whole already."""

    def __init__(self, place: str, sentence: str):
        super().__init__(place or "An item", None, "row", sentence, "", "")

    def __str__(self) -> str:
        return f"{self.file}: {self.found}"
