"""The Social Bias Inference Corpus, against Sap et al. 2020."""

import csv
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpora.csv_files import read_rows, write_rows

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.corpora.sbic import (
    PAPER_COUNTS,
    PAPER_SUBTOTALS,
    SKEWS,
    SOURCES,
    SocialBiasInference,
    aggregate_posts,
)
from tactful.corpora.stats import Stat
from tactful.errors import Severity
from tactful.settings import load_settings
from tactful.types import Example

DEV = "SBIC.v2.dev.csv"
AGG = "SBIC.v2.agg.dev.csv"
COLUMNS = (
    "whoTarget", "intentYN", "sexYN", "sexReason", "offensiveYN", "annotatorGender",
    "annotatorMinority", "sexPhrase", "speakerMinorityYN", "WorkerId", "HITId",
    "annotatorPolitics", "annotatorRace", "annotatorAge", "post", "targetMinority",
    "targetCategory", "targetStereotype", "dataSource",
)  # fmt: skip
QUESTIONS = {
    "offensiveYN": "frame.offensive", "intentYN": "frame.intent", "sexYN": "frame.lewd",
    "whoTarget": "frame.group", "speakerMinorityYN": "frame.in_group",
    "targetMinority": "frame.target_group", "targetStereotype": "frame.implied_statement",
    "targetCategory": "sbic.target_category", "HITId": "sbic.hit",
    "sexPhrase": "sbic.sex_phrase", "sexReason": "sbic.sex_reason",
}  # fmt: skip
PER_ROW = ("targetMinority", "targetStereotype", "targetCategory")
TRAITS = {
    "annotatorGender": "gender", "annotatorMinority": "minority",
    "annotatorPolitics": "politics", "annotatorRace": "race", "annotatorAge": "age",
}  # fmt: skip
MEANS = ("whoTarget", "intentYN", "sexYN", "offensiveYN")
LISTS = ("targetMinority", "targetCategory", "targetStereotype")


def rebuilt(example: Example) -> list[tuple[str, ...]]:
    """The authors' annotation rows of a post, built from its judgements, traits and meta.

    A judgement without a row holds for all of a worker's rows; one with a row for that row only.
    """
    said: dict[str, dict[tuple[str, int | None], str]] = defaultdict(dict)
    for judgement in example.judgements:
        said[judgement.annotator][judgement.question, judgement.row] = judgement.label or ""
    workers = dict.fromkeys([*said, *example.traits])
    rows = []
    for worker in workers:
        answers = said[worker]
        numbers = {row for _, row in answers if row is not None} or {0}
        for number in range(max(numbers) + 1):
            cells = {"post": example.text, "WorkerId": worker}
            for column, question in QUESTIONS.items():
                whole = "" if column in PER_ROW else answers.get((question, None), "")
                cells[column] = answers.get((question, number), whole)
            for column, trait in TRAITS.items():
                changing = any(question == f"sbic.{column}" for question, _ in answers)
                first = example.traits.get(worker, {}).get(trait, "")
                cells[column] = answers.get((f"sbic.{column}", number), "" if changing else first)
            mixed = any(j.question == "sbic.dataSource" for j in example.judgements)
            source = "" if mixed else example.meta.get("dataSource", "")
            cells["dataSource"] = answers.get(("sbic.dataSource", number), source)
            rows.append(tuple(cells[column] for column in COLUMNS))
    return rows


def as_published(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in COLUMNS)


def wrong_posts(path: Path, posts: pl.DataFrame) -> list[int]:
    """The lines of an aggregated file that differ from ``posts``; never their texts."""
    published = read_rows(path)
    if len(published) != posts.height:
        return [-1]
    wrong = []
    for number, (row, post) in enumerate(zip(published, posts.iter_rows(named=True), strict=True)):
        same = (
            row["post"] == post["post"]
            and all(json.loads(row[name]) == post[name] for name in LISTS)
            and all((float(row[n]) if row[n] else None) == post[n] for n in MEANS)
            and row["dataSource"] == (post["dataSource"] or "")
            and int(row["hasBiasedImplication"]) == post["hasBiasedImplication"]
        )
        if not same:
            wrong.append(number)
    return wrong


