"""A small project whose events a test can tell in a few words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from tactful.annotation.protocol.records import (
    Condition,
    Entry,
    Option,
    Protocol,
    Quality,
    Question,
    Step,
    WellBeing,
)
from tactful.annotation.state.assignment import Given, next_page
from tactful.annotation.state.items import Answer
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event, Kind

START = 1_700_000_000.0
STEP = "judge"


def options(*values: str) -> tuple[Option, ...]:
    return tuple(Option(value, value) for value in values)


RUDE = Question("rude", "choice", "Is it rude?", options=options("yes", "no"))
WHOM = Question("whom", "choices", "To whom?", options=options("a", "b", "c"), required=False)
UNFAIR = Question(
    "unfair",
    "choice",
    "Is that unfair?",
    options=options("yes", "no"),
    when=(Condition("rude", ("yes",)),),
)


def step(*questions: Question, **rules: Any) -> Step:
    return Step(rules.pop("id", STEP), "Judge", questions or (RUDE,), **rules)


def protocol(
    *steps: Step, quality: Quality | None = None, wellbeing: WellBeing | None = None
) -> Protocol:
    return Protocol(
        id="small",
        name="Small",
        version="1",
        lang="en",
        summary="",
        source="",
        steps=steps or (step(),),
        quality=quality or Quality(),
        wellbeing=wellbeing or WellBeing(),
    )


def two_and_a_referee() -> Protocol:
    """Pérez-Almendros et al. 2020, section 4.2, in small."""
    pcl = Question("pcl", "scale", "Does it?", options=options("0", "1", "2"))
    spans = Question("spans", "spans", "Where?", options=options("x", "y"), required=False)
    return protocol(
        step(pcl, id="paragraph", judgements=2, combine="dpm_scale"),
        step(
            pcl,
            id="referee",
            role="referee",
            judgements=1,
            combine="referee",
            entry=Entry("paragraph", "disputed", "pcl", ("0,2",)),
        ),
        step(
            spans,
            id="spans",
            judgements=2,
            combine="union",
            entry=Entry("paragraph", "label", "pcl", ("2", "3", "4")),
        ),
    )


def said(value: Any, *, by: str = "ann", trust: float = 1.0, question: str = "rude") -> Answer:
    answers = value if isinstance(value, Mapping) else {question: value}
    return Answer(by, answers, START, trust=trust)


class Scene:
    """A state and the log behind it; each thing that happens takes a second."""

    def __init__(self, used: Protocol, people: Sequence[str] = ("ann", "bob", "cem", "dot", "eve")):
        self.protocol = used
        self.state = State(used)
        self.log: list[Event] = []
        self.now = START
        for name in people:
            self.invite(name)

    def happens(self, kind: Kind, **fields: Any) -> None:
        self.now += 1
        event = Event(kind, self.now, number=len(self.log) + 1, **fields)
        self.log.append(event)
        self.state.apply(event)

    def invite(self, name: str, role: str = "annotator") -> None:
        data = {"role": role, "name": name.title(), "token": None}
        self.happens("invited", annotator=name, data=data)

    def add(self, *names: str, gold: Mapping[str, Any] | None = None, priority: float = 0) -> None:
        for name in names:
            data = {"text": f"text of {name}", "gold": gold, "priority": priority}
            self.happens("imported", item=name, data=data)

    def shows(self, person: str, item: str, step: str = STEP, seconds: float = 60) -> None:
        data = {"until": self.now + 1 + seconds, "page": 1}
        self.happens("shown", item=item, annotator=person, step=step, data=data)

    def answers(self, person: str, item: str, value: Any, step: str = STEP) -> None:
        question = self.protocol.step(step).questions[0].id
        answers = value if isinstance(value, Mapping) else {question: value}
        data = {"answers": answers, "seconds": 4.0}
        self.happens("answered", item=item, annotator=person, step=step, data=data)

    def all_answer(self, item: str, step: str = STEP, **values: Any) -> None:
        for person, value in values.items():
            self.answers(person, item, value, step)

    def removes(self, person: str, why: str = "owner") -> None:
        self.happens("removed", annotator=person, data={"why": why})

    def readmits(self, person: str, why: str = "owner") -> None:
        self.happens("re-admitted", annotator=person, data={"why": why})

    def edits_gold(self, item: str, gold: Mapping[str, Any] | None) -> None:
        self.happens("gold-edited", item=item, data={"gold": gold})

    def decides(self, person: str, item: str, value: Any, step: str = STEP) -> None:
        question = self.protocol.step(step).questions[0].id
        answers = value if isinstance(value, Mapping) else {question: value}
        data = {"answers": answers, "note": ""}
        self.happens("adjudicated", item=item, annotator=person, step=step, data=data)

    def page(self, person: str, seed: int = 0, key: bytes = b"key") -> list[Given]:
        return next_page(self.state, person, self.now, Random(seed), key=key)

    def takes_page(self, person: str, seed: int = 0) -> list[Given]:
        given = self.page(person, seed)
        for each in given:
            self.shows(person, each.item, each.step)
        return given

    def value(self, item: str, step: str = STEP) -> Any:
        question = self.protocol.step(step).questions[0].id
        return self.state.labels(item, step)[question].value

    def status(self, item: str, step: str = STEP) -> str:
        return self.state.items[item].steps[step].status


def picture(state: State) -> dict[str, Any]:
    """Return all that can be seen of a state, to compare two of them."""
    return {
        "items": {
            name: {
                step: (
                    part.status,
                    part.answers,
                    part.leases,
                    part.skipped,
                    part.declined,
                    part.decision,
                    part.counting,
                    state.labels(name, step),
                    state.needed(name, step, START),
                )
                for step, part in item.steps.items()
            }
            for name, item in state.items.items()
        },
        "people": {name: replace(person) for name, person in state.people.items()},
        "counts": {step.id: state.counts(step.id) for step in state.protocol.steps},
        "wanted": {step.id: state.wanted(step.id) for step in state.protocol.steps},
        "queues": {step.id: list(state.queue(step.id, START)) for step in state.protocol.steps},
        "to remove": state.to_remove(),
        "to readmit": state.to_readmit(),
        "settings": state.settings,
    }
