"""What another right answer to a hidden test would change, before anything is changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tactful.annotation.labels import is_sure
from tactful.annotation.trust import is_right, is_tested

if TYPE_CHECKING:
    from tactful.annotation.people import Person
    from tactful.annotation.protocol import Step
    from tactful.annotation.state import Answer, Item, ItemStep, State

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
    """All that would follow."""

    people: tuple[TrustChange, ...]
    """Those whose trust changes, or who would be removed or re-admitted."""
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


def gold_change(state: "State", item: str, gold: Mapping[str, Any] | None) -> GoldChange:
    """Return what giving ``item`` these right answers would change; None: an ordinary item."""
    found = state.items[item]
    people = {name for part in found.steps.values() for name in part.answers}
    changes = [_trust_change(state, found, gold, state.people[name]) for name in sorted(people)]
    changes = [each for each in changes if each.effect or each.before != each.after]
    now = {name: person.counts for name, person in state.people.items()}
    then = dict(now)
    for each in changes:
        if each.effect:
            then[each.person] = each.effect == "re-admitted"
    moved = {name for name in now if now[name] != then[name]}
    reopened = lost = back = 0
    for step in state.protocol.steps:
        for other in state.items.values():
            part = other.steps[step.id]
            is_this = other.id == item
            if not is_this and (other.is_test or moved.isdisjoint(part.answers)):
                continue
            before = {answer.annotator for answer in part.counting}
            is_test = gold is not None if is_this else other.is_test
            counting = [] if is_test else _counting(step, part.answers.values(), then)
            after = {answer.annotator for answer in counting}
            lost += len(before - after)
            back += len(after - before)
            reopened += not is_this and _opens(state, step, part, counting)
    return GoldChange(tuple(changes), reopened, lost, back)


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


def _counting(
    step: "Step", answers: Iterable["Answer"], counts: Mapping[str, bool]
) -> list["Answer"]:
    """Return the answers that would count: the first ones, until they are enough."""
    found: list[Answer] = []
    for answer in answers:
        if counts[answer.annotator]:
            found.append(answer)
            if _is_enough(step, found):
                break
    return found


def _is_enough(step: "Step", answers: list["Answer"]) -> bool:
    if len(answers) < step.judgements:
        return False
    if step.confidence is None or len(answers) >= (step.most or step.judgements):
        return True
    return is_sure(step, answers, step.confidence)


def _opens(state: "State", step: "Step", part: "ItemStep", counting: list["Answer"]) -> bool:
    if part.status not in ("done", "disputed") or part.decision is not None:
        return False
    stays = state.protocol.quality.rows_remain_finalized and part.status == "done"
    return not _is_enough(step, counting) and not (stays and counting)
