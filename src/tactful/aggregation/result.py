"""What every method returns: a label per item, how sure it is, and why."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.aggregation import ties as tie
from tactful.aggregation.judgements import Judged
from tactful.ratings import Codes, Numbers

_SHOWN = 12
NO_JUDGEMENT = "nobody judged it"


@dataclass(frozen=True, slots=True)
class Answer:
    """One judgement that a label rests on; the weight is what the method gave to it."""

    annotator: str
    label: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class Why:
    """Why an item has its label, or none: in words, and as data."""

    item: str
    label: str | None
    confidence: float | None
    answers: tuple[Answer, ...]
    rule: str
    """What decided beyond the answers: a tie rule, gold, a referee; empty where nothing did."""
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class Aggregated:
    """One label per item, in the order of the table."""

    method: str
    items: tuple[str, ...]
    labels: tuple[str | None, ...]
    """None where the method cannot say; ``why`` has the reason."""
    confidence: tuple[float | None, ...]
    """From 0 to 1; None without a label, or where the method knows no confidence."""
    classes: tuple[str, ...]
    """All labels that the method can give: the columns of the posteriors."""
    posteriors: Numbers | None
    """Items by classes; each row adds up to 1, or is NaN where there is nothing to go by."""
    why: "Reasons"
    notes: tuple[str, ...]
    """What a reader of the labels should know, in sentences."""

    def __len__(self) -> int:
        return len(self.items)

    def label_of(self) -> dict[str, str | None]:
        """Return the labels by item."""
        return dict(zip(self.items, self.labels, strict=True))

    def table(self, soft: bool = False, why: bool = False) -> pl.DataFrame:
        """Return item, label and confidence; with ``soft`` also a column per class.

        The column ``why`` always says why a label is missing, and with ``why`` all the rest, too.
        """
        columns = {
            "item": pl.Series(self.items, dtype=pl.String),
            "label": pl.Series(self.labels, dtype=pl.String),
            "confidence": pl.Series(self.confidence, dtype=pl.Float64),
        }
        if soft and self.posteriors is not None:
            for at, name in enumerate(self.classes):
                column = pl.Series(self.posteriors[:, at], dtype=pl.Float64)
                columns[f"probability.{name}"] = column.fill_nan(None)
        reasons = [
            self.why[at].text if why or label is None else None
            for at, label in enumerate(self.labels)
        ]
        columns["why"] = pl.Series(reasons, dtype=pl.String)
        return pl.DataFrame(columns)


class Reasons(Sequence[Why]):
    """The reasons of all items, each written when it is asked for."""

    def __init__(
        self,
        judged: Judged,
        basis: "Basis",
        items: tuple[str, ...],
        labels: tuple[str | None, ...],
        confidence: tuple[float | None, ...],
    ):
        self._judged, self._basis = judged, basis
        self._items, self._labels, self._confidence = items, labels, confidence

    @cached_property
    def _start(self) -> Codes:
        """The first judgement of each item."""
        item = self._judged.ratings.item
        return np.searchsorted(item, np.arange(self._judged.item_order.size + 1))

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Why]:
        return (self._why(at) for at in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Why: ...
    @overload
    def __getitem__(self, index: slice) -> list[Why]: ...
    def __getitem__(self, index: int | slice) -> Why | list[Why]:
        if isinstance(index, slice):
            return [self._why(at) for at in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._why(index % len(self))

    def _why(self, at: int) -> Why:
        place = int(self._judged.place[at])
        label, confidence = self._labels[at], self._confidence[at]
        answers = self._answers(place) if place >= 0 else ()
        rule = self._basis.rule(place) if place >= 0 else self._basis.nothing
        head = f"no label: {rule}" if label is None else f"{label}"
        if label is not None and confidence is not None:
            head += f": {self._basis.measure} {confidence:.4g}"
        tail = f"; {rule}" if label is not None and rule else ""
        given = f"; {self._sentence(answers)}" if answers else ""
        return Why(self._items[at], label, confidence, answers, rule, f"{head}{given}{tail}.")

    def _answers(self, place: int) -> tuple[Answer, ...]:
        ratings, weight = self._judged.ratings, self._basis.weight
        return tuple(
            Answer(
                ratings.annotators[ratings.annotator[row]],
                ratings.labels[ratings.label[row]],
                None if weight is None else float(weight[row]),
            )
            for row in range(self._start[place], self._start[place + 1])
        )

    def _sentence(self, answers: tuple[Answer, ...]) -> str:
        by_label: dict[str, list[str]] = {}
        for answer in answers[:_SHOWN]:
            weight = "" if answer.weight is None else f" ({answer.weight:.3g})"
            by_label.setdefault(answer.label, []).append(f"{answer.annotator}{weight}")
        said = "; ".join(f"{label} by {', '.join(who)}" for label, who in sorted(by_label.items()))
        more = f" and {len(answers) - _SHOWN} more" if len(answers) > _SHOWN else ""
        kind = f" ({self._basis.weight_name} in brackets)" if self._basis.weight is not None else ""
        noun = "judgement" if len(answers) == 1 else "judgements"
        return f"{len(answers)} {noun}{kind}: {said}{more}"


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """What the reasons of one method speak of."""

    measure: str
    """What the confidence is, such as "share of the trust"."""
    rule: Callable[[int], str]
    """What decided about the item at a place, beyond its answers."""
    weight: Numbers | None = None
    """What each judgement weighed."""
    weight_name: str = ""
    nothing: str = NO_JUDGEMENT
    """Why an item that is not among the judged ones has no label."""


def tie_rule(
    tied: NDArray[np.bool_],
    scores: Numbers,
    classes: tuple[str, ...],
    ties: str,
    seed: int,
    known: Codes | None = None,
) -> Callable[[int], str]:
    """Return what says "tie between no and yes", with the policy, or that the item was known."""
    sentence = tie.RULES.get(ties, "").format(seed=seed)

    def say(place: int) -> str:
        if known is not None and known[place] >= 0:
            return "known from gold"
        if not tied[place]:
            return ""
        best = tie.best_of(scores[place : place + 1])[0]
        names = [classes[at] for at in np.flatnonzero(best)]
        return f"tie between {', '.join(names[:-1])} and {names[-1]}, {sentence}"

    return say


def settle(
    items: tuple[str, ...],
    judged: Judged,
    scores: Numbers,
    *,
    ties: str,
    seed: int,
    measure: str,
    weight: Numbers | None = None,
    weight_name: str = "",
    nothing: str = NO_JUDGEMENT,
    posteriors: Numbers | None = None,
    classes: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Turn the scores of each item into the fields of a result.

    The scores are the posteriors, and the labels of the table the classes, unless they are given.
    """
    classes = judged.table.labels if classes is None else classes
    shown = scores if posteriors is None else posteriors
    chosen, tied = tie.choose(scores, ties, judged.items, classes, seed)
    chosen = np.where(judged.known >= 0, judged.known, chosen)
    open_ties = int((chosen == tie.NO_LABEL).sum())
    if open_ties:
        notes = (*notes, tie.note_on(open_ties, chosen.size))
    best = shown[np.arange(chosen.size), np.maximum(chosen, 0)] if shown.size else np.zeros(0)
    labels, confidence = named(judged, classes, chosen, best)
    rule = tie_rule(tied, scores, classes, ties, seed, judged.known)
    basis = Basis(measure, rule, weight, weight_name, nothing)
    return {
        "items": items,
        "labels": labels,
        "confidence": confidence,
        "classes": classes,
        "posteriors": judged.spread(shown)[:, : len(classes)],
        "why": Reasons(judged, basis, items, labels, confidence),
        "notes": (*judged.notes, *notes),
    }


def named(
    judged: Judged, classes: tuple[str, ...], chosen: Codes, confidence: Numbers
) -> tuple[tuple[str | None, ...], tuple[float | None, ...]]:
    """Write codes as labels, in the order of the table; no label has no confidence."""
    at_table = np.where(judged.place >= 0, np.append(chosen, -1)[judged.place], -1)
    sure = np.append(confidence, np.nan)[judged.place]
    # The last one, at -1, is for no label.
    labels = tuple(map((*classes, None).__getitem__, at_table.tolist()))
    numbers = sure.astype(object)
    numbers[at_table < 0] = None
    return labels, tuple(numbers.tolist())
