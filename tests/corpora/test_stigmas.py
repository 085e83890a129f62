"""Conditions and model outputs of Mei et al. 2023."""

import csv
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tactful.corpora import load_corpus
from tactful.corpora.corpus import Corpus
from tactful.errors import Severity
from tactful.settings import load_settings
from tactful.types import Example

Rows = list[dict[str, str]]
STIGMAS = "stigma_conditions.csv"
META = {"condition": "condition", "category": "category", "pachankis": "pachankis_condition"}


def read_rows(path: Path, encoding: str = "utf-8-sig") -> Rows:
    with path.open(newline="", encoding=encoding) as file:
        return list(csv.DictReader(file))


def published(
    folder: Path, ending: str, prompt: str
) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """The rows of all output files, by model, kind of condition, and prompt."""
    found: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for path in sorted(folder.glob(f"*_{ending}*.csv")):
        model, _, rest = path.name.partition("_")
        kind = "non-stigma" if rest.startswith("non") else "stigma"
        for row in read_rows(path):
            found[model, kind, row[prompt]].append(row)
    return found


def unlike(example: Example, rows: Rows, word: str, number: str) -> bool:
    """Say whether an example differs from the authors' rows in any cell."""
    said = [(j.label, j.value) for j in example.judgements]
    first = rows[0]
    cells = (first["condition"], first["category"], first["pachankis_conditions"])
    return (
        said != [(row[word], float(row[number])) for row in rows]
        or tuple(example.meta[name] for name in META.values()) != cells
        or any(j.annotator != example.meta["model"] for j in example.judgements)
    )


def wrong_examples(corpus: Corpus) -> list[int]:
    """The positions of the examples that differ from the authors' files, or -1 for missing ones."""
    sentiment = published(corpus.path, "*stigma_sentiment", "prompts")
    masked = published(corpus.path, "*stigma_top50", "prompt")
    wrong = []
    for at, example in enumerate(corpus.examples()):
        key = (example.meta["model"], example.meta["conditions"], example.text)
        if example.id.startswith("sentiment/"):
            bad = unlike(example, sentiment.pop(key), "sentiment", "sentiment_score")
        else:
            bad = unlike(example, masked.pop(key), "predicted_word", "probs")
            bad = bad or [j.row for j in example.judgements] != list(range(len(example.judgements)))
        if bad:
            wrong.append(at)
    return wrong + [-1] * (len(sentiment) + len(masked))


def sample() -> Corpus:
    return load_corpus("stigmas", sample=True)


def test_columns_types_and_counts() -> None:
    corpus = sample()
    known = ("verb", "condition_plural", "condition", "first_category", "pachankis_condition",
             "verb_plural", "category")  # fmt: skip
    schema = dict(corpus.read("stigma conditions").schema)
    assert {name: schema[name] for name in known} == dict.fromkeys(known, pl.String)
    assert corpus.read("sentiment").schema["score"] == pl.Float64
    assert corpus.read("fill-mask").schema["probability"] == pl.Float64
    assert corpus.counts() == {
        "stigmatized": 4, "non-stigmatized": 4, "sentiment rows": 30, "fill-mask rows": 280,
    }  # fmt: skip


def test_every_cell_of_the_conditions_is_kept() -> None:
    """Read as ISO-8859-1; one file starts with a byte-order mark."""
    corpus = sample()
    rows = read_rows(corpus.path / STIGMAS, "iso-8859-1")
    found = corpus.read("stigma conditions").to_dicts()
    names = {
        "verb": "Verb/Be_singular", "condition_plural": "Condition_plural",
        "condition": "Condition", "first_category": "Category ",
        "pachankis_condition": "Pachankis_condition", "verb_plural": "Verb/Be_plural",
        "category": "Final_Category",
    }  # fmt: skip
    assert [[row[n] for n in names] for row in found] == [
        [row[column] for column in names.values()] for row in rows
    ]
    assert "café-au-lait spots" in {row["condition"] for row in found}
    others = read_rows(corpus.path / "non_stigma_conditions.csv")
    standard = [row["Condition_StandardNaming"] for row in others]
    assert corpus.read("non-stigma conditions")["standard_name"].to_list() == standard


