"""The Unhealthy Comment Corpus, against Price et al. 2020."""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpora.csv_files import read_rows, write_rows

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.stats import Stat
from tactful.corpora.ucc import ATTRIBUTES, PAPER_PERCENT, density
from tactful.errors import FileFormatError, Severity
from tactful.settings import load_settings
from tactful.types import Example

# The files' spelling of each attribute in the order of their columns, and Tactful's id.
IDS = {
    "antagonize": "unhealthy.antagonistic",
    "condescending": "unhealthy.condescending",
    "dismissive": "unhealthy.dismissive",
    "generalisation": "unhealthy.generalisation",
    "generalisation_unfair": "unhealthy.generalisation_unfair",
    "healthy": "unhealthy",
    "hostile": "unhealthy.hostile",
    "sarcastic": "unhealthy.sarcastic",
}
TRAITS = {f"_{name}": name for name in ("country", "region", "city", "channel")}


def comment_row(example: Example) -> dict[str, str | float]:
    """The authors' row of a comment, built from its example; numbers as numbers."""
    row: dict[str, str | float] = {
        "_unit_id": example.id,
        "_trusted_judgments": float(example.meta["trusted_judgments"]),
        "comment": example.text,
    }
    for name, label in IDS.items():
        value = example.labels[label]
        row[name] = 1 - value if name == "healthy" else value
        row[f"{name}:confidence"] = example.confidences[label]
    return row


def as_numbers(row: dict[str, str]) -> dict[str, str | float]:
    words = ("_unit_id", "comment")
    return {key: cell if key in words else float(cell) for key, cell in row.items()}


def judgement_rows(example: Example, columns: Iterable[str]) -> list[dict[str, str]]:
    """The authors' rows about a comment, built from its judgements and traits."""
    asked = {label: "antagonise" if n == "antagonize" else n for n, label in IDS.items()}
    rows: dict[str, dict[str, str]] = {}
    for judgement in example.judgements:
        row = rows.setdefault(
            judgement.annotator, dict.fromkeys(columns, "") | {"_unit_id": example.id}
        )
        row |= {"_worker_id": judgement.annotator, "_trust": str(judgement.trust)}
        assert judgement.value is not None
        assert judgement.label == str(int(judgement.value))
        name = asked[judgement.question]
        value = 1 - judgement.value if name == "healthy" else judgement.value
        row[name] = str(int(value))
    for worker, row in rows.items():
        row |= {"comment": example.text}
        traits = example.traits.get(worker, {})
        row |= {c: traits.get(TRAITS.get(c, c), row[c]) for c in row}
    return list(rows.values())


def sample() -> Corpus:
    return load_corpus("ucc", sample=True)


def table(stat: Stat) -> dict[Any, tuple[Any, ...]]:
    return {row[0]: row[1:] for row in stat.rows}


# ---- the sample -----------------------------------------------------------------------------


