"""Training data: texts, labels, the annotators' shares, hints, groups and contexts.

A hint is something that annotators said and that no reader of a new text knows: implicitness, the
target, sarcasm. The switch "meta" learns to predict it.

The context of a sentence are its neighbours and the comment that is replied to; DETESTS 2022
(section 6) names it as something that no participant tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True, eq=False)
class StereotypeLesson:
    """Texts with a row of labels each; everything else may be unknown."""

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    table: Flags
    """One row for each text, one column for each label."""
    groups: tuple[str, ...]
    """Texts of one group (a speech, an article, a comment) are in the same fold."""
    shares: Numbers
    """The share of annotators who say yes; the label itself where no annotators are known."""
    contexts: tuple[Context, ...]
    hints: Mapping[str, Numbers] = field(default_factory=dict)
    """Name -> 0 or 1 for each text, NaN where nobody was asked."""
    sources: Places = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Row -> the row that it was made of; empty where no row was made."""
    about: tuple[Mapping[str, Any], ...] = ()
    """The corpora, as a card lists them."""

    def disagreement(self) -> bool:
        """Say whether any annotator disagrees with a label."""
        return bool((self.shares != self.table).any())

    def made(self) -> Flags:
        """Say which rows are not the corpus's own."""
        rows = np.arange(len(self.texts))
        return self.sources != rows if len(self.sources) else np.zeros(len(rows), dtype=np.bool_)

    def part(self, rows: ArrayLike) -> "StereotypeLesson":
        """Return some of the rows, in the order given."""
        places = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            texts=tuple(self.texts[row] for row in places),
            table=self.table[places],
            groups=tuple(self.groups[row] for row in places),
            shares=self.shares[places],
            contexts=tuple(self.contexts[row] for row in places),
            hints={name: column[places] for name, column in self.hints.items()},
            sources=np.zeros(0, dtype=np.int64),
        )

    def only(self, labels: Sequence[str]) -> "StereotypeLesson":
        """Return the same texts with some of the labels."""
        columns = [self.labels.index(name) for name in labels]
        return replace(
            self,
            labels=tuple(labels),
            table=self.table[:, columns],
            shares=self.shares[:, columns],
        )

    def with_made(self, rows: Sequence[int], texts: Sequence[str]) -> "StereotypeLesson":
        """Add texts that were made of rows of this lesson and keep their labels and groups."""
        sources = np.array([*range(len(self.texts)), *rows], dtype=np.int64)
        return replace(self.part(sources), texts=(*self.texts, *texts), sources=sources)

    def fingerprint(self) -> str:
        """Return a hash of texts, labels and shares: equal data, equal hash."""
        digest = sha256(repr(self.labels).encode())
        for text, flags, row in zip(self.texts, self.table, self.shares, strict=True):
            line = repr((text, flags.tolist(), row.tolist()))
            digest.update(line.encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


def make_lesson(
    texts: Sequence[str],
    table: ArrayLike,
    labels: Sequence[str] = ("stereotype",),
    *,
    groups: Sequence[str] | None = None,
    shares: ArrayLike | None = None,
    contexts: Sequence[Context] | None = None,
    hints: Mapping[str, ArrayLike] | None = None,
    about: Sequence[Mapping[str, Any]] = (),
) -> StereotypeLesson:
    """Check the training data and put it together; without groups each text is its own."""
    size = len(texts)
    found = _table(table, size)
    if not size or found.shape[1] != len(labels) or not np.isin(found, (0, 1)).all():
        raise InputError(
            f"Found {size:,} texts and labels of shape {found.shape}; expected at least one text "
            f"and {len(labels)} labels of 0 or 1 for each."
        )
    soft = found if shares is None else _table(shares, size)
    if soft.shape != found.shape or not ((soft >= 0) & (soft <= 1)).all():
        raise InputError(
            f"Found annotators' shares of shape {soft.shape}; expected numbers from 0 to 1, one "
            f"for each of {size:,} texts and {len(labels)} labels."
        )
    columns = {name: np.asarray(each, dtype=np.float64) for name, each in (hints or {}).items()}
    sizes = {"groups": groups, "contexts": contexts, **columns}
    for name, each in sizes.items():
        if each is not None and len(each) != size:
            raise InputError(
                f"Found {len(each):,} entries of {name}; expected one for each of {size:,} texts."
            )
    return StereotypeLesson(
        tuple(labels),
        tuple(texts),
        found.astype(np.bool_),
        tuple(groups) if groups is not None else tuple(map(str, range(size))),
        soft,
        tuple(contexts) if contexts is not None else (NO_CONTEXT,) * size,
        columns,
        about=tuple(about),
    )


def _table(values: ArrayLike, size: int) -> Numbers:
    found = np.asarray(values, dtype=np.float64)
    return found.reshape(-1, 1) if found.ndim == 1 or not size else found


def group_folds(groups: Sequence[str], table: Flags, folds: int, seed: int) -> Places:
    """Return the number of the fold of each row: groups stay whole, labels stay in balance.

    Groups are dealt from the largest to the smallest, each into the fold that lacks most of what
    it has; equal ones by the seed. Fewer groups than folds give fewer folds.
    """
    names, places = np.unique(np.asarray(groups, dtype=np.str_), return_inverse=True)
    counts = np.zeros((len(names), table.shape[1] + 1))
    np.add.at(counts, places, np.concatenate([table, np.ones((len(table), 1))], axis=1))
    folds = min(folds, len(names))
    # A rare label weighs as much as a frequent one, and the number of rows as one label.
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    order = np.random.default_rng([seed, 17]).permutation(len(names))
    order = order[np.argsort(-shares[order].sum(axis=1), kind="stable")]
    held = np.zeros((folds, counts.shape[1]))
    chosen = np.zeros(len(names), dtype=np.int64)
    for group in order:
        lack = (held * shares[group]).sum(axis=1) + 1e-9 * held.sum(axis=1)
        chosen[group] = int(np.argmin(lack))
        held[chosen[group]] += shares[group]
    return chosen[places]


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

    def neighbour(row: int, at: int) -> str:
        beside = order[at] if 0 <= at < len(order) else row
        return "" if beside == row or threads[beside] != threads[row] else texts[beside]

    found = [NO_CONTEXT] * len(texts)
    for at, row in enumerate(order):
        answered = replies[row]
        # The first comments of a thread reply to themselves in some releases.
        reply = "" if answered in (None, comments[row]) else whole.get(str(answered), "")
        found[row] = Context(neighbour(row, at - 1), neighbour(row, at + 1), reply)
    return tuple(found)


def place_of(code: str | None) -> tuple[int, str]:
    """Return a key that puts '9' before '12' and '12' before '12A'."""
    text = (code or "").strip()
    digits = len(text) - len(text.lstrip("0123456789"))
    return (int(text[:digits] or 0), text[digits:])