def test_every_word_and_probability_is_kept() -> None:
    """Section 4.3: the 50 most probable words of each prompt, in their order."""
    corpus = sample()
    assert wrong_examples(corpus) == []
    examples = list(corpus.examples())
    assert len(examples) == len({e.id for e in examples}) == 30 + 56


def test_what_only_the_file_name_says() -> None:
    examples = list(sample().examples())
    assert {e.meta["model"] for e in examples} == {"samplebert"}
    assert {e.meta["conditions"] for e in examples} == {"stigma", "non-stigma"}
    masked = [e for e in examples if e.id.startswith("fill-mask/")]
    openings = {e.meta["template"]: e.text[:12] for e in masked}
    assert openings == {
        "1": "Choosing bet", "2": "I would say ", "3": "It is [MASK]", "4": "It is [MASK]",
    }  # fmt: skip
    assert {e.meta["template"] for e in examples if e not in masked} == {
        "They are people", "These are people", "We are people",
    }  # fmt: skip
    assert all(e.group == e.meta["condition"] and e.split is None for e in examples)


def test_the_batch_size_changes_nothing() -> None:
    small = replace(load_settings(), batch_rows=7)
    found = list(load_corpus("stigmas", sample=True, settings=small).examples())
    assert found == list(sample().examples())


def test_figure_4_uses_the_two_templates_of_the_paper() -> None:
    """Section 4.2: 'They are people' and 'These are people'; counted by hand."""
    figure = sample().stats()[0]
    assert figure.rows == (
        ("samplebert", "stigma", 12, 6, 50.0),
        ("samplebert", "non-stigma", 8, 2, 25.0),
    )


def test_the_appendices_are_counted_from_the_files() -> None:
    """Counted by hand in the sample; non-stigmas have their names of the list, not 'Base'."""
    _, always, templates, conditions, sums = sample().stats()
    assert always.rows == (("stigma", 4, 0, 27), ("non-stigma", 4, 0, 1))
    assert templates.rows == (
        ("samplebert", "These are people", "stigma", 6, 3, 50.0),
        ("samplebert", "These are people", "non-stigma", 4, 1, 25.0),
        ("samplebert", "They are people", "stigma", 6, 3, 50.0),
        ("samplebert", "They are people", "non-stigma", 4, 1, 25.0),
    )
    assert {row[0]: row[1:4] for row in conditions.rows} == {
        "Café-au-lait spots(i.e.,flat,light birthmarks)": ("stigma", 2, 1),
        "Gardener": ("non-stigma", 2, 0),
        "Have a library card": ("non-stigma", 2, 1),
        "Hay fever (remitted;average severity)": ("stigma", 2, 1),
        "Latina/Latino": ("stigma", 6, 3),
        "Punctual": ("non-stigma", 2, 1),
        "Right-handed": ("non-stigma", 2, 0),
        "late with the rent(previously)": ("stigma", 2, 1),
    }
    assert sums.rows[0] == ("samplebert", "non-stigma", "1", 14, 0.223, 0.563, 0.752)
    assert [row[2] for row in sums.rows] == ["1", "2", "3", "4"]


def test_outputs_of_words_alone_have_their_table(sample_copy: Callable[[str], Path]) -> None:
    folder = sample_copy("stigmas")
    for path in folder.glob("*_sentiment.csv"):
        path.unlink()
    assert [stat.id for stat in load_corpus("stigmas", folder).stats()] == ["appendix-b"]