def sample() -> Corpus:
    return load_corpus("sbic", sample=True)


def cells(stat: Stat) -> dict[Any, tuple[Any, ...]]:
    return {row[0]: row[1:] for row in stat.rows}


# ---- the sample -----------------------------------------------------------------------------


def test_tables_have_their_columns_and_types() -> None:
    corpus = sample()
    numbers = ("offensiveYN", "intentYN", "sexYN", "whoTarget", "speakerMinorityYN", "annotatorAge")
    schema = dict(corpus.read("annotations").schema)
    assert set(schema) == {*COLUMNS, "line", "split"}
    assert {name for name, dtype in schema.items() if dtype == pl.Float64} == set(numbers)
    posts = dict(corpus.read("posts").schema)
    posts.pop("", None)  # the authors' row number
    assert posts == {
        "post": pl.String, **dict.fromkeys(LISTS, pl.List(pl.String)),
        **dict.fromkeys(MEANS, pl.Float64), "dataSource": pl.String,
        "hasBiasedImplication": pl.Int8, "line": pl.Int64, "split": pl.String,
    }  # fmt: skip
    assert corpus.counts() == {"annotations": 91, "posts": 25, "aggregated posts": 13}


def test_every_annotation_row_is_kept() -> None:
    corpus = sample()
    published = Counter(
        as_published(row)
        for name in ("trn", "dev", "tst")
        for row in read_rows(corpus.path / f"SBIC.v2.{name}.csv")
    )
    assert Counter(row for example in corpus.examples() for row in rebuilt(example)) == published


def test_aggregation_equals_the_agg_file() -> None:
    corpus = sample()
    rows = load_corpus("sbic", corpus.path / DEV).read("annotations")
    assert wrong_posts(corpus.path / AGG, aggregate_posts(rows)) == []


def test_a_post_in_two_hits_is_one_example() -> None:
    (example,) = (e for e in sample().examples() if e.text.startswith("Never ask a tall man"))
    hits = {j.label for j in example.judgements if j.question == "sbic.hit"}
    assert len(hits) == 2
    assert len({j.annotator for j in example.judgements}) == 6
    assert len(rebuilt(example)) == 7


def test_labels_are_means_over_rows_and_texts_are_distinct() -> None:
    (example,) = (e for e in sample().examples() if e.text.startswith("Men only open"))
    # Four rows: offensive 0.5, 1, 1, 1; the second worker counts twice. In-group: 0.5, 0, 0, 0.
    assert example.labels["frame.offensive"] == 0.875
    assert example.labels["frame.in_group"] == 0.125
    assert example.texts == {
        "frame.target_group": ("men",),
        "frame.implied_statement": ("men are stubborn", "men do not read instructions"),
    }
    (harmless,) = (e for e in sample().examples() if e.text.startswith("My neighbour"))
    assert "frame.group" not in harmless.labels
    assert harmless.texts == {}


def test_a_post_that_nobody_understood_is_kept_as_an_example_only() -> None:
    (unread,) = (e for e in sample().examples() if e.text.startswith("Somebody moved"))
    assert "frame.offensive" not in unread.labels
    assert len(unread.judgements) > 0
    assert unread.text not in sample().read("posts")["post"].to_list()


def test_groups_splits_and_ids() -> None:
    examples = list(sample().examples())
    assert Counter(e.split for e in examples) == {"train": 6, "dev": 14, "test": 5}
    assert len({e.id for e in examples}) == 25
    assert all(e.group == e.id for e in examples)


def test_the_batch_size_changes_nothing() -> None:
    small = replace(load_settings(), batch_rows=7)
    found = list(load_corpus("sbic", sample=True, settings=small).examples())
    assert found == list(sample().examples())


