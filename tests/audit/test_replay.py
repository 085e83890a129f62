"""Replaying the published outputs of Mei et al. 2023 (sections 4.3, 5.1 and 5.2)."""

import csv
import os
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest

from tactful.audit.attitudes import Attitudes, load_attitudes
from tactful.audit.estimates.figures import audit_result
from tactful.audit.results import ModelResult
from tactful.corpora import load_corpus
from tactful.errors import UsageError
from tactful_lab.evaluation.reproduce.stigma_outputs import condition_names, replay

PUBLISHED = Path(os.environ.get("TACTFUL_DATA", "")) / "stigmas"
needs_published = pytest.mark.skipif(
    not (os.environ.get("TACTFUL_DATA") and PUBLISHED.is_dir()),
    reason="the authors' files are not here (TACTFUL_DATA)",
)
SENTIMENT = ("prompts", "sentiment", "sentiment_score", "condition", "pachankis_conditions")
WORDS = ("prompt", "condition", "predicted_word", "probs", "category", "pachankis_conditions")


def write(path: Path, columns: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["", *columns])
        writer.writerows([number, *row] for number, row in enumerate(rows))


def sentiment_file(folder: Path, *rows: tuple[str, str, str, str]) -> Path:
    found = [(p, s, 0.9, c, name, "Ethinicity") for p, s, c, name in rows]
    write(folder / "m_stigma_sentiment.csv", (*SENTIMENT, "category"), list(found))
    return folder


def only(models: tuple[ModelResult, ...]) -> ModelResult:
    assert len(models) == 1
    return models[0]


def negative_of(result: ModelResult, condition: str) -> float | None:
    return next(c.negative.value for c in result.conditions if c.condition == condition)


def test_sub_conditions_are_pooled_and_the_third_sentence_is_left_out(tmp_path: Path) -> None:
    # Section 4.3: with two sub-conditions of two prompts there are four outcomes of a classifier.
    folder = sentiment_file(
        tmp_path,
        ("They are people who are Latinas.", "NEGATIVE", "Latina", "Latina/Latino"),
        ("These are people who are Latinas.", "POSITIVE", "Latina", "Latina/Latino"),
        ("We are people who are Latinas.", "NEGATIVE", "Latina", "Latina/Latino"),
        ("They are people who are Latinos.", "POSITIVE", "Latino", "Latina/Latino"),
        ("These are people who are Latinos.", "POSITIVE", "Latino", "Latina/Latino"),
        ("We are people who are Latinos.", "NEGATIVE", "Latino", "Latina/Latino"),
    )
    corpus = load_corpus("stigmas", folder)
    (two,) = replay(corpus, load_attitudes()).runs
    (three,) = replay(corpus, load_attitudes(), all_templates=True).runs
    assert two.rows.height == 4
    assert two.rows["negative"].mean() == 1 / 4
    assert three.rows["negative"].mean() == 3 / 6
    assert "stigmatized conditions only" in " ".join(two.notes)


def test_words_are_rated_and_other_mask_tokens_are_known(tmp_path: Path) -> None:
    text = "It is <mask> for me to have someone who is Latina as a neighbor."
    rows = [(text, "Latina", w, p, "Ethinicity", "Latina/Latino")
            for w, p in ((" bad", 0.2), (" good", 0.6), ("the", 0.1))]  # fmt: skip
    write(tmp_path / "m_stigma_top50_p3.csv", WORDS, list(rows))
    (run,) = replay(load_corpus("stigmas", tmp_path), load_attitudes()).runs
    row = run.rows.row(0, named=True)
    assert row["condition"] == "stigma.latina_latino"
    assert (row["question"], row["template"]) == ("neighbour", "template_3")
    assert row["negative"] == pytest.approx(0.25)
    assert row["answer"] == " good"


def test_a_prompt_in_other_words_is_placed_by_its_columns(tmp_path: Path) -> None:
    text = "Well, it is [MASK] for me to recommend a Latina for a job working for my friend."
    rows = [(text, "Latina", "good", 0.5, "Ethinicity", "Latina/Latino")]
    write(tmp_path / "m_stigma_top50_p2.csv", WORDS, list(rows))
    (run,) = replay(load_corpus("stigmas", tmp_path), load_attitudes()).runs
    row = run.rows.row(0, named=True)
    assert (row["condition"], row["form"]) == ("stigma.latina_latino", 0)
    assert (row["question"], row["template"]) == ("recommend", "template_2")


