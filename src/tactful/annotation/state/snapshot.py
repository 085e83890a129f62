"""A state as JSON data, and back: the same state that all its events lead to.

Everything that repeats is in columns or tables, because a long log has hundreds of thousands of
answers: reading a column takes a fraction of the time of applying its events. Items are known by
their place in the order of import, a step of an item by ``place * steps + step``.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.items import STATUSES, Answer, Item, ItemStep, Remark, Wording
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State, paused_collection
from tactful.annotation.state.suggestions import Seen, Suggestion
from tactful.annotation.store.events import Event

Place = tuple[str, str]
"""An item and a step."""
_SETS = ("skipped", "declined")
_FLAGS = ("finalized", "closed")


class Table:
    """Values that repeat, each once; most answers to the same questions are the same."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._by_text: dict[str, int] = {}
        self._by_id: dict[int, int] = {}

    def add(self, value: Any) -> int:
        """Return the index of a value."""
        # Objects that exist as long as the state: their ids are not used again.
        at = self._by_id.get(id(value))
        if at is None:
            at = self._by_text.setdefault(json.dumps(value), len(self.values))
            if at == len(self.values):
                self.values.append(value)
            self._by_id[id(value)] = at
        return at


class Numbering:
    """Numbers for the items and steps of a state."""

    def __init__(self, items: Iterable[str], steps: Iterable[str]):
        self._steps = list(steps)
        self._step = {step: at for at, step in enumerate(self._steps)}
        self._ids = list(items)
        self._item = {item: at for at, item in enumerate(self._ids)}

    def number(self, place: Place) -> int:
        """Return the number of an item and step."""
        return self._item[place[0]] * len(self._steps) + self._step[place[1]]

    def places(self) -> list[Place]:
        """Return every item and step by its number."""
        return [(item, step) for item in self._ids for step in self._steps]


def numbering_of(state: State) -> Numbering:
    """Return the numbers that the data of a state uses."""
    return Numbering(state.items, (step.id for step in state.protocol.steps))


def data_of(state: State) -> dict[str, Any]:
    """Return a state as JSON data."""
    numbers, said = numbering_of(state), Table()
    items, number = list(state.items.values()), numbers.number
    leases, suggestions = state._leases, state.suggestions
    suggested: dict[int, tuple[int, Suggestion]] = {}

    def suggestion(value: Suggestion) -> int:
        return suggested.setdefault(id(value), (len(suggested), value))[0]

    data = {
        "items": [item.id for item in items],
        "texts": [item.text for item in items],
        "context": [[at, item.context] for at, item in enumerate(items) if item.context],
        "meta": [[at, item.meta] for at, item in enumerate(items) if item.meta],
        "gold": [[at, item.gold] for at, item in enumerate(items) if item.gold is not None],
        "priority": [[at, item.priority] for at, item in enumerate(items) if item.priority],
        "rank": [[at, item.rank] for at, item in enumerate(items) if item.rank is not None],
        "people": [_person_data(person, number) for person in state.people.values()],
        "steps": {
            step.id: {
                **_step_data([item.steps[step.id] for item in items], list(state.people), said),
                "queue": [
                    item.place
                    for item in items
                    if item.gold is None and state.is_queued_at_first(item, step.id)
                ],
                "counts": state._counts[step.id],
                "tests": state._tests[step.id],
            }
            for step in state.protocol.steps
        },
        "judgements": state.judgements,
        "missed": state._missed,
        "settings": state.settings,
        "is_changed": state.protocol is not state._given_protocol,
        "ranking": None if state.ranking is None else _fields(state.ranking),
        "remarks": [[number(place), said] for place, said in state.remarks.items()],
        "wordings": [_fields(each) for each in state.wordings],
        "unworded": state.unworded,
        "number": state.number,
        "answered_by": {name: [*map(number, at)] for name, at in state._answered_by.items()},
        "failing": sorted(state._failing),
        "redeemed": sorted(state._redeemed),
        "untaken": {name: [*map(number, at)] for name, at in leases.untaken.items()},
        "seen": [[number(place), sorted(people)] for place, people in leases.seen.items()],
        "held": {
            name: [[number(place), until] for place, until in held.items()]
            for name, held in leases._of.items()
        },
        "suggested": [[number(at), suggestion(each)] for at, each in suggestions._latest.items()],
        "saw": [
            [number((item, step)), name, suggestion(each.suggestion), each.shown]
            for (item, step, name), each in suggestions._seen.items()
        ],
    }
    data["suggestions"] = [[said.add(each.answers), *each[1:]] for _, each in suggested.values()]
    data["said"] = said.values
    return data