def test_classifiers_write_their_classes_in_their_own_way(
    sample_copy: Callable[[str], Path],
) -> None:
    """Section 3: BERTweet says NEG, NEU, POS; Twitter-RoBERTa negative, neutral, positive."""
    folder = sample_copy("stigmas")
    path = folder / "samplebert_stigma_sentiment.csv"
    text = path.read_text(encoding="utf-8")
    for model, negative, positive in (("tweet", "NEG", "POS"), ("rb", "negative", "neutral")):
        changed = text.replace("NEGATIVE", negative).replace("POSITIVE", positive)
        target = folder / f"{model}_stigma_sentiment.csv"
        target.write_text(changed, encoding="utf-8")
    corpus = load_corpus("stigmas", folder)
    figure = corpus.stats()[0]
    found = {row[0]: row[3] for row in figure.rows if row[1] == "stigma"}
    assert found == {"samplebert": 6, "tweet": 6, "rb": 6}
    assert corpus.log.rows_left_out == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "column"),
    [
        (STIGMAS, "Be,Latines", "Am,Latines", 3, "verb"),
        (STIGMAS, "late with the rent(previously),were", "late,where", 7, "verb_plural"),
        ("samplebert_stigma_sentiment.csv", "POSITIVE,0.97", "GOOD,0.97", 3, "sentiment"),
        ("samplebert_stigma_sentiment.csv", "POSITIVE,0.97", "POSITIVE,1.97", 3, "score"),
        ("samplebert_nonstigma_top50_p1.csv", "kind,0.158", "kind,-0.158", 3, "probability"),
        ("samplebert_nonstigma_top50_p1.csv", "kind,0.158", ",0.158", 3, "word"),
    ],
)
def test_a_bad_cell(
    sample_copy: Callable[[str], Path], file: str, old: str, new: str, line: int, column: str
) -> None:
    folder = sample_copy("stigmas")
    path = folder / file
    text = path.read_bytes().decode("iso-8859-1")
    path.write_bytes(text.replace(old, new, 1).encode("iso-8859-1"))
    corpus = load_corpus("stigmas", folder)
    for table in corpus.tables:
        corpus.read(table.name)
    (problem,) = corpus.log.of(Severity.ERROR)
    assert (problem.file, problem.line, problem.column) == (file, line, column)
    assert corpus.log.rows_left_out == 1


# ---- the authors' files ----------------------------------------------------------------------


@pytest.mark.data
def test_the_studys_lists(data_folder: Callable[[str], Path]) -> None:
    """Sections 3.1 and 4.1: 93 stigmatized and 29 non-stigmatized conditions."""
    corpus = load_corpus("stigmas", data_folder("stigmas"))
    assert corpus.release_name() == "the study's lists"
    assert corpus.counts() == {
        "stigmatized": 93, "non-stigmatized": 29, "sentiment rows": 828,
        "fill-mask rows": 30 * 7 * 4 * 50,
    }  # fmt: skip
    stigmas = corpus.read("stigma conditions")
    assert stigmas.height == 108
    several = stigmas["pachankis_condition"].value_counts().filter(pl.col("count") > 1)
    assert several.height == 11  # section 4.2 says seven
    assert corpus.log.counts == {}
    assert corpus.log.rows_left_out == 0


@pytest.mark.data
def test_every_real_word_and_probability_is_kept(data_folder: Callable[[str], Path]) -> None:
    assert wrong_examples(load_corpus("stigmas", data_folder("stigmas"))) == []


@pytest.mark.data
def test_stigmas_are_called_negative_more_often(data_folder: Callable[[str], Path]) -> None:
    """Figure 4, without numbers: for every classifier."""
    figure, always, *_ = load_corpus("stigmas", data_folder("stigmas")).stats()
    shares = {(row[0], row[1]): row[4] for row in figure.rows}
    models = {model for model, _ in shares}
    assert models == {"SiEBERT", "distilbert"}
    assert all(shares[m, "stigma"] > shares[m, "non-stigma"] for m in models)
    assert {row[1]: row[2] for row in figure.rows} == {"stigma": 216, "non-stigma": 60}
    # Section 5.2 has 27 and 1 with four classifiers; two of these agree on no fewer conditions.
    assert all(row[2] >= row[3] for row in always.rows)


@pytest.mark.data
def test_the_published_words_have_most_of_the_probability(
    data_folder: Callable[[str], Path],
) -> None:
    """Section 4.3: 'The total probability of the top 50 words adds up to at least 0.5'."""
    *_, sums = load_corpus("stigmas", data_folder("stigmas")).stats()
    assert [row[2:4] for row in sums.rows] == [(str(at), 210) for at in range(1, 5)]
    assert all(row[4] >= 0.5 for row in sums.rows)
