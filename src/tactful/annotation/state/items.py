"""Items of a project, their answers, and their status in each step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from tactful.annotation.state.queue import Key

if TYPE_CHECKING:
    from tactful.annotation.state.labels import Label

Status = Literal["waiting", "open", "done", "disputed"]
"""``waiting``: the entry rule of the step is undecided or does not hold, or the owner closed the
item before there were enough judgements; ``open``: more judgements are needed; ``done``: there are
enough; ``disputed``: there are enough, but they give no clear label, so a referee has to decide."""
_RANKED = 1e15
"""Above every priority; whole numbers are still exact here."""
STATUSES: tuple[Status, ...] = get_args(Status)


class Answer(NamedTuple):
    """What one person answered about one item in one step.

    A tuple: a long log has hundreds of thousands, and a frozen dataclass takes three times as long
    to create.
    """

    annotator: str
    answers: Mapping[str, Any]
    at: float
    seconds: float | None = None
    number: int | None = None
    """The number of its event in the log."""
    trust: float = 1.0
    """The trust of the person at that moment; 1.0 before the first test."""


class Remark(NamedTuple):
    """What somebody said about a disputed item."""

    annotator: str
    at: float
    text: str


@dataclass(slots=True)
class Wording:
    """A version of the questions and the guideline."""

    version: str
    at: float
    """Since when."""
    number: int | None
    """The number of its event in the log."""
    wording: Mapping[str, Any]
    """As :func:`tactful.annotation.protocol.versions.wording_of` returns it."""
    answers: int = 0
    """How many answers were given under it."""


@dataclass(slots=True)
class ItemStep:
    """One item in one step."""

    status: Status = "open"
    answers: dict[str, Answer] = field(default_factory=dict)
    """The latest answer of each person, in the order of the first; also uncounted ones."""
    leases: dict[str, float] = field(default_factory=dict)
    """Person -> end of the lease (seconds since 1970); also expired leases."""
    skipped: set[str] = field(default_factory=set)
    """People who skipped it and have not answered it since."""
    declined: set[str] = field(default_factory=set)
    """People who skipped it twice: they are not asked again."""
    decision: Answer | None = None
    """The decision of a referee."""
    counting: list[Answer] = field(default_factory=list)
    """The answers that count, in order (:mod:`tactful.annotation.state.project_state`)."""
    complete: bool = False
    """Whether the judgements are enough, or a referee decided."""
    finalized: bool = False
    """Whether it stays done although one of its judgements stopped counting."""
    closed: bool = False
    """Whether the owner ended the collection of judgements."""
    extra: int = 0
    """How many more judgements the owner asked for than the protocol does."""
    version: int = 0
    """Increases with every change that may affect a label."""
    known: "tuple[object, dict[str, Label]] | None" = field(default=None, repr=False)
    """The cached labels, and what they were computed from."""


@dataclass(slots=True)
class Item:
    """One text to judge."""

    id: str
    text: str
    context: dict[str, str]
    """Texts shown beside the text, by name."""
    meta: dict[str, str]
    """Values that are stored and not shown."""
    gold: dict[str, Any] | None
    """The right answers, for a hidden test."""
    priority: float
    steps: dict[str, ItemStep]
    place: int
    """Its place in the order of import, from 0."""

    rank: int | None = None
    """Its place among the items that were ranked first, from 0."""
    key: Key = field(init=False)
    """Its key in the queues: by rank, then by priority, then by place."""

    def __post_init__(self) -> None:
        self.set_rank(self.rank)

    def set_rank(self, rank: int | None) -> None:
        """Put it at a place before all items without a rank; None puts it back."""
        self.rank = rank
        self.key = (-self.priority if rank is None else rank - _RANKED, self.place)

    @property
    def is_test(self) -> bool:
        """Whether it is a hidden test, whose answers measure people instead of the item."""
        return self.gold is not None
