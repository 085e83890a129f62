"""How varied statements are, counted by hand."""

import pytest
from tests.frames.test_evaluation import about

from tactful_lab.evaluation.frame_measures import evaluate_frames
from tactful_lab.evaluation.variety import distinct_ngrams, distinct_share, specificity


def test_equal_statements_count_once_whatever_their_case() -> None:
    assert distinct_share(["Cooks shout", "cooks  shout", "cooks sing", ""]).value == pytest.approx(
        2 / 3
    )
    assert distinct_share(["", " "]).value is None


def test_words_and_pairs_of_words_are_counted() -> None:
    said = ["cooks shout loudly", "cooks shout"]
    assert distinct_ngrams(said, 1).value == pytest.approx(3 / 5)
    assert distinct_ngrams(said, 2).value == pytest.approx(2 / 3)
    assert distinct_ngrams(["shout"], 2).value is None


def test_a_statement_is_specific_if_the_frequent_ones_do_not_say_it() -> None:
    frequent = [f"women are kind{n}" for n in range(10)] * 2
    assert specificity(frequent).value == 0
    # Another group, or another function word, adds nothing specific; another content word does.
    assert specificity([*frequent, "women can be kind1", "black folks are kind2"]).value == 0
    assert specificity([*frequent, "women drive badly"]).value == pytest.approx(1 / 21)


def test_the_measures_are_among_those_of_frames() -> None:
    frames = [about("cooks", "cooks shout"), about("cooks", "cooks shout")]
    found = evaluate_frames(frames, frames)
    assert found["implied_statement.distinct"].value == 0.5
    assert found["implied_statement.distinct_2"].value == 0.5
    assert found["implied_statement.specificity"].value == 0
