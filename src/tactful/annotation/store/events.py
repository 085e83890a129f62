"""The events of a project, the only thing that is stored.

Events are never changed or deleted; undoing something is another event. Trust, counts, labels and
status are derived from the events by :mod:`tactful.annotation.state.project_state`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

Kind = Literal[
    "imported",
    "tested",
    "invited",
    "revoked",
    "consented",
    "shown",
    "returned",
    "answered",
    "skipped",
    "gold-edited",
    "removed",
    "re-admitted",
    "adjudicated",
    "remarked",
    "closed",
    "reopened",
    "extended",
    "worded",
    "settings-changed",
    "suggested",
    "ranked",
]
KINDS: tuple[str, ...] = get_args(Kind)
"""The kinds of events:

``imported``
    an item was added. ``data``: text, context (name -> text shown beside it), meta (name -> value
    that is kept and not shown), gold (question -> answer; only for a hidden test), priority.
``tested``
    an existing item became a hidden test. ``data``: gold.
``invited``
    a person was invited. ``data``: role, name, token (its hash); for somebody from a crowd platform
    also crowd (their id there) and screening (what they answered). ``revoked`` ends it.
``consented``
    the person read the warning and agreed. ``data``: traits.
``shown``
    an item was given to somebody for a while (a lease). ``data``: until, page; where there is a
    suggestion, ``suggestion`` is ``shown`` or ``blind``.
``returned``
    it was given back without an answer.
``answered``
    ``data``: answers (question -> answer), seconds (how long it took). One event for one item, one
    step and one person.
``skipped``
    the person skipped it. ``data``: reason. It comes back to them once; an answer cancels the
    skip.
``gold-edited``
    the right answers of a hidden test changed. ``data``: gold, or null for an ordinary item.
``removed``
    somebody's judgements no longer count. ``data``: why, ``trust`` or ``owner``.
``re-admitted``
    they count again. ``data``: why.
``adjudicated``
    a referee decided. ``data``: answers, note.
``remarked``
    somebody said something about an item that a referee is to decide in this step. ``data``: text.
``closed``
    the owner ended the collection of judgements of an item in a step. ``reopened`` undoes it.
``extended``
    the owner asked for more judgements of an item in a step. ``data``: more, how many.
``worded``
    the project was served with other questions or another guideline than before. ``data``: version
    (a short name of the wording), wording (protocol, guideline, steps). Answers belong to the last
    one before them.
``settings-changed``
    the owner changed settings. ``data``: the new values.
``suggested``
    a model or a file suggested answers to a step of an item; they count only where somebody
    confirms them. ``data``: answers, source.
``ranked``
    some items come before all others, in this order, instead of those ranked before. ``data``:
    first (ids), by, and what the ranking measured.
"""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Event:
    """One event."""

    kind: Kind
    at: float
    """Seconds since 1970, UTC."""
    item: str | None = None
    annotator: str | None = None
    """The id of the person it is about; also that of a referee or an owner."""
    step: str | None = None
    data: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """JSON data."""
    key: str | None = None
    """Unique: a second event with the same key is dropped, so an answer sent twice counts once."""
    number: int | None = None
    """Its place in the log, from 1, assigned by the store."""
