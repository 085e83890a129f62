"""Lines of JSON, which are kept as they were written; only the necessary keys are read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tactful.errors import InputError
from tactful.libraries import Library

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")


class RowsError(InputError):
    """Some rows cannot be used; the caller adds where they are."""


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_MAY_BE_HALF = r"\\u[dD]"
_UNKNOWN = r"\ufffd"
UNUSED = "\0 a key that no line has"


def readable(lines: pl.Series) -> pl.Series:
    r"""Return lines without unpaired surrogates, such as the ``\ud83d`` of an emoji cut in two.

    They are not text, and a reader would refuse all lines because of one.
    """
    doubtful = lines.str.contains(_MAY_BE_HALF)
    if not doubtful.any():
        return lines
    mended = [
        readable_line(line) if doubt else line for line, doubt in zip(lines, doubtful, strict=True)
    ]
    return pl.Series(lines.name, mended, pl.String)


def readable_line(line: str) -> str:
    """Return a line without unpaired surrogates."""
    return _ESCAPE.sub(lambda found: _UNKNOWN if found["half"] else found[0], line)


def texts_of(lines: pl.Series, name: str) -> pl.Series:
    """Return the value of one key as text; null for a list or an object."""
    schema = pl.Struct({name: pl.String})
    try:
        return lines.str.json_decode(schema).struct.field(name)
    except pl.exceptions.PolarsError:
        pass  # one of them is not text, and only that one must be left out
    texts: list[str | None] = []
    for at in range(len(lines)):
        try:
            texts += lines[at : at + 1].str.json_decode(schema).struct.field(name).to_list()
        except pl.exceptions.PolarsError:
            texts.append(None)
    return pl.Series(name, texts, pl.String)


def lines_as_table(lines: pl.Series, names: Sequence[str] = ()) -> pl.DataFrame:
    """Return lines as a table with all keys, and always with ``names``.

    Values of one key that have no type in common, such as yes and 1, are text.
    """
    if not len(lines):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.Null))
    lines = readable(lines)
    try:
        table = _read(lines)
    except pl.exceptions.PolarsError:
        table = _key_by_key(lines)
    absent = [name for name in names if name not in table.columns]
    if not table.width:
        table = pl.DataFrame({UNUSED: [None] * len(lines)})
    table = table.with_columns(pl.lit(None, pl.Null).alias(name) for name in absent)
    return table.drop(UNUSED, strict=False)


def schema_of(lines: pl.Series) -> pl.Schema:
    """Return the columns that lines have as a table, in the order in which they first occur.

    With more than 32 keys the fast reader gives another order each time, and a run that is resumed
    must have the columns that it began with.
    """
    schema = lines_as_table(lines).schema
    try:
        rows = [json.loads(line) for line in readable(lines)]
    except RecursionError:
        return schema
    return pl.Schema(_in_order(pl.Struct(schema), rows).to_schema())


def _in_order(kind: pl.Struct, values: Iterable[Any]) -> pl.Struct:
    objects = [each for each in values if isinstance(each, dict)]
    fields = kind.to_schema()
    names = dict.fromkeys((*(key for each in objects for key in each), *fields))
    return pl.Struct(
        {
            name: _inner_in_order(fields[name], [each.get(name) for each in objects])
            for name in names
            if name in fields
        }
    )


def _inner_in_order(kind: Any, values: list[Any]) -> Any:
    if isinstance(kind, pl.List):
        inner = [item for each in values if isinstance(each, list) for item in each]
        return pl.List(_inner_in_order(kind.inner, inner))
    return _in_order(kind, values) if isinstance(kind, pl.Struct) else kind


def _read(lines: Iterable[str]) -> pl.DataFrame:
    return pl.read_ndjson(io.BytesIO("\n".join(lines).encode("utf-8")), infer_schema_length=None)


def _key_by_key(lines: pl.Series) -> pl.DataFrame:
    """Read each key separately, so that one with mixed types does not affect the others."""
    try:
        rows = [json.loads(line, object_pairs_hook=first_of_each) for line in lines]
    except RecursionError:
        raise RowsError(
            "found lines that do not fit into one table, and are nested deeply; expected JSON "
            "objects with the same kinds of values."
        ) from None
    return pl.DataFrame([_values(rows, name) for name in dict.fromkeys(k for r in rows for k in r)])


def first_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Take the first value of a repeated key, as the fast reader does."""
    return {**dict(pairs), **dict(reversed(pairs))}


def _values(rows: Sequence[dict[str, Any]], name: str) -> pl.Series:
    alone = ({name: row[name]} if name in row else {} for row in rows)
    try:
        return _read(json.dumps(each) for each in alone)[name]
    except pl.exceptions.PolarsError:
        values = (row.get(name) for row in rows)
        texts = [
            each if each is None or isinstance(each, str) else json.dumps(each, ensure_ascii=False)
            for each in values
        ]
        return pl.Series(name, texts, pl.String)


def refuse_taken(lines: pl.Series, names: Sequence[str]) -> None:
    """Refuse lines with a key that is to be added, and that the first lines did not have."""
    written = {name: json.dumps(name, ensure_ascii=False) for name in names}
    refuse_keys(lines.filter(lines.str.contains_any(list(written.values()))), written)


def refuse_keys(lines: Iterable[str], written: Mapping[str, str]) -> None:
    """Refuse lines with one of these keys, each with how JSON writes it."""
    for line in lines:
        for name, coded in written.items():
            if coded in line and _has_key(line, name):
                raise RowsError(
                    f"found a line that has the key '{name}', which the first lines do not have; "
                    "expected no key of that name, as a column of scores gets it; pass --prefix, "
                    "such as --prefix new_."
                )


def _has_key(line: str, name: str) -> bool:
    try:
        return name in json.loads(line)
    except RecursionError:  # the other reader goes somewhat deeper
        try:
            values = pl.Series([line]).str.json_decode(pl.Struct({name: pl.String}))
        except pl.exceptions.PolarsError:
            return True  # with a list or an object, which is not text
        return values.struct.field(name).null_count() == 0
