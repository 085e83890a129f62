"""BLEU, ROUGE-L and exact match against published examples, brute force and laws."""

from itertools import combinations
from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.errors import InputError
from tactful.metrics.generation import (
    SMOOTHINGS,
    bleu_of_counts,
    bleu_score,
    count_bleu,
    exact_match_score,
    longest_common_subsequence,
    mean_sentence_bleu_score,
    rouge_l_score,
    tokenise,
)

ALL = (bleu_score, mean_sentence_bleu_score, rouge_l_score, exact_match_score)
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8)
TEXTS = WORDS.map(" ".join)
# Papineni et al. 2002, section 2.1, example 2.
MAT = ["The cat is on the mat.", "There is a cat on the mat."]
# Papineni et al. 2002, section 2.1, example 1.
GUIDE = [
    "It is a guide to action that ensures that the military will forever heed Party commands.",
    "It is the guiding principle which guarantees the military forces always being under the "
    "command of the Party.",
    "It is the practical guide for the army always to heed the directions of the party.",
]
CANDIDATE_1 = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
CANDIDATE_2 = "It is to insure the troops forever hearing the activity guidebook that party direct"


def words(text: str) -> list[str]:
    return [token for token in tokenise(text) if token.isalpha()]


def test_the_tokeniser_splits_words_and_marks() -> None:
    assert tokenise("«Así» es: 3,5 % ¡ya!") == [
        *("«", "así", "»", "es", ":", "3", ",", "5", "%", "¡", "ya", "!")
    ]
    assert tokenise(" \n\t") == []


def test_papineni_clips_the_the_the() -> None:
    counts = count_bleu([words(text) for text in MAT], ["the"] * 7)
    assert (counts.matches, counts.totals) == ((2, 0), (7, 6))
    assert (counts.length, counts.reference_length) == (7, 7)


@pytest.mark.parametrize(
    ("candidate", "unigrams", "bigrams"),
    # Papineni et al. 2002, section 2.1: 17/18 and 8/14, 10/17 and 1/13.
    [(CANDIDATE_1, (17, 18), (10, 17)), (CANDIDATE_2, (8, 14), (1, 13))],
)
def test_papineni_counts_modified_precision(
    candidate: str, unigrams: tuple[int, int], bigrams: tuple[int, int]
) -> None:
    counts = count_bleu([words(text) for text in GUIDE], words(candidate))
    assert (counts.matches[0], counts.totals[0]) == unigrams
    assert (counts.matches[1], counts.totals[1]) == bigrams


def test_bleu_is_the_penalised_geometric_mean() -> None:
    found = bleu_score([GUIDE], [CANDIDATE_1], tokeniser=words)
    # Candidate 1 has 18 words; the closest references have 16 and 18.
    assert float(found) == pytest.approx(sqrt(17 / 18 * 10 / 17))
    short = bleu_score([["a b c d"]], ["a b"])
    assert float(short) == pytest.approx(exp(1 - 4 / 2))
    assert float(short.parts["brevity penalty"]) == pytest.approx(exp(-1))
    assert float(short.parts["precision 2"]) == 1.0


def test_the_closest_length_counts_and_of_two_the_shorter() -> None:
    assert count_bleu([["a"] * 2, ["a"] * 4], ["a"] * 3).reference_length == 2
    assert count_bleu([["a"] * 5, ["a"] * 9], ["a"] * 6).reference_length == 5


def test_corpus_bleu_adds_counts_and_sentence_bleu_scores() -> None:
    references, hypotheses = [["a b c"], ["x y"]], ["a b c", "x z"]
    # Unigrams 3 of 3 and 1 of 2; bigrams 2 of 2 and 0 of 1.
    assert float(bleu_score(references, hypotheses)) == pytest.approx(sqrt(4 / 5 * 2 / 3))
    single = mean_sentence_bleu_score(references, hypotheses, smoothing="none")
    assert float(single) == pytest.approx((1 + 0) / 2)
    epsilon = mean_sentence_bleu_score(references, hypotheses)
    assert float(epsilon) == pytest.approx((1 + sqrt(1 / 2 * 0.1 / 1)) / 2)
    added = mean_sentence_bleu_score(references, hypotheses, smoothing="add-one")
    assert float(added) == pytest.approx((1 + sqrt(1 / 2 * (0 + 1) / (1 + 1))) / 2)


