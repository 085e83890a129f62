"""What must be true of a log after any load, compared with the answers that clients got.

Everything is read off the events themselves, not off the state that the project derives, except
for which judgements count at the end.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.annotation.web.load import Tally

from tactful.annotation.project.files import handle_of
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.hiding import Hiding
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event

Place = tuple[str, str]


@dataclass(frozen=True)
class Log:
    """The log of a project that nobody serves any more."""

    events: Sequence[Event]
    protocol: Protocol
    """With the settings in force."""
    secret: bytes


def read_log(folder: Path) -> Log:
    """Read the log of a project."""
    with Project.open(folder, read_only=True) as project:
        return Log(list(project.store.read()), project.state.protocol, project.secret)


def problems(log: Log, tally: Tally) -> list[str]:
    """Return what is wrong, a sentence each; nothing where all is well."""
    numbers = [event.number for event in log.events]
    gaps = [] if numbers == list(range(1, len(numbers) + 1)) else ["the log has gaps"]
    return [
        *gaps,
        *(f"unexpected: {failure}" for failure in tally.failures),
        *_acknowledged(log, tally),
        *_over_the_most(log),
        *_counted(log),
        *_met_twice(log),
        *_over_the_cap(log),
        *_told(log, tally),
    ]


def _acknowledged(log: Log, tally: Tally) -> Iterator[str]:
    """Everything that was acknowledged is there once and as it was sent, and no more."""
    answered: dict[str, list[Event]] = defaultdict(list)
    for event in log.events:
        if event.kind == "answered":
            answered[event.key or ""].append(event)
    sent = {f"{each.person}:{each.key}": each for each in tally.sent}
    for key, one in sent.items():
        found = answered.get(key, [])
        if one.outcome == "saved" and not found:
            yield f"lost: {key}"
        if one.outcome == "refused" and found:
            yield f"refused and kept: {key}"
        if len(found) > 1:
            yield f"{len(found)} times: {key}"
        for event in found:
            handle = handle_of(log.secret, one.person, event.item or "", one.step)
            is_same = (event.annotator, event.step, handle) == (one.person, one.step, one.handle)
            if not is_same or dict(event.data["answers"]) != one.answers:
                yield f"not what was sent: {key}"
    yield from (f"nobody sent: {key}" for key in answered.keys() - sent.keys())


def _over_the_most(log: Log) -> Iterator[str]:
    """At no moment are more people asked about an item than may judge it.

    Everybody is asked about decoys, so that the tests that everybody sees are not recognisable.
    """
    most = {step.id: step.most or step.judgements for step in log.protocol.steps}
    tests = _tests(log) | _decoys(log, State.derive(log.protocol, log.events))
    asked: dict[Place, dict[str, float]] = defaultdict(dict)
    forever = float("inf")
    for event in log.events:
        who, place = event.annotator or "", (event.item or "", event.step or "")
        if event.kind == "removed":
            for people in asked.values():
                people.pop(who, None)
        elif event.kind in ("returned", "skipped"):
            asked[place].pop(who, None)
        elif event.kind == "answered" and who in asked[place]:
            asked[place][who] = forever
        elif event.kind == "shown" and event.item not in tests:
            asked[place][who] = event.data["until"]
            live = sum(until > event.at for until in asked[place].values())
            if live > most[place[1]]:
                yield f"{live} people are asked about {place[0]} ({place[1]})"


def _counted(log: Log) -> Iterator[str]:
    """No judgement is one too many, unless another was taken back or changed meanwhile.

    Then those that are left may agree, while somebody is at work on one more.
    """
    state = State.derive(log.protocol, log.events)
    removed = {event.annotator for event in log.events if event.kind == "removed"}
    given = Counter(
        (event.item, event.step, event.annotator)
        for event in log.events
        if event.kind == "answered"
    )
    changed = {(item, step) for (item, step, _), count in given.items() if count > 1}
    decoys = _decoys(log, state)
    for item in state.ordinary():
        for step in log.protocol.steps:
            people = [answer.annotator for answer in state.counted(item.id, step.id)]
            if len(people) > (step.most or step.judgements) or len(set(people)) < len(people):
                yield f"{len(people)} judgements count for {item.id} ({step.id}): {people}"
            here = item.steps[step.id].answers
            surplus = [each for each in here if each not in people and state.people[each].counts]
            is_moved = (item.id, step.id) in changed
            if surplus and item.id not in decoys and not is_moved and not removed & here.keys():
                yield f"{len(surplus)} judgements too many for {item.id} ({step.id})"


def _met_twice(log: Log) -> Iterator[str]:
    """Nobody is given what they answered or skipped twice, nor answers what they were not given."""
    given: set[tuple[str | None, ...]] = set()
    answered: set[tuple[str | None, ...]] = set()
    skipped: Counter[tuple[str | None, ...]] = Counter()
    for event in log.events:
        meeting = (event.annotator, event.item, event.step)
        if event.kind == "shown":
            given.add(meeting)
            if meeting in answered or skipped[meeting] > 1:
                yield f"given again: {meeting}"
        elif event.kind in ("answered", "skipped"):
            if event.kind == "answered":
                answered.add(meeting)
            else:
                skipped[meeting] += 1
            if meeting not in given:
                yield f"{event.kind} and never given: {meeting}"


def _over_the_cap(log: Log) -> Iterator[str]:
    most = log.protocol.wellbeing.most_per_day
    first: dict[tuple[str | None, ...], str] = {}
    for event in log.events:
        if event.kind == "answered":
            day = datetime.fromtimestamp(event.at, UTC).date().isoformat()
            first.setdefault((event.annotator, event.item, event.step), day)
    days = Counter((person, day) for (person, _, _), day in first.items())
    for (person, day), count in days.items():
        if most is not None and count > most:
            yield f"{person} answered {count} items on {day}, of {most}"


def _told(log: Log, tally: Tally) -> Iterator[str]:
    """Tests and other items look alike, and so do the responses to their answers."""
    tests, places = _tests(log), _handles(log)
    for person, handle, _ in tally.given:
        if (person, handle) not in places:
            yield f"given to {person}, of which the log knows nothing: {handle}"
    seen: dict[str, dict[bool, set[object]]] = defaultdict(lambda: {True: set(), False: set()})
    for person, handle, names in tally.given:
        seen["fields of an item"][places.get((person, handle)) in tests].add((names, len(handle)))
    for one in tally.sent:
        for reply in one.replies:
            if reply.status == 200:
                seen["reply to an answer"][places.get((one.person, one.handle)) in tests].add(reply)
    for person, handle, reply in tally.skips:
        if reply.status == 200:
            seen["reply to a skip"][places.get((person, handle)) in tests].add(reply)
    for what, kinds in seen.items():
        shapes = kinds[True] | kinds[False]
        if len(shapes) > 1:
            yield f"{what}: {len(shapes)} kinds, {len(kinds[True])} of them for tests: {shapes}"


def _tests(log: Log) -> set[str]:
    """Return the hidden tests; no gold is edited in these projects."""
    return {
        event.item or ""
        for event in log.events
        if event.kind == "imported" and event.data.get("gold") is not None
    }


def _decoys(log: Log, state: State) -> set[str]:
    """Return the ordinary items that are shown with tests that everybody sees."""
    person = next(iter(state.people.values()), None)
    if person is None:
        return set()
    return {
        name
        for step in log.protocol.steps
        for name in Hiding(state, person, step, log.secret).kept()
    }


def _handles(log: Log) -> Mapping[tuple[str, str], str]:
    """Return the item behind each handle that somebody was given."""
    shown = {
        (event.annotator or "", event.item or "", event.step or "")
        for event in log.events
        if event.kind == "shown"
    }
    return {
        (person, handle_of(log.secret, person, item, step)): item for person, item, step in shown
    }