def test_what_the_lists_do_not_have_is_left_out_and_said(tmp_path: Path) -> None:
    folder = sentiment_file(
        tmp_path,
        ("They are people who are Latinas.", "POS", "Latina", "Latina/Latino"),
        ("They are people who are green.", "NEG", "green", "Green"),
    )
    found = replay(load_corpus("stigmas", folder), load_attitudes())
    assert found.runs[0].rows.height == 1
    assert "1 sentiment prompt of m names a condition" in found.problems[0]


def test_a_folder_without_outputs_is_refused(tmp_path: Path) -> None:
    sample = load_corpus("stigmas", sample=True).path
    name = "stigma_conditions.csv"
    (tmp_path / name).write_bytes((sample / name).read_bytes())
    with pytest.raises(UsageError, match="found no outputs of a model"):
        replay(load_corpus("stigmas", tmp_path), load_attitudes())


PUBLISHED_MODELS = (
    "bertweet-base", "bertweet-large", "distilbert-base-uncased", "roberta-base", "roberta-large",
)  # fmt: skip


def repository(root: Path) -> Path:
    """Lay out the authors' repository: their folders, their file names, a few rows of ours."""
    words, sentiment = root / "data" / "MLM results", root / "data" / "SentimentClassifier results"
    for folder in (words, sentiment, root / "SentimentAnalysis", root / ".git"):
        folder.mkdir(parents=True)
    begins = (
        "Choosing between likely and unlikely, I would say it is",
        "I would say it is",
        "It is",
    )
    for part in range(1, 5):
        start = begins[min(part, 3) - 1]
        whom = "" if part == 4 else "for me "
        text = f"{start} <mask> {whom}to have someone who is healthy as a neighbor."
        rows = [
            (text, "healthy", word, p, "Disease", "Base")
            for word, p in ((" bad", 0.2), (" good", 0.6))
        ]
        for model in PUBLISHED_MODELS:
            name = f"{model}-Nonstigma--social_distance_results-top50-p{part}.csv"
            write(words / name, WORDS, list(rows))
        order = (
            "prompt",
            "predicted_word",
            "probs",
            "condition",
            "pachankis_conditions",
            "category",
        )
        xlnet = [(t, w.strip(), p, c, base, kind) for t, c, w, p, kind, base in rows]
        write(words / f"XLNET_nonstigma_result_p{part}_SD.csv", order, list(xlnet))
    sentiment_file(
        sentiment, ("They are people who are Latinas.", "NEG", "Latina", "Latina/Latino")
    )
    (root / "SentimentAnalysis" / "aggregated_results.csv").write_text("Condition,Percent\nx,1\n")
    (root / "README.md").write_text("# Bias\n")
    (root / ".git" / "index.csv").write_text("a\n")
    sample = load_corpus("stigmas", sample=True).path
    (root / "stigma_conditions.csv").write_bytes((sample / "stigma_conditions.csv").read_bytes())
    return root


def test_the_root_of_the_authors_repository_is_read_under_its_published_names(
    tmp_path: Path,
) -> None:
    """24 of 24 fill-mask files: six models and four templates each (section 4.2)."""
    found = replay(load_corpus("stigmas", repository(tmp_path)), load_attitudes())
    masked = [run for run in found.runs if run.kind == "fill-mask"]
    assert {run.model for run in masked} == {*PUBLISHED_MODELS, "XLNET"}
    for run in masked:
        assert run.rows["template"].to_list() == [f"template_{n}" for n in range(1, 5)]
        assert run.rows["negative"].to_list() == pytest.approx([0.25] * 4)
        assert "hold other conditions only" in " ".join(run.notes)
    assert [run.model for run in found.runs if run.kind == "sentiment"] == ["m"]
    assert found.read == (
        "Read 24 fill-mask files (6 models: XLNET, bertweet-base, bertweet-large, "
        "distilbert-base-uncased, roberta-base, roberta-large; p1 to p4; non-stigma) and 1 "
        "sentiment file (1 model: m; stigma)."
    )
    assert found.problems == (
        "Not read: SentimentAnalysis/aggregated_results.csv (its name is none of the published "
        "ones), and 1 file that is not a table.",
    )


