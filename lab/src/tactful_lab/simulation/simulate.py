"""Simulate a protocol with a crowd, to see its cost and quality before paying for it.

>>> from tactful.annotation.protocol.load import load_protocol
>>> answer = simulate(load_protocol("unhealthy"), Plan(items=60, tests=20, seed=1))
>>> answer.items, answer.finished
(60, True)
"""

from dataclasses import dataclass, field
from pathlib import Path

from tactful.annotation.protocol.records import Protocol
from tactful.errors import UsageError
from tactful_lab.simulation.annotators import Crowd, draw_crowd, fitted
from tactful_lab.simulation.cases import (
    check_ground,
    complete_rates,
    draw_cases,
    draw_tests,
    published_rates,
    random_for,
    read_cases,
    read_rates,
)
from tactful_lab.simulation.report import Simulation, make_report
from tactful_lab.simulation.run import Record, Run, Setting

__all__ = ["Crowd", "Plan", "Simulation", "simulate", "simulate_with_record"]

TESTS = 100
"""Default number of hidden tests."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a simulation."""

    items: int = 500
    tests: int | None = None
    """Number of hidden tests; None: 100, or 0 if the protocol has none."""
    crowd: Crowd = field(default_factory=Crowd)
    price: float | None = None
    """Price of one judgement."""
    seed: int = 0
    ground: Path | None = None
    """A file with right answers of items, or with rates; None: the rates of the paper."""
    curve: bool = False
    """Whether to compute the plain majority at several costs, for the plot."""
    fitted: bool = False
    """Whether people agree, and take time, as those of the protocol's paper did."""


def simulate(protocol: Protocol, plan: Plan | None = None) -> Simulation:
    """Simulate a protocol and return the report."""
    return simulate_with_record(protocol, plan)[0]


def simulate_with_record(
    protocol: Protocol, plan: Plan | None = None
) -> tuple[Simulation, Setting, Record]:
    """Simulate a protocol; return the report, the input and the record of the run."""
    setting = prepare(protocol, plan or Plan())
    record = Run(setting).carry_out()
    return make_report(setting, record), setting, record


def prepare(protocol: Protocol, plan: Plan) -> Setting:
    """Draw the items, the tests and the people."""
    _check(protocol, plan)
    hidden = protocol.quality.tests > 0
    tests = (TESTS if hidden else 0) if plan.tests is None else plan.tests
    kind = None if plan.ground is None else check_ground(plan.ground)
    given = published_rates(protocol)
    if plan.ground is not None and kind == "rates":
        given = {**given, **read_rates(plan.ground)}
    rates = complete_rates(protocol, given)
    if plan.ground is not None and kind == "cases":
        cases = read_cases(plan.ground, protocol)
    else:
        cases = draw_cases(protocol, rates, plan.items, random_for(plan.seed, "items"))
    cases += draw_tests(protocol, rates, tests, random_for(plan.seed, "tests"))
    crowd = fitted(protocol, plan.crowd) if plan.fitted else plan.crowd
    people = draw_crowd(protocol, crowd, random_for(plan.seed, "crowd"))
    return Setting(protocol, cases, people, rates, plan.seed, plan.price, plan.curve, crowd.by_kind)


def _check(protocol: Protocol, plan: Plan) -> None:
    if plan.items < 1:
        raise UsageError(f"Found {plan.items} items; expected at least one.")
    if plan.price is not None and not 0 <= plan.price < float("inf"):
        raise UsageError(f"Found the price {plan.price:g}; expected 0 or more.")
    hidden = protocol.quality.tests
    if plan.tests is not None and plan.tests < 0:
        raise UsageError(f"Found {plan.tests} tests; expected 0 or more.")
    if plan.tests and not hidden:
        raise UsageError(
            f"Found {plan.tests} tests; the protocol '{protocol.id}' has no hidden tests; remove "
            "--tests."
        )
    if hidden and plan.tests is not None and plan.tests < protocol.quality.least_tests:
        raise UsageError(
            f"Found {plan.tests} tests; expected at least {protocol.quality.least_tests}: with "
            f"fewer, the protocol '{protocol.id}' removes nobody."
        )
    most = max(step.most or step.judgements for step in protocol.steps)
    if plan.crowd.annotators < most:
        raise UsageError(
            f"Found {plan.crowd.annotators} annotators; expected at least {most}, the maximum "
            "for one item."
        )
