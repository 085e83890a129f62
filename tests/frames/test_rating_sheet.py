"""Sheets for raters: written blind, read back, damaged."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.frames.test_evaluation import HARMLESS, about

from tactful.errors import FileFormatError, InputError, UsageError
from tactful_lab.cli.evaluate import evaluate_cli
from tactful_lab.evaluation.rating_sheet import key_of, read_sheet, write_sheet

TEXTS = [f"Post {n}" for n in range(6)]
GOLD = [about("cooks", f"cooks shout {n}", f"cooks sing {n}") for n in range(5)] + [HARMLESS]
MINE = [about("cooks", f"cooks burn {n}") for n in range(4)] + [HARMLESS, HARMLESS]


def filled(path: Path, answers: dict[str, tuple[str, str, str]]) -> None:
    """Rate every row by its source."""
    sources = json.loads(key_of(path).read_text(encoding="utf-8"))["sources"]
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([*row[:4], *answers[sources[row[0]]]] for row in rows)


def test_the_sheet_does_not_say_whose_a_statement_is(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    # Four posts have a statement on both sides.
    assert write_sheet(sheet, TEXTS, GOLD, {"predictions": MINE}, posts=50, seed=3) == 8
    text = sheet.read_text(encoding="utf-8")
    assert "predictions" not in text
    assert "people" not in text
    assert "Post 5" not in text
    again = tmp_path / "again.csv"
    write_sheet(again, TEXTS, GOLD, {"predictions": MINE}, posts=50, seed=3)
    assert again.read_text(encoding="utf-8") == text
    few = tmp_path / "few.csv"
    assert write_sheet(few, TEXTS, GOLD, {"predictions": MINE}, posts=2) == 4


def test_means_are_read_back_for_each_source(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, TEXTS, GOLD, {"predictions": MINE})
    with pytest.raises(UsageError, match="found no answers yet"):
        read_sheet(sheet)
    filled(sheet, {"people": ("yes", "5", "yes"), "predictions": ("partly", "2", "no")})
    mine, people = sorted(read_sheet(sheet), key=lambda each: each.source, reverse=True)
    assert (mine.source, mine.rows) == ("predictions", 4)
    assert mine.means["group_right"] == (0.5, 0.5, 0.5)
    assert mine.means["implied"][0] == 0.25
    assert people.means["specific"] == (1.0, 1.0, 1.0)


def test_a_cell_that_a_spreadsheet_would_run_is_harmless(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    write_sheet(sheet, ["=1+1"], GOLD[:1], {"predictions": MINE[:1]})
    assert "'=1+1" in sheet.read_text(encoding="utf-8")


def test_wrong_sheets_are_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    with pytest.raises(InputError, match="no post with a statement"):
        write_sheet(sheet, TEXTS, GOLD, {"predictions": [HARMLESS] * 6})
    write_sheet(sheet, TEXTS, GOLD, {"predictions": MINE})
    filled(sheet, {"people": ("yes", "5", "yes"), "predictions": ("yes", "9", "yes")})
    with pytest.raises(InputError, match="found '9' under implied"):
        read_sheet(sheet)
    key_of(sheet).unlink()
    with pytest.raises(FileFormatError, match="found no key"):
        read_sheet(sheet)


def test_the_command_writes_a_sheet_and_reads_it_back(tmp_path: Path) -> None:
    from tactful.frames.frame_json import frame_as_json

    for name, frames in (("gold", GOLD), ("mine", MINE)):
        lines = [
            json.dumps({"id": str(n), "text": TEXTS[n], "frame": frame_as_json(frame)})
            for n, frame in enumerate(frames)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    sheet = tmp_path / "sheet.csv"
    call = ["frames", "--gold", str(tmp_path / "gold.jsonl"), "--predictions",
            str(tmp_path / "mine.jsonl"), "--sheet", str(sheet)]  # fmt: skip
    found = CliRunner().invoke(evaluate_cli, call)
    assert found.exit_code == 0, found.output
    assert "8 rows to rate" in found.output
    filled(sheet, {"people": ("yes", "5", "yes"), "predictions": ("no", "1", "no")})
    found = CliRunner().invoke(evaluate_cli, call)
    assert found.exit_code == 0, found.output
    assert "predictions" in found.output
    assert "0.00" in found.output
    wrong = CliRunner().invoke(evaluate_cli, ["binary", *call[1:]])
    assert "--sheet is for frames" in str(wrong.exception or wrong.output)
