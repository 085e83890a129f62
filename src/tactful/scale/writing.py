"""Scored tables become the bytes of a part, in the format of the output."""

import io

import polars as pl

from tactful.errors import InputError
from tactful.scale.formats import Format
from tactful.scale.lines import lines_as_table
from tactful.scale.scored import LINE, Scored, Wanted, joined, prefixed, spliced
from tactful.scale.scorer import Scorer
from tactful.scale.unpacking import pack

_NESTED = (pl.List, pl.Struct, pl.Array)
_WRAPPED = len('{"v":')


def part_bytes(scored: Scored, wanted: Wanted, output: Format, header: bool = True) -> bytes:
    """Return a scored table as the bytes of a file; ``header`` is that of CSV."""
    if output.kind == "jsonl" and scored.kept.columns == [LINE]:
        lines = spliced(scored, wanted).to_list()
        text = "\n".join(lines) + "\n" if lines else ""
        return pack(text.encode("utf-8", "surrogatepass"), output.packing)
    return table_bytes(joined(scored, wanted), output, header)


def table_bytes(table: pl.DataFrame, output: Format, header: bool = True) -> bytes:
    """Return a table as the bytes of a file."""
    if output.kind in ("csv", "tsv"):
        text = flat(table).write_csv(separator=output.separator, include_header=header)
        return pack(text.encode("utf-8"), output.packing)
    if output.kind == "jsonl":
        return pack(table.write_ndjson().encode("utf-8"), output.packing)
    buffer = io.BytesIO()
    if output.kind == "parquet":
        # The first level packs nearly as well as the third, in two thirds of the time.
        table.write_parquet(buffer, compression="zstd", compression_level=1)
    else:
        table.write_ipc(buffer, compression="zstd")
    return buffer.getvalue()


def header_bytes(columns: list[str], output: Format) -> bytes:
    """Return the first line of a delimited file; nothing for other formats."""
    if output.kind not in ("csv", "tsv"):
        return b""
    return table_bytes(pl.DataFrame(schema=dict.fromkeys(columns, pl.String)), output)


def added_columns(wanted: Wanted, scorer: Scorer) -> list[str]:
    """Return the names that the added columns get."""
    empty = pl.DataFrame(schema=dict.fromkeys(scorer.columns, pl.String))
    return prefixed(empty, wanted.prefix).columns


def flat(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table whose cells can stand in CSV: lists and objects become JSON."""
    nested = [name for name, kind in table.schema.items() if isinstance(kind, _NESTED)]
    coded = [name for name, kind in table.schema.items() if kind == pl.Binary]
    if not nested and not coded:
        return table
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
        *(pl.col(name).bin.encode("base64") for name in coded),
    )


def as_table(lines: pl.Series, schema: pl.Schema, place: str) -> pl.DataFrame:
    """Return lines of JSON as a table with the columns that the first lines of the input had."""
    found = lines_as_table(lines, list(schema))
    new = next((name for name in found.columns if name not in schema), None)
    if new is not None:
        raise InputError(
            f"{place}: found the key '{new}', which the first lines do not have; expected the same "
            "columns throughout; write JSONL, which keeps each line as it is."
        )
    return found.select(_as_kind(found[name], kind, place) for name, kind in schema.items())


def _as_kind(values: pl.Series, kind: pl.DataType, place: str) -> pl.Series:
    """Return values in the type that the first lines have; only what fits into it without loss."""
    if values.dtype == kind:
        return values
    fits = (
        values.null_count() == len(values)
        or (values.dtype.is_integer() and kind.is_float())
        or (values.dtype.is_nested() and kind.is_nested())
    )
    try:
        if fits:
            return values.cast(kind)
    except pl.exceptions.PolarsError:
        pass
    raise InputError(
        f"{place}: found '{values.name}' as {values.dtype}, and as {kind} in the first lines; "
        "expected one type throughout; write JSONL, which keeps each line as it is."
    )
