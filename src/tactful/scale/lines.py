"""Lines of JSON, which are kept as they were written: what is read out of them, and what is not."""

import io
import json
import re
from collections.abc import Sequence

import polars as pl

from tactful.errors import InputError


class RowsError(InputError):
    """Some rows cannot be used; whoever knows where they stand says so, too."""


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_MAY_BE_HALF = r"\\u[dD]"
_UNKNOWN_LETTER = r"\ufffd"


def readable(lines: pl.Series) -> pl.Series:
    r"""Return lines without halves of letters, such as the ``\ud83d`` of an emoji cut in two.

    They are no text, and a reader would refuse all lines for one of them.
    """
    doubtful = lines.str.contains(_MAY_BE_HALF)
    if not doubtful.any():
        return lines
    mended = [
        _ESCAPE.sub(_whole, line) if doubt else line
        for line, doubt in zip(lines, doubtful, strict=True)
    ]
    return pl.Series(lines.name, mended, pl.String)


def _whole(found: re.Match[str]) -> str:
    return found[0] if found["half"] is None else _UNKNOWN_LETTER


def texts_of(lines: pl.Series, name: str) -> pl.Series:
    """Return the value of one key as text; a list or an object is none."""
    schema = pl.Struct({name: pl.String})
    try:
        return lines.str.json_decode(schema).struct.field(name)
    except pl.exceptions.PolarsError:
        pass  # one of them is no text, and only that one must be left out
    texts: list[str | None] = []
    for at in range(len(lines)):
        try:
            texts += lines[at : at + 1].str.json_decode(schema).struct.field(name).to_list()
        except pl.exceptions.PolarsError:
            texts.append(None)
    return pl.Series(name, texts, pl.String)


def lines_as_table(lines: pl.Series, names: Sequence[str] = ()) -> pl.DataFrame:
    """Return lines as a table with all keys, and with ``names`` in any case."""
    if not len(lines):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.Null))
    raw = "\n".join(readable(lines).to_list()).encode("utf-8")
    try:
        table = pl.read_ndjson(io.BytesIO(raw), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise RowsError(
            f"found lines that do not fit into one table ({said}); expected JSON objects that do."
        ) from None
    absent = [name for name in names if name not in table.columns]
    if not table.width:
        table = pl.DataFrame({"\0": [None] * len(lines)})
    table = table.with_columns(pl.lit(None, pl.Null).alias(name) for name in absent)
    return table.drop("\0", strict=False)


def refuse_taken(lines: pl.Series, names: Sequence[str]) -> None:
    """Refuse lines that have a key already which is to be added."""
    for name in names:
        written = json.dumps(name, ensure_ascii=False)
        for line in lines.filter(lines.str.contains(written, literal=True)):
            if name in json.loads(line):
                raise RowsError(
                    f"found a line that has the key '{name}' already; expected none of that name; "
                    "pass --prefix, such as --prefix tactful_."
                )
