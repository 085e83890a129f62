"""Who is given what next."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.allowance import Allowance, allowance
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State
from tactful.annotation.state.shares import is_free_for, share_left, steps_of, stranded

__all__ = ["Allowance", "Given", "allowance", "next_page"]

_TRIES = 8


@dataclass(frozen=True, slots=True)
class Given:
    """One item to judge in one step."""

    item: str
    step: str


def next_page(state: State, person: str, now: float, rng: Random) -> list[Given]:
    """Return what somebody is to be shown: nothing where nothing is left for them.

    What they have before them comes back as it was. Otherwise a page is of one step, the first of
    the protocol that has an item for them: items by priority, then in the order of import, never
    one that they answered, nor one for which enough others are at work. What they skipped comes
    back once, when nothing else is left for them. Hidden tests stand among them in random places;
    a page of tests alone is never given.
    """
    found = state.people[person]
    allowed = allowance(state, person, now)
    if allowed.left == 0:
        return []
    open_now = [Given(*each) for each in state.leased(person, now) if _still_open(state, *each)]
    if open_now:
        return open_now[: allowed.left]
    quality = state.protocol.quality
    size = quality.page if allowed.left is None else min(quality.page, allowed.left)
    for again in (False, True):
        for step in steps_of(state, found):
            # One place is always for an item: who is shown tests only can tell them.
            tests = _tests(state, found, step, min(quality.tests, size - 1), rng, again)
            items = list(_items(state, found, step, size - len(tests), now, again))
            if items:
                return [Given(name, step.id) for name in _mixed(items, tests, rng)]
    return []


def _still_open(state: State, item: str, step: str) -> bool:
    found = state.items[item]
    return found.is_test or found.steps[step].status == "open"


def _items(
    state: State, person: Person, step: Step, count: int, now: float, again: bool
) -> Iterator[str]:
    if count < 1:
        return
    is_done = share_left(state, person) == 0
    for name in stranded(state, person, step, now) if is_done else state.queue(step.id, now):
        is_free = is_free_for(state, person.id, name, step, again=again)
        if is_free and state.needed(name, step.id, now):
            yield name
            count -= 1
            if not count:
                return


def _tests(
    state: State, person: Person, step: Step, count: int, rng: Random, again: bool
) -> list[str]:
    """Choose hidden tests that the person has not answered yet.

    Those that were shown once and given back come first: as the items of that page come again,
    too, another test among them would stand out. So nobody gets rid of tests by giving back. Where
    skipped items come back, so do skipped tests.
    """
    if count < 1:
        return []
    chosen = state.untaken_tests(person.id, step.id)[:count]
    tests = state.tests(step.id)
    if again:
        passed = [name for name in tests if state.may_come_back(person.id, name, step.id)]
        chosen += rng.sample(passed, min(count - len(chosen), len(passed)))
    for _ in range(_TRIES * (count - len(chosen))):
        if len(chosen) == count or not tests:
            break
        name = rng.choice(tests)
        if name not in chosen and not state.is_known_to(person.id, name, step.id):
            chosen.append(name)
    if len(chosen) < count:
        left = [
            name
            for name in tests
            if name not in chosen and not state.is_known_to(person.id, name, step.id)
        ]
        chosen += rng.sample(left, min(count - len(chosen), len(left)))
    return chosen


def _mixed(items: list[str], tests: list[str], rng: Random) -> list[str]:
    """Put the tests in random places among the items, which keep their order."""
    places = set(rng.sample(range(len(items) + len(tests)), len(tests)))
    rest, hidden = iter(items), iter(rng.sample(tests, len(tests)))
    return [
        next(hidden) if place in places else next(rest) for place in range(len(items) + len(tests))
    ]
