"""The one table of judgements: ``item``, ``annotator``, ``label``, a row each.

Agreement and aggregation both start from it. It may be sparse, uneven and in any order; a missing
label is no judgement. Inside, names become numbers once, and everything after is arrays.
"""

import math
import re
import secrets
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
_SEEDS = (secrets.randbits(64), secrets.randbits(64))
_ODD = tuple(
    map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93))
)
"""Multipliers whose high bits of a product are spread well."""
_BLOCK = 1 << 14
_WHOLE = re.compile(r"^([+-]?\d+)\.0+$")


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Judgements as numbers: ``items[item[i]]`` was called ``labels[label[i]]`` by an annotator.

    Items and annotators are in the order in which they first appear; labels are sorted, as
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

    Only the different ones become text: a table has many rows and few names. Values are told apart
    by two hashes of 64 bits each, with seeds that nobody knows in advance.
    """
    keys, again = (_hashed(column, seed) for seed in _SEEDS)
    first = first_of_equal(keys)
    if any(
        not np.array_equal(again.take(first[part]), again[part]) for part in _blocks(first.size)
    ):
        # Two values share a hash, which nobody will live to see: number them by sorting.
        first = first_of_equal(_hashed(column.rank("dense").fill_null(0), _SEEDS[0]))
    is_first, codes = np.empty(first.size, dtype=np.bool_), np.empty(first.size, dtype=np.int64)
    number = np.empty(first.size, dtype=np.int32)
    found = 0
    # A block at a time: new pages of memory would take more time than the numbers in them.
    for part in _blocks(first.size):
        own = first[part]
        np.equal(own, np.arange(part.start, part.start + own.size), out=is_first[part])
        np.cumsum(is_first[part], out=number[part])
        number[part] += found - 1
        found = int(number[part][-1]) + 1
        codes[part] = number.take(own)
    return column.filter(pl.Series(is_first)).cast(pl.String).to_list(), codes


def _hashed(column: pl.Series, seed: int) -> NDArray[np.uint64]:
    return np.asarray(column.hash(seed).to_numpy(), dtype=np.uint64)


def first_of_equal(keys: NDArray[np.uint64], attempt: int = 0) -> NDArray[np.int32]:
    """Return the first place of each key's value.

    Keys share the slots of a table, in which the first one stays. Those that find another key in
    their slot try again with other slots. Sorting takes five times as long.

    >>> first_of_equal(np.array([7, 5, 7, 7, 5], dtype=np.uint64)).tolist()
    [0, 1, 0, 0, 1]
    """
    if attempt == len(_ODD):  # keys that were made to collide
        _, at, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return at[inverse].astype(np.int32)
    bits = keys.size.bit_length() + 1
    odd, shift = _ODD[attempt], np.uint64(64 - bits)
    table = np.empty(1 << bits, dtype=np.int32)
    first = np.empty(keys.size, dtype=np.int32)
    others = []
    for part in reversed(_blocks(keys.size)):
        slots = ((keys[part] * odd) >> shift).view(np.int64)
        # Of several values for one slot, the last one stays.
        table[slots[::-1]] = np.arange(part.start, part.start + slots.size, dtype=np.int32)[::-1]
    for part in _blocks(keys.size):
        found = table.take(((keys[part] * odd) >> shift).view(np.int64))
        first[part] = found
        others.append(part.start + np.flatnonzero(keys.take(found) != keys[part]))
    other = np.concatenate(others) if others else np.zeros(0, dtype=np.int64)
    if other.size:
        first[other] = other[first_of_equal(keys[other], attempt + 1)]
    return first


def _blocks(size: int) -> list[slice]:
    """Cut rows into blocks whose arrays stay in the processor's cache."""
    return [slice(start, start + _BLOCK) for start in range(0, size, _BLOCK)]


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


def _pairs(ratings: Ratings) -> Codes:
    """Return a number for the item and the annotator of each judgement."""
    pair = ratings.item * max(len(ratings.annotators), 1)
    pair += ratings.annotator
    return pair


def _without_repeated(ratings: Ratings, repeated: Repeated) -> Ratings:
    ordered = _pairs(ratings)
    ordered.sort()
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not twice.size:
        return ratings
    pair = _pairs(ratings)
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
