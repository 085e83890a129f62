"""The vote over groups, and the statement that agrees most with the neighbours'."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.frames.consensus import Consensus, agreements, consensus, most_agreed, vote
from tactful.metrics.generation import mean_sentence_bleu_score, rouge_l_score

TEXTS = ("women are weak", "women are weak drivers", "they cook well")


def agreement(reference: str, text: str) -> float:
    """Return the mean of ROUGE-L and BLEU-2, by the published measures."""
    rouge = float(rouge_l_score([[reference]], [text]))
    return (rouge + float(mean_sentence_bleu_score([[reference]], [text]))) / 2


def test_shares_are_of_the_whole_weight() -> None:
    shares = vote([["cooks"], ["cooks", "bakers"], []], [2, 1, 1])
    assert shares == {"cooks": 0.75, "bakers": 0.25}
    assert list(shares) == ["cooks", "bakers"]


def test_a_group_named_twice_in_a_ballot_counts_once() -> None:
    assert vote([["cooks", "cooks"], ["bakers"]], [1, 1]) == {"bakers": 0.5, "cooks": 0.5}


def test_nobody_votes() -> None:
    assert vote([], []) == {}
    assert vote([["cooks"]], [0.0]) == {}


def test_votes_and_weights_belong_together() -> None:
    with pytest.raises(ValueError, match="zip"):
        vote([["cooks"]], [1.0, 2.0])


def test_many_agreements_are_those_of_single_pairs() -> None:
    words = ["cooks", "are", "loud", "the", "the", "slow", "and", "-", "never"]
    draw = random.Random(7)
    texts = [" ".join(draw.choices(words, k=draw.randrange(9))) for _ in range(40)]
    table = agreements(texts[:25], texts[15:])
    expected = [[agreement(reference, text) for reference in texts[15:]] for text in texts[:25]]
    np.testing.assert_allclose(table, expected, atol=1e-12)


def test_the_statement_that_most_agree_with_wins() -> None:
    neighbours = [
        [("cooks", "cooks are loud")],
        [("cooks", "cooks are very loud")],
        [("cooks", "nobody likes soup")],
    ]
    found = consensus(neighbours, [0.3, 0.3, 0.4], {"cooks": 1.0})
    assert found is not None
    assert found.statement != "nobody likes soup"
    assert 0 < found.agreement < 1


def test_unanimous_neighbours_agree_wholly() -> None:
    neighbours = [[("cooks", "cooks are loud")]] * 3
    found = consensus(neighbours, [0.2, 0.3, 0.5], {"cooks": 1.0})
    assert found is not None
    assert found.statement == "cooks are loud"
    assert found.agreement == pytest.approx(1)


def test_a_statement_need_only_suit_one_reference_of_each_neighbour() -> None:
    shared, others = "cooks are loud", ["x y z", "p q r", "k l m"]
    neighbours = [[("cooks", shared), ("cooks", other)] for other in others]
    found = consensus(neighbours, [1, 1, 1], {"cooks": 1.0})
    assert found is not None
    assert found.statement == shared
    assert found.agreement == pytest.approx(1)


def test_statements_about_the_elected_group_are_preferred() -> None:
    neighbours = [[("cooks", "cooks are loud")], [("bakers", "bakers get up early")]]
    found = consensus(neighbours, [1, 1], {"bakers": 0.6, "cooks": 0.4})
    assert found is not None
    assert found.statement == "bakers get up early"
    assert consensus(neighbours, [1, 1], {"cooks": 1.0}) == Consensus("cooks are loud", 1.0)


def test_of_equals_the_heavier_wins() -> None:
    neighbours = [[("cooks", "a b")], [("cooks", "c d")]]
    for weights, statement in (([1, 2], "c d"), ([2, 1], "a b"), ([1, 1], "a b")):
        found = consensus(neighbours, weights, {"cooks": 1.0})
        assert found is not None
        assert found.statement == statement


def test_no_statement_is_none() -> None:
    assert consensus([], [], {}) is None
    assert consensus([[]], [1.0], {"cooks": 1.0}) is None
    assert consensus([[("bakers", "bakers are early")]], [1.0], {"cooks": 1.0}) is None


def test_the_order_of_neighbours_does_not_matter() -> None:
    neighbours = [
        [("cooks", "cooks are loud")],
        [("cooks", "cooks are slow")],
        [("cooks", "cooks are late")],
    ]
    found = {
        consensus([neighbours[at] for at in order], [1, 1, 1], {"cooks": 1.0}).statement  # type: ignore[union-attr]
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0))
    }
    assert found == {"cooks are late"}


def test_the_middle_of_similar_texts_wins() -> None:
    assert most_agreed(TEXTS, [1 / 3] * 3) in (0, 1)


def test_weights_decide() -> None:
    assert most_agreed(TEXTS, [0.05, 0.05, 0.9]) == 2


def test_of_equals_the_first_is_taken() -> None:
    assert most_agreed(["a b", "a b", "a b"], [0.2, 0.3, 0.5]) == 0


@given(st.lists(st.text("ab ", min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_text_is_always_chosen(texts: list[str]) -> None:
    assert 0 <= most_agreed(texts, [1 / len(texts)] * len(texts)) < len(texts)