def test_tables_have_their_columns_and_types() -> None:
    corpus = sample()
    labels: dict[str, Any] = {}
    for name in ATTRIBUTES:
        labels |= {name: pl.Int8, f"{name}_confidence": pl.Float64}
    assert dict(corpus.read("comments").schema) == {
        "unit": pl.String, "trusted_judgments": pl.Int64, "comment": pl.String, **labels,
        "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    judgements = dict(corpus.read("judgements").schema)
    known = {
        "unit": pl.String, "worker": pl.String, "trust": pl.Float64, "comment": pl.String,
        **dict.fromkeys(ATTRIBUTES, pl.Int8),
        **dict.fromkeys(("country", "region", "city", "channel"), pl.String),
    }  # fmt: skip
    assert {name: judgements[name] for name in known} == known
    assert corpus.counts() == {
        "comments": 54, "judgements": 48, "judged comments": 12, "workers": 9,
    }  # fmt: skip


def test_every_cell_of_the_comments_is_kept() -> None:
    corpus = sample()
    published = {
        row["_unit_id"]: as_numbers(row)
        for name in ("train", "val", "test")
        for row in read_rows(corpus.path / f"{name}.csv")
    }
    assert {example.id: comment_row(example) for example in corpus.examples()} == published


def test_every_judgement_is_kept() -> None:
    """Section 3: every answer with its worker and the worker's trustworthiness."""
    corpus = sample()
    published = read_rows(corpus.path / "unhealthy_full.csv")
    columns = list(published[0])
    examples = list(corpus.examples())
    rebuilt = [row for e in examples if e.judgements for row in judgement_rows(e, columns)]
    order = ("_unit_id", "_worker_id")
    assert sorted(rebuilt, key=lambda r: [r[c] for c in order]) == sorted(
        published, key=lambda r: [r[c] for c in order]
    )


def test_confidences_are_the_trust_of_those_who_agree() -> None:
    """Section 4: the sum of trust behind the label, divided by the sum of all trust."""
    for example in sample().examples():
        for label in [name for name in example.labels if name != "unhealthy.generalisation_unfair"]:
            answers = [j for j in example.judgements if j.question == label]
            if not answers:
                continue
            whole = sum(j.trust or 0 for j in answers)
            behind = sum(j.trust or 0 for j in answers if j.value == example.labels[label])
            assert round(behind / whole, 4) == pytest.approx(example.confidences[label], abs=1.1e-4)


def test_unhealthy_is_the_opposite_of_healthy() -> None:
    examples = {example.id: example for example in sample().examples()}
    assert examples["2000000101"].labels["unhealthy"] == 0
    assert examples["2000000141"].labels["unhealthy"] == 1


def test_splits_and_groups() -> None:
    examples = list(sample().examples())
    assert {e.split for e in examples if e.judgements} == {"test"}
    assert [sum(e.split == s for e in examples) for s in ("train", "val", "test")] == [30, 12, 12]
    assert all(e.group == e.id for e in examples)


@pytest.mark.parametrize("rows", [7, 25])
def test_the_batch_size_changes_nothing(rows: int) -> None:
    """A comment and its judgements are in two files and become one example."""
    small = replace(load_settings(), batch_rows=rows)
    whole = {e.id: e for e in sample().examples()}
    found = list(load_corpus("ucc", sample=True, settings=small).examples())
    assert len(found) == 54
    assert {e.id: e for e in found} == whole
    assert [e.id for e in found] == list(whole)
    judged = [e for e in found if e.judgements]
    assert len(judged) == 12
    assert all(e.labels and e.confidences for e in judged)


def test_judgements_alone_and_comments_alone(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("ucc")
    alone = load_corpus("ucc", folder / "unhealthy_full.csv")
    assert alone.counts() == {"judgements": 48, "judged comments": 12, "workers": 9}
    assert all(e.judgements and e.text and not e.labels for e in alone.examples())
    assert alone.stats() == []
    (folder / "unhealthy_full.csv").unlink()
    comments = load_corpus("ucc", folder)
    assert comments.counts() == {"comments": 54}
    assert not any(e.judgements for e in comments.examples())


@pytest.mark.parametrize("spelling", ["antagonise", "antagonize", "antagonistic"])
def test_both_spellings(sample_copy: Callable[[str], Path], spelling: str) -> None:
    path = sample_copy("ucc") / "val.csv"
    before = list(load_corpus("ucc", path).examples())
    text = path.read_text(encoding="utf-8")
    header, _, body = text.partition("\n")
    path.write_text(header.replace("antagonize", spelling) + "\n" + body, encoding="utf-8")
    assert list(load_corpus("ucc", path).examples()) == before


def test_a_further_column_of_the_comments_is_kept_beside_judgements(
    sample_copy: Callable[[str], Path],
) -> None:
    folder = sample_copy("ucc")
    rows = read_rows(folder / "test.csv")
    write_rows(folder / "test.csv", [row | {"topic": f"t{n}"} for n, row in enumerate(rows)])
    corpus = load_corpus("ucc", folder)
    found = {e.id: e.meta.get("topic") for e in corpus.examples()}
    assert [found[row["_unit_id"]] for row in rows] == [f"t{n}" for n in range(12)]
    assert found["2000000101"] is None


# ---- tables and figures ----------------------------------------------------------------------


def test_table_1_of_the_sample() -> None:
    """Counted by hand in train, val and test; the paper's percentages are of its table 1."""
    one = table(sample().stats()[0])
    assert one["Sarcastic"][0] == 5 + 1 + 2
    assert one["Antagonistic/Insulting/Trolling"][0] == 3 + 1 + 1
    assert one["Unhealthy"] == (8 + 4 + 4, round(1600 / 54, 2), 7.5)
    assert one["Generalisation"][2] is None
    assert PAPER_PERCENT == {
        "antagonistic": 4.7, "condescending": 5.5, "dismissive": 3.1,
        "generalisation_unfair": 2.0, "hostile": 2.5, "sarcastic": 4.3, "unhealthy": 7.5,
    }  # fmt: skip


def test_figure_2_splits_by_label() -> None:
    corpus = sample()
    comments = corpus.read("comments")
    _, no, yes, _ = corpus.stats()
    assert (no.id, yes.id) == ("figure-2a", "figure-2b")
    for title in table(no):
        assert table(no)[title][0] + table(yes)[title][0] == 54
    sarcastic = sorted(comments.filter(pl.col("sarcastic") == 1)["sarcastic_confidence"].to_list())
    unhealthy = comments.filter(pl.col("healthy") == 0)["healthy_confidence"].median()
    assert table(yes)["Unhealthy"][2] == pytest.approx(unhealthy, abs=1e-4)
    middle = table(yes)["Sarcastic"][2]
    assert middle == pytest.approx((sarcastic[3] + sarcastic[4]) / 2, abs=1e-4)


def test_a_density_integrates_to_one() -> None:
    grid = np.linspace(-1, 3, 4001)
    area = np.trapezoid(density(np.array([0.6, 0.7, 0.7, 1.0]), grid), grid)
    assert area == pytest.approx(1, abs=1e-6)
    assert density(np.array([1.0, 1.0]), grid).max() == pytest.approx(
        1 / (0.01 * np.sqrt(2 * np.pi))
    )


def test_figure_4_looks_only_at_comments_with_one_of_the_six(tmp_path: Path) -> None:
    """Section 4: "the pool of comments which are labelled as one or more of the six"."""
    rows = [
        comment(1, hostile=1, healthy=0),
        comment(2, hostile=1, sarcastic=1, healthy=0),
        comment(3, sarcastic=1),
        comment(4),  # none of the six: not in the pool
        comment(5, generalisation=1),  # fair: not one of the six
        comment(6, healthy=0),  # unhealthy alone: not one of the six
    ]
    write_rows(tmp_path / "train.csv", rows)
    figure = load_corpus("ucc", tmp_path).stats()[3]
    assert figure.id == "figure-4"
    assert figure.notes[0].startswith("3 comments")
    cells = {row[0]: dict(zip(figure.columns[1:], row[1:], strict=True)) for row in figure.rows}
    # hostile (1, 1, 0) and sarcastic (0, 1, 1): r = -1/2; unhealthy is (1, 1, 0), too.
    assert cells["Hostile"]["sarcastic"] == -0.5
    assert cells["Hostile"]["unhealthy"] == 1.0
    assert cells["Hostile"]["dismissive"] is None
    assert cells["Sarcastic"]["hostile"] == cells["Hostile"]["sarcastic"]


def comment(unit: int, text: str = "Fine by me.", **labels: int) -> dict[str, str]:
    row = {"_unit_id": str(unit), "_trusted_judgments": "3", "comment": text}
    for name in IDS:
        row[name] = str(labels.get(name, int(name == "healthy")))
        row[f"{name}:confidence"] = "0.75"
    return row


def judgement(unit: int, worker: int, **cells: str) -> dict[str, str]:
    row = {"_unit_id": str(unit), "_worker_id": str(worker), "_trust": "0.9", "comment": "Fine."}
    return row | dict.fromkeys(IDS, "0") | {"healthy": "1"} | cells


# ---- bad rows --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "cell", "shown"),
    [
        ("hostile", "2", "hostile"),
        ("hostile", "", "hostile"),
        ("healthy", "yes", "healthy"),
        ("sarcastic:confidence", "1.2", "sarcastic_confidence"),
        ("comment", " ", "comment"),
        ("_trusted_judgments", "0", "trusted_judgments"),
        ("_unit_id", "", "unit"),
    ],
)
def test_a_bad_comment(tmp_path: Path, column: str, cell: str, shown: str) -> None:
    write_rows(tmp_path / "train.csv", [comment(1), comment(2) | {column: cell}, comment(3)])
    corpus = load_corpus("ucc", tmp_path)
    assert [e.id for e in corpus.examples()] == ["1", "3"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == ("train.csv", 3, shown)
    assert corpus.log.rows_left_out == 1


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ({"_trust": "1.5"}, "value"),
        ({"_trust": ""}, "empty cell"),
        ({"hostile": "3"}, "value"),
        ({"_worker_id": "1"}, "repeated id"),
    ],
)
def test_a_bad_judgement(tmp_path: Path, cells: dict[str, str], code: str) -> None:
    rows = [judgement(1, 1), judgement(1, 2, **cells), judgement(1, 3)]
    write_rows(tmp_path / "unhealthy_full.csv", rows)
    corpus = load_corpus("ucc", tmp_path)
    (example,) = corpus.examples()
    assert {j.annotator for j in example.judgements} == {"1", "3"}
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.code) == ("unhealthy_full.csv", 3, code)
    assert corpus.log.rows_left_out == 1


