"""The dimensions of stigma, which a user may bring: one number for each condition.

Pachankis et al. (2018) rate 93 stigmas on six: concealability, course, disruptiveness, aesthetics,
origin and peril. Tactful has none of their ratings; any column of numbers will do.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from tactful.errors import FileFormatError, UnknownNameError, UsageError
from tactful.files import csv_rows, open_text
from tactful.registry import unknown_name
from tactful.words import counted

CONDITION = "condition"

Dimensions = dict[str, dict[str, float]]
"""Condition -> dimension -> number; an empty field of the file is left out."""


def read_dimensions(path: Path, conditions: pl.DataFrame) -> Dimensions:
    """Read a CSV with the column ``condition`` and any columns of numbers.

    The column may hold ids or names of the ``conditions`` of a run; the keys of the result are ids.
    """
    with open_text(path) as handle:
        rows = csv_rows(path, handle)
        first = next(rows, None)
        if first is None:
            raise FileFormatError(f"{path}: found an empty file; expected a table.")
        names = _header(path, first[1])
        found: Dimensions = {}
        for line, row in rows:
            if not any(field.strip() for field in row):
                continue
            place = f"{path}, line {line}"
            if len(row) != len(names):
                raise FileFormatError(
                    f"{place}: found {len(row)} fields; expected {len(names)}, as in the first "
                    "line; correct the row."
                )
            fields = {name: field.strip() for name, field in zip(names, row, strict=True)}
            condition = _condition(place, fields.pop(CONDITION), conditions)
            if condition in found:
                raise FileFormatError(
                    f"{place}: found the condition '{condition}' again; expected it once; "
                    "remove one row."
                )
            found[condition] = {
                name: _number(place, name, text) for name, text in fields.items() if text and name
            }
    if not found:
        raise FileFormatError(f"{path}: found no rows; expected one for each condition; add them.")
    return found


def by_id(dimensions: Mapping[str, Mapping[str, float]], conditions: pl.DataFrame) -> Dimensions:
    """Return the same by the ids of the conditions, where they are named by ids or names."""
    resolved: Dimensions = {}
    for name, numbers in dimensions.items():
        condition = find_condition(name, conditions)
        if condition in resolved:
            raise UsageError(
                f"The dimensions name the condition '{condition}' twice; expected it once."
            )
        resolved[condition] = dict(numbers)
    return resolved


def find_condition(name: str, conditions: pl.DataFrame) -> str:
    """Return the id of a condition from its id or its name, whatever the case of its letters."""
    ids: list[str] = conditions["condition"].to_list()
    if name in ids:
        return name
    folded = conditions["name"].str.to_lowercase()
    named: list[str] = conditions.filter(folded == name.lower())["condition"].to_list()
    if len(named) == 1:
        return named[0]
    if named:
        raise UsageError(
            f"The name '{name}' stands for {counted(len(named), 'condition')}: "
            f"{', '.join(named)}; expected one; write the id."
        )
    raise unknown_name("condition", name, [*ids, *conditions["name"].to_list()])


def _condition(place: str, text: str, conditions: pl.DataFrame) -> str:
    if not text:
        raise FileFormatError(
            f"{place}: found no condition; expected its id or name; fill it in or remove the row."
        )
    try:
        return find_condition(text, conditions)
    except UnknownNameError as error:
        # The whole list would be a page long.
        guess = f"; is it '{error.nearest}'?" if error.nearest else "."
        raise FileFormatError(
            f"{place}: found the condition '{text}'; expected the id or the name of one of the "
            f"{counted(len(conditions), 'condition')} of the probe{guess}"
        ) from None
    except UsageError as error:
        raise FileFormatError(f"{place}: {error}") from None


def _number(place: str, name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FileFormatError(
            f"{place}: column '{name}': found {text[:40]!r}; expected a number or nothing; "
            "correct it."
        )
    return number


def _header(path: Path, row: list[str]) -> list[str]:
    names = [name.strip() for name in row]
    if CONDITION not in names:
        raise FileFormatError(
            f"{path}, line 1: found the columns {', '.join(names)[:200]}; expected also "
            f"'{CONDITION}'; name the column that holds the conditions so."
        )
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise FileFormatError(
            f"{path}, line 1: found the column '{twice}' twice; expected it once; remove one."
        )
    if not any(name and name != CONDITION for name in names):
        raise FileFormatError(
            f"{path}, line 1: found no other column than '{CONDITION}'; expected a column of "
            "numbers for each dimension; add one."
        )
    return names
