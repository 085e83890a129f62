"""What follows from events."""

from dataclasses import replace

import pytest
from tests.annotation.scenes import RUDE, START, STEP, Scene, protocol, step, two_and_a_referee

from tactful.annotation.protocol.load import PROTOCOLS, load_protocol
from tactful.annotation.protocol.records import Entry, Quality
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import KINDS, Event
from tactful.errors import InputError

DYNAMIC = step(judgements=3, most=5, confidence=0.75, combine="trust_weighted")
TRUSTED = Quality(page=7, tests=1, least_trust=0.78, least_tests=3)


def dynamic(quality: Quality = TRUSTED) -> Scene:
    return Scene(protocol(DYNAMIC, quality=quality))


def with_tests(scene: Scene, person: str, right: int, wrong: int) -> None:
    for number in range(right + wrong):
        name = f"test {number}"
        if name not in scene.state.items:
            scene.add(name, gold={"rude": "no"})
        scene.answers(person, name, "no" if number < right else "yes")


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_a_built_in_protocol_starts_empty(name: str) -> None:
    state = State(load_protocol(name))
    assert state.finished()
    assert state.to_remove() == state.to_readmit() == []


def test_every_kind_of_event_is_known() -> None:
    assert set(State(protocol())._handlers) == set(KINDS)


def test_three_who_agree_are_enough() -> None:
    """Price et al. 2020, section 3: at least three, up to five below a confidence of 75 %."""
    scene = dynamic()
    scene.add("i")
    assert (scene.status("i"), scene.state.needed("i", STEP, scene.now)) == ("open", 3)
    scene.all_answer("i", ann="yes", bob="yes")
    assert scene.state.needed("i", STEP, scene.now) == 1
    scene.answers("cem", "i", "yes")
    assert (scene.status("i"), scene.value("i")) == ("done", "yes")
    assert scene.state.needed("i", STEP, scene.now) == 0
    assert scene.state.finished()


def test_one_more_at_a_time_up_to_five() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="no", cem="yes")
    assert (scene.status("i"), scene.state.needed("i", STEP, scene.now)) == ("open", 1)
    scene.answers("dot", "i", "no")
    assert scene.state.needed("i", STEP, scene.now) == 1
    scene.answers("eve", "i", "yes")
    assert (scene.status("i"), scene.value("i")) == ("done", "yes")
    assert scene.state.labels("i", STEP)["rude"].confidence == pytest.approx(0.6)


def test_the_fourth_can_settle_it() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="no", cem="yes", dot="yes")
    assert scene.status("i") == "done"


def test_an_answer_too_many_is_kept_and_does_not_count() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="yes", cem="yes", dot="no")
    assert [answer.annotator for answer in scene.state.counted("i", STEP)] == ["ann", "bob", "cem"]
    assert scene.state.labels("i", STEP)["rude"].confidence == 1.0
    assert scene.state.people["dot"].answered == 1
    scene.removes("bob")
    assert [answer.annotator for answer in scene.state.counted("i", STEP)] == ["ann", "cem", "dot"]


def test_an_answer_can_be_given_again() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="no")
    scene.answers("ann", "i", "no")
    scene.answers("cem", "i", "no")
    assert (scene.status("i"), scene.value("i")) == ("done", "no")
    assert len(scene.state.counted("i", STEP)) == 3
    assert scene.state.people["ann"].answered == 1
    assert scene.state.people["ann"].seconds == 8.0


def test_no_clear_label_is_disputed_until_somebody_decides() -> None:
    scene = Scene(protocol(step(judgements=2)))
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="no")
    assert scene.status("i") == "disputed"
    assert not scene.state.finished()
    scene.decides("cem", "i", "no")
    assert (scene.status("i"), scene.value("i")) == ("done", "no")
    assert scene.state.labels("i", STEP)["rude"].decided
    assert scene.state.items["i"].steps[STEP].decision is not None
    assert scene.state.finished()


def test_an_adjudication_before_the_judgements_ends_the_asking() -> None:
    scene = dynamic()
    scene.add("i")
    scene.answers("ann", "i", "yes")
    scene.decides("bob", "i", "no")
    assert scene.state.needed("i", STEP, scene.now) == 0
    assert scene.state.wanted(STEP) == 1
    assert scene.value("i") == "no"


def test_tests_never_count_as_judgements() -> None:
    scene = dynamic()
    scene.add("t", gold={"rude": "no"})
    scene.all_answer("t", ann="yes", bob="no")
    state = scene.state
    assert state.counted("t", STEP) == []
    assert (state.needed("t", STEP, scene.now), state.judgements[STEP]) == (0, 0)
    assert state.counts(STEP) == {"waiting": 0, "open": 0, "done": 0, "disputed": 0}
    assert (state.people["ann"].trust, state.people["bob"].trust) == (0.0, 1.0)
    assert state.people["cem"].trust is None
    assert list(state.ordinary()) == []