def test_the_aggregated_file_alone(sample_copy: Callable[[str], Path]) -> None:
    path = sample_copy("sbic") / AGG
    corpus = load_corpus("sbic", path)
    from_rows = {e.text: e for e in load_corpus("sbic", path.parent / DEV).examples()}
    examples = list(corpus.examples())
    assert len(examples) == 13
    for example in examples:
        other = from_rows[example.text]
        assert (example.id, example.texts) == (other.id, other.texts)
        known = {k: v for k, v in other.labels.items() if k != "frame.in_group"}
        assert example.labels == known


# ---- tables and figures ----------------------------------------------------------------------


def annotation(post: str, worker: str, **changes: str) -> dict[str, str]:
    row = dict.fromkeys(COLUMNS, "") | {"post": post, "WorkerId": worker, "dataSource": "Gab"}
    return row | {"intentYN": "0.0", "sexYN": "0.0"} | changes


BAKERS = {"whoTarget": "1.0", "targetMinority": "bakers", "targetCategory": "social"}
FIRST = {"offensiveYN": "1.0", "intentYN": "0.33", "sexYN": "0.5", "speakerMinorityYN": "0.0"}
SECOND = {"offensiveYN": "0.5", "intentYN": "0.66", "speakerMinorityYN": "0.5"}
WOMEN = {"whoTarget": "1.0", "targetMinority": "women", "targetCategory": "gender"}
A_FEW_ROWS = [
    # A worker who writes two statements has two rows, and counts once for the shares.
    annotation("A", "1", **BAKERS, **FIRST, targetStereotype="bakers are loud"),
    annotation("A", "1", **BAKERS, **FIRST, targetStereotype="bakers are early"),
    annotation("A", "2", **BAKERS, **SECOND, targetStereotype="bakers are loud"),
    annotation("B", "1", offensiveYN="0.0", dataSource="r/Incels"),
    annotation("B", "2", dataSource="r/Incels"),
    annotation("C", "1", **WOMEN, offensiveYN="1.0", dataSource="r/MensRights"),
]


def test_table_3_by_hand(tmp_path: Path) -> None:
    """Table 3: "the number of times a worker annotated a post"; footnote 8 binarises."""
    write_rows(tmp_path / DEV, A_FEW_ROWS)
    found = {k: v[0] for k, v in cells(load_corpus("sbic", tmp_path).stats()[1]).items()}
    assert found == {
        "tuples": 6,
        "unique posts": 3,
        "unique groups": 2,
        "unique implications": 2,
        "unique post-group": 3,  # A-bakers, B without a group, C-women
        "unique post-group-implication": 4,  # A twice, B, C
        "unique group-implication": 2,
        "% offensive": 75.0,  # 1, 0.5 and 1 of four who answered
        "% intent": 20.0,  # 0.66 of five; 0.33 is "probably not"
        "% lewd": 20.0,  # "maybe" counts
        "% group targeted": 100.0,
        "% in-group": 50.0,
    }


def test_annotators_count_once(tmp_path: Path) -> None:
    woman = {"annotatorGender": "woman", "annotatorRace": "white", "annotatorAge": "30.0"}
    man = {"annotatorGender": "man", "annotatorRace": "", "annotatorAge": "50.0"}
    rows = [
        annotation("A", "1", **woman),
        annotation("B", "1", **woman),
        annotation("B", "2", **man),
        annotation("A", "2", **{**man, "annotatorGender": "woman"}),
        annotation("C", "3", **{**man, "annotatorAge": "40.0"}),
    ]
    write_rows(tmp_path / DEV, rows)
    who = load_corpus("sbic", tmp_path).stats()[-1]
    assert who.rows == (
        ("gender", "man", 2, 66.67, 42.0),
        ("gender", "woman", 1, 33.33, 55.0),
        ("race", "white", 1, 33.33, 82.0),
    )
    assert who.notes[0] == "Age: 40.0 ± 10.0; the paper says 36 ± 10."


