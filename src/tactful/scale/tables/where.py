"""The condition that selects rows, in SQL, so that it can do nothing else.

It is answered for a piece of the input at a time, so it must look at one row only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tactful.errors import UsageError
from tactful.libraries import Library
from tactful.scale.tables.json_lines import RowsError

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

_SEVERAL = re.compile(r"\b(?:over|unnest)\s*\(", re.IGNORECASE)
"""A window over rows, or a list that becomes rows."""
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


def where_expression(where: str) -> pl.Expr:
    """Parse a condition; one that depends on several rows is refused."""
    try:
        found = pl.sql_expr(where)
        looks_around = _SEVERAL.search(_QUOTED.sub("", where)) or any(map(_gathers, _inside(found)))
    except pl.exceptions.PolarsError as error:
        raise UsageError(
            f"Found --where '{where}', which cannot be read ({first_line(error)}); expected a "
            "condition such as \"likes > 3 AND lang = 'en'\"."
        ) from None
    if looks_around:
        raise UsageError(
            f"Found --where '{where}', which looks at several rows; expected a condition on one "
            "row, such as likes > 3."
        )
    if not found.meta.root_names():
        raise UsageError(
            f"Found --where '{where}', which looks at no column; expected a condition such as "
            "likes > 3."
        )
    return found


def wanted_rows(fields: pl.DataFrame, where: str) -> pl.Series:
    """Say of each row whether it is selected; null counts as false."""
    condition = where_expression(where).alias("wanted")
    try:
        try:
            wanted = fields.select(condition).to_series()
        except pl.exceptions.PolarsError:
            # A column without any value has no type, and some conditions need one.
            wanted = fields.with_columns(pl.col(pl.Null).cast(pl.String)).select(condition)[
                "wanted"
            ]
    except pl.exceptions.PolarsError as error:
        raise RowsError(
            f"--where '{where}' cannot be evaluated for these rows ({first_line(error)}); compare "
            "numbers in text columns as CAST(likes AS INT) > 3."
        ) from None
    if wanted.dtype not in (pl.Boolean, pl.Null) or len(wanted) != len(fields):
        raise UsageError(
            f"Found --where '{where}', which gives {wanted.dtype} and not true or false for each "
            "row; expected a condition such as likes > 3."
        )
    return wanted.cast(pl.Boolean).fill_null(value=False)


def _inside(expression: pl.Expr) -> Iterator[pl.Expr]:
    yield expression
    for part in expression.meta.pop():
        yield from _inside(part)


def _gathers(part: pl.Expr) -> bool:
    """Say whether a part of a condition aggregates rows, such as a mean."""
    meta = part.meta
    if not meta.pop():
        return not meta.is_literal() and not meta.is_column()
    try:
        return bool(meta.root_names()) and meta.is_scalar()
    except pl.exceptions.ColumnNotFoundError:
        return False  # an expression that depends on a column's type works row by row


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
