"""Which disputed items people discuss before a referee decides, and what they said.

"Disagreements were discussed by the annotators and a senior annotator until agreement was reached"
(Ariza-Casabona et al. 2022, section 4.2): those whose judgements differ, and those who may decide.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tactful.annotation.state.project_state import State
from tactful.annotation.state.roles import may


class Place(NamedTuple):
    """A disputed item in the step where a referee decides it."""

    item: str
    step: str


def discussed(state: State, person: str) -> Iterator[Place]:
    """Yield the open discussions that somebody takes part in.

    Annotators take part where their own judgement is one of those that differ; they have nothing
    to gain from the answers of the others any more.
    """
    who = state.people[person]
    steps = [step for step in state.protocol.steps if step.discussed and step.entry is not None]
    if who.status != "active" or not steps:
        return
    if may(who.role, "decide"):
        for item in state.touched_items():
            for step in steps:
                if item.gold is None and item.steps[step.id].status == "open":
                    yield Place(item.id, step.id)
        return
    for name, source in state.answered_by(person):
        item = state.items[name]
        for step in steps:
            is_here = step.entry is not None and step.entry.step == source
            if item.is_test or not is_here or item.steps[step.id].status != "open":
                continue
            if any(answer.annotator == person for answer in state.counted(name, source)):
                yield Place(name, step.id)
