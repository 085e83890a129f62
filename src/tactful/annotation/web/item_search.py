"""Which items an owner looks for: by words, status, label, disagreement and person."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from urllib.parse import urlencode

from tactful.annotation.protocol.records import Question, Step
from tactful.annotation.state.project_state import Item, ItemStep, State
from tactful.annotation.state.votes import is_closed

STATUSES = ("open", "skipped", "waiting", "done", "disputed", "closed", "test")
_LONGEST_WORDS = 200
_APART = "\t"


@dataclass(frozen=True, slots=True)
class Search:
    """What an owner asked for; empty fields do not matter."""

    q: str = ""
    """Words of the text, or a part of the id."""
    status: str = ""
    step: str = ""
    label: str = ""
    """A step, a question and a value, as :func:`label_choices` names them."""
    differ: str = ""
    """Whether people gave different answers: ``yes`` or ``no``."""
    person: str = ""
    """Somebody who answered it."""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Search":
        """Return the search of a query."""
        return cls(**{each.name: query.get(each.name, "").strip() for each in fields(cls)})

    @property
    def query(self) -> str:
        """The query of a URL; it ends with ``&`` unless it is empty."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        made = urlencode({name: value for name, value in given.items() if value})
        return f"{made}&" if made else ""

    def filter(self, state: State) -> Callable[[Item], bool]:
        """Return a function that says whether an item is wanted.

        Only what was asked for is looked at, and what costs least first.
        """
        words = self.q[:_LONGEST_WORDS].casefold()
        checks: list[Callable[[Item], bool]] = []
        if self.status == "test":
            checks.append(lambda item: item.gold is not None)
        elif self.status in STATUSES:
            checks.append(self._has_status)
        if words:
            checks.append(lambda item: words in item.text.casefold() or words in item.id.casefold())
        if self.person:
            who = self.person
            checks.append(lambda item: any(who in part.answers for part in self._parts(item)))
        if self.differ in ("yes", "no"):
            differ = self.differ == "yes"
            checks.append(lambda item: self._differs(state, item) == differ)
        if self.label:
            checks.append(lambda item: self._has_label(state, item))
        if len(checks) == 1:
            return checks[0]
        return lambda item: all(check(item) for check in checks)

    def _has_status(self, item: Item) -> bool:
        return item.gold is None and any(
            _has_status(part, self.status) for part in self._parts(item)
        )

    def _parts(self, item: Item) -> list[ItemStep]:
        return [part for name, part in item.steps.items() if not self.step or name == self.step]

    def _differs(self, state: State, item: Item) -> bool:
        """Say whether judgements that count differ in an answer that can be compared."""
        for step in state.protocol.steps:
            part = item.steps.get(step.id)
            if part is None or len(part.counting) < 2 or (self.step and step.id != self.step):
                continue
            for question in _comparable(step):
                said = {str(answer.answers.get(question.id)) for answer in part.counting}
                if len(said) > 1:
                    return True
        return False

    def _has_label(self, state: State, item: Item) -> bool:
        step, _, rest = self.label.partition(_APART)
        question, _, wanted = rest.partition(_APART)
        part = item.steps.get(step)
        if part is None or item.gold is not None or part.status not in ("done", "disputed"):
            return False
        found = state.labels(item.id, step).get(question)
        if found is None:
            return False
        values = found.value if isinstance(found.value, tuple | list) else (found.value,)
        return wanted in map(str, values)


def label_choices(steps: Sequence[Step]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the labels that can be looked for, by question: a name for forms, and words."""
    return [
        (
            question.text,
            [
                (_APART.join((step.id, question.id, option.value)), option.name)
                for option in question.options
            ],
        )
        for step in steps
        if step.role == "annotator"
        for question in _comparable(step)
        if step.combine != "dpm_scale"
    ] + [
        (question.text, [(_APART.join((step.id, question.id, str(n))), str(n)) for n in range(5)])
        for step in steps
        if step.combine == "dpm_scale"
        for question in _comparable(step)
    ]


def _comparable(step: Step) -> list[Question]:
    return [each for each in step.questions if is_closed(each) and len(each.options) <= 20]


def _has_status(part: ItemStep, status: str) -> bool:
    if status == "skipped":
        return part.status == "open" and bool(part.skipped)
    if status == "closed":
        return part.closed
    return part.status == status
