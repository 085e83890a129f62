"""CoNLL, crowd-kit, the sheet and Parquet; cells and names."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.annotation.formats.cells import neutralise, restore, write_csv
from tactful.annotation.formats.conll import tokens, write_conll
from tactful.annotation.formats.crowd_kit import write_crowd_kit
from tactful.annotation.formats.load import EXPORTS, export_source
from tactful.annotation.formats.log import read_log
from tactful.annotation.formats.names import safe_name, safe_names
from tactful.annotation.formats.parquet import write_parquet
from tactful.annotation.formats.sheet import write_sheet
from tactful.annotation.protocol.records import Protocol
from tactful.errors import FileFormatError, OutputError


@given(st.text())
def test_the_mark_can_be_taken_away(text: str) -> None:
    marked = neutralise(text)
    assert isinstance(marked, str)
    assert restore(marked) == text
    assert not marked.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))


@pytest.mark.parametrize(
    "start",
    ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", " =", "\u3000@", "\ufeff+"],
)
def test_what_a_spreadsheet_would_run_gets_a_mark(start: str) -> None:
    cell = f"{start}HYPERLINK(1)"
    assert neutralise(cell) == f"'{cell}"
    assert restore(f"'{cell}") == cell
    assert restore(cell) == cell


def test_only_the_mark_of_an_export_is_taken_away() -> None:
    assert [restore(cell) for cell in ("'Tis so", "''Tis so", "'", "''", "1", "' so")] == [
        "'Tis so", "'Tis so", "'", "'", "1", "' so",
    ]  # fmt: skip


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1))
def test_any_cell_comes_back(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    write_csv(path, ["x", "y"], [[cell, -1] for cell in cells], safe=True)
    with path.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))[1:]
    assert [(restore(cell), number) for cell, number in rows] == [(cell, "-1") for cell in cells]


def test_names_are_safe_and_differ() -> None:
    ids = ["a", "A", "../a", "a/b", "a_b", "CON", "con", "", ".", "é", "e\u0301", "x" * 300,
           "a\ud800", "a/b ", "nul.txt"]  # fmt: skip
    names = safe_names(ids)
    assert len({name.casefold() for name in names.values()}) == len(ids)
    for name in names.values():
        assert 0 < len(name) < 120
        assert not set(name) & set("/\\.: \0")
    assert names["a"] == "a"
    assert safe_name("par-17_b") == "par-17_b"


@given(st.lists(st.text(max_size=6), unique=True))
def test_no_two_ids_share_a_file(ids: list[str]) -> None:
    assert len({name.casefold() for name in safe_names(ids).values()}) == len(ids)


def test_tokens() -> None:
    text = "Zoe\u0308's 👩🏽‍🚒—¡so!"
    assert [text[start:end] for start, end in tokens(text)] == [
        "Zoe\u0308", "'", "s", "👩🏽‍🚒", "—", "¡", "so", "!",
    ]  # fmt: skip


def test_conll_lines(made: Any, mixed: Protocol, folder: Path) -> None:
    text = "They need\nour kind help."
    marks = [
        {"start": 0, "end": 13, "value": "a.one"},
        {"start": 10, "end": 18, "value": "b two"},
        {"start": 20, "end": 23, "value": "b two"},
        {"start": 9, "end": 10, "value": "a_one"},
    ]
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": marks}
    log = made(mixed).people("ann").item("one", text).answer("ann", "one", answers)
    lost = [str(loss) for loss in write_conll(log.source(), folder)]
    assert (folder / "all" / "marks" / "ann.conll").read_text(encoding="utf-8") == (
        "# id = one\n# text = They need\\nour kind help.\n"
        "They\t0\t4\tB-a.one\nneed\t5\t9\tI-a.one\nour\t10\t13\tI-a.one\n"
        "kind\t14\t18\tB-b two\nhelp\t19\t23\tB-b two\n.\t23\t24\tO\n"
    )
    assert "spans cut short: 1 (others cover some of their tokens, and a token has one tag)" in lost
    assert "spans widened: 1 (they start or end within a token)" in lost
    assert "spans without a token: 1 (they cover only spaces)" in lost


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.reader(handle))


def test_crowd_kit_tables(full: Any, folder: Path) -> None:
    write_crowd_kit(full.source(), folder)
    assert _rows(folder / "all" / "tone.csv") == [
        ["task", "worker", "label"],
        ["i/1", "ann", "kind"],
        ["i/1", "B/ob", "=harsh"],
        ["i2", "ann", "=harsh"],
    ]
    assert _rows(folder / "all" / "topics" / "work.csv")[1:] == [
        ["i/1", "ann", "1"], ["i/1", "B/ob", "0"], ["i2", "ann", "0"],
    ]  # fmt: skip


def test_the_sheet_is_harmless(full: Any, folder: Path) -> None:
    write_sheet(full.source(), folder)
    with (folder / "judgements.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["text"] for row in rows if row["item"] == "i2"} == {"'=SUM(1)"}
    first = [row for row in rows if row["item"] == "i/1"]
    assert [(row["who"], row["annotator"], row["tone"]) for row in first] == [
        ("annotator", "ann", "kind"), ("annotator", "B/ob", "'=harsh"),
        ("referee", "rita", "kind"), ("label", "", "kind"),
    ]  # fmt: skip
    assert restore(first[0]["text"]) == full.state().items["i/1"].text
    assert first[0]["context: before"] == "Earlier."
    assert first[0]["meta: source"] == "ours"
    test = next(row for row in rows if row["item"] == "test")
    assert test["counts"] == "no: test"
    assert test["trust"] == "0.0"


def test_parquet_tables(full: Any, folder: Path) -> None:
    full.add("removed", annotator="B/ob", data={"why": "owner"})
    write_parquet(full.source(), folder)
    items = pl.read_parquet(folder / "items.parquet")
    assert items["item"].to_list() == ["i/1", "i2", "test", "alone"]
    assert items["text"][0] == full.state().items["i/1"].text
    judged = pl.read_parquet(folder / "judgements.parquet")
    bob = judged.filter(pl.col("annotator") == "B/ob")
    assert set(bob["why"]) == {"removed: owner"}
    assert not bob["counts"].any()
    marks = judged.filter((pl.col("question") == "marks") & (pl.col("annotator") == "ann"))
    assert json.loads(marks["answer"][0])[0] == {"start": 4, "end": 8, "value": "a.one"}
    labels = pl.read_parquet(folder / "labels.parquet")
    tone = labels.filter((pl.col("item") == "i2") & (pl.col("question") == "tone"))
    assert json.loads(tone["value"][0]) == "=harsh"
    assert tone["soft"][0].to_list() == [{"answer": "=harsh", "share": 1.0}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"kind": "answred", "at": 1}', "found the kind 'answred'; expected one of imported"),
        ('{"kind": "imported"}', "found no time or no data"),
        ('{"kind": "imported", "at": 1, "item": 4}', "found an id that is not text"),
        ('{"kind": "imported", "at": 1, "number": "1"}', "found a wrong number"),
        ("nothing", "found no JSON object"),
    ],
)
def test_a_broken_log(line: str, words: str, folder: Path) -> None:
    (folder / "events.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match=rf"events\.jsonl, line 2: {words}"):
        read_log(folder)


def test_broken_people(folder: Path) -> None:
    (folder / "people.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"people\.jsonl, line 1: found no event"):
        read_log(folder)


def test_half_a_letter_is_refused(made: Any, mixed: Protocol, tmp_path: Path) -> None:
    answers = {"tone": "kind", "grade": "0", "topics": ["work"], "marks": []}
    log = made(mixed).people("a").item("one", "So \ud800").answer("a", "one", answers)
    for name in ("jsonl", "brat", "csv", "conll", "doccano"):
        with pytest.raises(OutputError, match="half a character"):
            export_source(log.source(), name, EXPORTS.get(name), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["label-studio", "doccano", "brat", "conll", "crowd-kit", "csv"])
def test_a_project_without_answers(name: str, made: Any, mixed: Protocol, tmp_path: Path) -> None:
    log = made(mixed).item("one", "So")
    done = export_source(log.source(), name, EXPORTS.get(name), tmp_path / "out")
    assert done.files >= 1
