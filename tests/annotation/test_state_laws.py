"""Laws that hold for every log."""

from collections import Counter
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotation.scenes import (
    RUDE,
    START,
    STEP,
    UNFAIR,
    Scene,
    options,
    picture,
    protocol,
    step,
    two_and_a_referee,
)

from tactful.annotation.analysis.overview import disputes, progress
from tactful.annotation.protocol.records import Entry, Protocol, Quality, Question
from tactful.annotation.state.assignment import next_page
from tactful.annotation.state.project_state import State
from tactful.annotation.store.events import Event

PEOPLE = ("ann", "bob", "cem", "dot", "eve", "fay")
QUALITY = Quality(page=3, tests=1, least_trust=0.6, least_tests=2)
ITEMS = ("i0", "i1", "i2", "i3")
TESTS = ("t0", "t1")


def trust_weighted() -> Protocol:
    rule = step(RUDE, UNFAIR, judgements=2, most=4, confidence=0.75, combine="trust_weighted")
    spans = Question("where", "spans", "Where?", options=options("x"), required=False)
    later = step(
        spans,
        id="later",
        judgements=1,
        combine="union",
        entry=Entry(STEP, "label", "rude", ("yes",)),
    )
    return protocol(rule, later, quality=QUALITY)


PROTOCOLS = {"trust": trust_weighted(), "scale": two_and_a_referee()}
MOVES = st.lists(
    st.tuples(
        st.sampled_from(
            ["answered"] * 8
            + ["shown", "shown", "returned", "skipped", "removed", "re-admitted", "revoked"]
            + ["gold", "decided", "settings"]
        ),
        st.sampled_from(PEOPLE),
        st.sampled_from(ITEMS + TESTS),
        st.integers(0, 5),
    ),
    max_size=60,
)


