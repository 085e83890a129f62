"""Items of a project, what people answered about them, and how far each step is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from tactful.annotation.state.queue import Key

if TYPE_CHECKING:
    from tactful.annotation.state.labels import Label

Status = Literal["waiting", "open", "done", "disputed"]
"""``waiting``: the rule that lets an item into the step is not decided, or does not hold;
``open``: judgements are still to be collected; ``done``: there are enough; ``disputed``: there are
enough, and they give no clear label, so that a referee has to decide."""
STATUSES: tuple[Status, ...] = get_args(Status)


class Answer(NamedTuple):
    """What one person answered about one item in one step.

    A tuple: a long log has hundreds of thousands, and a frozen dataclass takes three times as long
    to make.
    """

    annotator: str
    answers: Mapping[str, Any]
    at: float
    seconds: float | None = None
    number: int | None = None
    """The number of its event in the log."""
    trust: float = 1.0
    """The trust of the person at that moment; 1.0 before the first test."""


@dataclass(slots=True)
class ItemStep:
    """One item in one step."""

    status: Status = "open"
    answers: dict[str, Answer] = field(default_factory=dict)
    """The latest of each person, in the order of their first; also those that do not count."""
    leases: dict[str, float] = field(default_factory=dict)
    """Who was given it, and until when (seconds since 1970); also those whose time is over."""
    skipped: set[str] = field(default_factory=set)
    """Who passed it by, and has not answered it since."""
    declined: set[str] = field(default_factory=set)
    """Who passed it by again when it came back: they are not asked a third time."""
    decision: Answer | None = None
    """What a referee decided, where somebody did."""
    counting: list[Answer] = field(default_factory=list)
    """The answers that count, in order (:mod:`tactful.annotation.state.project_state`)."""
    complete: bool = False
    """Whether the judgements are enough, or a referee decided."""
    finalized: bool = False
    """Whether it stays done although a judgement behind it stopped counting."""
    version: int = 0
    """Grows with every change that a label may follow from."""
    known: "tuple[object, dict[str, Label]] | None" = field(default=None, repr=False)
    """The labels as they were last worked out, and what they were worked out from."""


@dataclass(slots=True)
class Item:
    """One text to judge."""

    id: str
    text: str
    context: dict[str, str]
    """What is shown beside the text."""
    meta: dict[str, str]
    """What is kept and not shown."""
    gold: dict[str, Any] | None
    """The right answers, for a hidden test."""
    priority: float
    steps: dict[str, ItemStep]
    place: int
    """Its place in the order of import, from 0."""

    key: Key = field(init=False)
    """Where it stands in the queues: by priority, then by place."""

    def __post_init__(self) -> None:
        self.key = (-self.priority, self.place)

    @property
    def is_test(self) -> bool:
        """Whether it is a hidden test: its answers say something of people, never of the item."""
        return self.gold is not None
