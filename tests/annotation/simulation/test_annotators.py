"""How one simulated person answers."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tactful.annotation.answers.answers import check_answers
from tactful.annotation.protocol.records import Option, Protocol, Question, Step
from tactful_lab.simulation.annotators import SPAM, Annotator, Answering
from tactful_lab.simulation.cases import TEXT, Case, complete_rates, draw_truth

OPTIONS = tuple(Option(value, value) for value in ("a", "b", "c"))
ALL_KINDS = Step(
    "all",
    "All kinds",
    (
        Question("one", "choice", "?", options=OPTIONS),
        Question("scale", "scale", "?", options=tuple(Option(str(n), "", score=n) for n in (0, 1))),
        Question("some", "choices", "?", options=OPTIONS, least=1, most=2),
        Question("where", "spans", "?", options=OPTIONS, least=1),
        Question("said", "text", "?"),
        Question("list", "texts", "?", least=2, most=4),
        Question("each", "texts", "?", least=1, most=3, per="some"),
    ),
)
EVERY = Protocol("every", "Every", "1", "en", "", "us", (ALL_KINDS,))
CASE = Case("i", TEXT, {"rude": "yes", "odd": "no"})


def answers_of(
    protocol: Protocol, who: Annotator, case: Case = CASE, tired: float = 1.0, times: int = 2000
) -> list[dict[str, Any]]:
    answering = Answering(protocol, complete_rates(protocol, {}))
    rng = Random(1)
    return [answering.answer(who, protocol.steps[0], case, tired, rng) for _ in range(times)]


def share(answers: list[dict[str, Any]], question: str, value: str) -> float:
    return [answer.get(question) for answer in answers].count(value) / len(answers)


def test_perfect_skill_is_always_right(crowd_protocol: Protocol) -> None:
    found = answers_of(crowd_protocol, Annotator("p", skill=1.0))
    assert all(answer == {"rude": "yes", "odd": "no"} for answer in found)


def test_skill_is_the_chance_to_see_the_answer_of_a_middling_item(crowd_protocol: Protocol) -> None:
    # Two options of equal rate: who does not see it guesses right half of the time.
    found = answers_of(crowd_protocol, Annotator("p", skill=0.6))
    assert share(found, "rude", "yes") == pytest.approx(0.8, abs=0.03)


def test_hard_items_and_tired_people_are_worse(crowd_protocol: Protocol) -> None:
    who = Annotator("p", skill=0.8, fatigue=1.0)
    hard = Case("i", TEXT, CASE.truth, difficulty=4.0)
    fresh, tired = who.tired(0), who.tired(300)
    assert (fresh, tired) == (1.0, 4.0)
    easy = share(answers_of(crowd_protocol, who, CASE, fresh), "rude", "yes")
    late = share(answers_of(crowd_protocol, who, CASE, tired), "rude", "yes")
    difficult = share(answers_of(crowd_protocol, who, hard, fresh), "rude", "yes")
    assert easy - late > 0.1
    assert late == difficult


def test_skill_may_differ_by_question(crowd_protocol: Protocol) -> None:
    found = answers_of(crowd_protocol, Annotator("p", skill=1.0, skills={"odd": 0.0}))
    assert share(found, "rude", "yes") == 1.0
    assert share(found, "odd", "no") == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(("bias", "low", "high"), [(3.0, 0.9, 1.0), (-3.0, 0.0, 0.1)])
def test_bias_leans_guesses(crowd_protocol: Protocol, bias: float, low: float, high: float) -> None:
    rates = complete_rates(crowd_protocol, {"rude": {"yes": 0.4}})
    answering = Answering(crowd_protocol, rates)
    rng = Random(1)
    who = Annotator("p", skill=0.0, bias=bias)
    step = crowd_protocol.steps[0]
    found = [answering.answer(who, step, CASE, 1.0, rng) for _ in range(1000)]
    assert low <= share(found, "rude", "yes") <= high


def test_spammers_do_not_look_at_the_item(crowd_protocol: Protocol) -> None:
    other = Case("j", TEXT, {"rude": "no", "odd": "yes", "why": "yes"})
    for kind in SPAM:
        who = Annotator("p", kind, skill=1.0)
        assert answers_of(crowd_protocol, who) == answers_of(crowd_protocol, who, other)


def test_the_three_ways_of_spamming(crowd_protocol: Protocol) -> None:
    first = answers_of(crowd_protocol, Annotator("p", "first"))
    assert {answer["rude"] for answer in first} == {"yes"}
    constant = answers_of(crowd_protocol, Annotator("p", "constant", favourite=1))
    assert {answer["rude"] for answer in constant} == {"no"}
    anything = Counter(a["rude"] for a in answers_of(crowd_protocol, Annotator("p", "random")))
    assert anything["yes"] == pytest.approx(1000, abs=100)


def test_a_question_is_answered_only_where_it_is_asked(crowd_protocol: Protocol) -> None:
    found = answers_of(crowd_protocol, Annotator("p", "random"))
    assert all(("why" in answer) == (answer["odd"] == "yes") for answer in found)


@pytest.mark.parametrize("kind", ["careful", *SPAM])
def test_every_kind_of_question_gets_an_answer_that_a_project_would_take(kind: Any) -> None:
    answering = Answering(EVERY, complete_rates(EVERY, {}))
    rng = Random(3)
    for skill in (0.0, 0.5, 1.0):
        for _ in range(50):
            truth = draw_truth(EVERY, complete_rates(EVERY, {}), rng)
            case = Case("i", TEXT, truth)
            found = answering.answer(Annotator("p", kind, skill=skill), ALL_KINDS, case, 1.0, rng)
            assert check_answers(ALL_KINDS, found, TEXT) == found


def test_whoever_sees_all_repeats_the_truth_of_every_kind_of_question() -> None:
    rng = Random(3)
    rates = complete_rates(EVERY, {})
    truth = draw_truth(EVERY, rates, rng)
    found = Answering(EVERY, rates).answer(
        Annotator("p", skill=1.0), ALL_KINDS, Case("i", TEXT, truth), 1.0, rng
    )
    assert found == truth