def test_table_2_and_figure_3_by_hand(tmp_path: Path) -> None:
    """Table 2: Banned Reddits are r/Incels and r/MensRights."""
    write_rows(tmp_path / DEV, [*A_FEW_ROWS, annotation("D", "1", dataSource="elsewhere")])
    two, _, figure, _ = load_corpus("sbic", tmp_path).stats()
    found = {row[:2]: row[2] for row in two.rows if row[2]}
    assert found == {
        ("Hate sites", "Gab"): 1,
        ("Hate sites", "Banned Reddits"): 2,
        ("Hate sites", "subtotal"): 3,
        ("Other", "elsewhere"): 1,
        ("SBIC", "total"): 4,
    }
    assert figure.columns == ("category", "Hate sites")
    assert cells(figure) == {
        "gender": (50.0,),
        "race": (0.0,),
        "culture": (0.0,),
        "social": (50.0,),
    }


def test_statistics_of_an_aggregated_file_alone(tmp_path: Path) -> None:
    """SBIC.v2.agg.tst.csv has posts, not answers: tables 2 and 3 as far as posts can say."""
    posts = [
        ("A", ["bakers"], ["social"], ["bakers are loud", "bakers are early"], "Gab", "0.75"),
        ("B", [], [], [], "r/Incels", "0.25"),
        ("C", ["women", "bakers"], ["gender", "social"], ["women are late"], "r/MensRights", "0.5"),
    ]
    path = tmp_path / "SBIC.v2.agg.tst.csv"
    columns = ("post", *LISTS, *MEANS, "dataSource", "hasBiasedImplication")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["", *columns])
        for at, (text, groups, kinds, said, source, mean) in enumerate(posts):
            means = ["" if name == "whoTarget" and not groups else mean for name in MEANS]
            lists = [json.dumps(each) for each in (groups, kinds, said)]
            writer.writerow([at, text, *lists, *means, source, int(not said)])
    corpus = load_corpus("sbic", path)
    assert {e.split for e in corpus.examples()} == {"test"}
    two, three, figure = corpus.stats()
    assert {row[:2]: row[2] for row in two.rows if row[2]} == {
        ("Hate sites", "Gab"): 1,
        ("Hate sites", "Banned Reddits"): 2,
        ("Hate sites", "subtotal"): 3,
        ("SBIC", "total"): 3,
    }
    assert {name: row[0] for name, row in cells(three).items()} == {
        "unique posts": 3,
        "unique groups": 2,
        "unique implications": 3,
        "unique post-group": 4,  # A-bakers, B without a group, C-women, C-bakers
        "% offensive": 66.67,
        "% intent": 66.67,
        "% lewd": 66.67,
        "% group targeted": 100.0,
    }
    assert any("a mean answer of 0.5" in note for note in three.notes)
    assert cells(figure)["gender"] == (33.33,)
    assert cells(figure)["social"] == (66.67,)


def test_table_2_of_the_sample_adds_up() -> None:
    two = sample().stats()[0]
    parts = [row for row in two.rows if row[1] not in ("subtotal", "total")]
    for kind in PAPER_SUBTOTALS:
        (subtotal,) = (row[2] for row in two.rows if row[:2] == (kind, "subtotal"))
        assert subtotal == sum(row[2] for row in parts if row[0] == kind)
    assert two.rows[-1][2] == sum(row[2] for row in parts) == 25


def test_the_files_of_a_part_have_the_counts_of_each() -> None:
    known = {release.name: release.counts for release in SocialBiasInference.releases}
    part = "the development part of version 2"
    assert known[f"{part}, both files"].items() >= known[part].items()
    (aggregated,) = (counts for counts in known.values() if set(counts) == {"aggregated posts"})
    assert known[f"{part}, both files"].items() >= aggregated.items()


