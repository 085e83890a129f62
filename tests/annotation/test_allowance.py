from tests.annotation.scenes import STEP, Scene, protocol, step

from tactful.annotation.protocol.records import WellBeing
from tactful.annotation.state.assignment import allowance


def scene(**wellbeing: object) -> Scene:
    made = Scene(protocol(step(), wellbeing=WellBeing(**wellbeing)))  # type: ignore[arg-type]
    made.add(*(f"i{number}" for number in range(30)))
    return made


def test_without_a_cap_there_is_no_end() -> None:
    made = scene()
    assert allowance(made.state, "ann", made.now).left is None
    assert allowance(made.state, "ann", made.now).why is None


def test_the_cap_of_a_day_counts_tests_too() -> None:
    made = scene(most_per_day=3)
    made.add("t", gold={"rude": "no"})
    made.answers("ann", "i0", "yes")
    made.answers("ann", "t", "yes")
    made.answers("ann", "t", "no")
    assert allowance(made.state, "ann", made.now).left == 1, "an answer given again is no more work"
    made.answers("ann", "i1", "yes")
    ended = allowance(made.state, "ann", made.now)
    assert ended.left == 0
    assert ended.why == "You have done 3 items today, the most for one day. Come back tomorrow."
    assert allowance(made.state, "ann", made.now + 86_400).left == 3
    assert allowance(made.state, "bob", made.now).left == 3


def test_a_skip_costs_nothing() -> None:
    made = scene(most_per_day=2)
    made.happens("skipped", item="i0", annotator="ann", step=STEP, data={"reason": "no"})
    assert allowance(made.state, "ann", made.now).left == 2
    assert made.state.people["ann"].trust is None


def test_nothing_before_the_warning_was_read() -> None:
    made = scene(consent="This can hurt.")
    assert "agree" in (allowance(made.state, "ann", made.now).why or "")
    made.happens("consented", annotator="ann", data={})
    assert allowance(made.state, "ann", made.now).left is None


def test_nothing_after_the_end() -> None:
    made = scene()
    made.removes("ann")
    made.happens("revoked", annotator="bob")
    assert [allowance(made.state, name, made.now).left for name in ("ann", "bob")] == [0, 0]
    assert allowance(made.state, "bob", made.now).why == "This invitation has ended."


def test_a_break_is_due_after_some_minutes_of_work_and_over_after_a_pause() -> None:
    made = scene(break_after=20)
    for number in range(10):
        made.answers("ann", f"i{number}", "yes")
        assert not allowance(made.state, "ann", made.now).break_due
        made.now += 119
    made.answers("ann", "i10", "yes")
    assert allowance(made.state, "ann", made.now).break_due
    assert allowance(made.state, "ann", made.now).why is None, "a break is proposed, not imposed"
    made.now += 700
    assert not allowance(made.state, "ann", made.now).break_due
    made.answers("ann", "i11", "yes")
    assert not allowance(made.state, "ann", made.now).break_due