def _fields(record: Any) -> dict[str, Any]:
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _person_data(person: Person, number: Callable[[Place], int]) -> dict[str, Any]:
    taken = [[number(place), right] for place, right in person.taken.items()]
    return _fields(person) | {"taken": taken}


def _step_data(parts: list[ItemStep], people: list[str], said: Table) -> dict[str, Any]:
    """Return one step of all items: columns where most items have a value, else pairs."""
    who = {name: at for at, name in enumerate(people)}
    answers = [answer for part in parts for answer in part.answers.values()]
    data: dict[str, Any] = {
        "status": [STATUSES.index(part.status) for part in parts],
        "version": [part.version for part in parts],
        "complete": [int(part.complete) for part in parts],
        "answers": [len(part.answers) for part in parts],
        "who": [who[each.annotator] for each in answers],
        "said": [said.add(each.answers) for each in answers],
        "at": [each.at for each in answers],
        "seconds": [each.seconds for each in answers],
        "number": [each.number for each in answers],
        "trust": [each.trust for each in answers],
        "counting": [],
        "leases": [[at, part.leases] for at, part in enumerate(parts) if part.leases],
        "extra": [[at, part.extra] for at, part in enumerate(parts) if part.extra],
        "decision": [
            [at, [each[0], said.add(each[1]), *each[2:]]]
            for at, part in enumerate(parts)
            if (each := part.decision) is not None
        ],
    }
    for name in _SETS:
        data[name] = [
            [at, sorted(people)] for at, p in enumerate(parts) if (people := getattr(p, name))
        ]
    for name in _FLAGS:
        data[name] = [at for at, part in enumerate(parts) if getattr(part, name)]
    for at, part in enumerate(parts):
        if part.counting != list(part.answers.values()):
            order = list(part.answers)
            data["counting"].append([at, [order.index(each.annotator) for each in part.counting]])
    return data


def state_of(protocol: Protocol, data: Mapping[str, Any]) -> State:
    """Return the state of such data, for :meth:`State.extend` to go on from."""
    state = State(protocol)
    with paused_collection():
        _fill(state, data)
    return state


def _fill(state: State, data: Mapping[str, Any]) -> None:
    said, people = data["said"], [each["id"] for each in data["people"]]
    state.settings = data["settings"]
    if data["is_changed"]:
        state.take_settings()
    steps = list(state._steps)
    places = Numbering(data["items"], steps).places()
    of_steps = [_parts(data["steps"][step], people, said) for step in steps]
    _fill_items(
        state, data, [dict(zip(steps, each, strict=True)) for each in zip(*of_steps, strict=True)]
    )
    for row in data["people"]:
        state.people[row["id"]] = _person(row, places)
    for step in steps:
        own = data["steps"][step]
        state._counts[step] = Counter(own["counts"])
        state._tests[step] = own["tests"]
        items = list(state.items.values())
        for at in own["queue"]:
            state._queues[step].add(items[at].key)
    state.judgements, state._missed = Counter(data["judgements"]), Counter(data["missed"])
    state.ranking = None if data["ranking"] is None else Event(**data["ranking"])
    state.remarks = {places[at]: [Remark(*each) for each in said] for at, said in data["remarks"]}
    state.wordings = [Wording(**each) for each in data["wordings"]]
    state.unworded, state.number = data["unworded"], data["number"]
    state._answered_by = {
        name: [places[at] for at in numbers] for name, numbers in data["answered_by"].items()
    }
    state._touched = {
        at // len(steps) for numbers in data["answered_by"].values() for at in numbers
    }
    for step in steps:
        for name in ("skipped", "decision"):
            state._touched.update(at for at, _ in data["steps"][step][name])
    state._failing, state._redeemed = set(data["failing"]), set(data["redeemed"])
    _fill_leases(state, data, places)
    _fill_suggestions(state, data, places)


