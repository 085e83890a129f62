"""DETOXIS (NewsCom-TOX): the columns that its files document."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.corpora.csv_files import read_rows, write_rows

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.detoxis import FEATURES
from tactful.errors import Severity
from tactful.types import Example

KEPT = ("topic", "thread_id", "reply_to", "comment_level")


def comment(number: int, **cells: str) -> dict[str, str]:
    row = {"topic": "SO", "thread_id": "2_000", "comment_id": f"2_{number}"}
    row |= {"reply_to": "2_1", "comment_level": "1", "comment": "La fuente es nueva."}
    return row | dict.fromkeys(FEATURES, "0") | {"toxicity_level": "0"} | cells


def comment_row(example: Example) -> dict[str, str]:
    """The authors' row of a comment, built from its example."""
    row = {name: example.meta[name] for name in KEPT}
    row |= {"comment_id": example.id, "comment": example.text}
    for name in (*FEATURES, "toxicity_level"):
        label = name if name == "stereotype" else f"detoxis.{name}"
        row[name] = str(int(example.labels[label]))
    return row


def sample() -> Corpus:
    return load_corpus("detoxis", sample=True)


def test_columns_types_and_counts() -> None:
    corpus = sample()
    assert dict(corpus.read("comments").schema) == {
        **dict.fromkeys(("topic", "thread_id", "comment_id", "reply_to", "comment_level",
                         "comment"), pl.String),
        **dict.fromkeys(FEATURES, pl.Int8), "toxicity_level": pl.Int64,
        "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    assert corpus.counts() == {"comments": 24, "stereotype": 5}


def test_every_cell_is_kept() -> None:
    corpus = sample()
    found = [comment_row(example) for example in corpus.examples()]
    assert found == read_rows(corpus.path / "train.csv")


def test_articles_are_groups() -> None:
    """thread_id starts with the number of the article."""
    examples = list(sample().examples())
    assert Counter(e.group for e in examples) == {"2": 6, "4": 7, "8": 6, "11": 5}
    assert {e.split for e in examples} == {"train"}


def test_features_of_the_sample() -> None:
    """Counted by hand."""
    (features,) = sample().stats()
    found = {row[0]: row[1] for row in features.rows}
    assert found["stereotype"] == 5
    assert found["sarcasm"] == 5
    assert [found[f"toxicity level {n}"] for n in range(4)] == [14, 6, 3, 1]
    assert found["toxicity"] == 10
    assert features.rows[-1] == ("toxicity level 3", 1, round(100 / 24, 2))


def test_a_contradiction_is_kept_and_noted(tmp_path: Path) -> None:
    write_rows(tmp_path / "train.csv", [comment(1), comment(2, toxicity="1"), comment(3)])
    corpus = load_corpus("detoxis", tmp_path)
    assert len(list(corpus.examples())) == 3
    (note,) = corpus.log.of(Severity.NOTE)
    assert (note.file, note.line, note.column) == ("train.csv", 3, "toxicity_level")
    assert corpus.log.rows_left_out == 0


@pytest.mark.parametrize(
    ("column", "cell"),
    [("toxicity_level", "4"), ("stereotype", "2"), ("insult", ""), ("comment", ""),
     ("thread_id", "")],
)  # fmt: skip
def test_a_bad_cell(tmp_path: Path, column: str, cell: str) -> None:
    rows = [comment(1), comment(2) | {column: cell}, comment(3)]
    write_rows(tmp_path / "train.csv", rows)
    corpus = load_corpus("detoxis", tmp_path)
    assert [e.id for e in corpus.examples()] == ["2_1", "2_3"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == ("train.csv", 3, column)
    assert corpus.log.rows_left_out == 1


@pytest.mark.data
def test_the_part_that_is_here(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("detoxis", data_folder("detoxis"))
    published = read_rows(corpus.path / "train_part.csv")
    pairs = zip(corpus.examples(), published, strict=True)
    wrong = [line for line, (e, row) in enumerate(pairs) if comment_row(e) != row]
    assert wrong == []
    assert corpus.counts() == {"comments": 2_220, "stereotype": 187}
    # The paper of this corpus is not among the five, and its counts are not known: it says so.
    assert corpus.release_name() is None
    assert "no counts are published" in corpus.verify().lines()[0]
    assert corpus.log.rows_left_out == 0
    assert corpus.log.counts == {(Severity.NOTE, "toxicity level"): 2}
    repeated = len(published) - len({row["comment"] for row in published})
    assert repeated == 14
