"""Pace of the work, and an estimate of what is left: judgements, hours, days and cost.

The estimate has a minimum, an expected value extrapolated from the work so far, and a maximum. They
differ with dynamic judgements and with steps that only some items enter.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tactful.annotation.analysis.overview import StepProgress
from tactful.annotation.protocol.records import Protocol, Step

if TYPE_CHECKING:
    from tactful.annotation.state.project_state import Person

LEAST_ITEMS = 20
"""Minimum number of finished items for an extrapolation."""
RECENT_DAYS = 7


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Judgements still to be collected in a step."""

    step: str
    least: int
    expected: float
    most: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is left of a project."""

    steps: tuple[StepEstimate, ...]
    least: int
    expected: float
    most: int
    answers: float
    """Expected answers: judgements, hidden tests among them, and replacements."""
    hours: float | None
    days: float | None
    per_day: float | None
    spent: float | None
    cost: float | None
    """None without a price."""
    notes: tuple[str, ...]
    """The assumptions, and why some figures are missing."""


def by_day(people: Iterable["Person"], now: float, days: int = 14) -> list[tuple[str, int]]:
    """Return the number of answers on each of the last days, today last."""
    total: Counter[str] = Counter()
    for person in people:
        total.update(person.days)
    end = datetime.fromtimestamp(now, UTC).date()
    wanted = [(end - timedelta(days=back)).isoformat() for back in reversed(range(days))]
    return [(day, total[day]) for day in wanted]


def estimate(
    protocol: Protocol,
    progress: Sequence[StepProgress],
    people: Iterable["Person"],
    now: float,
    price: float | None = None,
) -> Estimate:
    """Return what is left; ``price`` is the price of one answer, in any currency.

    ``protocol`` has the current settings.
    """
    people = list(people)
    steps = tuple(step_estimate(protocol.step(figures.step), figures) for figures in progress)
    notes = [note for step in steps for note in step.notes]
    expected = sum(step.expected for step in steps)
    answers = expected * _tests(protocol, notes) * _replacements(progress, notes)
    answered, seconds = sum(p.answered for p in people), sum(p.seconds for p in people)
    each = seconds / answered if answered and seconds else None
    if each is None:
        notes.append("No time was measured yet, so the hours are unknown.")
    worked = [count for _, count in by_day(people, now, RECENT_DAYS) if count]
    per_day = sum(worked) / len(worked) if worked else None
    if per_day is None:
        notes.append(f"Nobody answered in the last {RECENT_DAYS} days, so the days are unknown.")
    if price is None:
        notes.append("No price per answer is given, so the cost is unknown.")
    return Estimate(
        steps,
        sum(step.least for step in steps),
        expected,
        sum(step.most for step in steps),
        answers,
        None if each is None else answers * each / 3600,
        None if per_day is None else answers / per_day,
        per_day,
        None if price is None else answered * price,
        None if price is None else answers * price,
        tuple(notes),
    )


def step_estimate(step: Step, figures: StepProgress) -> StepEstimate:
    """Return what is left of one step.

    The expected value assumes that open items need as many judgements as finished ones, and that
    undecided items enter the step at the same rate as before.
    """
    notes = []
    most = step.most or step.judgements
    finished = figures.done + figures.disputed
    inside = finished + figures.open
    undecided = figures.waiting - figures.outside
    here = figures.collected - figures.finished_with
    each = float(step.judgements)
    if finished >= LEAST_ITEMS:
        each = min(max(figures.finished_with / finished, each), float(most))
    elif most > step.judgements and inside + undecided:
        notes.append(
            f"In the step '{step.title}' {finished} items are finished; at least {LEAST_ITEMS} are "
            "needed to predict how many need further judgements."
        )
    rate = 1.0
    if undecided and inside + figures.outside >= LEAST_ITEMS:
        rate = inside / (inside + figures.outside)
    elif undecided:
        notes.append(
            f"Too few items are decided to predict how many enter the step '{step.title}'; all "
            f"{undecided:,} are counted."
        )
    expected = max(figures.needed, figures.open * each - here) + undecided * rate * each
    highest = max(figures.needed, figures.open * most - here) + undecided * most
    return StepEstimate(step.id, figures.needed, expected, highest, tuple(notes))


def _tests(protocol: Protocol, notes: list[str]) -> float:
    """Return the number of answers per judgement, including hidden tests."""
    page, tests = protocol.quality.page, protocol.quality.tests
    if not tests or tests >= page:
        return 1.0
    notes.append(
        f"{tests} of {page} answers are hidden tests, which are paid but are not judgements."
    )
    return page / (page - tests)


def _replacements(progress: Sequence[StepProgress], notes: list[str]) -> float:
    collected = sum(figures.collected for figures in progress)
    discarded = sum(figures.discarded for figures in progress)
    if not discarded or not collected:
        return 1.0
    share = discarded / (collected + discarded)
    notes.append(f"{share:.0%} of the judgements so far were discarded; the same is expected.")
    return 1 / (1 - share)
