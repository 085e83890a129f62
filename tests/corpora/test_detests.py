"""DETESTS 2022, against Ariza-Casabona et al. 2022."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.corpora.csv_files import read_rows, write_rows

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.detests import CATEGORIES, LABELS, PAPER, label_id
from tactful.errors import FileFormatError, Severity
from tactful.types import Example

CONTEXT = ("sentence_id", "comment_id", "sentence_pos", "reply_to", "sentence")
WIDE = "train_annotators.csv"


def sentence(number: int, **labels: str) -> dict[str, str]:
    cells = (str(number), "7", "1", "7", "El mercado abre los jueves.")
    return dict(zip(CONTEXT, cells, strict=True)) | dict.fromkeys(LABELS, "0") | labels


def sentence_row(example: Example) -> dict[str, str]:
    """The authors' row of a sentence, built from its example."""
    row = {"sentence_id": example.id, "sentence": example.text}
    row |= {name: example.meta[name] for name in ("comment_id", "sentence_pos", "reply_to")}
    return row | {
        name: str(int(example.labels[label_id(name)]))
        for name in LABELS
        if label_id(name) in example.labels
    }


def answers(examples: list[Example]) -> Counter[tuple[str, str, str, str | None, float | None]]:
    return Counter(
        (e.id, j.annotator, j.question, j.label, j.value) for e in examples for j in e.judgements
    )


def sample() -> Corpus:
    return load_corpus("detests", sample=True)


