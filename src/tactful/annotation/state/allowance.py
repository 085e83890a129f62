"""How much somebody may still do today, and whether a break is due."""

from dataclasses import dataclass
from datetime import UTC, datetime

from tactful.annotation.state.people import NEW_STRETCH, Person
from tactful.annotation.state.project_state import State
from tactful.annotation.state.shares import share_left, steps_of, stranded


@dataclass(frozen=True, slots=True)
class Allowance:
    """What somebody may still do."""

    left: int | None
    """So many items, tests among them; None: as many as there are."""
    why: str | None
    """Why nothing is left, in a sentence for the person; None where something is."""
    break_due: bool
    """Whether they have worked so long that a break should be proposed."""


def allowance(state: State, person: str, now: float) -> Allowance:
    """Return what somebody may still do at this moment.

    Whoever was removed or revoked, or has not agreed to the warning, may do nothing. The cap of
    the day (UTC) counts everything that was answered, tests among it: it protects from reading too
    much. With a balanced workload nobody does more than their share, unless only they can.
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
            return Allowance(0, "You have done your share; the rest is for the others.", due)
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
