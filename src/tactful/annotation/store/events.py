"""What happened in a project, one event after the other: the only thing that is stored.

Nothing is ever changed or taken away. Trust, counts, labels and status follow from the events by
:mod:`tactful.annotation.state.project_state`; to take something back is another event.
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
    "settings-changed",
]
KINDS: tuple[str, ...] = get_args(Kind)
"""What can happen:

``imported``
    an item came in. ``data``: text, context (name -> text shown beside it), meta (name -> value
    that is kept and not shown), gold (question -> answer; only for a hidden test), priority.
``tested``
    an item that was there became a hidden test. ``data``: gold.
``invited``
    a person was let in. ``data``: role, name, token (its hash). ``revoked`` ends it.
``consented``
    the person read the warning and agreed. ``data``: traits, what they said of themselves.
``shown``
    an item was given to somebody for a while (a lease). ``data``: until, page.
``returned``
    it was given back without an answer: its time was over, or the page was closed.
``answered``
    ``data``: answers (question -> answer), seconds (how long it took). One event for one item, one
    step and one person.
``skipped``
    the person did not want to judge it. ``data``: reason. It comes back to them once; an answer
    takes it back.
``gold-edited``
    a hidden test has another right answer. ``data``: gold, or null to make it an ordinary item.
``removed``
    somebody's judgements no longer count. ``data``: why, ``trust`` or ``owner``.
``re-admitted``
    they count again. ``data``: why.
``adjudicated``
    a referee decided. ``data``: answers, note.
``settings-changed``
    the owner changed what may be changed while a project runs. ``data``: the new values.
"""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    kind: Kind
    at: float
    """Seconds since 1970, UTC."""
    item: str | None = None
    annotator: str | None = None
    """The id of the person it is about; also that of a referee or an owner."""
    step: str | None = None
    data: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """What JSON can hold."""
    key: str | None = None
    """Of two events with one key the second is not kept: an answer sent twice counts once."""
    number: int | None = None
    """Its place in the log, from 1; given by the store."""
