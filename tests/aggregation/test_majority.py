import doctest
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.aggregation import majority, majority_vote
from tactful.aggregation.ties import POLICIES
from tactful.errors import InputError, UnknownNameError, UsageError

TIE = [("i", "a", "1"), ("i", "b", "2"), ("i", "c", "10"), ("i", "d", "1"), ("i", "e", "10")]
WORDS = [("i", "a", "yes"), ("i", "b", "no")]


def test_the_example_in_the_documentation() -> None:
    # The attribute is the module here: it was imported by its name above.
    assert doctest.testmod(majority) == doctest.TestResults(failed=0, attempted=3)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=7), min_size=1, max_size=8))
def test_it_counts_as_a_counter_does(votes: list[list[str]]) -> None:
    rows = [(f"i{i}", f"w{w}", label) for i, row in enumerate(votes) for w, label in enumerate(row)]
    result = majority_vote(rows)
    for row, label, confidence in zip(votes, result.labels, result.confidence, strict=True):
        most = Counter(row).most_common()
        best = sorted(name for name, number in most if number == most[0][1])
        assert label == (best[0] if len(best) == 1 else None)
        assert confidence == (most[0][1] / len(row) if len(best) == 1 else None)


@pytest.mark.parametrize(
    ("ties", "label"), [("none", None), ("first", "1"), ("lowest", "1"), ("highest", "10")]
)
def test_each_tie_policy(ties: str, label: str | None) -> None:
    result = majority_vote(TIE, ties=ties)  # type: ignore[arg-type]
    assert result.labels == (label,)
    assert "tie between 1 and 10" in result.why[0].rule


def test_a_tie_can_be_an_error() -> None:
    with pytest.raises(InputError, match=r"1 item with a tie \('i'\)"):
        majority_vote(TIE, ties="error")
    assert majority_vote(TIE[:1], ties="error").labels == ("1",)


def test_a_random_choice_is_among_the_tied_and_follows_the_seed() -> None:
    rows = [(f"i{at}", who, label) for at in range(200) for _, who, label in TIE]
    labels = Counter(majority_vote(rows, ties="random", seed=5).labels)
    assert set(labels) == {"1", "10"}
    assert min(labels.values()) > 60
    assert (
        majority_vote(rows, ties="random", seed=5).labels
        == majority_vote(rows[::-1], ties="random", seed=5).labels[::-1]
    )
    other = majority_vote(rows, ties="random", seed=6).labels
    assert other != majority_vote(rows, ties="random", seed=5).labels
    assert "seed 6" in majority_vote(rows, ties="random", seed=6).why[0].rule


@pytest.mark.parametrize("ties", ["lowest", "highest"])
def test_words_have_no_lowest(ties: str) -> None:
    with pytest.raises(UsageError, match="compares numbers"):
        majority_vote(WORDS, ties=ties)  # type: ignore[arg-type]


def test_words_have_a_first() -> None:
    assert majority_vote(WORDS, ties="first").labels == ("no",)


def test_an_unknown_policy_answers_with_the_list() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'random'"):
        majority_vote(WORDS, ties="radnom")  # type: ignore[arg-type]
    assert len(POLICIES) == 6