def test_the_papers_numbers() -> None:
    """Tables 2 and 3 of the paper. Its subtotals add up to one post more than its total."""
    assert PAPER_SUBTOTALS == {"Reddit": 15_945, "Twitter": 16_688, "Hate sites": 12_039}
    for kind, subtotal in PAPER_SUBTOTALS.items():
        by_name = {name: number for t, name, number in SOURCES.values() if t == kind}
        assert sum(by_name.values()) == subtotal
    assert sum(PAPER_SUBTOTALS.values()) == PAPER_COUNTS["posts"] + 1
    assert PAPER_COUNTS == {
        "tuples": 147_139, "posts": 44_671, "groups": 1_414, "implications": 32_028,
        "post-group": 48_923, "post-group-implication": 87_942, "group-implication": 34_333,
    }  # fmt: skip
    assert {name: paper for name, (_, paper) in SKEWS.items()} == {
        "offensive": 44.8, "intent": 43.4, "lewd": 7.9, "group targeted": 50.9, "in-group": 4.6,
    }  # fmt: skip


# ---- bad rows --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("offensiveYN", "0.7"),
        ("intentYN", "0.5"),
        ("whoTarget", "0.5"),
        ("sexYN", "yes"),
        ("annotatorAge", "old"),
        ("WorkerId", ""),
        ("post", "  "),
    ],
)
def test_a_bad_annotation(tmp_path: Path, column: str, cell: str) -> None:
    """Section 2: three, four, three and two possible answers."""
    bad = annotation("B", "1") | {column: cell}
    write_rows(tmp_path / DEV, [annotation("A", "1"), bad, annotation("C", "1")])
    corpus = load_corpus("sbic", tmp_path)
    assert [e.text for e in corpus.examples()] == ["A", "C"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == (DEV, 3, column)
    assert corpus.log.rows_left_out == 1


@pytest.mark.parametrize(
    ("changes", "code", "column"),
    [
        ({"targetMinority": "women"}, "list", "targetMinority"),
        ({"targetStereotype": '["a", 2]'}, "list", "targetStereotype"),
        ({"targetCategory": '{"a": 1}'}, "list", "targetCategory"),
        ({"hasBiasedImplication": "0"}, "inverted column", "hasBiasedImplication"),
        ({"targetStereotype": '["a"]'}, "inverted column", "hasBiasedImplication"),
        ({"hasBiasedImplication": "2"}, "value", "hasBiasedImplication"),
        ({"offensiveYN": "1.5"}, "value", "offensiveYN"),
    ],
)
def test_a_bad_post(tmp_path: Path, changes: dict[str, str], code: str, column: str) -> None:
    good = {
        "": "0", "post": "A", "targetMinority": "[]", "targetCategory": "[]",
        "targetStereotype": "[]", "whoTarget": "", "intentYN": "0.0", "sexYN": "0.0",
        "offensiveYN": "0.0", "dataSource": "Gab", "hasBiasedImplication": "1",
    }  # fmt: skip
    write_rows(tmp_path / AGG, [good, good | {"post": "B"} | changes, good | {"post": "C"}])
    corpus = load_corpus("sbic", tmp_path)
    assert [e.text for e in corpus.examples()] == ["A", "C"]
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.code, problem.column) == (AGG, 3, code, column)
    assert corpus.log.rows_left_out == 1


# ---- any valid rows come back as they are ----------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(
    lambda text: text if text.strip() else ""
)
halves = st.sampled_from(["", "0.0", "0.5", "1.0"])