def test_trust_is_the_running_share_of_right_tests() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=3, wrong=1)
    person = scene.state.people["ann"]
    assert (person.right, person.tests, person.trust) == (3, 4, 0.75)
    assert [trust for _, trust in person.history] == [1.0, 1.0, 1.0, 0.75]


def test_who_falls_below_is_removed_and_the_items_open_again() -> None:
    """Price et al. 2020, section 3: below 78 % all prior annotations were discarded."""
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="yes", cem="yes")
    with_tests(scene, "ann", right=2, wrong=0)
    assert scene.state.to_remove() == []
    scene.add("last", gold={"rude": "no"})
    scene.answers("ann", "last", "yes")
    assert scene.state.to_remove() == ["ann"]
    assert scene.status("i") == "done"
    scene.removes("ann", "trust")
    assert scene.state.to_remove() == []
    assert scene.state.people["ann"].status == "removed"
    assert (scene.status("i"), scene.state.needed("i", STEP, scene.now)) == ("open", 1)
    assert "ann" in scene.state.items["i"].steps[STEP].answers
    assert list(scene.state.queue(STEP, scene.now)) == ["i"]


def test_exactly_78_percent_is_not_enough() -> None:
    """Price et al. 2020, section 3: "maintain a trustworthiness score of more than 78%"."""
    scene = Scene(protocol(DYNAMIC, quality=TRUSTED))
    with_tests(scene, "ann", right=39, wrong=11)
    assert scene.state.people["ann"].trust == 0.78
    assert scene.state.to_remove() == ["ann"]
    with_tests(scene, "bob", right=40, wrong=11)
    assert scene.state.to_remove() == ["ann"]


def test_nobody_without_a_mistake_is_removed() -> None:
    scene = Scene(protocol(DYNAMIC, quality=replace(TRUSTED, least_trust=1.0)))
    with_tests(scene, "ann", right=9, wrong=0)
    with_tests(scene, "bob", right=9, wrong=1)
    assert scene.state.to_remove() == ["bob"]


def test_not_before_enough_tests() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=0, wrong=2)
    assert scene.state.to_remove() == []


def test_done_items_can_stay_done() -> None:
    scene = dynamic(replace(TRUSTED, rows_remain_finalized=True))
    scene.add("done", "open")
    scene.all_answer("done", ann="no", bob="no", cem="no")
    scene.all_answer("open", ann="no", bob="no")
    scene.removes("ann")
    assert (scene.status("done"), scene.status("open")) == ("done", "open")
    assert len(scene.state.counted("done", STEP)) == 2
    assert scene.state.needed("open", STEP, scene.now) == 2
    scene.removes("bob")
    scene.removes("cem")
    assert scene.status("done") == "open", "nobody is left who said anything"


def test_editing_a_test_recomputes_trust_and_can_re_admit() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="yes", cem="yes")
    with_tests(scene, "ann", right=2, wrong=1)
    scene.removes("ann", "trust")
    assert scene.state.to_readmit() == []
    scene.edits_gold("test 2", {"rude": {"any": ["yes", "no"]}})
    assert scene.state.people["ann"].trust == 1.0
    assert [trust for _, trust in scene.state.people["ann"].history] == [1.0, 1.0, 1.0]
    assert scene.state.to_readmit() == ["ann"]
    assert scene.status("i") == "open", "only the event lets them count again"
    scene.readmits("ann", "trust")
    assert (scene.status("i"), scene.state.to_readmit()) == ("done", [])
    assert scene.state.people["ann"].status == "active"


def test_editing_a_test_can_also_remove() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=3, wrong=0)
    scene.edits_gold("test 0", {"rude": "yes"})
    assert scene.state.to_remove() == ["ann"]


def test_whom_the_owner_removed_no_gold_lets_in_again() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=2, wrong=1)
    scene.removes("ann", "owner")
    scene.edits_gold("test 2", {"rude": "yes"})
    assert scene.state.to_readmit() == []


def test_whom_the_owner_lets_in_again_no_trust_removes() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=0, wrong=3)
    scene.removes("ann", "trust")
    scene.readmits("ann", "owner")
    assert scene.state.to_remove() == []
    assert scene.state.people["ann"].counts


