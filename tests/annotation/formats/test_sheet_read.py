"""Our own table of judgements, read back, also after somebody worked on it."""

import csv
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.formats.annotated import new_items
from tactful.annotation.formats.cells import was_neutralised
from tactful.annotation.formats.load import EXPORTS, export_source
from tactful.annotation.formats.sheet import read_sheet
from tactful.errors import FileFormatError, TactfulError, UsageError


@pytest.fixture
def sheet(full: Any, tmp_path: Path) -> Path:
    export_source(full.source(), "csv", EXPORTS.get("csv"), tmp_path / "out")
    return tmp_path / "out" / "judgements.csv"


def _change(path: Path, column: str, value: str, row: int = 0) -> None:
    with path.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    rows[row][column] = value
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_it_comes_back_with_all_it_has(full: Any, sheet: Path) -> None:
    found = {item.id: item for item in new_items(read_sheet(sheet, full.protocol).items)}
    kept = full.state().items
    assert set(found) == set(kept)
    assert {name: item.text for name, item in found.items()} == {
        name: item.text for name, item in kept.items()
    }
    first = found["i/1"]
    assert (dict(first.context), dict(first.meta)) == (kept["i/1"].context, kept["i/1"].meta)
    assert [(each.annotator, each.adjudicated) for each in first.answers] == [
        ("ann", False), ("B/ob", False), ("rita", True),
    ]  # fmt: skip
    answers = kept["i/1"].steps["all"].answers
    assert dict(first.answers[0].answers) == answers["ann"].answers
    assert (first.answers[0].at, first.answers[0].seconds) == (answers["ann"].at, 4.5)
    assert found["i2"].answers[0].answers["tone"] == "=harsh", "without the apostrophe"
    assert found["test"].gold == {"tone": "kind"}
    assert [each.annotator for each in found["test"].answers] == ["ann"]


def test_what_does_not_count_stays_away(full: Any, tmp_path: Path) -> None:
    full.add("removed", annotator="B/ob", data={"why": "owner"})
    export_source(full.source(), "csv", EXPORTS.get("csv"), tmp_path / "out")
    back = read_sheet(tmp_path / "out", full.protocol)
    assert {each.annotator for record in back.items for each in record.judged} == {"ann"}
    assert "judgements that do not count: 1 (they would count in a new project)" in map(
        str, back.losses
    )
    assert any(loss.what == "combined labels" for loss in back.losses)


def test_the_export_says_that_its_cells_have_marks(full: Any, sheet: Path, tmp_path: Path) -> None:
    assert was_neutralised(sheet)
    assert was_neutralised(sheet.parent)
    export_source(full.source(), "crowd-kit", EXPORTS.get("crowd-kit"), tmp_path / "plain")
    assert not was_neutralised(tmp_path / "plain" / "all" / "tone.csv")
    source = full.source(spreadsheet=True)
    export_source(source, "crowd-kit", EXPORTS.get("crowd-kit"), tmp_path / "marked")
    assert was_neutralised(tmp_path / "marked" / "all" / "tone.csv")
    assert not was_neutralised(tmp_path / "nowhere" / "x.csv")
    (sheet.parent / "export.json").write_text("[")
    assert not was_neutralised(sheet)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("step", "al", "line 2: There is no step named 'al'. Did you mean 'all'"),
        ("who", "me", "line 2: found 'me' as 'who'; expected annotator, referee or label"),
        ("marks", "[", r"line 2: found '\[' as 'marks'; expected JSON"),
        ("gold", "{", "line 2: found '{' as 'gold'; expected JSON"),
        ("at", "noon", "line 2: found 'noon' as 'at'; expected a time"),
        ("seconds", "nan", "line 2: found 'nan' as 'seconds'; expected a number"),
        ("seconds", "two", "line 2: found 'two' as 'seconds'"),
        ("text", "Another", "found a different text than at .*line 2 for the item 'i/1'"),
    ],
)
def test_bad_cells(column: str, value: str, words: str, full: Any, sheet: Path) -> None:
    _change(sheet, column, value)
    with pytest.raises(TactfulError, match=words):
        read_sheet(sheet, full.protocol)


def test_bad_tables(full: Any, sheet: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"judgements\.csv: not found"):
        read_sheet(tmp_path, full.protocol)
    other = tmp_path / "other.csv"
    other.write_text("id,text\n1,So\n")
    with pytest.raises(FileFormatError, match="line 1: found the columns id, text …; expected"):
        read_sheet(other, full.protocol)
    other.write_text("")
    with pytest.raises(FileFormatError, match="line 1"):
        read_sheet(other, full.protocol)
    written = sheet.read_text(encoding="utf-8")
    sheet.write_text(written + "a,b\n", encoding="utf-8", newline="")
    with pytest.raises(FileFormatError, match="found 2 cells"):
        read_sheet(sheet, full.protocol)
    sheet.write_text(written.replace(",tone,", ",tune,"), encoding="utf-8", newline="")
    with pytest.raises(FileFormatError, match="question named 'tune'"):
        read_sheet(sheet, full.protocol)
