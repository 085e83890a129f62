"""The one table of judgements: ``item``, ``annotator``, ``label``, a row each.

Agreement and aggregation both start from it. It may be sparse, uneven and in any order; a missing
label is no judgement. Inside, names become numbers once, and everything after is arrays.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name
from tactful.words import counted

Codes = NDArray[np.int64]
Numbers = NDArray[np.float64]
Repeated = Literal["error", "first", "last", "drop"]
"""What becomes of several judgements of one item by one annotator."""

_SHOWN = 3
_WHOLE = re.compile(r"^([+-]?\d+)\.0+$")


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
        numbers = [_number(label) for label in self.labels]
        return None if None in numbers else np.array(numbers, dtype=np.float64)

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
    repeated: Repeated = "error",
) -> Ratings:
    """Turn a table into :class:`Ratings`.

    ``table`` is a polars or pandas frame, a mapping of columns, or rows of (item, annotator,
    label). An annotator who judges an item twice is an error: nobody could say which one counts.
    With ``repeated`` the caller says it: the first, the last, or none of them (``"drop"``).
    """
    if repeated not in ("error", "first", "last", "drop"):
        raise UsageError(f"Found repeated={repeated!r}; expected error, first, last or drop.")
    frame = as_frame(table, (item, annotator, label))
    for name in [item, annotator, label, *([trust] if trust else [])]:
        if name not in frame.columns:
            raise InputError(str(unknown_name("column", name, frame.columns)))
    columns = {
        name: _checked(frame[column], column)
        for name, column in (("item", item), ("annotator", annotator), ("label", label))
    }
    for name in ("item", "annotator"):
        if absent := columns[name].null_count():
            raise InputError(
                f"Found {counted(absent, 'row')} without {name}; expected one in each row."
            )
    if trust:
        columns["trust"] = _as_number(frame[trust], trust)
    found, found_codes = _codes(columns["label"])
    labels, order = _sorted_labels([_label(name) for name in found])
    label_codes = order[found_codes] if found_codes.size else found_codes
    answered = label_codes >= 0
    if not answered.all():
        columns = {name: column.filter(pl.Series(answered)) for name, column in columns.items()}
        label_codes = label_codes[answered]
    items, item_codes = _codes(columns["item"])
    annotators, annotator_codes = _codes(columns["annotator"])
    ratings = Ratings(
        tuple(items),
        tuple(annotators),
        labels,
        item_codes,
        annotator_codes,
        label_codes,
        _trust(columns["trust"]) if trust else None,
        int((~answered).sum()),
    )
    return _without_repeated(ratings, repeated)


def as_frame(table: Any, names: tuple[str, str, str]) -> pl.DataFrame:
    """Return a polars frame of whatever can be one; ``names`` are the columns of plain rows."""
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if isinstance(table, Mapping):
        columns = {str(name): table[name] for name in table}
    elif isinstance(table, Sequence) and not isinstance(table, str | bytes):
        columns = _columns_of_rows(table, names)
    elif hasattr(table, "columns") and hasattr(table, "to_dict"):
        # A pandas frame: taken column by column, so that pyarrow is not needed.
        columns = {str(name): table[name].tolist() for name in table.columns}
    else:
        raise InputError(
            f"Found a {type(table).__name__}; expected a polars or pandas frame, a mapping of "
            "columns, or rows of item, annotator and label."
        )
    try:
        return pl.DataFrame([_column(name, values) for name, values in columns.items()])
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise InputError(
            f"Found what makes no table ({error}); expected columns of the same length."
        ) from error


def _columns_of_rows(rows: Sequence[Any], names: tuple[str, str, str]) -> dict[str, Any]:
    for at, row in enumerate(rows):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence) or len(row) != len(names):
            raise InputError(f"Found {row!r} as row {at}; expected {', '.join(names)}.")
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return dict(zip(names, columns, strict=True))


def _column(name: str, values: Any) -> pl.Series:
    if isinstance(values, pl.Series | np.ndarray) and values.dtype != object:
        return pl.Series(name, values)
    return pl.Series(name, [_plain(value) for value in values], strict=False)


def _plain(value: Any) -> Any:
    """Take numpy's numbers for Python's own, and NaN among words for nothing."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def _checked(column: pl.Series, name: str) -> pl.Series:
    """Refuse lists; NaN is nothing, and yes and no are 1 and 0."""
    if column.dtype.is_nested():
        raise InputError(f"Found lists in the column '{name}'; expected one value in each row.")
    if column.dtype.is_float():
        return column.fill_nan(None)
    return column.cast(pl.Int8) if column.dtype == pl.Boolean else column


