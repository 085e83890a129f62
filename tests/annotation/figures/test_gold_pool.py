"""Warnings about hidden tests that cannot do their work."""

from tests.annotation.scenes import RUDE, UNFAIR, Scene, protocol, step

from tactful.annotation.analysis.gold_pool import constant_answers, decoy_judgements, pool_warnings
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Quality
from tactful.annotation.state.project_state import State

QUALITY = Quality(page=7, tests=1, least_trust=0.78, least_tests=2)


def scene(yes: int, no: int, items: int = 12, quality: Quality = QUALITY) -> Scene:
    made = Scene(protocol(step(RUDE, UNFAIR), quality=quality))
    made.add(*(f"i{number}" for number in range(items)))
    made.add(*(f"y{number}" for number in range(yes)), gold={"rude": "yes"})
    made.add(*(f"n{number}" for number in range(no)), gold={"rude": "no"})
    return made


def test_balanced_tests_are_fine() -> None:
    assert pool_warnings(scene(2, 2).state) == []
    assert pool_warnings(scene(0, 0, quality=Quality()).state) == []


def test_a_protocol_that_asks_for_tests_has_none() -> None:
    (warning,) = pool_warnings(State(load_protocol("unhealthy")))
    assert "has no hidden tests, and the protocol asks for 1 on each page of 7" in warning


def test_one_answer_to_everything_would_pass() -> None:
    (warning,) = pool_warnings(scene(1, 9).state)
    assert warning.startswith("Answering 'no' for every item passes 90% of the hidden tests")
    first, value = pool_warnings(scene(9, 1).state)
    assert first.startswith("Answering the first option")
    assert value.startswith("Answering 'yes'")


def test_constant_answers_follow_the_conditions() -> None:
    found = constant_answers(step(RUDE, UNFAIR))
    assert found["'yes'"] == {"rude": "yes", "unfair": "yes"}
    assert found["'no'"] == {"rude": "no"}


def test_too_few_to_remove_anybody_and_too_few_for_all_pages() -> None:
    few = pool_warnings(scene(1, 0, items=60).state)
    assert "nobody is removed before 2: import at least 1 more" in few[0]
    assert any("A test on every page needs 10" in each for each in few)


def test_decoys_have_a_price() -> None:
    made = scene(2, 2, quality=Quality(page=7, tests=1, tests_each=5))
    # 5 people need 25 tests; 4 tests can be shown to 3 people each; the other 13 have 6 decoys.
    assert decoy_judgements(made.state, made.protocol.steps[0]) == 6 * (5 * 5 - 4 * 3)
    assert "need about 78 judgements" in pool_warnings(made.state)[-1]
    every = scene(2, 2, quality=Quality(page=7, tests=1, draw="every_page"))
    assert "can tell which items they are" in pool_warnings(every.state)[0]