def test_a_comment_that_comes_twice(tmp_path: Path) -> None:
    write_rows(tmp_path / "train.csv", [comment(1), comment(2)])
    write_rows(tmp_path / "val.csv", [comment(2), comment(3)])
    corpus = load_corpus("ucc", tmp_path)
    assert [(e.id, e.split) for e in corpus.examples()] == [
        ("1", "train"), ("2", "train"), ("3", "val"),
    ]  # fmt: skip
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.code) == ("val.csv", 2, "repeated id")


def test_a_file_without_an_attribute_is_refused(tmp_path: Path) -> None:
    row = comment(1)
    del row["healthy"]
    write_rows(tmp_path / "train.csv", [row])
    with pytest.raises(FileFormatError, match="healthy"):
        list(load_corpus("ucc", tmp_path).examples())


# ---- any valid rows come back as they are ----------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=25).filter(
    lambda text: text.strip() != ""
)
flags = st.sampled_from(["0", "1"])
shares = st.floats(0, 1).map(repr)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Comments and judgements of units 1 to 6; each unit is in one file, both or none."""
    units = {unit: draw(texts) for unit in range(1, 7)}
    comments = [
        {"_unit_id": str(unit), "_trusted_judgments": str(draw(st.integers(1, 200)))}
        | {"comment": text}
        | {c: draw(p) for n in IDS for c, p in ((n, flags), (f"{n}:confidence", shares))}
        for unit, text in units.items()
        if draw(st.booleans())
    ]
    pairs = draw(st.sets(st.tuples(st.integers(1, 6), st.integers(1, 9)), max_size=12))
    judgements = [
        {"_unit_id": str(unit), "_worker_id": str(worker), "_trust": draw(shares)}
        | {"comment": units[unit], "_country": draw(st.sampled_from(["", "GBR", "KEN"]))}
        | {name.replace("ize", "ise"): draw(flags) for name in IDS}
        | ({"generalisation_unfair": ""} if draw(st.booleans()) else {})
        for unit, worker in draw(st.permutations(sorted(pairs)))
    ]
    return comments, judgements


@settings(max_examples=25)
@given(corpora(), st.integers(1, 20))
def test_what_is_written_is_read(
    rows: tuple[list[dict[str, str]], list[dict[str, str]]], batch_rows: int
) -> None:
    comments, judgements = rows
    with tempfile.TemporaryDirectory() as name:
        if comments:
            write_rows(Path(name) / "val.csv", comments)
        if judgements:
            write_rows(Path(name) / "unhealthy_full.csv", judgements)
        if not (comments or judgements):
            return
        small = replace(load_settings(), batch_rows=batch_rows)
        corpus = load_corpus("ucc", name, settings=small)
        examples = list(corpus.examples())
    assert corpus.log.of(Severity.ERROR) == []
    assert len({e.id for e in examples}) == len(examples)
    assert {e.id: comment_row(e) for e in examples if e.labels} == {
        row["_unit_id"]: as_numbers(row) for row in comments
    }
    rebuilt = [r for e in examples for r in judgement_rows(e, judgements[0] if judgements else ())]
    assert sorted(map(by_value, rebuilt), key=repr) == sorted(map(by_value, judgements), key=repr)


def by_value(row: dict[str, str]) -> dict[str, str | float]:
    return row | {"_trust": float(row["_trust"])}


# ---- the authors' files ----------------------------------------------------------------------


@pytest.mark.data
def test_the_validation_part(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("ucc", data_folder("ucc") / "val.csv")
    assert corpus.release_name() == "the validation part"
    assert corpus.counts() == {"comments": 4_427}
    assert corpus.log.counts == {}
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_percentages_are_near_table_1(data_folder: Callable[[str], Path]) -> None:
    """Table 1 is of all 44,355 comments; a tenth of them may differ by one point."""
    one = load_corpus("ucc", data_folder("ucc")).stats()[0]
    compared = [(here, paper) for _, _, here, paper in one.rows if paper is not None]
    assert len(compared) == 7
    assert all(abs(here - paper) < 1 for here, paper in compared)


@pytest.mark.data
def test_every_real_cell_is_kept(data_folder: Callable[[str], Path]) -> None:
    path = data_folder("ucc") / "val.csv"
    published = {row["_unit_id"]: as_numbers(row) for row in read_rows(path)}
    wrong = [
        e.id for e in load_corpus("ucc", path).examples() if comment_row(e) != published.pop(e.id)
    ]
    left = len(published)
    assert (wrong, left) == ([], 0)


@pytest.mark.data
def test_the_traps(data_folder: Callable[[str], Path]) -> None:
    comments = load_corpus("ucc", data_folder("ucc") / "val.csv").read("comments")
    lowest = {name: comments[f"{name}_confidence"].min() for name in ATTRIBUTES}
    assert lowest.pop("generalisation_unfair") == 0
    assert min(float(str(low)) for low in lowest.values()) >= 0.5
    assert comments["trusted_judgments"].max() == 166
    many = comments.filter(pl.col("trusted_judgments") > 5).height
    assert round(comments.height / many / 10) == 3  # one in 30
