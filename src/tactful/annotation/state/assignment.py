"""Which items a person gets next, and how much they may still do."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from math import ceil
from random import Random

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.people import NEW_STRETCH, Person
from tactful.annotation.state.project_state import State

__all__ = ["Allowance", "Given", "allowance", "next_page"]

_TRIES = 8


@dataclass(frozen=True, slots=True)
class Given:
    """One item to judge in one step."""

    item: str
    step: str


def next_page(state: State, person: str, now: float, rng: Random) -> list[Given]:
    """Return the next page of a person; it is empty if nothing is left for them.

    An open page comes back unchanged. Otherwise a page belongs to one step, the first of the
    protocol that has an item for the person: items by priority, then in the order of import,
    without those that they answered or that enough others are working on. Skipped items come back
    once, when nothing else is left. Hidden tests are placed at random among the items; a page
    never consists of tests alone.
    """
    found = state.people[person]
    allowed = allowance(state, person, now)
    if allowed.left == 0:
        return []
    open_now = [
        Given(item, step)
        for item, step in state.leased(person, now)
        if state.items[item].is_test or state.items[item].steps[step].status == "open"
    ]
    if open_now:
        return open_now[: allowed.left]
    quality = state.protocol.quality
    size = quality.page if allowed.left is None else min(quality.page, allowed.left)
    for again in (False, True):
        for step in steps_of(state, found):
            # One place is always for an item: a page of tests alone would give them away.
            tests = _tests(state, found, step, min(quality.tests, size - 1), rng, again)
            items = list(_items(state, found, step, size - len(tests), now, again))
            if items:
                return [Given(name, step.id) for name in _mixed(items, tests, rng)]
    return []


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

    Tests that were shown and given back come first: the items of that page come again, too, and a
    different test among them would stand out. So nobody avoids tests by giving pages back. Where
    skipped items come back, skipped tests do, too.
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
    """Insert the tests at random places among the items, which keep their order."""
    places = set(rng.sample(range(len(items) + len(tests)), len(tests)))
    rest, hidden = iter(items), iter(rng.sample(tests, len(tests)))
    return [
        next(hidden) if place in places else next(rest) for place in range(len(items) + len(tests))
    ]


@dataclass(frozen=True, slots=True)
class Allowance:
    """How much somebody may still do."""

    left: int | None
    """Number of items, including tests; None without a limit."""
    why: str | None
    """Why nothing is left, as a sentence for the person; None if something is left."""
    break_due: bool
    """Whether a break should be suggested."""


def allowance(state: State, person: str, now: float) -> Allowance:
    """Return how much somebody may still do now.

    People who were removed or revoked, or have not consented, may do nothing. The daily limit
    (UTC) counts all answers, including tests: it protects people from reading too much. With a
    balanced workload nobody does more than their share, unless nobody else can.
    """
    found = state.people[person]
    wellbeing = state.protocol.wellbeing
    refused = _refused(found, bool(wellbeing.consent.strip()))
    if refused is not None:
        return Allowance(0, refused, break_due=False)
    due = _break_due(found, wellbeing.break_after, now)
    left: int | None = None
    if wellbeing.most_per_day is not None:
        today = datetime.fromtimestamp(now, UTC).date().isoformat()
        left = max(0, wellbeing.most_per_day - found.days.get(today, 0))
        if not left:
            done = f"You have done {wellbeing.most_per_day:,} items today, the most for one day."
            return Allowance(0, f"{done} Come back tomorrow.", due)
    rest = share_left(state, found)
    if rest == 0:
        rest = sum(len(stranded(state, found, step, now)) for step in steps_of(state, found))
        if not rest:
            return Allowance(
                0, "You have done your share; the remaining items are for others.", due
            )
    if rest is not None:
        left = rest if left is None else min(left, rest)
    return Allowance(left, None, due)


def _refused(person: Person, asks_consent: bool) -> str | None:
    if person.status == "removed":
        return "Your part in this project has ended. Thank you for your work."
    if person.status == "revoked":
        return "This invitation has ended."
    if asks_consent and person.consented is None:
        return "Read the warning and agree to it before the first item."
    return None


def _break_due(person: Person, minutes: int | None, now: float) -> bool:
    if minutes is None or person.since is None or person.last is None:
        return False
    is_at_work = now - person.last <= NEW_STRETCH
    return is_at_work and now - person.since >= 60 * minutes


_LOOKED_AT = 2000
"""How many items at the head of a queue are searched for those that nobody else can take."""


def steps_of(state: State, person: Person) -> list[Step]:
    """Return the steps that a person's role allows, in order; owners may do all."""
    return [step for step in state.protocol.steps if person.role in (step.role, "owner")]


def is_free_for(state: State, person: str, item: str, step: Step, *, again: bool = False) -> bool:
    """Say whether somebody can take an item: it is new to them, and they did not cause its dispute.

    With ``again`` they may have skipped it once.
    """
    if state.is_known_to(person, item, step.id) and not (
        again and state.may_come_back(person, item, step.id)
    ):
        return False
    parts = state.items[item].steps
    entry = step.entry
    is_party = (
        entry is not None and entry.rule == "disputed" and person in parts[entry.step].answers
    )
    return not is_party


def share_left(state: State, person: Person) -> int | None:
    """Return how many judgements are left of a person's share; None if work is not divided."""
    if state.settings["workload"] != "balanced":
        return None
    return max(0, fair_share(state, person) - (person.answered - person.tests))


def fair_share(state: State, person: Person) -> int:
    """Return a person's share of the judgements, divided among all who have started."""
    share = 0.0
    for step in steps_of(state, person):
        share += state.wanted(step.id) / len({person.id, *_begun(state, step)})
    return ceil(share)


def stranded(state: State, person: Person, step: Step, now: float) -> list[str]:
    """Return items that somebody can take, and nobody whose share is unfinished can.

    Without them the last items would wait forever for people who have already judged them.
    """
    behind = [
        name
        for name in _begun(state, step)
        if name != person.id and share_left(state, state.people[name])
    ]

    def is_stranded(name: str, again: bool) -> bool:
        return is_free_for(state, person.id, name, step, again=again) and not any(
            is_free_for(state, other, name, step, again=again) for other in behind
        )

    return [
        name
        for name in islice(state.queue(step.id, now), _LOOKED_AT)
        if is_stranded(name, again=False) or is_stranded(name, again=True)
    ]


def _begun(state: State, step: Step) -> list[str]:
    return [
        person.id
        for person in state.people.values()
        if person.answered and person.status == "active" and person.role in (step.role, "owner")
    ]
