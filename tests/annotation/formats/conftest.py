"""Small projects of our own: events, and the state that follows from them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.annotated import Source
from tactful.annotation.protocol.load import load_protocol, read_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event

MIXED = """
id: mixed
version: "1"
lang: en
name: A bit of everything
summary: Every kind of question.
source: our own
guideline: |
  Read twice.
  Then answer.
steps:
  - id: all
    title: All
    judgements: 2
    questions:
      - {id: tone, kind: choice, text: Which tone?, options: [kind, "=harsh"]}
      - {id: grade, kind: scale, text: How much?, options: ["0", "1", "2"]}
      - {id: topics, kind: choices, text: What about?, options: [work, home], open: true, least: 1}
      - {id: marks, kind: spans, text: Which words?, options: [a.one, a_one, "b two"]}
      - {id: remark, kind: text, text: A remark?, required: false}
      - {id: reasons, kind: texts, text: Why?, per: topics, required: false}
"""


class Made:
    """A log that grows by what the tests say."""

    def __init__(self, protocol: Protocol):
        self.protocol = protocol
        self.events: list[Event] = []

    def add(self, kind: Any, **fields: Any) -> "Made":
        """Put one more event behind the others."""
        number = len(self.events) + 1
        self.events.append(Event(kind, 1_700_000_000.0 + number, number=number, **fields))
        return self

    def people(self, *names: str, role: str = "annotator", **traits: str) -> "Made":
        """Let people in, with what they say of themselves."""
        for name in names:
            data = {"role": role, "name": f"Person {name}", "token": f"hash of {name}"}
            self.add("invited", annotator=name, data=data)
            self.add("consented", annotator=name, data={"traits": traits})
        return self

    def item(self, name: str, text: str, **data: Any) -> "Made":
        """Import a text."""
        return self.add("imported", item=name, data={"text": text, **data})

    def answer(self, who: str, item: str, answers: dict[str, Any], step: str = "") -> "Made":
        """Let somebody answer."""
        step = step or self.protocol.steps[0].id
        data = {"answers": answers, "seconds": 4.5}
        return self.add("answered", annotator=who, item=item, step=step, data=data)

    def state(self) -> State:
        """Return what the events lead to."""
        return State.derive(self.protocol, self.events)

    def source(self, spreadsheet: bool = False) -> Source:
        """Return what an export reads."""
        return Source("Our test", self.protocol, self.state(), lambda: self.events, spreadsheet)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    """Return a protocol with every kind of question."""
    path = tmp_path_factory.mktemp("protocol") / "mixed.yaml"
    path.write_text(MIXED, encoding="utf-8")
    return read_protocol(path)


@pytest.fixture(scope="session")
def made() -> Callable[[Protocol | str], Made]:
    """Begin a log under a protocol, given or built in."""
    return lambda protocol: Made(load_protocol(protocol) if isinstance(protocol, str) else protocol)


@pytest.fixture
def full(made: Callable[[Protocol], Made], mixed: Protocol) -> Made:
    """Return a project with one of everything: texts that are hard to carry, and their answers."""
    text = 'Say 👩🏽‍🚒 "hi",\tfriend\r\nשלום e\u0301!\nEnd'
    log = made(mixed).people("ann", "B/ob", politics="none").people("rita", role="referee")
    log.item("i/1", text, context={"before": "Earlier."}, meta={"source": "ours"})
    log.item("i2", "=SUM(1)")
    log.item("test", "A hidden one", gold={"tone": "kind"})
    log.item("alone", "Nobody saw this")
    first = {
        "tone": "kind",
        "grade": "2",
        "topics": ["work", "gardens, too"],
        "marks": [
            {"start": 4, "end": 8, "value": "a.one"},
            {"start": 4, "end": 25, "value": "a_one"},
        ],
        "remark": "One line\nand another",
        "reasons": {"work": ["it: is", "so"], "gardens, too": ["x"]},
    }
    second = {"tone": "=harsh", "grade": "1", "topics": ["home"], "marks": []}
    log.answer("ann", "i/1", first).answer("B/ob", "i/1", second)
    log.answer("ann", "i2", second).answer("ann", "test", second)
    log.add("skipped", annotator="B/ob", item="i2", step="all", data={"reason": "tired"})
    decided = {"answers": first, "note": "clear"}
    return log.add("adjudicated", annotator="rita", item="i/1", step="all", data=decided)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an empty folder to write to."""
    path = tmp_path / "out"
    path.mkdir()
    return path