def _fill_items(state: State, data: Mapping[str, Any], steps: list[dict[str, ItemStep]]) -> None:
    context, meta, gold = dict(data["context"]), dict(data["meta"]), dict(data["gold"])
    priority, rank = dict(data["priority"]), dict(data["rank"])
    state._ids = data["items"]
    state.items = {
        name: Item(
            name,
            text,
            context.get(at) or {},
            meta.get(at) or {},
            gold.get(at),
            priority.get(at, 0.0),
            steps[at],
            at,
            rank.get(at),
        )
        for at, (name, text) in enumerate(zip(data["items"], data["texts"], strict=True))
    }


def _parts(data: Mapping[str, Any], people: list[str], said: list[Any]) -> list[ItemStep]:
    who = [people[at] for at in data["who"]]
    answers = [
        *map(
            Answer._make,
            zip(
                who,
                [said[at] for at in data["said"]],
                data["at"],
                data["seconds"],
                data["number"],
                data["trust"],
                strict=True,
            ),
        )
    ]
    parts, start = [], 0
    for status, version, complete, count in zip(
        data["status"], data["version"], data["complete"], data["answers"], strict=True
    ):
        mine = answers[start : start + count]
        own = dict(zip(who[start : start + count], mine, strict=True))
        start += count
        parts.append(
            ItemStep(
                STATUSES[status],
                own,
                {},
                set(),
                set(),
                None,
                mine,
                complete == 1,
                False,
                False,
                0,
                version,
            )
        )
    for at, order in data["counting"]:
        mine = parts[at].counting
        parts[at].counting = [mine[each] for each in order]
    for at, leases in data["leases"]:
        parts[at].leases = leases
    for at, extra in data["extra"]:
        parts[at].extra = extra
    for at, (name, index, *rest) in data["decision"]:
        parts[at].decision = Answer(name, said[index], *rest)
    for field in _SETS:
        for at, names in data[field]:
            setattr(parts[at], field, set(names))
    for field in _FLAGS:
        for at in data[field]:
            setattr(parts[at], field, True)
    return parts


def _person(row: dict[str, Any], places: list[Place]) -> Person:
    return Person(
        **{
            **row,
            "days": Counter(row["days"]),
            "harmful": Counter(row["harmful"]),
            "history": [(at, trust) for at, trust in row["history"]],
            "taken": {places[at]: right for at, right in row["taken"]},
        }
    )


def _fill_leases(state: State, data: Mapping[str, Any], places: list[Place]) -> None:
    leases = state._leases
    leases.untaken = {
        name: {places[at]: None for at in numbers} for name, numbers in data["untaken"].items()
    }
    leases.seen = {places[at]: set(names) for at, names in data["seen"]}
    leases._of = {
        name: {places[at]: until for at, until in held} for name, held in data["held"].items()
    }


def _fill_suggestions(state: State, data: Mapping[str, Any], places: list[Place]) -> None:
    made = [Suggestion(data["said"][at], source, when) for at, source, when in data["suggestions"]]
    own = state.suggestions
    own._latest = {places[at]: made[index] for at, index in data["suggested"]}
    own.steps = {step for _, step in own._latest}
    own._seen = {
        (*places[at], name): Seen(made[index], shown) for at, name, index, shown in data["saw"]
    }
