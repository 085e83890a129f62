import numpy as np
import polars as pl
import pytest

from tactful.aggregation import trust_weighted_vote
from tactful.errors import InputError, UsageError


def table(*answers: tuple[str, float | None], item: str = "c") -> pl.DataFrame:
    return pl.DataFrame(
        [(item, f"w{at}", label, trust) for at, (label, trust) in enumerate(answers)],
        schema={"item": pl.String, "annotator": pl.String, "label": pl.String, "trust": pl.Float64},
        orient="row",
    )


def test_the_worked_example_of_the_paper() -> None:
    """Price et al. 2020, section 4: yes, with a confidence of 0.78."""
    result = trust_weighted_vote(
        table(("yes", 0.78), ("yes", 0.85), ("yes", 0.9), ("no", 1.0), ("yes", 0.95))
    )
    assert result.labels == ("yes",)
    assert result.confidence[0] == pytest.approx(3.48 / 4.48)
    assert f"{result.confidence[0]:.2f}" == "0.78"
    assert str(result.why[0]) == (
        "yes: share of the trust 0.7768; 5 judgements (trust in brackets): no by w3 (1); "
        "yes by w0 (0.78), w1 (0.85), w2 (0.9), w4 (0.95)."
    )
    assert [answer.weight for answer in result.why[0].answers] == [0.78, 0.85, 0.9, 1.0, 0.95]


def test_one_trusted_annotator_can_outweigh_two() -> None:
    assert trust_weighted_vote(table(("1", 0.3), ("1", 0.3), ("0", 0.9))).labels == ("0",)


def test_sums_that_are_equal_on_paper_are_a_tie() -> None:
    """0.1 + 0.2 is not 0.3 in binary."""
    tie = table(("1", 0.1), ("1", 0.2), ("0", 0.3))
    assert trust_weighted_vote(tie).labels == (None,)
    assert "tie between 0 and 1, ties get no label" in trust_weighted_vote(tie).why[0].text
    assert trust_weighted_vote(tie, ties="highest").labels == ("1",)


def test_trust_of_nothing_is_no_answer() -> None:
    result = trust_weighted_vote(table(("1", 0.0), ("1", 0.0)))
    assert result.labels == (None,)
    assert result.why[0].text == "no label: nobody with trust above 0 judged it."
    assert result.notes == ("2 judgements have trust 0 and did not count.",)


@pytest.mark.parametrize("trust", [None, float("nan"), -0.1, 1.1])
def test_a_trust_that_is_none_is_refused(trust: float | None) -> None:
    with pytest.raises(InputError, match="trust is missing or not from 0 to 1"):
        trust_weighted_vote(table(("1", trust)))


def test_a_trust_that_is_a_word_is_refused() -> None:
    words = table(("1", 1.0)).with_columns(pl.lit("much").alias("trust"))
    with pytest.raises(InputError, match="Found 'much'"):
        trust_weighted_vote(words)


def test_the_column_must_be_there() -> None:
    with pytest.raises(InputError, match="no column named 'trust'"):
        trust_weighted_vote([("i", "a", "1")])
    ratings = np.array([])  # what is no table is refused before anything else
    with pytest.raises(InputError):
        trust_weighted_vote(ratings)


def test_ratings_without_trust_are_refused() -> None:
    from tactful.ratings import read_ratings

    with pytest.raises(UsageError, match="needs each annotator's trust"):
        trust_weighted_vote(read_ratings([("i", "a", "1")]))
