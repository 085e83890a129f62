"""Which items a person gets next, and how much they may still do."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice
from math import ceil
from random import Random

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.hiding import WINDOW, Drawn, Hiding, own_order
from tactful.annotation.state.items import Item
from tactful.annotation.state.people import NEW_STRETCH, Person
from tactful.annotation.state.project_state import State
from tactful.annotation.state.roles import works_on

__all__ = ["Allowance", "Given", "allowance", "day_of", "items_ahead", "next_page"]

_AHEAD = 10
"""How many items a browser gets ahead, so that nobody waits for the network."""


SHARE_DONE = "You have done your share; the remaining items are for others."
QUOTA_DONE = "You have done all the items that were planned for you. Thank you."


@dataclass(frozen=True, slots=True)
class Given:
    """One item to judge in one step."""

    item: str
    step: str


def items_ahead(state: State, person: str, now: float) -> int:
    """Return how many items somebody may hold besides the one they are at.

    Near the end of a project it is their part of the missing judgements: others must not wait for
    unread items in a browser.
    """
    steps = steps_of(state, state.people[person])
    missing = sum(state.wanted(step.id) - state.judgements[step.id] for step in steps)
    at_work = sum(bool(state.leased(name, now)) for name in state.people if name != person) + 1
    return min(_AHEAD, missing // at_work)


def next_page(
    state: State,
    person: str,
    now: float,
    rng: Random,
    held: Collection[tuple[str, str]] = (),
    key: bytes = b"",
) -> list[Given]:
    """Return the next page of a person; it is empty if nothing is left for them.

    ``held`` are items, with their steps, that their browser has already: the page comes after them.

    An open page comes back unchanged. Otherwise a page belongs to one step, the first of the
    protocol that has an item for the person: items by priority, then in the order of import,
    without those that they answered or that enough others are working on. Skipped items come back
    once, when no other item is left.

    Where there are hidden tests, ``key`` gives everybody an order of their own, and
    :mod:`tactful.annotation.state.hiding` draws the tests; a page never consists of tests alone.
    """
    found = state.people[person]
    allowed = allowance(state, person, now)
    if allowed.left == 0:
        return []
    leased = state.leased(person, now)
    open_now = [
        Given(item, step)
        for item, step in leased
        # Where there are tests, an item that others finished stays: only tests would be left.
        if (state.tests(step) or state.items[item].steps[step].status == "open")
        and (item, step) not in held
    ]
    # Items that are held and not answered yet count against the limit, too.
    left = None if allowed.left is None else allowed.left - sum(each in held for each in leased)
    if open_now:
        return open_now if left is None else open_now[: max(0, left)]
    if held and person in state.to_remove():
        return []  # their removal waits until they hold nothing
    quality = state.protocol.quality
    size = quality.page if left is None else min(quality.page, left)
    for again in (False, True):
        for step in steps_of(state, found):
            has = {item for item, of_step in held if of_step == step.id}
            hiding = Hiding(state, found, step, key, has)
            # One place is always for an item: a page of tests alone would give them away.
            drawn = _tests(hiding, min(quality.tests, size - 1), now, rng, again)
            free = _items(state, found, step, now, again, has if again else has | hiding.kept())
            items = _first(state, free, size - len(drawn.tests), person, step, key)
            if not items and not drawn.decoys and (blocks := hiding.open_blocks(now)):
                drawn = hiding.with_decoys(blocks[:1])
            if items or drawn.decoys:
                page = list(dict.fromkeys([*drawn.tests, *drawn.decoys, *items]))[: max(size, 0)]
                if state.tests(step.id):
                    # Another order than that of the choice, which would put tests last.
                    page = own_order(page, f"places of {person}", key)
                return [Given(name, step.id) for name in page]
    return []


def _first(
    state: State, free: Iterator[str], count: int, person: str, step: Step, key: bytes
) -> list[str]:
    """Return the next items: the first ones, or in the person's own order if tests are hidden.

    The choice is among items that were ranked, and then among items of the same priority, so that
    useful and urgent items still come first.
    """
    if not state.tests(step.id):
        return list(islice(free, max(count, 0)))
    chosen: list[str] = []
    window = islice(free, WINDOW * max(count, 0))
    for _, equal in groupby(window, lambda name: _urgency(state.items[name])):
        if len(chosen) >= count:
            break
        chosen += own_order(equal, person, key)
    return chosen[: max(count, 0)]


def _urgency(item: Item) -> float | None:
    """Return what items that are equally urgent share: a rank, or their priority."""
    return item.priority if item.rank is None else None


def _items(
    state: State, person: Person, step: Step, now: float, again: bool, out: Collection[str]
) -> Iterator[str]:
    is_done = share_left(state, person) == 0
    for name in stranded(state, person, step, now) if is_done else state.queue(step.id, now):
        is_free = is_free_for(state, person.id, name, step, again=again)
        if is_free and name not in out and state.needed(name, step.id, now, person.id):
            yield name


def _tests(hiding: Hiding, count: int, now: float, rng: Random, again: bool) -> Drawn:
    """Choose hidden tests that the person has not answered yet, and does not hold.

    Tests that were shown and given back come first: the items of that page come again, too, and a
    different test among them would be recognisable. So nobody avoids tests by giving pages back.
    Where skipped items come back, skipped tests do, too.
    """
    state, who, step = hiding.state, hiding.person.id, hiding.step.id
    if count < 1 or not state.tests(step):
        return Drawn()
    chosen = [name for name in state.untaken_tests(who, step) if name not in hiding.held][:count]
    if again:
        passed = [
            name
            for name in state.tests(step)
            if state.may_come_back(who, name, step)
            and name not in chosen
            and name not in hiding.held
        ]
        chosen += rng.sample(passed, min(count - len(chosen), len(passed)))
    return hiding.with_decoys(chosen) if chosen else hiding.draw(count, now, rng)


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
    balanced workload nobody does more than their share, unless nobody else can. A quota counts all
    answers, too.
    """
    found = state.people[person]
    wellbeing = state.protocol.wellbeing
    refused = _refused(found, bool(wellbeing.consent.strip()))
    if refused is not None:
        return Allowance(0, refused, break_due=False)
    due = _break_due(found, wellbeing.break_after, now)
    left: int | None = None
    if wellbeing.most_per_day is not None:
        left = max(0, wellbeing.most_per_day - found.days.get(day_of(now), 0))
        if not left:
            done = f"You have done {wellbeing.most_per_day:,} items today, the most for one day."
            return Allowance(0, f"{done} Come back tomorrow.", due)
    quota = state.teams.quota_left(found)
    if quota == 0:
        return Allowance(0, QUOTA_DONE, due)
    if quota is not None:
        left = quota if left is None else min(left, quota)
    rest = share_left(state, found)
    if rest == 0:
        rest = sum(len(stranded(state, found, step, now)) for step in steps_of(state, found))
        if not rest:
            return Allowance(0, SHARE_DONE, due)
    if rest is not None:
        left = rest if left is None else min(left, rest)
    return Allowance(left, None, due)


def day_of(at: float) -> str:
    """Return the day of a time (UTC), as 2024-05-31; daily limits count by it."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


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
    return [step for step in state.protocol.steps if works_on(person.role, step.role)]


def is_free_for(state: State, person: str, item: str, step: Step, *, again: bool = False) -> bool:
    """Say whether somebody can take an item: it is new to them, and they did not cause its dispute.

    With ``again`` they may have skipped it once. Nobody can take what is assigned to others.
    """
    if not state.teams.admits(person, state.items[item]):
        return False
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
    if state.settings["workload"] != "balanced" or person.id in state.teams.everything:
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
        if person.answered and person.status == "active" and works_on(person.role, step.role)
    ]
