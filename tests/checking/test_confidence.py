"""Confidence: 0.5 exactly at the threshold, comparable between ids, and the same everywhere."""

from math import log

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tactful.checking import Checker
from tactful.checking.confidence import (
    LEAST_THRESHOLD,
    confidence,
    probability_at,
    thresholds_in_force,
)
from tactful.checking.options import LEAST, CheckOptions
from tactful.detectors.card import Card
from tactful.detectors.load import embedded_cards

shares = st.floats(0, 1)


def test_a_value_worked_out_by_hand() -> None:
    # Odds of 3 against odds of 1/4 are odds of 12: 12 / 13.
    assert confidence(0.75, 0.2) == pytest.approx(12 / 13)
    assert confidence(0.2, 0.75) == pytest.approx(1 / 13)
    assert log(confidence(0.9, 0.5) / 0.1) == pytest.approx(log(9))


@given(shares, shares)
def test_a_probability_reaches_its_threshold_or_not(probability: float, threshold: float) -> None:
    found = confidence(probability, threshold)
    assert 0 <= found <= 1
    assert (found >= 0.5) == (probability >= threshold)


@given(shares, shares, shares)
def test_more_probability_is_never_less_confidence(one: float, two: float, limit: float) -> None:
    assert confidence(min(one, two), limit) <= confidence(max(one, two), limit)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_floor_can_be_turned_into_a_probability(least: float, threshold: float) -> None:
    assert confidence(probability_at(least, threshold), threshold) == pytest.approx(least)


@given(shares)
def test_the_default_floor_is_the_threshold_itself(threshold: float) -> None:
    assert probability_at(LEAST, threshold) == threshold


@given(shares, st.floats(0.001, 0.999), shares)
def test_a_higher_floor_needs_more(low: float, high: float, threshold: float) -> None:
    assume(low < high)
    assert probability_at(low, threshold) <= probability_at(high, threshold)


def test_everything_and_nothing() -> None:
    assert probability_at(0.0, 0.3) == 0.0
    assert probability_at(1.0, 0.3) == 1.0


def test_the_threshold_of_the_user_then_of_the_report_then_of_the_card() -> None:
    card = Card("x", "1", ("a", "b", "c"), thresholds={"a": 0.3}, report_thresholds={"a": 0.7})
    assert thresholds_in_force(card, {"b": 0.1}) == {"a": 0.7, "b": 0.1, "c": 0.5}


@pytest.mark.parametrize("card", embedded_cards(), ids=lambda card: str(card.name))
def test_no_card_makes_a_check_noisier_than_a_fifth(card: Card) -> None:
    found = thresholds_in_force(card, {})
    assert min(found.values()) >= LEAST_THRESHOLD == 0.2
    assert all(found[name] >= card.report_threshold(name) for name in card.ids)


def test_every_front_end_has_the_same_floor() -> None:
    from tactful.cli.check import check_cli
    from tactful.service.models import CheckRequest

    (option,) = [each for each in check_cli.params if each.name == "least"]
    assert f"[default: {LEAST}]" in str(option.to_info_dict()["help"])
    assert (
        CheckRequest.model_validate({"text": "Hello."}).least
        == LEAST
        == CheckOptions().least
        == 0.5
    )


def test_a_lower_floor_gives_more_findings_and_a_higher_one_fewer() -> None:
    text = "They have so little, and yet they never stop smiling."

    def count(least: float) -> int:
        checker = Checker(model="fast", only=["pcl"], least=least)
        return len({kind for each in checker.check(text).findings for kind in [each.id]})

    assert count(0.02) > 0
    assert count(0.02) >= count(0.5) >= count(0.999) == 0
