"""Sap et al. 2020, section 4.2 and footnote 8, and the authors' aggregated files."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tactful.aggregation import mean_above_threshold
from tactful.errors import InputError, UsageError


def rows(*answers: tuple[str, str]) -> list[tuple[str, str, str]]:
    return [("post", worker, label) for worker, label in answers]


@pytest.mark.parametrize(
    ("answer", "counts"),
    [("yes", 1), ("probably", 1), ("maybe", 1), ("probably not", 0), ("no", 0), ("No", 0),
     ("1.0", 1), ("0.66", 1), ("0.5", 1), ("0.33", 0), ("0.0", 0)],
)  # fmt: skip
def test_footnote_8(answer: str, counts: int) -> None:
    result = mean_above_threshold(rows(("w", answer)))
    assert result.labels == (str(counts),)
    assert result.why[0].answers[0].weight == counts


def test_binarised_means_differ_from_means_of_answers() -> None:
    """Two "probably", a "probably not" and a "no" average to 0.41, binarised to a half."""
    answers = rows(("a", "0.66"), ("b", "0.66"), ("c", "0"), ("d", "0.33"))
    assert mean_above_threshold(answers).confidence == (0.5,)
    assert mean_above_threshold(answers).labels == ("1",)
    assert mean_above_threshold(answers, binarise_at=None).labels == ("0",)


@pytest.mark.parametrize(
    ("ties", "label"), [("highest", "1"), ("lowest", "0"), ("first", "0"), ("none", None)]
)
def test_exactly_the_threshold(ties: str, label: str | None) -> None:
    answers = rows(("a", "1"), ("b", "0"))
    result = mean_above_threshold(answers, ties=ties)  # type: ignore[arg-type]
    assert result.labels == (label,)
    assert "tie between 0 and 1" in result.why[0].rule
    assert mean_above_threshold(answers).labels == ("1",)


def test_over_rows_a_busy_worker_counts_often() -> None:
    answers = rows(("a", "1"), ("a", "1"), ("a", "1"), ("b", "0"), ("c", "0"))
    by_rows = mean_above_threshold(answers, over="rows")
    assert (by_rows.labels, by_rows.confidence) == (("1",), (0.6,))
    by_annotators = mean_above_threshold(answers, over="annotators")
    assert by_annotators.labels == ("0",)
    assert by_annotators.confidence[0] == pytest.approx(2 / 3)


def test_an_annotator_of_two_minds_has_half_a_vote_for_each() -> None:
    result = mean_above_threshold(rows(("a", "1"), ("a", "0"), ("b", "0")))
    assert result.posteriors is not None
    assert result.posteriors[0, 1] == pytest.approx(0.25)


def test_other_words_must_be_declared() -> None:
    answers = rows(("a", "hostile"), ("b", "fine"))
    with pytest.raises(InputError, match="say with 'positive' which count as 1"):
        mean_above_threshold(answers)
    assert mean_above_threshold(answers, positive=["hostile"]).confidence == (0.5,)
    assert mean_above_threshold(answers, positive="fine").confidence == (0.5,)


def test_numbers_outside_0_to_1_are_refused() -> None:
    with pytest.raises(InputError, match="expected numbers from 0 to 1"):
        mean_above_threshold(rows(("a", "2"), ("b", "1")))


def test_options_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="over='posts'"):
        mean_above_threshold(rows(("a", "1")), over="posts")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="threshold of 0"):
        mean_above_threshold(rows(("a", "1")), threshold=0)


@pytest.mark.data
@pytest.mark.parametrize("name", ["offensiveYN", "intentYN", "sexYN", "whoTarget"])
def test_the_authors_aggregated_posts(data_folder: Callable[[str], Path], name: str) -> None:
    """SBIC.v2.agg.dev.csv, binarised from .5 on, on all 4,666 posts (whoTarget: where answered)."""
    from tactful.corpora import load_corpus

    folder = data_folder("sbic")
    answers = load_corpus("sbic", folder / "SBIC.v2.dev.csv").read("annotations")
    posts = load_corpus("sbic", folder / "SBIC.v2.agg.dev.csv").read("posts")
    table = answers.select(
        pl.col("post").alias("item"), pl.col("WorkerId").alias("annotator"),
        pl.col(name).alias("label"),
    )  # fmt: skip
    result = mean_above_threshold(table, over="rows", binarise_at=None)
    ours = result.label_of()
    expected = {
        post: None if mean is None else str(int(mean >= 0.5))
        for post, mean in posts.select("post", name).iter_rows()
    }
    assert len(expected) == 4666
    assert {post: ours[post] for post in expected} == expected