def test_lin_2004_prefers_the_order_of_the_police_example() -> None:
    # Lin 2004, section 3.1: with beta = 1, S2 scores 3/4, S3 and S4 score 2/4.
    reference = [["police killed the gunman"]]
    for text, expected in (
        ("police kill the gunman", 0.75),
        ("the gunman kill police", 0.5),
        ("the gunman police killed", 0.5),
    ):
        assert float(rouge_l_score(reference, [text])) == expected


def test_rouge_takes_the_best_reference_and_weighs_both_shares() -> None:
    # LCS 2: recall 2/2, precision 2/4.
    assert float(rouge_l_score([["x y z", "a b"]], ["a c b d"])) == pytest.approx(2 / 3)


@given(WORDS, WORDS)
def test_the_longest_common_subsequence_is_that_of_brute_force(
    first: list[str], second: list[str]
) -> None:
    inside = {
        tuple(chosen) for size in range(len(second) + 1) for chosen in combinations(second, size)
    }
    longest = max(
        size
        for size in range(len(first) + 1)
        if any(tuple(chosen) in inside for chosen in combinations(first, size))
    )
    assert longest_common_subsequence(first, second) == longest


@pytest.mark.parametrize("measure", ALL)
@given(items=st.lists(st.tuples(st.lists(TEXTS, min_size=1, max_size=3), TEXTS), min_size=1))
def test_laws(measure: object, items: list[tuple[list[str], str]]) -> None:
    assert callable(measure)
    references, hypotheses = [list(side) for side in zip(*items, strict=True)]
    value = float(measure(references, hypotheses))
    assert 0 <= value <= 1
    backwards = measure(references[::-1], hypotheses[::-1])
    assert float(backwards) == pytest.approx(value)
    assert float(measure(references, [texts[0] for texts in references])) == pytest.approx(1)


@pytest.mark.parametrize("measure", ALL)
def test_what_has_nothing_to_compare(measure: object) -> None:
    assert callable(measure)
    undefined = measure([[], []], ["a", ""])
    assert undefined.value is None
    assert "no item has a reference" in undefined.reason
    partly = measure([["a b"], []], ["a b", "c"])
    assert float(partly) == pytest.approx(1)
    assert partly.items == 1
    assert partly.reason == "1 item without references was left out"
    assert float(measure([["a b"]], [""])) == 0
    assert float(measure([[""]], [""])) == 1
    assert float(measure([[""]], ["a"])) == 0
    assert float(measure([["women"]], ["women"])) == 1


@pytest.mark.parametrize("measure", ALL)
def test_wrong_shapes_are_refused(measure: object) -> None:
    assert callable(measure)
    with pytest.raises(InputError, match="one hypothesis for each"):
        measure([["a"]], [])
    with pytest.raises(InputError, match="a list of references"):
        measure(["a"], ["a"])


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="order 0"):
        bleu_score([["a"]], ["a"], order=0)
    with pytest.raises(InputError, match="none, epsilon, add-one"):
        bleu_of_counts(count_bleu([["a"]], ["a"]), "most")  # type: ignore[arg-type]


@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
def test_smoothing_never_lowers_a_score_of_nothing_shared(refs: list[str], text: str) -> None:
    counts = count_bleu([ref.split() for ref in refs], text.split())
    scores = [bleu_of_counts(counts, smoothing) for smoothing in SMOOTHINGS]
    assert all(score >= scores[0] - 1e-12 for score in scores)
    if not counts.matches[0] and counts.length:
        assert scores == [0, 0, 0]


def test_an_order_without_n_grams_is_explained() -> None:
    part = bleu_score([["women"]], ["women"]).parts["precision 2"]
    assert part.value is None
    assert part.reason == "no hypothesis has 2 tokens in a row"