def test_a_test_can_become_an_item_and_an_item_a_test() -> None:
    scene = dynamic()
    scene.add("x")
    scene.all_answer("x", ann="yes", bob="no")
    scene.happens("tested", item="x", data={"gold": {"rude": "no"}})
    state = scene.state
    assert (state.people["ann"].trust, state.people["bob"].trust) == (0.0, 1.0)
    assert (state.judgements[STEP], state.wanted(STEP)) == (0, 0)
    assert list(state.queue(STEP, scene.now)) == []
    assert list(state.tests(STEP)) == ["x"]
    scene.edits_gold("x", None)
    assert state.people["ann"].trust is None
    assert (state.judgements[STEP], state.wanted(STEP)) == (2, 3)
    assert list(state.queue(STEP, scene.now)) == ["x"]
    assert list(state.tests(STEP)) == []


def test_a_test_answered_again() -> None:
    scene = dynamic()
    with_tests(scene, "ann", right=0, wrong=1)
    scene.answers("ann", "test 0", "no")
    assert (scene.state.people["ann"].tests, scene.state.people["ann"].trust) == (1, 1.0)


def test_labels_are_of_the_trust_of_now() -> None:
    scene = dynamic(Quality())
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="no", cem="no", dot="yes", eve="no")
    assert scene.value("i") == "no"
    with_tests(scene, "bob", right=0, wrong=2)
    with_tests(scene, "cem", right=1, wrong=1)
    assert scene.value("i") == "yes", "2 against 1.5"
    assert scene.status("i") == "done", "what was done is not opened by a test"


def test_a_revoked_invitation_ends_the_work_and_keeps_it() -> None:
    scene = dynamic()
    scene.add("i")
    scene.answers("ann", "i", "yes")
    scene.shows("ann", "i")
    scene.happens("revoked", annotator="ann")
    assert scene.state.people["ann"].status == "revoked"
    assert len(scene.state.counted("i", STEP)) == 1
    scene.removes("ann")
    assert scene.state.people["ann"].status == "revoked"
    assert scene.state.counted("i", STEP) == []
    scene.invite("ann")
    statuses = {person.id: person.status for person in scene.state.people.values()}
    assert statuses["ann"] == "removed", "a new link does not make judgements count again"


def test_leases_are_taken_off_until_their_time_is_over() -> None:
    scene = dynamic()
    scene.add("i")
    for person in ("ann", "bob", "cem"):
        scene.shows(person, "i", seconds=60)
    state = scene.state
    assert state.needed("i", STEP, scene.now) == 0
    assert list(state.queue(STEP, scene.now)) == []
    assert state.leased("ann", scene.now) == [("i", STEP)]
    scene.happens("returned", item="i", annotator="bob", step=STEP)
    assert list(state.queue(STEP, scene.now)) == ["i"]
    assert state.needed("i", STEP, scene.now) == 1
    assert state.needed("i", STEP, scene.now + 100) == 3
    scene.answers("ann", "i", "yes")
    assert state.needed("i", STEP, scene.now) == 1
    scene.removes("cem")
    assert state.needed("i", STEP, scene.now) == 2, "who is removed gives back what they have"


def test_a_lease_is_over_at_its_last_moment() -> None:
    scene = dynamic()
    scene.add("i")
    scene.shows("ann", "i", seconds=60)
    assert scene.state.leased("ann", scene.now + 59.5) == [("i", STEP)]
    assert scene.state.leased("ann", scene.now + 60) == []
    assert scene.state.needed("i", STEP, scene.now + 60) == 3


def test_a_late_answer_counts_while_it_is_needed() -> None:
    scene = dynamic()
    scene.add("i")
    scene.shows("ann", "i", seconds=5)
    scene.now += 1000
    list(scene.state.queue(STEP, scene.now))
    scene.answers("ann", "i", "yes")
    assert len(scene.state.counted("i", STEP)) == 1


def test_consent_skips_and_days_are_kept() -> None:
    scene = dynamic()
    scene.add("i", "j")
    scene.happens("consented", annotator="ann", data={"traits": {"age": "30"}})
    scene.happens("skipped", item="i", annotator="ann", step=STEP, data={"reason": ""})
    scene.happens("skipped", item="i", annotator="ann", step=STEP, data={"reason": ""})
    scene.answers("ann", "j", "no")
    person = scene.state.people["ann"]
    assert person.consented is not None
    assert person.traits == {"age": "30"}
    assert (person.skipped, person.answered, person.seconds) == (1, 1, 4.0)
    assert dict(person.days) == {"2023-11-14": 1}
    assert person.last == scene.now
    assert scene.state.items["i"].steps[STEP].skipped == {"ann"}