def annotations() -> st.SearchStrategy[dict[str, str]]:
    """Any row about a few posts by a few workers, who may contradict themselves."""
    return st.fixed_dictionaries(
        {
            "whoTarget": st.sampled_from(["", "0.0", "1.0"]),
            "intentYN": st.sampled_from(["", "0.0", "0.33", "0.66", "1.0"]),
            "sexYN": halves,
            "sexReason": texts,
            "offensiveYN": halves,
            "annotatorGender": st.sampled_from(["", "woman", "man"]),
            "annotatorMinority": texts,
            "sexPhrase": texts,
            "speakerMinorityYN": halves,
            "WorkerId": st.sampled_from(["1", "-2"]),
            "HITId": st.sampled_from(["H1", "H2"]),
            "annotatorPolitics": st.just("liberal"),
            "annotatorRace": st.just("na"),
            "annotatorAge": st.sampled_from(["", "31.0", "47.0"]),
            "post": st.sampled_from(["One post.", "Two\r\nposts, “really” 👋"]),
            "targetMinority": texts,
            "targetCategory": st.sampled_from(["", "social"]),
            "targetStereotype": texts,
            "dataSource": st.sampled_from(["", "Gab", "t/founta"]),
        }
    )


@settings(max_examples=40)
@given(st.lists(annotations(), min_size=1, max_size=7), st.integers(1, 9))
def test_what_is_written_is_read(rows: list[dict[str, str]], batch_rows: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        write_rows(Path(name) / DEV, rows)
        small = replace(load_settings(), batch_rows=batch_rows)
        corpus = load_corpus("sbic", name, settings=small)
        examples = list(corpus.examples())
    assert corpus.log.counts == {}
    found = Counter(row for example in examples for row in rebuilt(example))
    assert found == Counter(as_published(row) for row in rows)


# ---- the authors' files ----------------------------------------------------------------------


@pytest.mark.data
def test_the_development_part(data_folder: Callable[[str], Path]) -> None:
    corpus = load_corpus("sbic", data_folder("sbic"))
    assert corpus.release_name() == "the development part of version 2, both files"
    assert corpus.counts() == {
        "annotations": 16_738, "posts": 4_673, "aggregated posts": 4_666,
    }  # fmt: skip
    assert corpus.log.counts == {}
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_aggregation_equals_the_authors(data_folder: Callable[[str], Path]) -> None:
    folder = data_folder("sbic")
    posts = aggregate_posts(load_corpus("sbic", folder / DEV).read("annotations"))
    assert posts.height == 4_666
    assert wrong_posts(folder / AGG, posts) == []


@pytest.mark.data
def test_every_real_annotation_row_is_kept(data_folder: Callable[[str], Path]) -> None:
    folder = data_folder("sbic")
    left: Counter[tuple[str, ...]] = Counter(map(as_published, read_rows(folder / DEV)))
    number = sum(left.values())
    for example in load_corpus("sbic", folder / DEV).examples():
        left.subtract(rebuilt(example))
    wrong = sum(count != 0 for count in left.values())
    assert (number, wrong) == (16_738, 0)


@pytest.mark.data
def test_the_traps(data_folder: Callable[[str], Path]) -> None:
    rows = load_corpus("sbic", data_folder("sbic") / DEV).read("annotations")
    harmless = rows.filter(pl.col("offensiveYN") == 0)
    asked = harmless.filter(pl.col("whoTarget").is_not_null()).height
    assert round(100 * asked / harmless.height) == 4
    posts = rows.group_by("post").agg(
        pl.col("targetMinority").is_not_null().any().alias("some"),
        pl.col("targetMinority").is_not_null().all().alias("every"),
        (pl.col("WorkerId").n_unique() < 3).alias("few"),
        pl.col("offensiveYN").min().alias("lowest"),
        pl.col("HITId").n_unique().alias("hits"),
    )
    named = posts.filter("some")
    assert named["every"].all()
    assert (named.height, named["few"].sum()) == (1_807, 1_023)
    others = posts.filter(~pl.col("some"))
    assert (others.height, others["few"].sum()) == (2_866, 37)
    assert named["lowest"].min() == 0.5
    assert posts.filter(pl.col("hits") > 1).height == 7
