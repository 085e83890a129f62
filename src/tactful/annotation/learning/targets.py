"""What a model learns from a step: yes-or-no targets, and the judgements about them.

Each target has the id that a detector of it has: the question's id where its options can be put in
order from no to yes, else that of the option. A judgement says a number from 0 (no) to 1 (yes); the
mean over the people who judged an item is its soft label, and for a question of yes and no that is
the share of annotators who said yes. What nobody was asked is a no.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tactful.annotation.protocol.records import Protocol, Question, Step
from tactful.annotation.state.items import Answer, Item
from tactful.annotation.state.labels import Label
from tactful.annotation.state.project_state import State
from tactful.annotation.state.votes import SINGLE
from tactful.errors import InputError
from tactful.registry import unknown_name

_YES, _NO = "yes", "no"
_MOST_OPTIONS = 50
"""A longer list of options, such as groups of people, is no list of targets."""


@dataclass(frozen=True, slots=True)
class Target:
    """A question with yes or no for an answer, as a model learns it."""

    id: str
    question: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    """For one choice or a scale: what each answer says, from 0 to 1."""
    value: str | None = None
    """For lists of choices and spans: the value that must be among them."""

    def said(self, answer: Any) -> float | None:
        """Return what an answer to the question says, from 0 to 1; no answer is a no.

        None for an answer without a number, such as that somebody does not understand the text.
        """
        if answer is None:
            return 0.0
        if self.value is None:
            return self.numbers.get(answer)
        return float(any(_value(each) == self.value for each in answer))


def targets_of(step: Step) -> list[Target]:
    """Return the targets of a step, in the order of its questions."""
    return [
        target
        for question in step.questions
        if question.per is None and not question.open and 1 < len(question.options) <= _MOST_OPTIONS
        for target in _targets(question)
    ]


def learnt_step(protocol: Protocol, name: str | None = None) -> Step:
    """Return the step that a model learns: the first with targets, or the one that is named."""
    steps = [each for each in protocol.steps if each.role == "annotator" and targets_of(each)]
    if not steps:
        raise InputError(
            f"Found no question with options in the protocol '{protocol.id}'; expected one that a "
            "model can learn: a choice, a scale or spans."
        )
    if name is None:
        return steps[0]
    if name not in (each.id for each in steps):
        raise unknown_name("step to learn", name, [each.id for each in steps])
    return protocol.step(name)


@dataclass(frozen=True, slots=True)
class Judged:
    """One item, with what each judgement and the combined label say about each target."""

    item: Item
    judgements: tuple[tuple[float | None, ...], ...]
    label: tuple[float | None, ...]
    """0 or 1; None where the judgements give no clear label."""
    is_done: bool
    """Whether no further judgement is needed."""

    def share(self) -> list[float]:
        """Return the mean of the judgements for each target; NaN where none says anything."""
        columns = zip(*self.judgements, strict=True)
        known = [[value for value in column if value is not None] for column in columns]
        return [sum(column) / len(column) if column else math.nan for column in known]


def judged_items(state: State, step: Step) -> list[Judged]:
    """Return the items that somebody judged, in the order of their first judgement.

    An item that did not enter the step, because of its label in an earlier one, is a no.
    """
    targets = targets_of(step)
    found = []
    for item in state.touched_items():
        part = item.steps[step.id]
        if item.is_test:
            continue
        if part.counting or part.decision is not None:
            given: Sequence[Answer] = part.counting or (part.decision,)  # type: ignore[assignment]
            numbers = tuple(
                tuple(target.said(each.answers.get(target.question)) for target in targets)
                for each in given
            )
            labels = state.labels(item.id, step.id)
            label = tuple(_hard(step, target, labels[target.question]) for target in targets)
            is_done = part.status == "done"
            found.append((given[0].number or 0, Judged(item, numbers, label, is_done)))
        elif part.status == "waiting" and _stays_out(step, item):
            zeros = (0.0,) * len(targets)
            first = item.steps[step.entry.step].counting if step.entry else []
            number = (first[0].number or 0) if first else 0
            found.append((number, Judged(item, (zeros,), zeros, is_done=True)))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _stays_out(step: Step, item: Item) -> bool:
    entry = step.entry
    return entry is not None and entry.rule == "label" and item.steps[entry.step].status == "done"


def _hard(step: Step, target: Target, label: Label) -> float | None:
    if not label.applies or not (label.votes or label.decided):
        return 0.0
    if label.value is None:
        return None
    if target.value is None and step.combine == "dpm_scale":
        # Two answers from 0 to 2, added up; from 2 on it counts (Pérez-Almendros et al. 2020, 4.2).
        return float(float(label.value) >= 2)
    said = target.said(label.value)
    return None if said is None else float(said >= 0.5)


def _targets(question: Question) -> list[Target]:
    name = question.id
    if question.kind in ("choices", "spans"):
        return [Target(option.value, name, value=option.value) for option in question.options]
    if question.kind not in SINGLE:
        return []
    numbers = _numbers(question)
    if numbers is not None:
        return [Target(name, name, numbers)]
    values = [option.value for option in question.options]
    return [
        Target(f"{name}.{value}", name, {each: float(each == value) for each in values})
        for value in values
    ]


def _numbers(question: Question) -> dict[str, float] | None:
    """Return what each option says, from 0 to 1; None where the options have no order."""
    values = [option.value for option in question.options]
    scores = {each.value: each.score for each in question.options if each.score is not None}
    if len(scores) < 2:
        if question.kind == "scale" and all(_is_number(value) for value in values):
            scores = {value: float(value) for value in values}
        elif {values[0], values[-1]} == {_YES, _NO}:
            # Yes, maybe, no: in equal steps.
            order = values if values[0] == _NO else values[::-1]
            scores = {value: float(at) for at, value in enumerate(order)}
        else:
            return None
    low, high = min(scores.values()), max(scores.values())
    if low == high:
        return None
    return {value: (score - low) / (high - low) for value, score in scores.items()}


def _is_number(value: str) -> bool:
    try:
        return float(value) == float(value)
    except ValueError:
        return False


def _value(given: Any) -> Any:
    return given["value"] if isinstance(given, Mapping) else given