def test_two_opposed_annotators_and_a_referee() -> None:
    """Pérez-Almendros et al. 2020, section 4.2.1: 0 against 2, and the referee's 2 makes it 3."""
    scene = Scene(two_and_a_referee())
    scene.invite("ref", "referee")
    scene.add("i")
    assert [scene.status("i", each) for each in ("paragraph", "referee", "spans")] == [
        "open",
        "waiting",
        "waiting",
    ]
    scene.all_answer("i", "paragraph", ann="0", bob="2")
    assert [scene.status("i", each) for each in ("paragraph", "referee", "spans")] == [
        "disputed",
        "open",
        "waiting",
    ]
    scene.answers("ref", "i", "2", "referee")
    assert scene.value("i", "paragraph") == "3"
    assert [scene.status("i", each) for each in ("paragraph", "referee", "spans")] == [
        "done",
        "done",
        "open",
    ]
    spans = {"spans": [{"start": 0, "end": 4, "value": "x"}]}
    scene.all_answer("i", "spans", ann=spans, bob={"spans": []})
    assert scene.status("i", "spans") == "done"
    assert scene.state.finished()
    scene.removes("bob")
    assert [scene.status("i", each) for each in ("paragraph", "referee", "spans")] == [
        "open",
        "waiting",
        "waiting",
    ]
    scene.readmits("bob")
    assert scene.status("i", "spans") == "done"


@pytest.mark.parametrize(
    ("first", "second", "label", "spans"),
    [("0", "0", "0", "waiting"), ("0", "1", "1", "waiting"), ("1", "1", "2", "open")],
)
def test_only_positives_come_to_the_spans(first: str, second: str, label: str, spans: str) -> None:
    """Pérez-Almendros et al. 2020, section 4.2: 2, 3 and 4 are positive."""
    scene = Scene(two_and_a_referee())
    scene.add("i")
    scene.all_answer("i", "paragraph", ann=first, bob=second)
    assert scene.value("i", "paragraph") == label
    assert scene.status("i", "spans") == spans
    assert scene.status("i", "referee") == "waiting"


def test_an_adjudication_spares_the_referee() -> None:
    scene = Scene(two_and_a_referee())
    scene.add("i")
    scene.all_answer("i", "paragraph", ann="0", bob="2")
    scene.decides("cem", "i", "0", "paragraph")
    assert scene.value("i", "paragraph") == "1"
    assert scene.status("i", "referee") == "waiting"
    assert scene.state.finished()


def test_any_difference_goes_to_the_referee_where_no_pair_is_named() -> None:
    """Ariza-Casabona et al. 2022, section 4.2: disagreements went to a senior annotator."""
    senior = step(
        RUDE,
        id="senior",
        role="referee",
        judgements=1,
        combine="referee",
        entry=Entry(STEP, "disputed", "rude"),
    )
    scene = Scene(protocol(step(), senior))
    scene.add("same", "differ")
    scene.all_answer("same", ann="yes", bob="yes", cem="yes")
    scene.all_answer("differ", ann="yes", bob="no", cem="yes")
    assert (scene.status("same", "senior"), scene.status("differ", "senior")) == ("waiting", "open")
    assert (scene.status("differ"), scene.value("differ")) == ("done", "yes")
    scene.answers("dot", "differ", "no", "senior")
    assert scene.value("differ") == "no"
    assert scene.state.labels("differ", STEP)["rude"].decided


def test_settings_take_effect_at_once() -> None:
    scene = dynamic()
    scene.add("i")
    scene.all_answer("i", ann="yes", bob="yes", cem="yes")
    with_tests(scene, "ann", right=1, wrong=2)
    scene.happens("settings-changed", data={"judgements": 4, "least_trust": 0.2})
    assert (scene.status("i"), scene.state.needed("i", STEP, scene.now)) == ("open", 1)
    assert scene.state.wanted(STEP) == 4
    assert scene.state.protocol.steps[0].judgements == 4
    assert scene.state.to_remove() == []
    scene.happens("settings-changed", data={"judgements": 3, "least_trust": 0.78})
    assert scene.status("i") == "done"
    assert scene.state.to_remove() == ["ann"]
    assert scene.state.settings["judgements"] == 3


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event("answered", START, "x", "ann", STEP, {"answers": {}}, number=7), "Event 7.*'x'"),
        (Event("answered", START, "i", "zoe", STEP, {"answers": {}}), "'zoe'"),
        (Event("shown", START, "i", "ann", "elsewhere", {"until": 1}), "'elsewhere'"),
        (Event("skipped", START, "i", None, STEP), "an item, a step or a person"),
        (Event("imported", START, "i", data={"text": "again"}), "already imported"),
    ],
)
def test_a_log_that_is_not_whole_is_refused(event: Event, message: str) -> None:
    scene = dynamic()
    scene.add("i")
    with pytest.raises(InputError, match=message):
        scene.state.apply(event)
