"""The people of a simulation."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Protocol
from tactful.errors import UsageError
from tactful_lab.simulation.annotators import (
    SECONDS,
    Crowd,
    draw_crowd,
    fitted,
    pace,
    published_agreement,
)
from tactful_lab.simulation.simulate import Plan, simulate


def test_as_many_spam_as_was_said_a_third_in_each_way(crowd_protocol: Protocol) -> None:
    people = draw_crowd(crowd_protocol, Crowd(annotators=100, spammers=0.3), Random(1))
    kinds = Counter(person.kind for person in people if person.role == "annotator")
    assert kinds == {"careful": 70, "random": 10, "constant": 10, "first": 10}
    assert len({person.id for person in people}) == 101


def test_people_differ_around_the_mean(crowd_protocol: Protocol) -> None:
    people = draw_crowd(crowd_protocol, Crowd(annotators=400, spammers=0), Random(1))
    people = [person for person in people if person.role == "annotator"]
    skills = [person.skill for person in people]
    assert sum(skills) / len(skills) == pytest.approx(0.75, abs=0.02)
    assert max(skills) - min(skills) > 0.1
    seconds = sorted(person.seconds for person in people)
    # Price et al. 2020, footnote 2: between 12 and 13 seconds per comment.
    assert 11.5 < seconds[200] < 13.5


def test_who_does_not_read_is_faster(crowd_protocol: Protocol) -> None:
    people = draw_crowd(crowd_protocol, Crowd(annotators=200, spammers=0.5), Random(1))
    spam = [person.seconds for person in people if person.kind != "careful"]
    read = [person.seconds for person in people if person.kind == "careful"]
    assert sum(spam) / len(spam) < 0.6 * sum(read) / len(read)


def test_a_perfect_crowd_is_perfect_in_each_person_and_question(crowd_protocol: Protocol) -> None:
    perfect = Crowd(skill=1.0, spammers=0, referee_skill=1.0)
    for person in draw_crowd(crowd_protocol, perfect, Random(1)):
        assert person.skill == person.skill_in("rude") == 1.0


def test_referees_come_last_and_read(crowd_protocol: Protocol) -> None:
    people = draw_crowd(crowd_protocol, Crowd(annotators=5, spammers=1.0, referees=2), Random(1))
    assert [person.role for person in people] == ["annotator"] * 5 + ["referee"] * 2
    assert {person.kind for person in people[5:]} == {"careful"}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"spammers": 1.5}, "Found 1.5 for 'spammers'; expected a share between 0 and 1."),
        ({"skill": -0.1}, "Found -0.1 for 'skill'; expected a share between 0 and 1."),
        ({"skill": float("nan")}, "Found nan for 'skill'; expected a share between 0 and 1."),
        ({"fatigue": -1.0}, "Found -1 for 'fatigue'; expected 0 or more."),
        ({"annotators": 0}, "Found 0 annotators; expected at least one."),
        ({"seconds": 0.0}, "Found 0 seconds for an item; expected more than 0."),
    ],
)
def test_crowds_that_cannot_be_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        Crowd(**wrong)
    assert str(caught.value) == sentence


def test_fitted_people_agree_as_those_of_the_paper() -> None:
    """Ariza-Casabona et al. 2022, table 1, and not as people of one skill would."""
    known = {name: fit["agreement"] for name, fit in published_agreement()["stereotypes"].items()}
    assert known["stereotype"] == 0.573
    assert known["stereotype.other_target"] == 0.139
    protocol = load_protocol("stereotypes")
    far = {}
    for is_fitted in (True, False):
        answer = simulate(protocol, Plan(items=700, fitted=is_fitted, seed=7))
        alphas = {each.question: each.alpha for each in answer.questions}
        far[is_fitted] = max(abs((alphas[name] or 0) - value) for name, value in known.items())
    assert far[True] < 0.1
    assert far[False] > 0.2


def test_fitted_people_all_read_where_no_test_would_find_them() -> None:
    crowd = Crowd(spammers=0.2)
    assert fitted(load_protocol("stereotypes"), crowd).spammers == 0
    assert fitted(load_protocol("unhealthy"), crowd).spammers == 0.2


def test_no_paper_no_fit(crowd_protocol: Protocol) -> None:
    with pytest.raises(UsageError, match="leave out --fitted"):
        fitted(crowd_protocol, Crowd())


def test_a_comment_takes_the_time_of_the_paper_and_statements_take_longer() -> None:
    step = load_protocol("unhealthy").steps[0]
    asked = [question.id for question in step.questions if not question.when]
    assert pace(step, dict.fromkeys(asked, "no")) == pytest.approx(1)
    frames = load_protocol("frames").steps[0]
    short = dict.fromkeys(("frame.offensive", "frame.intent", "frame.lewd"), "no")
    long = {**short, "frame.group": "yes", "frame.implied_statement": {"women": ["a", "b"]}}
    assert pace(frames, short) < 1 < pace(frames, long)
    answer = simulate(load_protocol("unhealthy"), Plan(items=40, tests=10, seed=1, fitted=True))
    assert answer.hours / answer.judgements == pytest.approx(SECONDS / 3600, rel=0.3)
