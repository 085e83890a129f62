"""Whether the hidden tests of a project can do their work, and what they cost."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import TYPE_CHECKING, Any

from tactful.annotation.state.trust import is_right
from tactful.annotation.state.votes import applies

if TYPE_CHECKING:
    from tactful.annotation.protocol.records import Step
    from tactful.annotation.state.project_state import State

_HALF = 0.5
"""Without a least trust, an answer that passes more tests than this is too good."""


def pool_warnings(state: "State") -> list[str]:
    """Return what is wrong with the hidden tests, as sentences for the owner."""
    quality = state.protocol.quality
    if not quality.tests:
        return []
    found = []
    for step in state.protocol.steps:
        if step.role != "annotator" or step.entry is not None:
            continue
        tests = state.tests(step.id)
        named = f"The step '{step.title}'"
        if not tests:
            found.append(
                f"{named} has no hidden tests, and the protocol asks for {quality.tests} on each "
                f"page of {quality.page}: nobody's trust is measured. Import "
                "some (--tests, or 'gold' in the API)."
            )
            continue
        if quality.least_trust is not None and len(tests) < quality.least_tests:
            found.append(
                f"{named} has {len(tests)} hidden tests, and nobody is removed before "
                f"{quality.least_tests}: import at least {quality.least_tests - len(tests)} more."
            )
        found += _constant(state, step, tests)
        found += _spread(state, step, len(tests))
    return found


def _constant(state: "State", step: "Step", tests: Iterable[str]) -> list[str]:
    """Warn of answers that pass the tests although they are the same for every item."""
    golds = [state.items[name].gold or {} for name in tests]
    least = state.protocol.quality.least_trust
    limit = _HALF if least is None else least
    found = []
    for told, answers in constant_answers(step).items():
        share = sum(is_right(step, gold, answers) for gold in golds) / len(golds)
        if share > limit:
            found.append(
                f"Answering {told} for every item passes {share:.0%} of the hidden tests of "
                f"'{step.title}', more than the {limit:.0%} that are asked for: add tests with "
                "other right answers."
            )
    return found


def constant_answers(step: "Step") -> Mapping[str, dict[str, Any]]:
    """Return the answers of people who do not read, by what they do."""
    values = dict.fromkeys(
        option.value
        for question in step.questions
        if question.kind in ("choice", "scale")
        for option in question.options
    )
    found = {f"'{value}'": _all(step, value) for value in values}
    return {"the first option": _all(step, None), **found}


def _all(step: "Step", value: str | None) -> dict[str, Any]:
    """Answer each question with a value, or with its first option where it has no such value."""
    answers: dict[str, Any] = {}
    for question in step.questions:
        if question.per is not None or not applies(question, answers):
            continue
        known = [option.value for option in question.options]
        if question.kind in ("choice", "scale") and known:
            answers[question.id] = value if value in known else known[0]
        elif question.kind == "choices":
            answers[question.id] = known[: question.least]
        elif question.kind == "spans":
            answers[question.id] = []
    return answers


def _spread(state: "State", step: "Step", tests: int) -> list[str]:
    """Say how far the tests reach, and what showing them more often costs."""
    quality = state.protocol.quality
    if quality.draw == "every_page":
        return [
            f"The tests of '{step.title}' are on every page while there are any: two people who "
            "compare their pages can tell which items they are ('draw: every_page')."
        ]
    found = []
    each = (quality.page - quality.tests) / quality.tests
    items = sum(state.counts(step.id).values())
    wanted = ceil(items / each)
    if tests < wanted:
        found.append(
            f"'{step.title}' has {tests:,} hidden tests for {items:,} items. A test on every page "
            f"needs {wanted:,}; with fewer, later pages have none, because a test that more people "
            "see than an ordinary item could be found by comparing pages."
        )
    cost = decoy_judgements(state, step)
    if cost:
        found.append(
            f"{quality.tests_each} tests for each person need about {cost:,} judgements of '"
            f"{step.title}' beyond those that labels need; {ceil(cost / each / step.judgements):,} "
            "more tests would save them."
        )
    return found


def decoy_judgements(state: "State", step: "Step") -> int:
    """Return how many judgements the decoys cost, with the people who are there now."""
    quality = state.protocol.quality
    if not quality.tests_each or quality.draw == "every_page":
        return 0
    people = sum(
        person.role == "annotator" and person.status == "active" for person in state.people.values()
    )
    free = len(state.tests(step.id)) * step.judgements
    each = (quality.page - quality.tests) / quality.tests
    return max(0, round(each * (people * quality.tests_each - free)))
