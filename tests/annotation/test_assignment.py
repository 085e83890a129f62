"""Which items a person gets next, and how much they may still do."""

from collections import Counter
from random import Random

import pytest
from tests.annotation.scenes import STEP, Scene, protocol, step, two_and_a_referee

from tactful.annotation.protocol.records import Quality, WellBeing
from tactful.annotation.state.assignment import Given, next_page

SEVEN = Quality(page=7, tests=1)


def scene(items: int = 20, tests: int = 0, quality: Quality = SEVEN, judgements: int = 3) -> Scene:
    made = Scene(protocol(step(judgements=judgements), quality=quality))
    made.add(*(f"i{number:02}" for number in range(items)))
    made.add(*(f"t{number}" for number in range(tests)), gold={"rude": "no"})
    return made


def items(page: list[Given]) -> list[str]:
    return [each.item for each in page]


def test_items_come_by_priority_then_in_the_order_of_import() -> None:
    made = scene(3, quality=Quality(page=5))
    made.add("urgent", priority=2)
    made.add("later", priority=-1)
    assert items(made.page("ann")) == ["urgent", "i00", "i01", "i02", "later"]


def test_a_page_has_one_test_in_a_random_place() -> None:
    """Price et al. 2020, section 3: one test comment per batch of seven."""
    made = scene(20, tests=30)
    places: Counter[int] = Counter()
    for seed in range(700):
        page = items(made.page("ann", seed, key=b"key %d" % seed))
        hidden = [at for at, name in enumerate(page) if name.startswith("t")]
        assert len(page) == 7
        assert len(hidden) == 1
        places[hidden[0]] += 1
    assert set(places) == set(range(7))
    # 100 each on average; the chance that one of seven is this far off is below 1 in 10,000.
    assert all(60 < count < 145 for count in places.values())


def test_each_test_comes_once_and_then_the_page_has_none() -> None:
    made = scene(60, tests=2)
    seen = []
    for number in range(3):
        page = made.takes_page("ann", seed=number)
        seen += [name for name in items(page) if name.startswith("t")]
        assert len(page) == 7
        for given in page:
            made.answers("ann", given.item, "no")
    assert sorted(seen) == ["t0", "t1"]


def test_a_test_that_was_given_back_comes_again() -> None:
    """Otherwise giving pages back would use the tests up, and show which item one was."""
    made = scene(60, tests=20)
    first = made.takes_page("ann")
    for given in first:
        made.happens("returned", item=given.item, annotator="ann", step=STEP)
    for seed in range(10):
        assert sorted(items(made.page("ann", seed))) == sorted(items(first))


def test_a_page_of_tests_alone_is_never_given() -> None:
    made = scene(1, tests=5)
    assert len(made.page("ann")) == 2
    made.answers("ann", "i00", "yes")
    assert made.page("ann") == []
    one = scene(3, tests=5, quality=Quality(page=1, tests=1))
    assert len(items(one.page("ann"))) == 1
    assert items(one.page("ann"))[0].startswith("i")


def test_what_one_has_comes_back_as_it_was() -> None:
    made = scene(20, tests=3)
    page = made.takes_page("ann", seed=4)
    assert made.page("ann", seed=5) == page
    made.answers("ann", page[0].item, "no")
    assert made.page("ann", seed=6) == page[1:]
    assert set(items(made.page("bob", seed=1))) & {"i00"} == {"i00"}


def test_what_was_decided_meanwhile_does_not_come_back() -> None:
    made = scene(2, quality=Quality(page=2))
    made.takes_page("ann")
    made.decides("bob", "i00", "no")
    assert items(made.page("ann")) == ["i01"]


def test_nobody_gets_what_they_answered_or_skipped() -> None:
    made = scene(3, quality=Quality(page=3))
    made.answers("ann", "i00", "yes")
    made.happens("skipped", item="i01", annotator="ann", step=STEP, data={})
    assert items(made.page("ann")) == ["i02"]
    assert items(made.page("bob")) == ["i00", "i01", "i02"]


def test_no_more_people_than_judgements_are_missing() -> None:
    made = scene(1, quality=Quality(page=1), judgements=2)
    assert items(made.takes_page("ann")) == items(made.takes_page("bob")) == ["i00"]
    assert made.page("cem") == []
    made.answers("ann", "i00", "yes")
    assert made.page("cem") == []
    made.now += 100
    assert items(made.page("cem")) == ["i00"], "the time of bob is over"
    assert items(made.page("bob")) == ["i00"], "and bob can have it again"


def test_a_page_is_no_longer_than_the_rest_of_the_day() -> None:
    made = Scene(
        protocol(step(), quality=SEVEN, wellbeing=WellBeing(most_per_day=10)),
    )
    made.add(*(f"i{number}" for number in range(20)))
    made.add("t0", "t1", gold={"rude": "no"})
    for given in made.takes_page("ann"):
        made.answers("ann", given.item, "no")
    page = made.takes_page("ann", seed=1)
    assert len(page) == 3
    assert sum(name.startswith("t") for name in items(page)) == 1
    for given in page:
        made.answers("ann", given.item, "no")
    assert made.page("ann") == []
    made.now += 86_400
    assert len(made.page("ann")) == 7


def test_people_take_the_steps_of_their_role() -> None:
    made = Scene(two_and_a_referee())
    made.invite("ref", "referee")
    made.invite("own", "owner")
    made.add("i", "j")
    assert made.page("ref") == []
    assert made.page("own") == [Given("i", "paragraph")]
    made.all_answer("i", "paragraph", ann="0", bob="2")
    assert made.page("ref") == [Given("i", "referee")]
    assert made.page("ann") == [Given("j", "paragraph")]


def test_nobody_is_the_referee_of_their_own_dispute() -> None:
    made = Scene(two_and_a_referee())
    made.invite("own", "owner")
    made.add("i")
    made.all_answer("i", "paragraph", own="0", bob="2")
    assert made.page("own") == []


def test_who_was_removed_gets_nothing() -> None:
    made = scene(3)
    made.removes("ann")
    assert made.page("ann") == []
    made.readmits("ann")
    assert made.page("ann") != []


def test_a_balanced_workload_leaves_the_others_their_share() -> None:
    made = scene(10, quality=Quality(page=5), judgements=1)
    made.happens("settings-changed", data={"workload": "balanced"})
    made.answers("bob", "i00", "yes")
    for given in made.takes_page("ann"):
        made.answers("ann", given.item, "yes")
    assert made.page("ann") == []
    assert len(made.page("bob")) == 4
    made.happens("settings-changed", data={"workload": "shared"})
    assert len(made.page("ann")) == 4


@pytest.mark.parametrize("workload", ["shared", "balanced"])
def test_everybody_together_finishes_with_no_judgement_too_many(workload: str) -> None:
    made = scene(40, tests=10, quality=SEVEN)
    made.happens("settings-changed", data={"workload": workload})
    rng, idle = Random(1), 0
    while idle < 50:
        person = rng.choice(["ann", "bob", "cem", "dot", "eve"])
        page = next_page(made.state, person, made.now, rng)
        idle = 0 if page else idle + 1
        for given in page:
            made.shows(person, given.item, given.step)
        for given in page:
            made.answers(person, given.item, rng.choice(["yes", "no"]))
    assert made.state.counts(STEP)["open"] == 0
    assert made.state.judgements[STEP] == 120
    if workload == "balanced":
        # 24 are the share of each; what only one of them can take is beyond it.
        assert max(each.answered - each.tests for each in made.state.people.values()) <= 24 + 7
