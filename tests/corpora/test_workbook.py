import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import polars as pl
import pytest

from tactful.corpora.files.delimited import LINE
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.files.workbook import read_sheet
from tactful.errors import FileFormatError

SPEC = TableSpec(
    "items", (Column("id", "id", ("COD",)), Column("text"), Column("label", "integer"))
)
HEADER = ["id", "text", "label"]
Cell = str | float | bool | None

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def _cell(cell: Cell) -> str:
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
    return f"<c><v>{cell!r}</v></c>"


def workbook(path: Path, *sheets: list[list[Cell]]) -> Path:
    """Write the least that a spreadsheet program takes for a workbook."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="s{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/{n}.xml"/>'
            for n in numbers
        )
        + "</Relationships>",
    }
    for number, rows in zip(numbers, sheets, strict=True):
        lines = "".join(f"<row>{''.join(_cell(cell) for cell in row)}</row>" for row in rows)
        parts[f"xl/worksheets/{number}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return path


def read(path: Path, batch_rows: int = 100) -> pl.DataFrame:
    return pl.concat(read_sheet(path, SPEC, batch_rows))


def test_cells_are_text_as_the_sheet_shows_them(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx", [[*HEADER], ["1-2", " un café\n", 4.0], [7.0, "b", 1.5], ["c", "0", 0]]
    )
    frame = read(path)
    assert dict(frame.schema) == {**dict.fromkeys(HEADER, pl.String), LINE: pl.Int64}
    assert frame.rows() == [("1-2", " un café\n", "4", 2), ("7", "b", "1.5", 3), ("c", "0", "0", 4)]


@pytest.mark.parametrize("batch_rows", [1, 2, 3, 100])
def test_batches_of_any_size_have_the_same_rows_and_numbers(
    tmp_path: Path, batch_rows: int
) -> None:
    rows: list[list[Cell]] = [[f"i{n}", "a", float(n)] for n in range(7)]
    path = workbook(tmp_path / "a.xlsx", [[*HEADER], *rows])
    batches = list(read_sheet(path, SPEC, batch_rows))
    assert all(batch.height <= batch_rows for batch in batches)
    whole = pl.concat(batches)
    assert whole["id"].to_list() == [f"i{n}" for n in range(7)]
    assert whole[LINE].to_list() == list(range(2, 9))


def test_empty_rows_are_passed_over_and_counted(tmp_path: Path) -> None:
    blank: list[Cell] = [None, None, None]
    path = workbook(
        tmp_path / "a.xlsx", [[*HEADER], ["x", "a", 1.0], blank, blank, ["y", None, 2.0], blank]
    )
    for batch_rows in (1, 100):
        assert read(path, batch_rows).rows() == [("x", "a", "1", 2), ("y", "", "2", 5)]


def test_columns_are_matched_by_name_and_unnamed_ones_are_passed_over(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx", [["Label", "COD", "text", None, None], [1.0, "x", "a", "?", "?"]]
    )
    assert read(path).row(0, named=True) == {"label": "1", "id": "x", "text": "a", LINE: 2}


def test_only_the_first_sheet_is_read(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [[*HEADER], ["x", "a", 1.0]], [["other"], ["b"]])
    assert read(path)["id"].to_list() == ["x"]


def test_a_missing_column_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [["id", "txet", "label"], ["x", "a", 1.0]])
    with pytest.raises(FileFormatError, match=r"a\.xlsx, line 1: .*'text' \(is it 'txet'\?\)"):
        read(path)


def test_a_repeated_column_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [[*HEADER, "id"], ["x", "a", 1.0, "y"]])
    with pytest.raises(FileFormatError, match="found the column 'id' twice"):
        read(path)


def test_a_sheet_of_a_header_has_no_rows(tmp_path: Path) -> None:
    assert list(read_sheet(workbook(tmp_path / "a.xlsx", [[*HEADER]]), SPEC, 10)) == []


def test_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"a\.xlsx: found an empty sheet; expected rows"):
        read(workbook(tmp_path / "a.xlsx", []))


def test_a_workbook_without_sheets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"a\.xlsx: found a file that is no whole Excel"):
        read(workbook(tmp_path / "a.xlsx"))


@pytest.mark.parametrize("content", [b"", b"id,text,label\n1,a,0\n", b"PK\x03\x04half a zip"])
def test_what_is_no_workbook_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    with pytest.raises(
        FileFormatError, match=r"a\.xlsx: found a file that is no whole Excel workbook .*fetch it"
    ):
        read(path)


def test_a_workbook_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [[*HEADER], ["x", "a", 1.0]])
    whole = path.read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:size])
        with pytest.raises(FileFormatError, match="no whole Excel workbook"):
            read(path)


def test_a_sheet_that_is_damaged_inside_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [[*HEADER], ["kind", "a", 1.0]])
    path.write_bytes(path.read_bytes().replace(b"</sheetData>", b"</sheetdata>"))
    with pytest.raises(FileFormatError, match="no whole Excel workbook"):
        read(path)