def answers_of(used: Protocol, of_step: str, chance: int) -> dict[str, Any]:
    question = used.step(of_step).questions[0]
    if question.kind == "spans":
        return {question.id: [{"start": chance, "end": chance + 2, "value": "x"}]}
    value = question.options[chance % len(question.options)].value
    given = {question.id: value}
    if question.id == "rude" and value == "yes":
        given["unfair"] = ("yes", "no")[chance // 3]
    return given


def play(used: Protocol, moves: list[tuple[str, str, str, int]]) -> Scene:
    scene = Scene(used, PEOPLE)
    question = used.steps[0].questions[0]
    gold = {question.id: question.options[1].value}
    scene.add(*ITEMS)
    scene.add(*TESTS, gold=gold)
    for what, person, item, chance in moves:
        of_step = used.steps[chance % len(used.steps)].id if chance > 2 else used.steps[0].id
        about: dict[str, Any] = {"item": item, "annotator": person, "step": of_step}
        list(scene.state.queue(of_step, scene.now))  # looking changes nothing
        match what:
            case "answered":
                data = {"answers": answers_of(used, of_step, chance), "seconds": 1.0}
                scene.happens("answered", **about, data=data)
            case "shown":
                scene.shows(person, item, of_step, seconds=4 * chance)
            case "returned":
                scene.happens("returned", **about)
            case "skipped":
                scene.happens("skipped", **about, data={"reason": ""})
            case "removed":
                scene.removes(person, "trust" if chance % 2 else "owner")
            case "re-admitted":
                scene.readmits(person, "trust" if chance % 2 else "owner")
            case "revoked":
                scene.happens("revoked", annotator=person)
            case "gold":
                edited = {question.id: question.options[chance % 2].value}
                scene.edits_gold(item, edited if chance else None)
            case "decided":
                data = {"answers": answers_of(used, of_step, chance), "note": ""}
                scene.happens("adjudicated", **about, data=data)
            case "settings":
                rows = {"rows_remain_finalized": bool(chance % 2)}
                change = rows if chance < 3 else {"judgements": 1 + chance % 2}
                scene.happens("settings-changed", data=change)
    return scene


@settings(max_examples=50)
@given(st.sampled_from(sorted(PROTOCOLS)), MOVES, st.integers(0, 70))
def test_a_part_and_the_rest_is_the_whole(
    name: str, moves: list[tuple[str, str, str, int]], cut: int
) -> None:
    scene = play(PROTOCOLS[name], moves)
    whole = State.derive(scene.protocol, scene.log)
    parted = State.derive(scene.protocol, scene.log[:cut])
    for event in scene.log[cut:]:
        parted.apply(event)
    for state in (scene.state, whole, parted):
        list(state.queue(scene.protocol.steps[0].id, scene.now))
    assert picture(parted) == picture(whole) == picture(scene.state)


@settings(max_examples=50)
@given(st.sampled_from(sorted(PROTOCOLS)), MOVES)
def test_what_is_counted_on_the_way_is_what_is_there(
    name: str, moves: list[tuple[str, str, str, int]]
) -> None:
    """The counters, kept event by event, say what looking at every item says."""
    scene = play(PROTOCOLS[name], moves)
    state = scene.state
    for rule in state.protocol.steps:
        parts = {item.id: item.steps[rule.id] for item in state.ordinary()}
        statuses = Counter(part.status for part in parts.values())
        assert {status: count for status, count in state.counts(rule.id).items() if count} == (
            dict(statuses)
        )
        assert state.judgements[rule.id] == sum(len(part.counting) for part in parts.values())
        far = scene.now + 10_000
        missing = sum(state.needed(item, rule.id, far) for item in parts)
        assert state.wanted(rule.id) == state.judgements[rule.id] + missing
        touched = {item.id for item in state.touched_items()}
        seen = {name for name, part in parts.items() if part.answers or part.skipped}
        assert {name for name, part in parts.items() if part.decision} | seen <= touched
        waiting = [item for item in parts if state.needed(item, rule.id, scene.now)]
        assert list(state.queue(rule.id, scene.now)) == waiting
        most = rule.most or rule.judgements
        for part in parts.values():
            assert len(part.counting) <= most, "no item has more than its maximum"
            counted = [answer.annotator for answer in part.counting]
            assert len(set(counted)) == len(counted)
            assert all(state.people[each].counts for each in counted)
    for found, rule in zip(progress(state), state.protocol.steps, strict=True):
        here = [(item, item.steps[rule.id]) for item in state.ordinary()]
        given = [name for _, part in here for name in part.answers]
        assert found.items == len(here)
        assert found.discarded == sum(not state.people[name].counts for name in given)
        assert found.skipped == sum(len(part.skipped) for _, part in here)
        assert found.finished_with == sum(
            len(part.counting) for _, part in here if part.status in ("done", "disputed")
        )
        assert found.outside == sum(
            part.status == "waiting"
            and rule.entry is not None
            and item.steps[rule.entry.step].status == "done"
            for item, part in here
        )
    assert [each.item for each in disputes(state)] == [
        item.id
        for item in state.ordinary()
        for part in item.steps.values()
        if part.status == "disputed"
    ]
    for person in state.people.values():
        right = list(person.taken.values())
        assert (person.tests, person.right) == (len(right), sum(right))
        assert len(person.history) == person.tests


@settings(max_examples=50)
@given(st.sampled_from(sorted(PROTOCOLS)), MOVES, st.sampled_from(PEOPLE))
def test_removal_and_re_admission_restore_the_labels(
    name: str, moves: list[tuple[str, str, str, int]], person: str
) -> None:
    quiet = [move for move in moves if move[0] not in ("settings", "removed")]
    scene = play(PROTOCOLS[name], quiet)
    state = scene.state
    before = {
        (item, rule): (state.labels(item, rule), state.items[item].steps[rule].status)
        for item in state.items
        for rule in state.items[item].steps
    }
    scene.removes(person)
    assert all(
        person not in {answer.annotator for answer in state.counted(item, rule)}
        for item, rule in before
    )
    scene.readmits(person)
    assert before == {
        (item, rule): (state.labels(item, rule), state.items[item].steps[rule].status)
        for item, rule in before
    }


ANSWERS = st.lists(
    st.tuples(st.sampled_from(PEOPLE), st.sampled_from(ITEMS + TESTS), st.integers(0, 5)),
    max_size=30,
)


@settings(max_examples=50)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_independent_people_does_not_matter(
    given_answers: list[tuple[str, str, int]], rng: Random
) -> None:
    """As long as nobody answers what needs no answer, which is what leases see to."""
    used = protocol(step(RUDE, UNFAIR, judgements=6, combine="trust_weighted"), quality=QUALITY)
    gold = {"rude": "no"}
    start = Scene(used, PEOPLE)
    start.add(*ITEMS)
    start.add(*TESTS, gold=gold)
    by_person: dict[str, list[Event]] = {name: [] for name in PEOPLE}
    for number, (person, item, chance) in enumerate(given_answers):
        data = {"answers": answers_of(used, STEP, chance), "seconds": 1.0}
        by_person[person].append(Event("answered", START + number, item, person, STEP, data))
    one = [event for name in PEOPLE for event in by_person[name]]
    rests = {name: list(events) for name, events in by_person.items() if events}
    other = []
    while rests:
        name = rng.choice(sorted(rests))
        other.append(rests[name].pop(0))
        if not rests[name]:
            del rests[name]
    first = State.derive(used, [*start.log, *one])
    second = State.derive(used, [*start.log, *other])
    for item in ITEMS:
        assert _rounded(first, item) == _rounded(second, item)
        assert first.items[item].steps[STEP].status == second.items[item].steps[STEP].status
    assert {name: person.trust for name, person in first.people.items()} == {
        name: person.trust for name, person in second.people.items()
    }


def _rounded(state: State, item: str) -> dict[str, Any]:
    """Sums in another order differ in the last digits."""
    return {
        name: (label.value, label.votes, {each: round(p, 9) for each, p in label.soft.items()})
        for name, label in state.labels(item, STEP).items()
    }


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.integers(3, 5))
def test_people_at_once_never_collect_too_much_nor_see_an_item_twice(
    rng: Random, judgements: int, most: int
) -> None:
    rule = step(judgements=judgements, most=most, confidence=0.75, combine="trust_weighted")
    scene = Scene(protocol(rule, quality=QUALITY), PEOPLE)
    scene.add(*(f"i{number}" for number in range(8)))
    scene.add(*(f"t{number}" for number in range(4)), gold={"rude": "no"})
    held: dict[str, list[str]] = {name: [] for name in PEOPLE}
    done: Counter[tuple[str, str]] = Counter()
    for _ in range(120):
        person = rng.choice(PEOPLE)
        if held[person]:
            item = held[person].pop(0)
            scene.answers(person, item, rng.choice(["yes", "no", "no"]))
            done[person, item] += 1
        else:
            page = next_page(scene.state, person, scene.now, rng)
            for each in page:
                scene.shows(person, each.item, seconds=10_000)
            held[person] = [each.item for each in page]
        for name in scene.state.to_remove():
            scene.removes(name, "trust")
            held[name] = []
    assert max(done.values(), default=0) <= 1
    for found in scene.state.ordinary():
        counted = scene.state.counted(found.id, STEP)
        assert len(counted) <= most
        active = [name for name in found.steps[STEP].answers if scene.state.people[name].counts]
        assert len(active) <= most, "not even an answer that does not count was collected"
