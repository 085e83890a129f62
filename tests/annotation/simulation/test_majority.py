"""The plain majority that a protocol is compared with."""

from random import Random

import pytest

from tactful.annotation.protocol.records import Option, Protocol, Question, Step
from tactful_lab.simulation.annotators import Annotator, Answering
from tactful_lab.simulation.cases import TEXT, Case, complete_rates, draw_cases
from tactful_lab.simulation.report import majority_labels, share_out


@pytest.mark.parametrize("items", [1, 7, 100])
@pytest.mark.parametrize("budget", [0, 3, 99, 100, 301, 333, 498])
def test_all_of_the_budget_is_spent_and_no_more(items: int, budget: int) -> None:
    votes = share_out(items, budget, 5, Random(1))
    assert len(votes) == items
    assert sum(votes) == min(budget, 5 * items)
    assert max(votes) <= 5


def test_votes_are_odd_but_for_what_is_left() -> None:
    votes = share_out(100, 301, 20, Random(1))
    assert sum(vote % 2 == 0 for vote in votes) == 1
    assert share_out(100, 300, 20, Random(1)) == [3] * 100
    assert sorted(set(share_out(100, 360, 20, Random(1)))) == [3, 5]


def test_a_perfect_crowd_gives_perfect_labels(crowd_protocol: Protocol) -> None:
    rates = complete_rates(crowd_protocol, {})
    cases = draw_cases(crowd_protocol, rates, 50, Random(1))
    people = [Annotator(str(number), skill=1.0) for number in range(5)]
    answering = Answering(crowd_protocol, rates)
    labels = majority_labels(crowd_protocol.steps[0], cases, people, answering, 150, Random(2))
    for case, label in zip(cases, labels, strict=True):
        assert {name: value for name, value in label.items() if value is not None} == case.truth


def test_two_good_ones_outvote_one_spammer(crowd_protocol: Protocol) -> None:
    rates = complete_rates(crowd_protocol, {})
    people = [Annotator("a", skill=1.0), Annotator("b", skill=1.0), Annotator("c", "first")]
    case = Case("i", TEXT, {"rude": "no", "odd": "no"})
    answering = Answering(crowd_protocol, rates)
    labels = majority_labels(crowd_protocol.steps[0], [case] * 20, people, answering, 60, Random(2))
    assert labels == [{"rude": "no", "odd": "no", "why": None}] * 20


def test_an_item_without_a_vote_has_no_label(crowd_protocol: Protocol) -> None:
    rates = complete_rates(crowd_protocol, {})
    cases = draw_cases(crowd_protocol, rates, 3, Random(1))
    people = [Annotator("a", skill=1.0)]
    answering = Answering(crowd_protocol, rates)
    labels = majority_labels(crowd_protocol.steps[0], cases, people, answering, 2, Random(2))
    assert sorted(map(len, labels)) == [0, 3, 3]


def test_of_several_answers_those_of_more_than_half_hold() -> None:
    options = tuple(Option(value, value) for value in ("a", "b"))
    step = Step("s", "S", (Question("some", "choices", "?", options=options, required=False),))
    protocol = Protocol("p", "P", "1", "en", "", "us", (step,))
    answering = Answering(protocol, complete_rates(protocol, {}))
    people = [Annotator("x", skill=1.0), Annotator("y", skill=1.0), Annotator("z", "constant")]
    case = Case("i", TEXT, {"some": ["a"]})
    assert majority_labels(step, [case], people, answering, 3, Random(1)) == [{"some": ["a"]}]
