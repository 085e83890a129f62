"""The records that come into a project, and those that go out to annotators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """A judgement that was made elsewhere and is imported with its item."""

    annotator: str
    """Their id; an unknown person is added, without a way to sign in."""
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
    """Texts shown beside it, by name."""
    meta: Mapping[str, str] = field(default_factory=dict)
    """Columns that annotators never see."""
    gold: Mapping[str, Any] | None = None
    """The right answers (question -> answer), which make it a hidden test."""
    priority: float = 0.0
    """Items with a higher one come first."""
    answers: tuple[NewAnswer, ...] = ()
    place: str = ""
    """Where it was read, such as ``texts.csv, line 3``, for errors."""
    made_id: bool = False
    """Whether the id was made from a file name and a number, because the file has none: a text from
    another file of the same name may have the same id."""


@dataclass(frozen=True, slots=True)
class PageItem:
    """One item that a person is to judge."""

    handle: str
    """An opaque name for the item, the only one that a browser sees."""
    item: str
    """The id, which stays on the server."""
    step: str
    text: str
    context: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Mapping[str, Any], ...] = ()
    """For a referee: the answers in the step that sent the item here, in an order that does not
    reveal who gave them. Always empty for annotators, who must not see the answers of others."""
    again: bool = False
    """Whether the person skipped it before; skipped items come back once."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a person is to judge now."""

    items: tuple[PageItem, ...] = ()
    left: int | None = None
    """How many more they may judge today; None without a limit."""
    why: str | None = None
    """Why the page is empty."""
    break_due: bool = False


@dataclass(frozen=True, slots=True)
class Invitation:
    """A person and their access token, which is not stored."""

    person: str
    token: str
