"""The one table of judgements: ``item``, ``annotator``, ``label``, a row each.

Agreement and aggregation both start from it. It may be sparse, uneven and in any order; a missing
label is no judgement. Inside, names become numbers once, and everything after is arrays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.errors import InputError
from tactful.registry import unknown_name

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]

_SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Judgements as numbers: ``items[item[i]]`` was called ``labels[label[i]]`` by an annotator.

    Items and annotators stand in the order in which they first appear; labels are sorted, as
    numbers where all of them are numbers.
    """

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: Codes
    annotator: Codes
    label: Codes
    trust: Numbers | None = None
    """How far each judgement's annotator is trusted, where the table says so."""
    missing: int = 0
    """Rows without a label; they are no judgements."""

    def __len__(self) -> int:
        return int(self.item.size)

    @property
    def values(self) -> Numbers | None:
        """The labels as numbers, if all of them are: what ordinal and interval measures need."""
        try:
            return np.array([float(label) for label in self.labels])
        except ValueError:
            return None

    def counts(self, weights: Numbers | None = None) -> Numbers:
        """Return how often (or with which weight) each item got each label: items by labels."""
        width = max(len(self.labels), 1)
        flat = np.bincount(
            self.item * width + self.label, weights, minlength=len(self.items) * width
        )
        return flat.reshape(len(self.items), width).astype(np.float64)

    def keep(self, mask: NDArray[np.bool_]) -> "Ratings":
        """Return the judgements where ``mask`` is true; items, annotators and labels stay."""
        return Ratings(
            self.items,
            self.annotators,
            self.labels,
            self.item[mask],
            self.annotator[mask],
            self.label[mask],
            None if self.trust is None else self.trust[mask],
            self.missing,
        )


def read_ratings(
    table: Any,
    *,
    item: str = "item",
    annotator: str = "annotator",
    label: str = "label",
    trust: str | None = None,
) -> Ratings:
    """Turn a table into :class:`Ratings`.

    ``table`` is a polars or pandas frame, a mapping of columns, or rows of (item, annotator,
    label). An annotator who judges an item twice is an error: nobody could say which one counts.
    """
    frame = _frame(table, (item, annotator, label))
    wanted = [item, annotator, label, *([trust] if trust else [])]
    for name in wanted:
        if name not in frame.columns:
            raise InputError(str(unknown_name("column", name, frame.columns)))
    frame = frame.select(
        pl.col(item).cast(pl.String).alias("item"),
        pl.col(annotator).cast(pl.String).alias("annotator"),
        _as_label(frame[label]).alias("label"),
        *([pl.col(trust).cast(pl.Float64).alias("trust")] if trust else []),
    )
    for name in ("item", "annotator"):
        if absent := frame[name].null_count():
            raise InputError(f"Found {absent:,} rows without {name}; expected one in each row.")
    answered = frame.filter(pl.col("label").is_not_null())
    _refuse_repeated(answered)
    items, item_codes = _codes(answered["item"])
    annotators, annotator_codes = _codes(answered["annotator"])
    found, found_codes = _codes(answered["label"])
    labels, order = _sorted_labels(found)
    return Ratings(
        items,
        annotators,
        labels,
        item_codes,
        annotator_codes,
        order[found_codes] if found_codes.size else found_codes,
        _trust(answered) if trust else None,
        frame.height - answered.height,
    )


def _frame(table: Any, names: tuple[str, str, str]) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, Mapping):
        return pl.DataFrame(dict(table))
    if isinstance(table, Sequence):
        return pl.DataFrame(table, schema=list(names), orient="row")
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        # A pandas frame: taken column by column, so that pyarrow is not needed.
        return pl.DataFrame({str(name): table[name].tolist() for name in table.columns})
    raise InputError(
        f"Found a {type(table).__name__}; expected a polars or pandas frame, a mapping of columns, "
        "or rows of item, annotator and label."
    )


def _as_label(column: pl.Series) -> pl.Series:
    """Write labels as text: 1 and 1.0 are the same label, NaN and nothing are none."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = (column.drop_nulls() == column.drop_nulls().round()).all()
        column = column.cast(pl.Int64) if whole else column
    if column.dtype == pl.Boolean:
        column = column.cast(pl.Int8)
    text = column.cast(pl.String)
    return text.set(text == "", None)


def _codes(column: pl.Series) -> tuple[tuple[str, ...], Codes]:
    names = column.unique(maintain_order=True)
    lookup = names.to_frame("name").with_row_index("code")
    codes = column.to_frame("name").join(lookup, on="name", how="left", maintain_order="left")
    return tuple(names), codes["code"].cast(pl.Int64).to_numpy()


def _sorted_labels(found: tuple[str, ...]) -> tuple[tuple[str, ...], Codes]:
    try:
        ranked = sorted(range(len(found)), key=lambda at: float(found[at]))
    except ValueError:
        ranked = sorted(range(len(found)), key=lambda at: found[at])
    order = np.empty(len(found), dtype=np.int64)
    order[ranked] = np.arange(len(found))
    return tuple(found[at] for at in ranked), order


def _refuse_repeated(frame: pl.DataFrame) -> None:
    repeated = (
        frame.group_by("item", "annotator", maintain_order=True).len().filter(pl.col("len") > 1)
    )
    if repeated.height:
        shown = ", ".join(
            f"{annotator!r} on {item!r}" for item, annotator, _ in repeated.head(_SHOWN).iter_rows()
        )
        raise InputError(
            f"Found {repeated.height:,} pairs of item and annotator with several labels ({shown}); "
            "expected one label each; choose one question of the table, or remove the others."
        )


def _trust(frame: pl.DataFrame) -> Numbers:
    trust = frame["trust"]
    wrong = trust.is_null() | trust.is_nan() | ~trust.is_between(0, 1)
    if wrong.any():
        raise InputError(
            f"Found {int(wrong.sum()):,} judgements whose trust is missing or not from 0 to 1; "
            "expected a number from 0 to 1 in each row."
        )
    return trust.to_numpy()
