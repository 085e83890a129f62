"""Who may take what, and how the work is divided."""

from itertools import islice
from math import ceil

from tactful.annotation.protocol.records import Step
from tactful.annotation.state.people import Person
from tactful.annotation.state.project_state import State

_LOOKED_AT = 2000
"""So many items at the head of a queue are looked at for those that nobody else can take."""


def steps_of(state: State, person: Person) -> list[Step]:
    """Return the steps that somebody's role lets them do, in order; an owner may do them all."""
    return [step for step in state.protocol.steps if person.role in (step.role, "owner")]


def is_free_for(state: State, person: str, item: str, step: Step, *, again: bool = False) -> bool:
    """Say whether somebody has not met an item of a step, and is no party to its dispute.

    With ``again`` they may also have skipped it, once.
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
    """Return how many judgements are left of somebody's share; None where work is not divided."""
    if state.settings["workload"] != "balanced":
        return None
    return max(0, fair_share(state, person) - state.judged(person.id))


def fair_share(state: State, person: Person) -> int:
    """Return how many judgements fall to somebody when all who have begun do equally many."""
    share = 0.0
    for step in steps_of(state, person):
        share += state.wanted(step.id) / len({person.id, *_begun(state, step)})
    return ceil(share)


def stranded(state: State, person: Person, step: Step, now: float) -> list[str]:
    """Return items that somebody can take and that nobody whose share is not done can.

    Without them the last items would wait for ever for people who have judged them already.
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
