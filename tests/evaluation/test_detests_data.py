"""The user's copy of DETESTS: what is read, what is noted, and what is an error."""

import csv
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.detectors.stereotype_labels import ROOT
from tactful.errors import BadRowsError, FileFormatError, InputError, TactfulError
from tactful_lab.evaluation.reproduce.detests_data import read_detests

FIXTURE = runpy.run_path(str(Path(__file__).parents[1] / "detests_fixture.py"))
TRAIN, TEST = FIXTURE["TRAIN"], FIXTURE["TEST"]
Rows = list[dict[str, str]]
Change = Callable[[str, Callable[[Rows], object]], None]


def read(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made: Path = FIXTURE["write_fixture"](tmp_path)
    return made


@pytest.fixture
def change(folder: Path) -> Change:
    """Change the rows of a file in place."""

    def apply(name: str, how: Callable[[Rows], object]) -> None:
        rows = read(folder / name)
        how(rows)
        FIXTURE["write"](folder / name, rows, tuple(rows[0]))

    return apply


def rename(old: str, new: str) -> Callable[[Rows], object]:
    def apply(rows: Rows) -> None:
        for at, row in enumerate(rows):
            rows[at] = {new if name == old else name: cell for name, cell in row.items()}

    return apply


def put(at: int, **cells: str) -> Callable[[Rows], object]:
    return lambda rows: rows[at].update(cells)


def test_the_authors_files_need_no_ids(folder: Path) -> None:
    """Comments are numbered per file; the training part does not hide the test part."""
    data = read_detests(folder)
    assert (len(data.train), len(data.test)) == (TRAIN, TEST)
    assert data.test[0].id == "1_1"
    assert data.train[0].id == "train_1_1"
    assert len({example.id for example in (*data.train, *data.test)}) == TRAIN + TEST
    published = read(folder / "test_full.csv")
    assert data.gold is not None
    assert [ROOT in labels for labels in data.gold] == [r["stereotype"] == "1" for r in published]
    assert [e.text for e in data.test] == [row["sentence"] for row in published]
    assert data.gold_has_categories


def test_no_system_can_see_gold(folder: Path) -> None:
    data = read_detests(folder)
    assert not any(example.labels or example.judgements for example in data.test)
    assert all(example.labels for example in data.train)


def test_the_folder_above_will_do(folder: Path) -> None:
    above = folder / "all"
    (above / "detests").mkdir(parents=True)
    for path in folder.glob("*.csv"):
        path.rename(above / "detests" / path.name)
    assert len(read_detests(above).test) == TEST


def test_without_gold(folder: Path) -> None:
    (folder / "test_full.csv").unlink()
    data = read_detests(folder)
    assert data.gold is None
    assert len(data.test) == TEST


def test_a_test_file_with_labels_is_its_own_gold(folder: Path) -> None:
    gold = read_detests(folder).gold
    (folder / "test_full.csv").replace(folder / "test.csv")
    assert read_detests(folder).gold == gold


def test_gold_of_subtask_1_alone(folder: Path) -> None:
    rows = read(folder / "test_full.csv")
    FIXTURE["write"](folder / "test_full.csv", rows, ("comment_id", "sentence_pos", "stereotype"))
    data = read_detests(folder)
    assert data.gold is not None
    assert not data.gold_has_categories
    assert all(labels <= {"stereotype"} for labels in data.gold)


def test_gold_in_another_order_and_spelling(folder: Path, change: Change) -> None:
    before = read_detests(folder).gold
    change("test_full.csv", lambda rows: rows.reverse())
    change("test_full.csv", rename("dehumanisation", "dehumanization"))
    assert read_detests(folder).gold == before


# ---- bad input -----------------------------------------------------------------------------------


def refused(folder: Path) -> str:
    with pytest.raises(TactfulError) as error:
        read_detests(folder)
    assert isinstance(error.value, InputError)
    return str(error.value)


@pytest.mark.parametrize("name", ["stereotype", "health"])
def test_a_missing_label_column(folder: Path, change: Change, name: str) -> None:
    change("train.csv", rename(name, "sport"))
    said = refused(folder)
    assert f"train.csv, line 1: found no labels of {name} (and, unknown, 'sport')" in said


def test_a_missing_column_of_the_test_part(folder: Path, change: Change) -> None:
    change("test.csv", rename("sentence", "frase"))
    assert "test.csv, line 1: found the columns" in refused(folder)
    change("test.csv", rename("comment_id", "comentario"))
    assert "expected also 'sentence_id', 'comment_id'" in refused(folder)


def test_an_unknown_category_of_gold(folder: Path, change: Change) -> None:
    change("test_full.csv", rename("culture", "sport"))
    assert "test_full.csv, line 1: found no labels of culture; expected all ten" in refused(folder)


def test_gold_and_test_have_the_same_sentences(folder: Path, change: Change) -> None:
    change("test_full.csv", lambda rows: rows.pop(4))
    said = refused(folder)
    assert "test.csv: found sentences that test_full.csv does not have" in said
    assert "on line 6)" in said


def test_gold_of_another_release(folder: Path, change: Change) -> None:
    change("test_full.csv", put(0, comment_id="900"))
    said = refused(folder)
    assert "test_full.csv: found sentences that test.csv does not have ('900_1' on line 2)" in said


def test_a_label_of_2_in_gold(folder: Path, change: Change) -> None:
    change("test_full.csv", put(3, stereotype="2"))
    said = refused(folder)
    assert "test_full.csv, line 5: column 'stereotype': found '2'; expected 0 or 1" in said


def test_a_label_of_2_in_training_is_told(folder: Path, change: Change) -> None:
    change("train.csv", put(3, culture="2"))
    data = read_detests(folder)
    assert len(data.train) == TRAIN - 1
    assert any("train.csv, line 5: column 'culture': found '2'" in note for note in data.notes)


def test_many_bad_rows_are_counted(folder: Path, change: Change) -> None:
    def spoil(rows: Rows) -> None:
        for row in rows[:9]:
            row["culture"] = "2"

    change("train.csv", spoil)
    notes = read_detests(folder).notes
    assert "train.csv: left out, because they could not be used: 9 rows in all." in notes


def test_nothing_but_bad_rows(folder: Path, change: Change) -> None:
    def spoil(rows: Rows) -> None:
        for row in rows:
            row["culture"] = "many"

    change("train.csv", spoil)
    assert f"{TRAIN} rows are not as expected" in refused(folder)


@pytest.mark.parametrize("name", ["test.csv", "test_full.csv"])
def test_a_sentence_that_stands_twice(folder: Path, change: Change, name: str) -> None:
    first = read(folder / name)[0]
    change(name, put(6, comment_id=first["comment_id"], sentence_pos=first["sentence_pos"]))
    said = refused(folder)
    assert f"{name}, line 8" in said
    assert "line 2" in said


def test_an_empty_label(folder: Path, change: Change) -> None:
    change("train.csv", put(0, stereotype=""))
    with pytest.raises(BadRowsError, match=r"line 2: column 'stereotype': found nothing"):
        read_detests(folder)


def test_a_bare_stereotype(folder: Path, change: Change) -> None:
    """In training it is learnt as 'others'; in gold it stays as it is, as in the evaluation."""
    none: dict[str, str] = dict.fromkeys(FIXTURE["CATEGORIES"], "0")
    change("train.csv", put(0, stereotype="1", **none))
    data = read_detests(folder)
    assert any("1 stereotype without a category is learnt as" in note for note in data.notes)
    assert "stereotype.others" in data.train_labels()[0]
    change("test_full.csv", put(0, stereotype="1", **none))
    data = read_detests(folder)
    assert data.gold is not None
    assert data.gold[0] == {"stereotype"}
    assert any("test_full.csv: 1 stereotype without a category" in note for note in data.notes)


@pytest.mark.parametrize("name", ["train", "test"])
def test_a_missing_part(folder: Path, name: str) -> None:
    (folder / f"{name}.csv").unlink()
    with pytest.raises(FileFormatError, match=f"and no {name} part; expected train.csv and"):
        read_detests(folder)


def test_the_fixture_is_like_the_corpus(folder: Path) -> None:
    """Section 4.3 has 24 % stereotypes; figure 1 several categories; 4.1.2 further labels."""
    rows: list[dict[str, Any]] = read(folder / "train.csv") + read(folder / "test_full.csv")
    assert len(rows) >= 300
    assert sum(row["stereotype"] == "1" for row in rows) / len(rows) == pytest.approx(
        0.24, abs=0.04
    )
    for name in (*FIXTURE["CATEGORIES"], *FIXTURE["EXTRA"]):
        assert any(row[name] == "1" for row in rows), name
    several = [r for r in rows if sum(r[name] == "1" for name in FIXTURE["CATEGORIES"]) > 1]
    assert len(several) > 20
    assert any(row["reply_to"] != row["comment_id"] for row in rows)
