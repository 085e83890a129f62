"""The words of Landis and Koch (1977), table 2."""

import pytest

from tactful.agreement import CAVEAT, krippendorff_alpha, landis_koch, percent_agreement, span_f1


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.5, "poor"), (-0.001, "poor"), (0.0, "slight"), (0.2, "slight"), (0.2049, "slight"),
        (0.21, "fair"), (0.41, "moderate"), (0.6, "moderate"), (0.61, "substantial"),
        (0.8, "substantial"), (0.81, "almost perfect"), (1.0, "almost perfect"),
    ],
)  # fmt: skip
def test_words(value: float, word: str) -> None:
    assert landis_koch(value) == word


def test_the_words_of_dont_patronize_me() -> None:
    # Section 4.2.1 calls 41 % moderate and 61 % substantial.
    assert (landis_koch(0.41), landis_koch(0.61)) == ("moderate", "substantial")


def test_no_word_for_what_is_undefined_or_a_percentage() -> None:
    same = [(1, 1, 0), (1, 2, 0)]
    assert landis_koch(krippendorff_alpha(same)) is None
    assert landis_koch(percent_agreement(same)) is None
    spans = {"item": ["x", "x"], "annotator": ["a", "b"], "start": [0, 0], "end": [2, 2]}
    found = span_f1(spans, {"x": "So so."})
    assert (found.value, landis_koch(found)) == (1, None)


def test_the_caveat_says_that_disagreement_is_information() -> None:
    assert "disagreement is information" in CAVEAT
