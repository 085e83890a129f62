"""New items as events: everything is checked first, and all problems are reported together."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from tactful.annotation.answers.answers import check_answers, check_gold
from tactful.annotation.project.exchange import NewAnswer, NewItem, NewSuggestion
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.items import Answer, Item
from tactful.annotation.state.project_state import State
from tactful.annotation.state.trust import is_tested
from tactful.annotation.store.events import Event
from tactful.errors import BadRowsError, InputError, Problem, TactfulError

_MOST_TEXT = 100_000
_HALF = re.compile("[\ud800-\udfff]")
_KEPT = 20
_MOST_SOURCE = 200


@dataclass(frozen=True, slots=True)
class Added:
    """What an import added to a project, or would add."""

    items: int = 0
    """New items, without tests."""
    tests: int = 0
    judgements: int = 0
    """New judgements and decisions."""
    known: int = 0
    """Items that the project already had, with the same text."""
    skipped: int = 0
    """Items that were left out because the project has their ids."""
    again: int = 0
    """Judgements by people who have already judged the same text."""
    differing: int = 0
    """Those of them that differ from the project's own, which stay."""


def check_test(protocol: Protocol, gold: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the right answers of a hidden test, cleaned, or raise an error."""
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


def arriving(
    state: State, items: Iterable[NewItem], now: float, *, skip_existing: bool = False
) -> tuple[list[Event], Added]:
    """Return the events that add items, and what they add; if any is wrong, raise all problems.

    An item that the project already has, with the same text, gets the answers of people who have
    not judged it yet. So files with the same texts and different annotators can be combined, and
    reading a file twice changes nothing. With ``skip_existing``, items whose ids the project has
    are left out.
    """
    given = with_own_ids(state, items)
    kept = new_ones(state, given) if skip_existing else given
    incoming = _Incoming(state, now)
    for item in kept:
        incoming.add(item)
    if incoming.problems:
        raise BadRowsError(incoming.problems, incoming.total)
    kinds = Counter(event.kind for event in incoming.events)
    tests = sum("gold" in event.data for event in incoming.events if event.kind == "imported")
    judgements = kinds["answered"] + kinds["adjudicated"]
    known, differing = known_of(state, kept)
    return incoming.events, Added(
        items=kinds["imported"] - tests,
        tests=tests,
        judgements=judgements,
        known=known,
        skipped=len(given) - len(kept),
        again=sum(len(item.answers) for item in kept) - judgements,
        differing=differing,
    )


def new_ones(state: State, items: Iterable[NewItem]) -> list[NewItem]:
    """Return the items whose ids a project does not have."""
    return [item for item in items if item.id not in state.items]


def with_own_ids(state: State, items: Iterable[NewItem]) -> list[NewItem]:
    """Make ids unique that were made from file names.

    The id of a second text gets a hash of the text, so that the same file gets the same ids again.
    """
    texts: dict[str, str] = {}
    found = []
    for item in items:
        there = state.items.get(item.id)
        known = texts.get(item.id) if there is None else there.text
        if item.made_id and known is not None and known != item.text:
            mark = sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
            item = replace(item, id=f"{item.id}~{mark}")  # noqa: PLW2901
        texts.setdefault(item.id, item.text)
        found.append(item)
    return found


def known_of(state: State, items: Iterable[NewItem]) -> tuple[int, int]:
    """Return how many new items a project already has, and how many of their answers differ."""
    rules = {step.id: step for step in state.protocol.steps}
    there = differing = 0
    for item in items:
        found = state.items.get(item.id)
        if found is None or found.text != item.text:
            continue
        there += 1
        for answer in item.answers:
            had = _had(found, answer)
            if had is not None and answer.step in rules:
                given = check_answers(rules[answer.step], answer.answers, item.text, loose=True)
                differing += given != had.answers
    return there, differing


def _had(item: Item, answer: NewAnswer) -> Answer | None:
    """Return the existing answer of a person, or the existing decision."""
    step = item.steps.get(answer.step)
    if step is None:
        return None
    return step.decision if answer.adjudicated else step.answers.get(answer.annotator)


def suggested(
    state: State, item: Item, suggestions: Iterable[NewSuggestion], now: float
) -> Iterator[Event]:
    """Yield the events of suggestions that an item does not have yet."""
    for event in _suggested(state, item.id, item.text, suggestions, now):
        had = state.suggestions.of(item.id, event.step or "")
        if had is None or (had.answers, had.source) != (
            event.data["answers"],
            event.data["source"],
        ):
            yield event


def _suggested(
    state: State, item: str, text: str, suggestions: Iterable[NewSuggestion], now: float
) -> Iterator[Event]:
    steps = {step.id: step for step in state.protocol.steps}
    for each in suggestions:
        if each.step not in steps or steps[each.step].role != "annotator":
            raise InputError(
                f"Found a suggestion for the step '{each.step}'; expected a step of annotators."
            )
        answers = check_answers(steps[each.step], each.answers, text, loose=True)
        if answers:
            data = {"answers": answers, "source": each.source[:_MOST_SOURCE]}
            yield Event("suggested", now, item, step=each.step, data=data)


class _Incoming:
    def __init__(self, state: State, now: float):
        self._state, self._now = state, now
        self.events: list[Event] = []
        self.problems: list[Problem] = []
        self.total = 0
        self._seen: dict[str, tuple[str, str]] = {}
        self._given: set[tuple[str, str, str, bool]] = set()
        self._people = set(state.people)
        self._steps = {step.id: step for step in state.protocol.steps}

    def add(self, item: NewItem) -> None:
        """Check an item, and add its events or its problem."""
        try:
            events = [*self._imported(item), *self._answered(item), *self._suggestions(item)]
        except TactfulError as error:
            self.total += 1
            if len(self.problems) < _KEPT:
                self.problems.append(RowProblem(item.place, str(error)))
        else:
            self.events += events
        self._seen.setdefault(item.id, (item.text, item.place))

    def _imported(self, item: NewItem) -> Iterator[Event]:
        if not item.id.strip() or not item.id.isprintable():
            raise InputError(f"Found the id {item.id[:40]!r}; expected printable characters.")
        if item.id in self._seen:
            text, first = self._seen[item.id]
            where = f", which is already in {first}" if first else ""
            # Two annotation files may hold the same text, and files of the same name the same
            # text in the same row; two rows of a table may not share an id.
            if not item.answers and not item.made_id:
                raise InputError(f"Found the id '{item.id}' again{where}; expected each id once.")
            if text != item.text:
                raise InputError(
                    f"Found the id '{item.id}' again{where}, with a different text; expected the "
                    "same text."
                )
            return
        if item.id in self._state.items:
            self._refuse_other(item, self._state.items[item.id])
            return
        _check_text(item)
        data: dict[str, Any] = {"text": item.text}
        given = {"context": dict(item.context), "meta": dict(item.meta)}
        data |= {name: value for name, value in given.items() if value}
        if item.priority:
            data["priority"] = float(item.priority)
        if item.gold is not None:
            data["gold"] = check_test(self._state.protocol, item.gold, item.text)
        yield Event("imported", self._now, item.id, data=data)

    def _refuse_other(self, item: NewItem, found: Item) -> None:
        """Refuse an item whose id the project has with another text or other right answers."""
        if item.text != found.text:
            raise InputError(
                f"Found the id '{item.id}', which the project already has with a different text; "
                "expected the same text, or a new id; correct it, or skip such rows "
                "(--skip-existing; skip_existing in the API)."
            )
        if item.gold is None:
            return
        if found.gold != check_test(self._state.protocol, item.gold, item.text):
            raise InputError(
                f"Found right answers for '{item.id}', which the project already has without them "
                "or with others; expected the same; edit them on the owner's pages."
            )

    def _suggestions(self, item: NewItem) -> Iterator[Event]:
        found = self._state.items.get(item.id)
        if found is not None:
            return suggested(self._state, found, item.suggestions, self._now)
        return _suggested(self._state, item.id, item.text, item.suggestions, self._now)

    def _answered(self, item: NewItem) -> Iterator[Event]:
        found = self._state.items.get(item.id)
        twice = set()
        for answer in item.answers:
            if answer.step not in self._steps:
                raise InputError(
                    f"Found an answer in the step '{answer.step}'; expected one of "
                    f"{', '.join(self._steps)}."
                )
            place = (answer.annotator, answer.step, answer.adjudicated)
            if place in twice:
                raise InputError(
                    f"Found two answers of '{answer.annotator}' in the step '{answer.step}'; "
                    "expected one."
                )
            twice.add(place)
            # A step has one decision, no matter who made it.
            who = "" if answer.adjudicated else answer.annotator
            given = (item.id, answer.step, who, answer.adjudicated)
            cleaned = self._cleaned(item, answer)
            is_there = found is not None and _had(found, answer) is not None
            if is_there or given in self._given:
                continue
            self._given.add(given)
            yield from self._invited(answer)
            data: dict[str, Any] = {"answers": cleaned, "seconds": answer.seconds}
            at = self._now if answer.at is None else answer.at
            kind = "adjudicated" if answer.adjudicated else "answered"
            yield Event(kind, at, item.id, answer.annotator, answer.step, data)  # type: ignore[arg-type]

    def _cleaned(self, item: NewItem, answer: NewAnswer) -> dict[str, Any]:
        """Return the answers cleaned; other tools may have had other limits."""
        step = self._steps[answer.step]
        cleaned = check_answers(step, answer.answers, item.text, loose=True)
        if not cleaned:
            questions = ", ".join(f"'{question.id}'" for question in step.questions)
            raise InputError(
                f"Found nothing that '{answer.annotator}' answered in the step '{step.id}'; "
                f"expected an answer to at least one of its questions ({questions})."
            )
        return cleaned

    def _invited(self, answer: NewAnswer) -> Iterator[Event]:
        """Add an unknown person, without a token and so without access."""
        name = answer.annotator
        if name in self._people:
            return
        if not name.strip() or not name.isprintable():
            raise InputError(f"Found the annotator {name[:40]!r}; expected a name.")
        self._people.add(name)
        role = "referee" if answer.adjudicated else "annotator"
        yield Event("invited", self._now, None, name, data={"role": role, "name": name})


def _check_text(item: NewItem) -> None:
    if not item.text.strip():
        raise InputError("Found an empty text; expected something to judge.")
    for text in (item.id, item.text, *item.context.values()):
        if _HALF.search(text):
            raise InputError(
                "Found half a character (a lone surrogate) in a text; expected whole "
                "characters; save the file as UTF-8 again."
            )
    if len(item.text) > _MOST_TEXT:
        raise InputError(
            f"Found a text of {len(item.text):,} characters; expected {_MOST_TEXT:,} at most; "
            "split it."
        )


class RowProblem(Problem):
    """A problem of one row with a complete sentence."""

    def __init__(self, place: str, sentence: str):
        super().__init__(place or "An item", None, "row", sentence, "", "")

    def __str__(self) -> str:
        return f"{self.file}: {self.found}"