def test_tables_have_their_columns_and_types() -> None:
    corpus = sample()
    assert dict(corpus.read("sentences").schema) == {
        **dict.fromkeys(CONTEXT, pl.String), **dict.fromkeys(LABELS, pl.Int8),
        "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    gold = dict(corpus.read("gold").schema)
    assert {name: gold[name] for name in LABELS} == dict.fromkeys(LABELS, pl.Int8)
    assert corpus.read("annotators").height == 40
    assert corpus.counts() == {"sentences": 56, "stereotype": 17}


def test_every_cell_is_kept() -> None:
    corpus = sample()
    gold = {row["sentence_id"]: row for row in read_rows(corpus.path / "gold.csv")}
    published = read_rows(corpus.path / "train.csv") + [
        row | gold[row["sentence_id"]] for row in read_rows(corpus.path / "test.csv")
    ]
    found = {example.id: sentence_row(example) for example in corpus.examples()}
    assert found == {row["sentence_id"]: row for row in published}


def test_splits_and_groups() -> None:
    """Section 4.3: the test file has no labels; sentences of a comment stay together."""
    examples = list(sample().examples())
    assert Counter(e.split for e in examples) == {"train": 40, "test": 16}
    assert all(e.group == e.meta["comment_id"] for e in examples)
    assert len({e.group for e in examples}) == 18 + 8


def test_the_test_file_without_gold_has_no_labels(sample_copy: Callable[[str], Path]) -> None:
    corpus = load_corpus("detests", sample_copy("detests") / "test.csv")
    assert {len(e.labels) for e in corpus.examples()} == {0}
    assert corpus.counts() == {"sentences": 16}
    assert corpus.stats() == []


def test_gold_labels_reach_their_sentence() -> None:
    examples = {e.id: e for e in sample().examples()}
    assert {k for k, v in examples["1006"].labels.items() if v} == {
        "stereotype", "stereotype.migration", "stereotype.culture",
    }  # fmt: skip
    assert "stereotype.implicit" not in examples["1006"].labels  # the gold file has no such column
    assert examples["3"].labels["stereotype.implicit"] == 1


# ---- the single annotators (section 4.2: three per sentence, on request) -----------------------


def test_every_answer_of_the_wide_file_is_kept() -> None:
    corpus = sample()
    published = Counter(
        (row["sentence_id"], column.rpartition("_")[2], label_id(column.rpartition("_")[0]), cell,
         float(cell))
        for row in read_rows(corpus.path / WIDE)
        for column, cell in row.items()
        if column != "sentence_id"
    )  # fmt: skip
    assert answers(list(corpus.examples())) == published
    assert len(published) == 40 * 14 * 3


def long_rows(folder: Path) -> list[dict[str, str]]:
    return [
        {"sentence_id": row["sentence_id"], "annotator": who}
        | {name: row[f"{name}_{who}"] for name in LABELS}
        for row in read_rows(folder / WIDE)
        for who in ("a1", "a2", "a3")
    ]


def test_the_long_file_says_the_same(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("detests")
    wide = answers(list(load_corpus("detests", folder).examples()))
    write_rows(folder / "train_disaggregated.csv", long_rows(folder))
    (folder / WIDE).unlink()
    assert answers(list(load_corpus("detests", folder).examples())) == wide


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_other_spellings(sample_copy: Callable[[str], Path], shape: str) -> None:
    """Table 1 and table 2 write 'dehumanization', table 1 'migration control'."""
    folder = sample_copy("detests")
    if shape == "long":
        write_rows(folder / WIDE, long_rows(folder))
    before = list(load_corpus("detests", folder).examples())
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        header, _, body = text.partition("\n")
        header = header.replace("dehumanisation", "dehumanization")
        header = header.replace("migration", "migration_control").replace("others", "other")
        path.write_text(header.replace("implicitness", "implicit") + "\n" + body, encoding="utf-8")
    corpus = load_corpus("detests", folder)
    after = list(corpus.examples())
    assert after == before
    assert corpus.log.counts == {}


@pytest.mark.parametrize(
    ("changes", "code", "column"),
    [
        ({"stereotype": "2"}, "value", "stereotype"),
        ({"annotator": ""}, "empty cell", "annotator"),
        ({"annotator": "a1"}, "repeated id", None),
    ],
)
def test_a_bad_answer(
    tmp_path: Path, changes: dict[str, str], code: str, column: str | None
) -> None:
    write_rows(tmp_path / "train.csv", [sentence(1)])
    rows = [{"sentence_id": "1", "annotator": f"a{n}", "stereotype": "0"} for n in (1, 2, 3)]
    rows[1] |= changes
    write_rows(tmp_path / "annotators.csv", rows)
    corpus = load_corpus("detests", tmp_path)
    (example,) = corpus.examples()
    assert [j.annotator for j in example.judgements] == ["a1", "a3"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.code) == ("annotators.csv", 3, code)
    assert (problem.column, corpus.log.rows_left_out) == (column, 1)


def test_a_file_without_answers_is_refused(tmp_path: Path) -> None:
    write_rows(tmp_path / "train.csv", [sentence(1)])
    write_rows(tmp_path / "annotators.csv", [{"sentence_id": "1", "mood": "1"}])
    with pytest.raises(FileFormatError, match="no column with an annotator's answers"):
        list(load_corpus("detests", tmp_path).examples())


# ---- tables and figures ----------------------------------------------------------------------


def test_table_2_and_the_figures_of_the_sample() -> None:
    """Counted by hand in train.csv and gold.csv."""
    two, one, five = sample().stats()
    counts = {row[0]: row[1] for row in two.rows}
    assert counts == {
        "xenophobia": 2, "suffering": 3, "economic": 3, "migration": 3, "culture": 4,
        "benefits": 4, "health": 1, "security": 2, "dehumanisation": 2, "others": 2,
    }  # fmt: skip
    assert two.rows[4][2] == round(100 * 4 / 17, 2)
    assert one.rows == ((0, 0), (1, 9), (2, 7), (3, 1))
    assert sum(number * count for number, count in one.rows) == sum(counts.values())
    matrix = {row[0]: dict(zip(five.columns[1:], row[1:], strict=True)) for row in five.rows}
    assert {name: matrix[name][name] for name in CATEGORIES} == counts
    assert matrix["xenophobia"]["suffering"] == matrix["suffering"]["xenophobia"] == 2
    assert matrix["health"]["benefits"] == 1
    assert matrix["health"]["security"] == 0


def test_the_papers_numbers() -> None:
    """Table 2, over the 1,359 sentences with a stereotype; sections 4 and 4.3."""
    assert PAPER == {
        "xenophobia": (21, 1.55), "suffering": (113, 8.31), "economic": (62, 4.56),
        "migration": (553, 40.69), "culture": (265, 19.50), "benefits": (315, 23.18),
        "health": (37, 2.72), "security": (376, 27.67), "dehumanisation": (100, 7.36),
        "others": (90, 6.62),
    }  # fmt: skip
    for count, share in PAPER.values():
        assert round(100 * count / 1_359, 2) == pytest.approx(share, abs=0.011)
    train, test, whole = sample().releases
    assert train.counts["sentences"] + test.counts["sentences"] == whole.counts["sentences"]
    assert whole.counts == {"sentences": 5_629, "stereotype": 1_359}
    assert round(100 * 1_359 / 5_629, 2) == 24.14


# ---- bad rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["train.csv", "gold.csv"])
def test_a_category_without_a_stereotype(tmp_path: Path, name: str) -> None:
    """Section 4.1.1: the categories are those of a sentence with a stereotype."""
    rows = [sentence(1), sentence(2, security="1"), sentence(3, stereotype="1", others="1")]
    write_rows(tmp_path / name, rows)
    corpus = load_corpus("detests", tmp_path)
    kept = [e.id for e in corpus.examples()] if name == "train.csv" else corpus.read("gold")
    assert len(kept) == 2
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.code) == (name, 3, "hierarchy")
    assert corpus.log.rows_left_out == 1
    assert corpus.counts() == {"sentences": 2, "stereotype": 1}


def test_a_stereotype_without_a_category_is_kept_and_noted(tmp_path: Path) -> None:
    write_rows(tmp_path / "train.csv", [sentence(1, stereotype="1"), sentence(2)])
    corpus = load_corpus("detests", tmp_path)
    assert [e.labels["stereotype"] for e in corpus.examples()] == [1.0, 0.0]
    (note,) = corpus.log.of(Severity.NOTE)
    assert (note.line, note.code, corpus.log.rows_left_out) == (2, "hierarchy", 0)


@pytest.mark.parametrize(
    ("column", "cell"),
    [("stereotype", "2"), ("health", "x"), ("sentence", ""), ("comment_id", "")],
)
def test_a_bad_cell(tmp_path: Path, column: str, cell: str) -> None:
    write_rows(tmp_path / "train.csv", [sentence(1), sentence(2) | {column: cell}, sentence(3)])
    corpus = load_corpus("detests", tmp_path)
    assert [e.id for e in corpus.examples()] == ["1", "3"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == ("train.csv", 3, column)
    assert corpus.log.rows_left_out == 1


# ---- the authors' files, in which a sentence is its comment and its place ------------------------


def without_ids(folder: Path) -> None:
    """Write the sample as the authors' files are: no sentence_id, gold with sentences."""
    test = {row["sentence_id"]: row for row in read_rows(folder / "test.csv")}
    train = {row["sentence_id"]: row for row in read_rows(folder / "train.csv")}
    gold = [test[row["sentence_id"]] | row for row in read_rows(folder / "gold.csv")]
    place = ("comment_id", "sentence_pos")
    answers = [
        {name: train[row["sentence_id"]][name] for name in place} | row
        for row in read_rows(folder / WIDE)
    ]
    (folder / "gold.csv").unlink()
    for name, rows in (
        ("train.csv", list(train.values())),
        ("test.csv", list(test.values())),
        ("test_full.csv", gold),
        (WIDE, answers),
    ):
        for row in rows:
            row.pop("sentence_id", None)
        write_rows(folder / name, rows)


def test_files_without_ids_say_the_same(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("detests")
    before = list(load_corpus("detests", folder).examples())
    without_ids(folder)
    corpus = load_corpus("detests", folder)
    after = list(corpus.examples())
    assert corpus.counts() == {"sentences": 56, "stereotype": 17}
    for one, other in zip(before, after, strict=True):
        place = f"{one.meta['comment_id']}_{one.meta['sentence_pos']}"
        assert other.id == (f"train_{place}" if one.split == "train" else place)
        assert (other.text, other.labels, other.group) == (one.text, one.labels, one.group)
        assert Counter(other.judgements) == Counter(one.judgements)
    assert corpus.log.total() == 0


def test_answers_belong_to_the_training_part(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("detests")
    without_ids(folder)
    (folder / WIDE).rename(folder / "annotators.csv")
    examples = list(load_corpus("detests", folder).examples())
    assert {e.split for e in examples if e.judgements} == {"train"}


def test_a_place_that_stands_twice_is_refused(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("detests")
    without_ids(folder)
    rows = read_rows(folder / "test.csv")
    rows[3] |= {name: rows[0][name] for name in ("comment_id", "sentence_pos")}
    rows[4]["sentence_pos"] = ""
    write_rows(folder / "test.csv", rows)
    corpus = load_corpus("detests", folder)
    corpus.read("sentences")
    said = [str(problem) for problem in corpus.log.of(Severity.ERROR)]
    assert any("test.csv, line 5" in each and "line 2" in each for each in said)
    assert any("test.csv, line 6: column 'sentence_pos': found nothing" in each for each in said)


def test_one_of_both_is_not_enough(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("detests")
    without_ids(folder)
    rows = read_rows(folder / "test.csv")
    for row in rows:
        del row["sentence_pos"]
    write_rows(folder / "test.csv", rows)
    with pytest.raises(FileFormatError, match="expected also 'sentence_id'"):
        load_corpus("detests", folder).read("sentences")
