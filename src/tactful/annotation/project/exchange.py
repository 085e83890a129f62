"""What comes into a project and what goes out to an annotator, as records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """A judgement that was made elsewhere and comes in with its item."""

    annotator: str
    """Their id; a person who is not known is made, without a way to sign in."""
    step: str
    answers: Mapping[str, Any]
    at: float | None = None
    seconds: float | None = None
    adjudicated: bool = False
    """Whether it is a referee's decision rather than one judgement among others."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """A text to be judged."""

    id: str
    text: str
    context: Mapping[str, str] = field(default_factory=dict)
    """What is shown beside it, by name."""
    meta: Mapping[str, str] = field(default_factory=dict)
    """What is kept and never shown."""
    gold: Mapping[str, Any] | None = None
    """The right answers (question -> answer), which make it a hidden test."""
    priority: float = 0.0
    """Items with a higher one come first."""
    answers: tuple[NewAnswer, ...] = ()
    place: str = ""
    """Where it was read, such as ``texts.csv, line 3``: an error says it."""
    made_id: bool = False
    """Whether the id was made from the name of a file and a number, as it had none: a text of
    another file that is named alike may have got the same one."""


@dataclass(frozen=True, slots=True)
class PageItem:
    """One item that a person is to judge."""

    handle: str
    """Stands for the item in whatever a browser is sent; says nothing about it."""
    item: str
    """Its id, which stays on the server."""
    step: str
    text: str
    context: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Mapping[str, Any], ...] = ()
    """For a referee: what each person answered in the step that sent the item here, in an order
    that says nothing of who they are. Always empty for annotators, who judge blindly."""
    again: bool = False
    """Whether they skipped it before: it comes back once."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a person is to judge now."""

    items: tuple[PageItem, ...] = ()
    left: int | None = None
    """How many more they may judge today; None: there is no cap."""
    why: str | None = None
    """Why there is nothing."""
    break_due: bool = False


@dataclass(frozen=True, slots=True)
class Invitation:
    """A person, and the token that lets them in; the token is known only now."""

    person: str
    token: str
