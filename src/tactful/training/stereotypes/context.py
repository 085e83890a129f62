"""The context of a sentence: its neighbours, and the comment that is replied to.

DETESTS 2022 (section 6) names comment-level context as something that no participant tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tactful.errors import InputError


@dataclass(frozen=True, slots=True)
class Context:
    """The texts around one sentence; empty where there are none."""

    before: str = ""
    after: str = ""
    reply: str = ""

    def around(self) -> str:
        """Return the neighbours as one text."""
        return " ".join(part for part in (self.before, self.after) if part)


NO_CONTEXT = Context()


def contexts_of(
    texts: Sequence[str],
    threads: Sequence[str],
    places: Sequence[tuple[int, str]],
    comments: Sequence[str],
    replies: Sequence[str | None],
    outside: Mapping[str, str] | None = None,
) -> tuple[Context, ...]:
    """Return the context of each text.

    threads: texts of one thread are neighbours, in the order of ``places``. comments: the comment
    of each text, which ``replies`` name; a comment's text is all of its texts, in order.
    ``outside`` has comments that are known but not among the texts. No label is looked at.
    """
    sizes = {len(each) for each in (texts, threads, places, comments, replies)}
    if len(sizes) > 1:
        raise InputError(
            f"Found lists of {', '.join(map(str, sorted(sizes)))} entries; expected one thread, "
            "place, comment and reply for each text."
        )
    order = sorted(range(len(texts)), key=lambda row: (threads[row], places[row], row))
    spoken: dict[str, list[str]] = {}
    for row in order:
        spoken.setdefault(comments[row], []).append(texts[row])
    whole = {**(outside or {}), **{name: " ".join(parts) for name, parts in spoken.items()}}
    found = [NO_CONTEXT] * len(texts)
    for at, row in enumerate(order):
        before = order[at - 1] if at else None
        after = order[at + 1] if at + 1 < len(order) else None
        answered = replies[row]
        found[row] = Context(
            _neighbour(texts, threads, row, before),
            _neighbour(texts, threads, row, after),
            # The first comments of a thread reply to themselves in some releases.
            "" if answered in (None, comments[row]) else whole.get(str(answered), ""),
        )
    return tuple(found)


def place_of(code: str | None) -> tuple[int, str]:
    """Return a key that puts '9' before '12' and '12' before '12A'."""
    text = (code or "").strip()
    digits = len(text) - len(text.lstrip("0123456789"))
    return (int(text[:digits] or 0), text[digits:])


def _neighbour(texts: Sequence[str], threads: Sequence[str], row: int, other: int | None) -> str:
    return "" if other is None or threads[other] != threads[row] else texts[other]
