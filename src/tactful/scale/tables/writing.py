"""Scored tables become the bytes of a part, in the format of the output."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tactful.errors import InputError
from tactful.libraries import Library
from tactful.scale.scoring import Scored, Wanted, joined, spliced
from tactful.scale.tables.delimited import delimited_line
from tactful.scale.tables.formats import Format
from tactful.scale.tables.json_lines import RowsError, lines_as_table
from tactful.scale.tables.sources import pack
from tactful.scale.tables.where import first_line

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

_WRAPPED = len('{"v":')


def part_bytes(scored: Scored, wanted: Wanted, output: Format, header: bool = True) -> bytes:
    """Return a scored table as the bytes of a file; ``header`` is that of CSV."""
    if output.kind == "jsonl" and scored.shape == "lines":
        return lines_bytes(spliced(scored, wanted), output)
    return table_bytes(joined(scored, wanted), output, header)


def lines_bytes(lines: pl.Series, output: Format) -> bytes:
    """Return lines of JSON as the bytes of a file."""
    text = "".join(f"{line}\n" for line in lines)
    return pack(text.encode("utf-8", "surrogatepass"), output.packing)


def table_bytes(table: pl.DataFrame, output: Format, header: bool = True) -> bytes:
    """Return a table as the bytes of a file."""
    try:
        return _bytes_of(table, output, header)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"Found columns that {output} cannot hold ({first_line(error)}); expected text, "
            "numbers, dates, lists or objects; write JSONL, which can."
        ) from None


def _bytes_of(table: pl.DataFrame, output: Format, header: bool) -> bytes:
    if output.kind in ("csv", "tsv"):
        text = flat(table).write_csv(separator=output.separator, include_header=header)
        return pack(text.encode("utf-8"), output.packing)
    if output.kind == "jsonl":
        return pack(without_bytes(table).write_ndjson().encode("utf-8"), output.packing)
    buffer = io.BytesIO()
    if output.kind == "parquet":
        # zstd saves a fifth of the size, but takes half as long again.
        table.write_parquet(buffer, compression="snappy")
    else:
        table.write_ipc(buffer, compression="zstd")
    return buffer.getvalue()


def header_bytes(columns: Sequence[str], output: Format) -> bytes:
    """Return the first line of a delimited file; nothing for other formats."""
    if output.kind not in ("csv", "tsv"):
        return b""
    return pack(delimited_line(columns, output.separator).encode(), output.packing)


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table that fits into CSV: lists and objects become JSON."""
    table = without_bytes(table)
    nested = [name for name, kind in table.schema.items() if kind.is_nested()]
    spans = [name for name, kind in table.schema.items() if kind == pl.Duration]
    return table.with_columns(
        *(
            pl.when(pl.col(name).is_not_null())
            .then(
                pl.struct(pl.col(name).alias("v"))
                .struct.json_encode()
                .str.slice(_WRAPPED)
                .str.head(-1)
            )
            .alias(name)
            for name in nested
        ),
        *(pl.col(name).dt.to_string("iso") for name in spans),
    )


def without_bytes(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose binary values are base64, at any depth."""
    kinds = [(name, kind) for name, kind in table.schema.items() if "Binary" in str(kind)]
    return table.with_columns(_coded(pl.col(name), kind).alias(name) for name, kind in kinds)


def _coded(values: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if isinstance(kind, pl.Struct):
        fields = _fields(kind).items()
        coded = (_coded(values.struct.field(name), each).alias(name) for name, each in fields)
        return pl.when(values.is_not_null()).then(pl.struct(coded))
    if isinstance(kind, pl.Array):
        return _coded(values.arr.to_list(), pl.List(kind.inner))
    if isinstance(kind, pl.List):
        return values.list.eval(_coded(pl.element(), _inner(kind)))
    return values.bin.encode("base64") if isinstance(kind, pl.Binary) else values


def _fields(kind: pl.Struct) -> pl.Schema:
    return pl.Schema(kind.to_schema())


def _inner(kind: pl.List | pl.Array) -> pl.DataType:
    return pl.Schema({"": kind.inner})[""]


def as_table(lines: pl.Series, schema: pl.Schema, place: str) -> pl.DataFrame:
    """Return lines of JSON as a table with the columns that the first lines of the input had."""
    try:
        found = lines_as_table(lines, list(schema))
    except RowsError as error:
        raise InputError(f"{place}: {error}") from None
    new = next((name for name in found.columns if name not in schema), None)
    if new is not None:
        raise InputError(
            f"{place}: found the key '{new}', which the first lines do not have; expected the same "
            "columns throughout; write JSONL, which keeps each line as it is."
        )
    return found.select(_as_kind(found[name], kind, place) for name, kind in schema.items())


def _as_kind(values: pl.Series, kind: pl.DataType, place: str) -> pl.Series:
    """Cast values to the type of the first lines, if that is possible without loss."""
    if values.dtype == kind:
        return values
    try:
        if _fits(values.dtype, kind):
            arranged = _arranged(pl.col(values.name), values.dtype, kind).alias(values.name)
            values = values.to_frame().select(arranged).to_series()
            made = values.cast(kind)
            if made.cast(values.dtype).equals(values):
                return made
    except pl.exceptions.PolarsError:
        pass
    raise InputError(
        f"{place}: found '{values.name}' as {values.dtype}, and as {kind} in the first lines; "
        "expected one type throughout; write JSONL, which keeps each line as it is."
    )


def _arranged(values: pl.Expr, kind: pl.DataType, wanted: pl.DataType) -> pl.Expr:
    """Return values whose objects have their keys in the given order, at any depth."""
    if isinstance(kind, pl.Struct) and isinstance(wanted, pl.Struct):
        fields = _fields(kind)
        inner = (
            _arranged(values.struct.field(name), fields[name], each).alias(name)
            for name, each in _fields(wanted).items()
        )
        return pl.when(values.is_not_null()).then(pl.struct(inner))
    if isinstance(kind, pl.List) and isinstance(wanted, pl.List):
        return values.list.eval(_arranged(pl.element(), _inner(kind), _inner(wanted)))
    return values


def _fits(kind: pl.DataType, wider: pl.DataType) -> bool:
    """Say whether values of a type can be cast to another one."""
    if isinstance(kind, pl.List) and isinstance(wider, pl.List):
        return _fits(_inner(kind), _inner(wider))
    if isinstance(kind, pl.Struct) and isinstance(wider, pl.Struct):
        one, two = _fields(kind), _fields(wider)
        return one.keys() == two.keys() and all(_fits(one[name], two[name]) for name in one)
    return kind in (wider, pl.Null) or (kind.is_integer() and wider.is_float())