def _label(name: str | None) -> str | None:
    """Write a label in one way: 1 and 1.0 are the same, and what is blank is none."""
    plain = _WHOLE.sub(r"\1", name.strip()) if name is not None else ""
    return "0" if plain == "-0" else plain or None


def _as_number(column: pl.Series, name: str) -> pl.Series:
    numbers = column.cast(pl.Float64, strict=False)
    wrong = column.filter(numbers.is_null() & column.is_not_null())
    if wrong.len():
        raise InputError(f"Found '{wrong[0]}' in the column '{name}'; expected a number.")
    return numbers


def _number(label: str) -> float | None:
    """Read a label as a number; what only a computer takes for one (nan, inf, 1_0) is none."""
    try:
        number = float(label)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in label else None


def _codes(column: pl.Series) -> tuple[list[str], Codes]:
    """Number the different values as they first appear, and return them as text.

    Only the different ones become text: a table has many rows and few names.
    """
    names = column.unique(maintain_order=True)
    lookup = names.to_frame("name").with_row_index("code")
    codes = column.to_frame("name").join(
        lookup, on="name", how="left", maintain_order="left", nulls_equal=True
    )
    return names.cast(pl.String).to_list(), codes["code"].to_numpy().astype(np.int64)


def _sorted_labels(found: Sequence[str | None]) -> tuple[tuple[str, ...], Codes]:
    """Sort the different labels; return also the place of each found one, -1 for none."""
    names = {name for name in found if name is not None}
    numbers = {name: _number(name) for name in names}
    if None in numbers.values():
        labels = sorted(names)
    else:
        labels = sorted(names, key=lambda name: (numbers[name], name))
    places: dict[str | None, int] = {name: at for at, name in enumerate(labels)}
    return tuple(labels), np.array([places.get(name, -1) for name in found], dtype=np.int64)


def _without_repeated(ratings: Ratings, repeated: Repeated) -> Ratings:
    pair = ratings.item * max(len(ratings.annotators), 1) + ratings.annotator
    ordered = np.sort(pair)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not twice.size:
        return ratings
    if repeated == "error":
        raise InputError(_repeated(ratings, pair, twice))
    if repeated == "drop":
        return ratings.keep(~np.isin(pair, twice))
    seen = pair if repeated == "first" else pair[::-1]
    first = np.zeros(pair.size, dtype=bool)
    first[np.unique(seen, return_index=True)[1]] = True
    return ratings.keep(first if repeated == "first" else first[::-1])


def _repeated(ratings: Ratings, pair: Codes, twice: Codes) -> str:
    places, at = np.unique(pair[np.isin(pair, twice)], return_index=True)
    shown = ", ".join(
        f"{ratings.annotators[code % len(ratings.annotators)]!r} on "
        f"{ratings.items[code // len(ratings.annotators)]!r}"
        for code in places[np.argsort(at)][:_SHOWN]
    )
    pairs = "1 pair" if places.size == 1 else f"{places.size:,} pairs"
    return (
        f"Found {pairs} of item and annotator with several labels ({shown}); "
        "expected one label each; choose one question of the table, or remove the others."
    )


def _trust(trust: pl.Series) -> Numbers:
    wrong = trust.is_null() | trust.is_nan() | ~trust.is_between(0, 1)
    if wrong.any():
        raise InputError(
            f"Found {int(wrong.sum()):,} judgements whose trust is missing or not from 0 to 1; "
            "expected a number from 0 to 1 in each row."
        )
    return trust.to_numpy()
