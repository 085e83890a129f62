"""Items whose right answers are known."""

from dataclasses import replace
from random import Random

import pytest

from tactful.annotation.protocol.records import Protocol, Question
from tactful.errors import UsageError
from tactful_lab.simulation.cases import (
    complete_rates,
    draw_cases,
    draw_tests,
    published_rates,
    words,
)

RATES = {"rude": {"yes": 0.1}, "odd": {"yes": 0.3}, "why": {"yes": 0.5}}


def test_rates_are_completed_with_the_rest(crowd_protocol: Protocol) -> None:
    assert complete_rates(crowd_protocol, {"rude": {"yes": 0.1}}) == {
        "rude": {"yes": 0.1, "no": 0.9},
        "odd": {"yes": 0.5, "no": 0.5},
        "why": {"yes": 0.5, "no": 0.5},
    }


@pytest.mark.parametrize(
    ("rates", "sentence"),
    [
        ({"mood": {"yes": 0.1}}, r"rates for 'mood'; expected a question .*rude, odd, why"),
        ({"rude": {"maybe": 0.1}}, r"'rude': found a rate for 'maybe'; expected one of yes, no"),
        ({"rude": {"yes": 1.5}}, r"found the rate 1.5 for 'yes'; expected a share between 0 and 1"),
        ({"rude": {"yes": 0.7, "no": 0.7}}, r"add up to 1.4; expected 1 at most"),
    ],
)
def test_rates_that_cannot_be_are_refused(
    crowd_protocol: Protocol, rates: dict[str, dict[str, float]], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        complete_rates(crowd_protocol, rates)


def test_answers_are_as_common_as_the_rates_say(crowd_protocol: Protocol) -> None:
    cases = draw_cases(crowd_protocol, complete_rates(crowd_protocol, RATES), 5000, Random(1))
    for name in ("rude", "odd"):
        found = sum(case.truth[name] == "yes" for case in cases) / len(cases)
        assert found == pytest.approx(RATES[name]["yes"], abs=0.02)
    odd = [case for case in cases if case.truth["odd"] == "yes"]
    assert all(("why" in case.truth) == (case.truth["odd"] == "yes") for case in cases)
    assert sum(case.truth["why"] == "yes" for case in odd) / len(odd) == pytest.approx(
        0.5, abs=0.05
    )


def test_items_differ_in_difficulty_around_one(crowd_protocol: Protocol) -> None:
    cases = draw_cases(crowd_protocol, complete_rates(crowd_protocol, RATES), 5000, Random(1))
    hardness = sorted(case.difficulty for case in cases)
    assert sum(hardness) / len(hardness) == pytest.approx(1.0, abs=0.03)
    assert hardness[500] < 0.4
    assert hardness[4500] > 1.8


def test_tests_are_clear_and_no_one_answer_is_right_in_all(crowd_protocol: Protocol) -> None:
    rates = complete_rates(crowd_protocol, RATES)
    tests = draw_tests(crowd_protocol, rates, 200, Random(1))
    assert len({case.id for case in tests}) == 200
    # Price et al. 2020, section 3: "clear and definitive examples of the attributes".
    assert sum(case.difficulty for case in tests) / len(tests) < 0.3
    for case in tests:
        assert case.gold is not None
        assert set(case.gold.values()) == {"yes", "no"}
        assert all(case.truth[name] == answer for name, answer in case.gold.items())


def test_tests_need_a_question_with_options(crowd_protocol: Protocol) -> None:
    step = replace(crowd_protocol.steps[0], questions=(Question("said", "text", "?"),))
    free = replace(crowd_protocol, steps=(step,))
    with pytest.raises(UsageError, match="'ours' has no single-choice question"):
        draw_tests(free, complete_rates(free, {}), 1, Random(1))
    assert draw_tests(free, complete_rates(free, {}), 0, Random(1)) == []


def test_a_protocol_of_our_own_has_no_published_rates(crowd_protocol: Protocol) -> None:
    assert published_rates(crowd_protocol) == {}


def test_words_are_places_in_the_text() -> None:
    assert words("a  bc d") == [(0, 1), (3, 5), (6, 7)]
