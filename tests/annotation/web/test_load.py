"""Many people at work over HTTP on the real server: nothing is lost, doubled or given away."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.annotation.web.load import Enough, Sent, Tally, crowd, quantile, work_together
from tests.annotation.web.load_check import Log, problems, read_log
from tests.annotation.web.load_server import Server, make_project, serving

from tactful.annotation.store.events import Event

CAP = 14
LIMIT = 600
"""Seconds after which a load that never does what it is for is given up."""
Loaded = tuple[Log, Tally]


def load(
    folder: Path,
    *,
    people: int,
    think: float,
    items: int,
    enough: Enough,
    store: str | None = None,
    most_per_day: int | None = 350,
) -> Loaded:
    guests = make_project(folder, people, store=store, items=items, most_per_day=most_per_day)
    tally = Tally()
    with serving(folder) as server:
        annotators = crowd(guests, 8, think)
        asyncio.run(work_together(annotators, server.port, LIMIT, tally, arrive=1, enough=enough))
    return read_log(folder), tally


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """A small load, with a cap that some reach."""
    folder = tmp_path_factory.mktemp("load") / "project"
    return load(folder, people=12, think=0.05, items=150, enough=is_varied, most_per_day=CAP)


def is_varied(tally: Tally) -> bool:
    """Say whether the load did what it is for: retries, changes, skips, people at their cap."""
    return (
        tally.count("saved") > 60
        and any(len(each.replies) > 1 for each in tally.sent)
        and any("the most for one day" in sentence for sentence in tally.refusals)
        and {"join", "page", "answer", "skip"} <= tally.took.keys()
    )


def test_a_small_load_leaves_a_log_without_fault(loaded: Loaded) -> None:
    log, tally = loaded
    assert problems(log, tally) == []
    assert tally.count("unknown") == tally.lost == 0
    assert is_varied(tally)


@pytest.mark.slow
def test_sixty_people_at_once(store_url: str, tmp_path: Path) -> None:
    """How long they wait is measured by benchmarks/annotation_load.py."""
    log, tally = load(
        tmp_path / "project",
        people=60,
        think=0.6,
        items=5000,
        enough=lambda tally: sum(map(len, tally.took.values())) > 3000,
        store=store_url,
    )
    assert problems(log, tally) == []
    assert tally.lost == 0
    assert sum(map(len, tally.took.values())) > 3000


def test_a_quantile_is_a_value_that_was_measured() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert quantile(values, 0.5) == 50
    assert quantile(values, 0.99) == 99
    assert quantile(values, 1.0) == 100
    assert quantile([7.0], 0.5) == 7


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"did not start: .*project"):
        Server(tmp_path)


# ---- the check itself: a log that was tampered with does not pass -------------------------------


def with_events(log: Log, events: Sequence[Event]) -> Log:
    return replace(
        log, events=[replace(event, number=at) for at, event in enumerate(events, start=1)]
    )


def first(log: Log, kind: str) -> Event:
    return next(event for event in log.events if event.kind == kind)


def without_an_answer(log: Log) -> Log:
    gone = first(log, "answered")
    return with_events(log, [event for event in log.events if event is not gone])


def with_an_answer_twice(log: Log) -> Log:
    return with_events(log, [*log.events, first(log, "answered")])


def with_another_answer(log: Log) -> Log:
    changed = first(log, "answered")
    answers = dict(changed.data["answers"])
    answers["unhealthy"] = "no" if answers["unhealthy"] == "yes" else "yes"
    other = replace(changed, data={**changed.data, "answers": answers})
    return with_events(log, [other if event is changed else event for event in log.events])


def with_the_answer_of_nobody(log: Log) -> Log:
    return with_events(log, [*log.events, replace(first(log, "answered"), key="x:forged")])


def with_a_person_asked_again(log: Log) -> Log:
    done = first(log, "answered")
    again = replace(done, kind="shown", data={"until": done.at + 9, "page": 7}, key=None)
    return with_events(log, [*log.events, again])


def with_an_item_for_all(log: Log) -> Log:
    people = [event.annotator for event in log.events if event.kind == "invited"]
    item = next(
        event
        for event in reversed(log.events)
        if event.kind == "imported" and event.data.get("gold") is None
    )
    at = log.events[-1].at
    asked = [
        Event("shown", at, item.item, person, "questionnaire", {"until": at + 60, "page": 7})
        for person in people
    ]
    return without_decoys(with_events(log, [*log.events, *asked]))


def without_decoys(log: Log) -> Log:
    quality = replace(log.protocol.quality, tests_each=None)
    return replace(log, protocol=replace(log.protocol, quality=quality))


def with_a_smaller_cap(log: Log) -> Log:
    wellbeing = replace(log.protocol.wellbeing, most_per_day=CAP - 1)
    return replace(log, protocol=replace(log.protocol, wellbeing=wellbeing))


def with_judgements_too_many(log: Log) -> Log:
    """Two are enough by these rules, and there are no decoys: the third is one too many."""
    steps = tuple(
        replace(step, judgements=2, most=2, confidence=None) for step in log.protocol.steps
    )
    return without_decoys(replace(log, protocol=replace(log.protocol, steps=steps)))


def without_a_page(log: Log) -> Log:
    """As if it had been given before it was written down."""
    given = first(log, "shown")
    meeting = (given.annotator, given.item)
    rest = [
        event
        for event in log.events
        if event.kind != "shown" or (event.annotator, event.item) != meeting
    ]
    return with_events(log, rest)


def with_a_gap(log: Log) -> Log:
    return replace(log, events=[*log.events[:-2], log.events[-1]])


@pytest.mark.parametrize(
    ("tampered", "found"),
    [
        (without_an_answer, "lost: "),
        (with_an_answer_twice, "2 times: "),
        (with_another_answer, "not what was sent: "),
        (with_the_answer_of_nobody, "nobody sent: "),
        (with_a_person_asked_again, "given again: "),
        (with_an_item_for_all, "people are asked about "),
        (with_a_smaller_cap, f"answered {CAP} items on "),
        (with_judgements_too_many, "judgements too many for "),
        (without_a_page, "of which the log knows nothing: "),
        (with_a_gap, "the log has gaps"),
    ],
)
def test_a_log_that_was_tampered_with_does_not_pass(
    loaded: Loaded, tampered: Callable[[Log], Log], found: str
) -> None:
    log, tally = loaded
    assert any(found in problem for problem in problems(tampered(log), tally))


def test_an_answer_that_was_refused_must_not_be_kept(loaded: Loaded) -> None:
    log, tally = loaded
    denied = replace(tally.sent[0], outcome="refused")
    found = problems(log, replace(tally, sent=[denied, *tally.sent[1:]]))
    assert any(problem.startswith("refused and kept: ") for problem in found)


def test_an_answer_whose_fate_is_unknown_may_be_there_or_not(loaded: Loaded) -> None:
    log, tally = loaded
    key = first(log, "answered").key
    sent = [
        replace(each, outcome="unknown") if f"{each.person}:{each.key}" == key else each
        for each in tally.sent
    ]
    kept = problems(log, replace(tally, sent=sent))
    gone = problems(without_an_answer(log), replace(tally, sent=sent))
    assert not any(problem.startswith("lost: ") for problem in [*kept, *gone])


def test_a_reply_that_betrays_a_test_is_found(loaded: Loaded) -> None:
    log, tally = loaded
    one = next(each for each in tally.sent if each.outcome == "saved")
    telling = replace(one.replies[0], body=b'{"saved":true,"test":true}')
    sent: list[Sent] = [replace(one, replies=[telling]), *tally.sent]
    found = problems(log, replace(tally, sent=sent))
    assert any(problem.startswith("reply to an answer: 2 kinds") for problem in found)


def test_a_field_that_betrays_a_test_is_found(loaded: Loaded) -> None:
    log, tally = loaded
    person, handle, names = tally.given[0]
    found = problems(log, replace(tally, given=[(person, handle, (*names, "gold")), *tally.given]))
    assert any(problem.startswith("fields of an item: 2 kinds") for problem in found)


def test_an_answer_of_the_server_that_nobody_expects_is_found(loaded: Loaded) -> None:
    log, tally = loaded
    found = problems(log, replace(tally, failures=["GET /api/page: 500"]))
    assert found == ["unexpected: GET /api/page: 500"]
