"""Small projects, built event by event; the state is the real one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

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
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event

START = 1_700_000_000.0
"""2023-11-14, 22:13 UTC."""
YES_NO = (Option("yes", "Yes", key="1"), Option("no", "No", key="2"))
KINDS = (Option("praise", "Praise", key="1"), Option("pity", "Pity", key="2"))
TONE = Question("tone", "choice", "Is it kind?", options=YES_NO)
WHICH = Question("which", "choices", "Which kinds?", options=KINDS, required=False)
GRADE = Question(
    "grade", "scale", "How much?", options=tuple(Option(str(n), str(n)) for n in range(3))
)
PLACES = Question("places", "spans", "Where?", options=KINDS, required=False)
WHY = Question("why", "text", "Why?", required=False, when=(Condition("tone", ("no",)),))

PROTOCOL = Protocol(
    "kind",
    "Kindness",
    "1",
    "en",
    "Two steps.",
    "ours",
    steps=(
        Step("first", "First look", (TONE, GRADE, WHICH, WHY), judgements=2, most=3),
        Step(
            "second",
            "Places",
            (PLACES,),
            judgements=2,
            combine="union",
            entry=Entry("first", "label", "tone", ("no",)),
        ),
    ),
    quality=Quality(page=3, tests=1, least_trust=0.7, least_tests=2),
    wellbeing=WellBeing(most_per_day=3, break_after=30),
)


class Story:
    """A state and the log that made it."""

    def __init__(self, protocol: Protocol = PROTOCOL):
        self.protocol = protocol
        self.log: list[Event] = []
        self.state = State(protocol)
        self.at = START

    def event(self, kind: Any, **fields: Any) -> None:
        event = Event(kind, self.at, number=len(self.log) + 1, **fields)
        self.log.append(event)
        self.state.apply(event)

    def items(self, *names: str, gold: dict[str, Any] | None = None) -> "Story":
        for name in names:
            data = {"text": f"A mild text named {name}.", "gold": gold}
            self.event("imported", item=name, data=data)
        return self

    def people(self, *names: str, role: str = "annotator") -> "Story":
        for name in names:
            data = {"role": role, "name": name.title(), "token": None}
            self.event("invited", annotator=name, data=data)
        return self

    def say(
        self, person: str, item: str, step: str = "first", wait: float = 20.0, **answers: Any
    ) -> "Story":
        self.at += wait
        data = {"answers": answers, "seconds": 10.0}
        self.event("answered", item=item, annotator=person, step=step, data=data)
        return self


@pytest.fixture
def story() -> Callable[..., Story]:
    """Return a function that begins a project; keywords change its rules of quality."""

    def begin(steps: tuple[Step, ...] | None = None, **quality: Any) -> Story:
        made = replace(PROTOCOL, quality=replace(PROTOCOL.quality, **quality))
        return Story(made if steps is None else replace(made, steps=steps))

    return begin
