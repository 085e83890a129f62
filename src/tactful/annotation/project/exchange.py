"""The records that come into a project, and those that go out to annotators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
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
class NewSuggestion:
    """Suggested answers to one step, from a detector or from a file."""

    step: str
    answers: Mapping[str, Any]
    source: str
    """The detector, or the tool that the file came from."""


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
    suggestions: tuple[NewSuggestion, ...] = ()
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
    own: int | None = None
    """In a discussion: which of ``others`` is the person's own answer."""
    remarks: tuple[tuple[str, str], ...] = ()
    """What was said about a disputed item: the letter of an annotator, or nothing for somebody who
    may decide, and the text."""
    again: bool = False
    """Whether the person skipped it before; skipped items come back once."""
    suggestion: Mapping[str, Any] | None = None
    """Suggested answers, which the person confirms, changes or refuses; None for none, and for
    those who judge blind."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a person is to judge now."""

    items: tuple[PageItem, ...] = ()
    left: int | None = None
    """How many more they may judge today; None without a limit."""
    why: str | None = None
    """Why the page is empty."""
    break_due: bool = False
    today: int = 0
    """How many items they have judged today (UTC)."""
    ahead: int = 0
    """How many items the browser may hold besides the one on the screen."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A person and their access token, which is not stored."""

    person: str
    token: str


def letter_at(place: int) -> str:
    """Return what the annotator at a place is called for others: A, B … Z, then A2, B2 …"""
    times, at = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[at] + (str(times + 1) if times else "")
