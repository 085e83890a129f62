"""StereoImmigrants, against its authors' README and the columns of their files."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.stereoimmigrants import CATEGORIES
from tactful.errors import Severity
from tactful.types import Example

STEREOTYPES = "stereotypes.xlsx"
OTHERS = "non-stereotypes.xlsx"
PEOPLE = range(1, 6)


def shown(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def read_sheet(path: Path) -> list[dict[str, str]]:
    header, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    return [
        {str(name): shown(cell) for name, cell in zip(header, row, strict=True)} for row in rows
    ]


def set_cell(path: Path, cell: str, value: str) -> None:
    """Write a text into one cell of the first sheet."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    new = f'<c r="{cell}" t="inlineStr"><is><t>{value}</t></is></c>'
    text, changed = re.subn(
        rf'<c r="{cell}"[^>]*?(/>|>.*?</c>)', new, members[name].decode("utf-8")
    )
    assert changed == 1
    members[name] = text.encode("utf-8")
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


def sheet_row(example: Example) -> dict[str, str]:
    """The authors' row of a sentence, built from its example."""
    meta = dict(example.meta)
    row = {"COD_1": meta.pop("speech_code"), "COD_2": meta.pop("sentence_code")}
    row |= {"SENTENCE": example.text, "TAX_1": meta.pop("expert")}
    del meta["left_out_by_authors"]
    if example.labels["stereotype"]:
        numbers = [n for n, c in CATEGORIES.items() if example.labels[f"stereoimmigrants.{c}"]]
        (row["T_TAX_1"],) = map(str, numbers)
    for judgement in example.judgements:
        number = judgement.annotator.removeprefix("anno")
        assert judgement.label is not None
        assert judgement.value is not None
        if judgement.question == "stereoimmigrants.attitude":
            row[f"eva{number}"] = judgement.label
            assert float(judgement.label) == judgement.value
        else:
            row[f"anno{number}"] = judgement.label
            row[f"T_anno{number}"] = shown(judgement.value)
    return row | meta


def sample() -> Corpus:
    return load_corpus("stereoimmigrants", sample=True)


def test_columns_types_and_counts() -> None:
    corpus = sample()
    schema = dict(corpus.read("stereotypes").schema)
    integers = ["expert_category"]
    integers += [f"{name}{n}" for name in ("category", "eva") for n in PEOPLE] + ["line"]
    assert {name for name, dtype in schema.items() if dtype == pl.Int64} == set(integers)
    assert all(dtype in (pl.Int64, pl.String) for dtype in schema.values())
    assert corpus.counts() == {"stereotypes": 16, "non-stereotypes": 12}


def test_every_cell_is_kept() -> None:
    """Every annotator's code, category and attitude, and every other column."""
    corpus = sample()
    published = read_sheet(corpus.path / STEREOTYPES) + read_sheet(corpus.path / OTHERS)
    found = [sheet_row(example) for example in corpus.examples()]
    assert [with_cells(row) for row in found] == [with_cells(row) for row in published]


def with_cells(row: dict[str, str]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if cell != ""}


def test_categories_are_the_authors_not_the_first_digit() -> None:
    """Codes 4.3, 4.4 and 4.5 are category 5 (T_TAX_1), though the README speaks of digits."""
    by_code = {e.meta["expert"]: e.labels for e in sample().examples()}
    for code, category in (("1.1", 1), ("2.1", 2), ("3.4", 3), ("4.1", 4), ("4.6", 4), ("4.1N", 4),
                           ("4.3", 5), ("4.4", 5), ("4.5R", 5)):  # fmt: skip
        yes = {name for name, value in by_code[code].items() if value}
        assert yes == {"stereotype", f"stereoimmigrants.{CATEGORIES[category]}"}
    assert set(by_code["88"].values()) == {0.0}


def test_groups_and_ids() -> None:
    examples = list(sample().examples())
    assert {e.group for e in examples} == {"21", "22", "23", "24", "31", "32", "33", "34"}
    assert "31-12A" in {e.id for e in examples}
    assert len({e.id for e in examples}) == 28


