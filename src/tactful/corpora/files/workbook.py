"""Reading a sheet of an Excel file as text columns with row numbers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tactful.corpora.files.delimited import LINE, match_header
from tactful.corpora.files.tables import TableSpec
from tactful.errors import FileFormatError


def read_sheet(path: Path, spec: TableSpec, batch_rows: int) -> Iterator[pl.DataFrame]:
    """Yield batches of the first sheet; ``line`` is the row number that Excel shows."""
    # An Excel sheet is unpacked as a whole: there is no reading it line by line.
    rows = _first_sheet(path)
    if not rows:
        raise FileFormatError(f"{path}: found an empty sheet; expected rows; fetch it again.")
    names = match_header(path, [_text(cell) for cell in rows[0]], spec)
    for start in range(1, len(rows), batch_rows):
        part = rows[start : start + batch_rows]
        columns = {name: [_text(row[at]) for row in part] for at, name in enumerate(names) if name}
        numbers = range(start + 1, start + 1 + len(part))
        frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
        yield frame.with_columns(pl.Series(LINE, numbers, pl.Int64)).filter(
            pl.any_horizontal([pl.col(name) != "" for name in columns])
        )


def _first_sheet(path: Path) -> list[list[Any]]:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        sheet = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0)
        rows: list[list[Any]] = sheet.to_python(skip_empty_area=False)
    except CalamineError as error:
        raise FileFormatError(
            f"{path}: found a file that is no whole Excel workbook ({error}); "
            "expected the authors' .xlsx; fetch it again."
        ) from None
    return rows


def _text(cell: Any) -> str:
    """Write a cell as the sheet shows it: 4 rather than 4.0."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
