"""A preview of what other right answers to a hidden test would change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tactful.annotation.state.trust import is_right, is_tested

if TYPE_CHECKING:
    from tactful.annotation.protocol.records import Step
    from tactful.annotation.state.people import Person
    from tactful.annotation.state.project_state import Answer, Item, ItemStep, State

Effect = Literal["", "removed", "re-admitted"]


@dataclass(frozen=True, slots=True)
class TrustChange:
    """The trust of one person, before and after."""

    person: str
    name: str
    before: float | None
    after: float | None
    effect: Effect


@dataclass(frozen=True, slots=True)
class GoldChange:
    """The effects of a change."""

    people: tuple[TrustChange, ...]
    """People whose trust would change, or who would be removed or readmitted."""
    reopened: int
    """Items that are done or disputed in a step and would be open again."""
    judgements_lost: int
    judgements_back: int

    @property
    def removed(self) -> tuple[TrustChange, ...]:
        """Those whose judgements would stop counting."""
        return tuple(each for each in self.people if each.effect == "removed")

    @property
    def readmitted(self) -> tuple[TrustChange, ...]:
        """Those whose judgements would count again."""
        return tuple(each for each in self.people if each.effect == "re-admitted")


def trust_changes(
    state: "State", item: str, gold: Mapping[str, Any] | None
) -> tuple[TrustChange, ...]:
    """Return those whose trust would change, or who would be removed or re-admitted."""
    found = state.items[item]
    people = {name for part in found.steps.values() for name in part.answers}
    changes = [_trust_change(state, found, gold, state.people[name]) for name in sorted(people)]
    return tuple(each for each in changes if each.effect or each.before != each.after)


def gold_change(
    state: "State",
    item: str,
    gold: Mapping[str, Any] | None,
    changes: tuple[TrustChange, ...],
    items: Iterable["Item"],
) -> GoldChange:
    """Return what giving ``item`` these right answers would change; None: an ordinary item.

    ``changes`` is from :func:`trust_changes`, ``items`` are all items of the project.
    """
    then = {name: person.counts for name, person in state.people.items()}
    then |= {each.person: each.effect == "re-admitted" for each in changes if each.effect}
    moved = {name for name, person in state.people.items() if person.counts != then[name]}
    reopened = lost = back = 0
    for other in items:
        is_this = other.id == item
        if not is_this and (other.is_test or not moved):
            continue
        for step in state.protocol.steps:
            part = other.steps[step.id]
            if not is_this and moved.isdisjoint(part.answers):
                continue
            before = {answer.annotator for answer in part.counting}
            is_test = gold is not None if is_this else other.is_test
            counting = [] if is_test else state.first_enough(part.answers.values(), step, then)
            after = {answer.annotator for answer in counting}
            lost += len(before - after)
            back += len(after - before)
            reopened += not is_this and _opens(state, step, part, counting)
    return GoldChange(changes, reopened, lost, back)


def _trust_change(
    state: "State", item: "Item", gold: Mapping[str, Any] | None, person: "Person"
) -> TrustChange:
    taken = {test: right for test, right in person.taken.items() if test[0] != item.id}
    for step in state.protocol.steps:
        answer = item.steps[step.id].answers.get(person.id)
        if answer is not None and gold is not None and is_tested(step, gold):
            taken[item.id, step.id] = is_right(step, gold, answer.answers)
    after = replace(person, right=sum(taken.values()), tests=len(taken))
    fails = person.role == "annotator" and after.fails(state.protocol.quality)
    effect: Effect = ""
    if fails and person.counts and not person.kept:
        effect = "removed"
    elif not fails and not person.counts and person.removed_for == "trust":
        effect = "re-admitted"
    return TrustChange(person.id, person.name, person.trust, after.trust, effect)


def _opens(state: "State", step: "Step", part: "ItemStep", counting: list["Answer"]) -> bool:
    if part.status not in ("done", "disputed") or part.decision is not None:
        return False
    stays = state.protocol.quality.rows_remain_finalized and part.status == "done"
    return not state.is_enough(counting, step) and not (stays and counting)