def test_what_the_authors_leave_out_is_marked(sample_copy: Callable[[str], Path]) -> None:
    """README: fewer than three agreeing annotators, or one of 47 listed sentences."""
    folder = sample_copy("stereoimmigrants")
    set_cell(folder / OTHERS, "A2", "5201")
    set_cell(folder / OTHERS, "B2", "9")
    examples = load_corpus("stereoimmigrants", folder).examples()
    assert [e.id for e in examples if e.meta["left_out_by_authors"] == "1"] == ["24-5", "5201-9"]


def test_categories_of_the_sample() -> None:
    """Counted by hand: two annotators agree with the expert on the last sentence."""
    (stat,) = sample().stats()
    found = {row[0]: (row[1], row[3]) for row in stat.rows}
    assert found == {
        "1 xenophobia_victims": (2, 2), "2 suffering_victims": (3, 2),
        "3 economic_resource": (3, 3), "4 collective_threat": (4, 4),
        "5 personal_threat": (4, 4), "all": (16, 15),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "value", "column"),
    [
        ("D3", "7.1", "expert"),
        ("E3", "4.9", "anno1"),
        ("I3", "4.5X", "anno5"),
        ("T3", "6", "expert_category"),
        ("O3", "0", "category1"),
        ("J3", "4", "eva1"),
        ("C3", "", "sentence"),
    ],
)
def test_a_bad_cell(sample_copy: Callable[[str], Path], cell: str, value: str, column: str) -> None:
    folder = sample_copy("stereoimmigrants")
    set_cell(folder / STEREOTYPES, cell, value)
    corpus = load_corpus("stereoimmigrants", folder)
    assert len(list(corpus.examples())) == 27
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == (STEREOTYPES, 3, column)
    assert corpus.log.rows_left_out == 1


def test_a_repeated_sentence(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("stereoimmigrants")
    set_cell(folder / STEREOTYPES, "B3", "1")
    corpus = load_corpus("stereoimmigrants", folder)
    assert len(list(corpus.examples())) == 27
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.line, problem.code) == (3, "repeated id")


# ---- the authors' files ----------------------------------------------------------------------


@pytest.mark.data
def test_the_published_files(data_folder: Callable[[str], Path]) -> None:
    """README: 1,685 and 2,019 sentences."""
    corpus = load_corpus("stereoimmigrants", data_folder("stereoimmigrants"))
    assert corpus.release_name() == "the published release"
    assert corpus.counts() == {"stereotypes": 1_685, "non-stereotypes": 2_019}
    (stat,) = corpus.stats()
    assert (stat.rows[-1][1], stat.rows[-1][3]) == (1_685, 1_673)
    examples = list(corpus.examples())
    left_out = [e.labels["stereotype"] for e in examples if e.meta["left_out_by_authors"] == "1"]
    assert (left_out.count(1.0), left_out.count(0.0)) == (12, 47)
    assert corpus.log.counts == {}
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_every_real_cell_is_kept(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("stereoimmigrants", data_folder("stereoimmigrants"))
    published = read_sheet(corpus.path / STEREOTYPES) + read_sheet(corpus.path / OTHERS)
    pairs = zip(corpus.examples(), published, strict=True)
    wrong = [
        example.id for example, row in pairs if with_cells(sheet_row(example)) != with_cells(row)
    ]
    assert wrong == []


@pytest.mark.data
def test_the_traps(data_folder: Callable[[str], Path]) -> None:
    rows = read_sheet(data_folder("stereoimmigrants") / STEREOTYPES)
    pairs = [("TAX_1", "T_TAX_1"), *((f"anno{n}", f"T_anno{n}") for n in PEOPLE)]
    wrong = [
        code
        for row in rows
        for code, category in ((row[a], row[b]) for a, b in pairs)
        if category != ("5" if code[:3] in ("4.3", "4.4", "4.5") else code[0])
    ]
    assert wrong == []
    counted = {"1": "POS_EVA", "2": "NEG_EVA", "3": "AMB_EVA"}
    unlike = [
        row["COD_1"]
        for row in rows
        for value, column in counted.items()
        if str([row[f"eva{n}"] for n in PEOPLE].count(value)) != row[column]
    ]
    assert unlike == []