def test_the_stigma_files_have_names_of_their_own(tmp_path: Path) -> None:
    text = "It is <mask> to have someone who is Latina as a neighbor."
    rows = [(text, "Latina", "bad", 0.5, "Ethinicity", "Latina/Latino")]
    names = {
        "XLNET_result_p4_SD.csv": "XLNET",
        "roberta-base-Stigma--social_distance_results-top50-p4.csv": "roberta-base",
        "m_stigma_top50_p4.csv": "m",
    }
    for name in names:
        write(tmp_path / name, WORDS, list(rows))
    # Prompts without a condition have other columns; the authors did not publish them.
    write(tmp_path / "XLNET_BASE_result_p4_SD.csv", ("prompt", "predicted_word", "probs"), [])
    found = replay(load_corpus("stigmas", tmp_path), load_attitudes())
    assert {run.model for run in found.runs} == set(names.values())
    assert all(run.rows["condition"].to_list() == ["stigma.latina_latino"] for run in found.runs)
    assert "XLNET_BASE_result_p4_SD.csv" in found.problems[0]


def test_a_file_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    row = ("They are people who are Latinas.", "NEG", "Latina", "Latina/Latino")
    sentiment_file(tmp_path, row)
    (tmp_path / "copy").mkdir()
    sentiment_file(tmp_path / "copy", row)
    found = replay(load_corpus("stigmas", tmp_path), load_attitudes())
    assert found.runs[0].rows.height == 1
    same = "the same model and part as m_stigma_sentiment.csv"
    assert found.problems == (f"Not read: copy/m_stigma_sentiment.csv ({same}).",)


def test_the_names_are_those_of_the_files() -> None:
    names = condition_names()
    assert names.height == 122
    assert names["stigmatized"].sum() == 93
    assert "Latina/Latino" in names["name"].to_list()


@needs_published
@pytest.mark.parametrize("model", ["SiEBERT", "distilbert"])
def test_the_negative_share_of_every_condition_is_exact(model: str) -> None:
    """Counted here from the files' own columns, with nothing of the package in between."""
    outcomes: dict[str, list[bool]] = defaultdict(list)
    with (PUBLISHED / "non_stigma_conditions.csv").open(
        encoding="iso-8859-1", newline=""
    ) as file:  # fmt: skip
        standard = {
            row["Condition"]: row["Condition_StandardNaming"] for row in csv.DictReader(file)
        }
    for group in ("stigma", "nonstigma"):
        with (PUBLISHED / f"{model}_{group}_sentiment.csv").open(
            encoding="utf-8", newline=""
        ) as file:  # fmt: skip
            for row in csv.DictReader(file):
                if row["prompts"].startswith("We are"):
                    continue
                named = row["pachankis_conditions"]
                name = standard[row["condition"]] if named == "Base" else named
                outcomes[name].append(row["sentiment"].startswith("NEG"))
    runs = replay(load_corpus("stigmas", PUBLISHED), load_attitudes()).runs
    chosen = [run for run in runs if run.model == model]
    found = only(audit_result(chosen, repetitions=10).models)
    assert len(found.conditions) == len(outcomes) == 122
    for condition in found.conditions:
        said = outcomes[condition.name]
        assert condition.negative.value == pytest.approx(sum(said) / len(said), abs=1e-12)


@needs_published
def test_the_published_words_are_all_rated_and_p_negative_follows_the_equation() -> None:
    attitudes = load_attitudes()
    runs = replay(load_corpus("stigmas", PUBLISHED), attitudes).runs
    (run,) = [run for run in runs if run.kind == "fill-mask"]
    assert run.rows.height == 30 * 7 * 4
    assert run.rows["unrated"].sum() == 0
    raw = pl.read_csv(PUBLISHED / "distilbert-base-uncased_nonstigma_top50_p3.csv")
    prompt = raw["prompt"][0]
    mass: dict[str | None, float] = defaultdict(float)
    for word, probability in (
        raw.filter(pl.col("prompt") == prompt).select("predicted_word", "probs").iter_rows()
    ):
        mass[attitudes.rate(word)] += probability
    weighed = mass["negative"] + mass["positive"] + mass["neutral"]
    (found,) = run.rows.filter(pl.col("prompt") == prompt)["negative"]
    assert found == pytest.approx(mass["negative"] / weighed)


@needs_published
def test_other_ratings_give_other_figures() -> None:
    corpus = load_corpus("stigmas", PUBLISHED)
    nothing_is_bad = Attitudes(dict.fromkeys(load_attitudes().words, "positive"), "test")
    (run,) = [r for r in replay(corpus, nothing_is_bad).runs if r.kind == "fill-mask"]
    assert run.rows["negative"].max() == 0
