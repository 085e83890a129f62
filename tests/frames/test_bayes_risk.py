"""The text that agrees most with the others is chosen, weighed by how likely these are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.frames.bayes_risk import agreement, most_agreed
from tactful.metrics.generation import mean_sentence_bleu_score, rouge_l_score, tokenise

TEXTS = ("women are weak", "women are weak drivers", "they cook well")


def test_the_middle_of_similar_texts_wins() -> None:
    assert most_agreed(TEXTS, [1 / 3] * 3) in (0, 1)


def test_weights_decide() -> None:
    assert most_agreed(TEXTS, [0.05, 0.05, 0.9]) == 2


def test_of_equals_the_first_is_taken() -> None:
    assert most_agreed(["a b", "a b", "a b"], [0.2, 0.3, 0.5]) == 0


def test_agreement_is_the_mean_of_rouge_and_bleu() -> None:
    one, other = TEXTS[0], TEXTS[1]
    rouge = float(rouge_l_score([[one]], [other]))
    bleu = float(mean_sentence_bleu_score([[one]], [other]))
    assert agreement(tokenise(one), tokenise(other)) == pytest.approx((rouge + bleu) / 2)
    assert agreement([], []) == 1.0


@given(st.lists(st.text("ab ", min_size=1, max_size=8), min_size=1, max_size=5))
def test_a_text_is_always_chosen(texts: list[str]) -> None:
    assert 0 <= most_agreed(texts, [1 / len(texts)] * len(texts)) < len(texts)
