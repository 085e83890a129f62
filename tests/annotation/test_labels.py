"""Labels of one item; the rules of the room ``aggregation`` are the reference."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.annotation.scenes import RUDE, UNFAIR, WHOM, options, said, step

from tactful.aggregation import (
    dpm_five_point,
    majority_vote,
    mean_above_threshold,
    soft_labels,
    trust_weighted_vote,
)
from tactful.annotation.protocol.records import Condition, Option, Question
from tactful.annotation.state.items import Answer
from tactful.annotation.state.labels import combine
from tactful.annotation.state.votes import StoppingRule, is_closed

NAMES = "abcdefg"


def judgements(*values: Any, question: str = "rude") -> list[Answer]:
    return [
        said(value, by=name, question=question) for name, value in zip(NAMES, values, strict=False)
    ]


def trusted(*pairs: tuple[str, float]) -> tuple[list[Answer], dict[str, float]]:
    answers = [
        said(value, by=name, trust=trust)
        for name, (value, trust) in zip(NAMES, pairs, strict=False)
    ]
    return answers, {answer.annotator: answer.trust for answer in answers}


def test_the_example_of_the_paper() -> None:
    """Price et al. 2020, section 4: trusts 0.78, 0.85, 0.9, 1.0, 0.95; yes, confidence 0.78."""
    answers, trust = trusted(("yes", 0.78), ("yes", 0.85), ("yes", 0.9), ("no", 1.0), ("yes", 0.95))
    label = combine(step(combine="trust_weighted"), answers, trust)["rude"]
    assert label.value == "yes"
    assert f"{label.confidence:.2f}" == "0.78"
    assert label.soft == pytest.approx({"no": 1.0 / 4.48, "yes": 3.48 / 4.48})
    assert label.votes == 5


VOTES = st.lists(
    st.tuples(
        st.sampled_from(["no", "yes", "maybe"]),
        st.sampled_from([0.0, 0.25, 0.5, 0.78, 0.8, 0.9, 1.0]),
    ),
    min_size=1,
    max_size=7,
)


@given(VOTES)
def test_trust_weighted_is_the_rule_of_the_room(votes: list[tuple[str, float]]) -> None:
    answers, trust = trusted(*votes)
    table = pl.DataFrame(
        [("i", name, value, weight) for name, (value, weight) in zip(NAMES, votes, strict=False)],
        schema=["item", "annotator", "label", "trust"],
        orient="row",
    )
    room = trust_weighted_vote(table)
    label = combine(step(combine="trust_weighted"), answers, trust)["rude"]
    assert label.value == room.labels[0]
    assert label.confidence == pytest.approx(room.confidence[0])
    assert bool(label.why) == (label.value is None)
    if label.votes:
        soft = soft_labels(table, weights="trust")
        shares = dict(zip(soft.classes, soft.probabilities[0].tolist(), strict=True))
        assert {name: label.soft.get(name, 0.0) for name in shares} == pytest.approx(shares)


@given(VOTES)
def test_majority_is_the_rule_of_the_room(votes: list[tuple[str, float]]) -> None:
    answers, trust = trusted(*votes)
    table = [("i", name, value) for name, (value, _) in zip(NAMES, votes, strict=False)]
    room = majority_vote(table)
    label = combine(step(), answers, trust)["rude"]
    assert (label.value, label.votes) == (room.labels[0], len(votes))
    assert label.confidence == pytest.approx(room.confidence[0])
    assert sum(label.soft.values()) == pytest.approx(1)


@given(VOTES)
def test_the_mean_is_the_rule_of_the_room(votes: list[tuple[str, float]]) -> None:
    """Sap et al. 2020, section 4.2 and footnote 8."""
    answers, trust = trusted(*votes)
    scored = tuple(Option(v, v, score=s) for v, s in (("yes", 1.0), ("maybe", 0.5), ("no", 0.0)))
    rule = step(Question("rude", "choice", "Is it?", options=scored), combine="mean_threshold")
    room = mean_above_threshold(
        [("i", name, value) for name, (value, _) in zip(NAMES, votes, strict=False)]
    )
    label = combine(rule, answers, trust)["rude"]
    assert label.value == {"1": "yes", "0": "no"}[str(room.labels[0])]
    assert label.confidence == pytest.approx(room.confidence[0])
    stopping = StoppingRule(rule)
    assert stopping(answers, 0.0)
    assert stopping(answers, label.confidence or 0.0)
    assert not stopping(answers, (label.confidence or 0.0) + 0.01)


@pytest.mark.parametrize("second", ["0", "1", "2"])
@pytest.mark.parametrize("first", ["0", "1", "2"])
@pytest.mark.parametrize("third", ["0", "1", "2", None])
def test_the_scale_is_the_rule_of_the_room(first: str, second: str, third: str | None) -> None:
    """Pérez-Almendros et al. 2020, section 4.2.1."""
    scale = Question("pcl", "scale", "Does it?", options=options("0", "1", "2"))
    table = [("i", "a", first), ("i", "b", second)]
    table += [("i", "referee", third)] if third else []
    room = dpm_five_point(table, referee="referee" if third else None)
    label = combine(
        step(scale, combine="dpm_scale"),
        judgements(first, second, question="pcl"),
        {},
        referee={"pcl": third} if third else None,
    )["pcl"]
    assert label.value == room.labels[0]
    assert label.confidence is None
    assert label.why


def test_an_adjudication_settles_the_scale() -> None:
    scale = Question("pcl", "scale", "Does it?", options=options("0", "1", "2"))
    rule = step(scale, combine="dpm_scale")
    opposed = judgements("0", "2", question="pcl")
    assert combine(rule, opposed, {}, decision={"pcl": "1"})["pcl"].value == "2"
    agreed = judgements("0", "0", question="pcl")
    assert combine(rule, agreed, {}, decision={"pcl": "2"})["pcl"].value == "4"


def test_scale_with_too_few_and_too_many() -> None:
    scale = Question("pcl", "scale", "Does it?", options=options("0", "1", "2"))
    rule = step(scale, combine="dpm_scale")
    few = combine(rule, judgements("1", question="pcl"), {})["pcl"]
    many = combine(rule, judgements("1", "1", "1", question="pcl"), {})["pcl"]
    assert (few.value, few.why) == (None, "fewer than two annotators judged it")
    assert many.value is None
    assert "more than two" in many.why


def test_a_tie_has_no_label_and_says_why() -> None:
    label = combine(step(), judgements("yes", "no"), {})["rude"]
    assert (label.value, label.confidence) == (None, None)
    assert label.why == "tie between 'no' and 'yes'"
    assert not label.is_clear


def test_nobody_and_nobody_trusted() -> None:
    assert combine(step(), [], {})["rude"].why == "nobody judged it"
    answers, trust = trusted(("yes", 0.0))
    label = combine(step(combine="trust_weighted"), answers, trust)["rude"]
    assert label.why == "nobody with trust above 0 judged it"


def test_whom_no_test_has_met_weighs_as_much_as_the_most_trusted() -> None:
    answers, _ = trusted(("yes", 1.0), ("no", 1.0))
    label = combine(step(combine="trust_weighted"), answers, {"b": 0.8})["rude"]
    assert label.value == "yes"
    assert label.confidence == pytest.approx(1 / 1.8)


def test_a_question_that_does_not_apply() -> None:
    answers = judgements({"rude": "no"}, {"rude": "no"}, {"rude": "yes", "unfair": "yes"})
    label = combine(step(RUDE, UNFAIR), answers, {})["unfair"]
    assert (label.value, label.applies, label.is_clear) == (None, False, True)
    assert label.why == "it does not apply: 'rude' is not 'yes'"
    assert label.soft == {"yes": 1.0}


def test_only_those_who_were_asked_have_a_vote() -> None:
    answers = judgements(
        {"rude": "yes", "unfair": "no"}, {"rude": "yes", "unfair": "no"}, {"rude": "no"}
    )
    label = combine(step(RUDE, UNFAIR), answers, {})["unfair"]
    assert (label.value, label.confidence, label.votes) == ("no", 1.0, 2)


def test_each_choice_is_a_vote_of_its_own() -> None:
    answers = judgements(["a", "b"], ["a"], ["a", "c"], question="whom")
    label = combine(step(WHOM), answers, {})["whom"]
    assert label.value == ("a",)
    assert label.confidence == pytest.approx(2 / 3)
    assert label.soft == pytest.approx({"a": 1.0, "b": 1 / 3, "c": 1 / 3})
    nothing = combine(step(WHOM), judgements([], [], question="whom"), {})["whom"]
    assert (nothing.value, nothing.confidence) == ((), 1.0)
    half = combine(step(WHOM), judgements(["a"], [], question="whom"), {})["whom"]
    assert (half.value, half.why) == (None, "half gave 'a', half did not")


def test_free_texts_are_all_kept() -> None:
    texts = Question("why", "texts", "Why?")
    label = combine(step(texts), judgements(["x", "y"], ["y"], question="why"), {})["why"]
    assert label.value == ("y", "x")
    assert label.confidence is None
    one = Question("why", "text", "Why?")
    assert combine(step(one), judgements("x", question="why"), {})["why"].value == ("x",)


def test_an_answer_for_each_of_another_question() -> None:
    each = Question("implied", "texts", "What?", per="whom")
    answers = judgements(
        {"whom": ["a"], "implied": {"a": ["x"]}},
        {"whom": ["a", "b"], "implied": {"a": ["z"], "b": ["y"]}},
    )
    label = combine(step(WHOM, each), answers, {})["implied"]
    assert dict(label.value) == {"a": ("x", "z"), "b": ("y",)}
    assert label.soft == {"a": 1.0, "b": 0.5}


def test_spans_by_union_and_by_majority() -> None:
    where = Question("where", "spans", "Where?", options=options("x", "y"))
    answers = judgements(
        [{"start": 0, "end": 4, "value": "x"}],
        [{"start": 2, "end": 6, "value": "x"}],
        [{"start": 2, "end": 6, "value": "y"}],
        question="where",
    )
    union = combine(step(where, combine="union"), answers, {})["where"]
    assert [(s["start"], s["end"], s["value"], s["annotators"]) for s in union.value] == [
        (0, 4, "x", 2),
        (2, 6, "x", 2),
        (2, 6, "y", 1),
    ]
    majority = combine(step(where), answers, {})["where"]
    assert majority.value == ({"start": 2, "end": 4, "value": "x", "annotators": 2},)
    assert majority.soft == pytest.approx({"x": 2 / 3, "y": 1 / 3})


def test_a_referee_alone_and_an_adjudication() -> None:
    alone = combine(step(combine="referee"), judgements("yes"), {})["rude"]
    assert (alone.value, alone.decided, alone.confidence) == ("yes", True, None)
    answers = judgements(
        {"rude": "yes", "unfair": "yes"}, {"rude": "yes", "unfair": "no"}, {"rude": "no"}
    )
    labels = combine(step(RUDE, UNFAIR), answers, {}, decision={"rude": "no"})
    assert (labels["rude"].value, labels["rude"].decided) == ("no", True)
    assert labels["rude"].soft == pytest.approx({"no": 1 / 3, "yes": 2 / 3})
    assert (labels["unfair"].value, labels["unfair"].applies) == (None, False)


def test_a_referee_of_one_question_changes_what_hangs_on_it() -> None:
    answers = judgements({"rude": "yes", "unfair": "yes"}, {"rude": "yes", "unfair": "yes"})
    labels = combine(step(RUDE, UNFAIR), answers, {}, referee={"rude": "no"})
    assert labels["rude"].value == "no"
    assert not labels["unfair"].applies


FORMS = st.lists(
    st.tuples(
        st.fixed_dictionaries(
            {"rude": st.sampled_from(["yes", "no", "perhaps"])},
            optional={
                "unfair": st.sampled_from(["yes", "no"]),
                "whom": st.lists(st.sampled_from("abc"), unique=True),
            },
        ),
        st.sampled_from([0.0, 0.5, 0.8, 1.0]),
    ),
    min_size=1,
    max_size=5,
)


@given(FORMS, st.sampled_from(["majority", "trust_weighted"]), st.sampled_from([0.0, 0.6, 0.75, 1]))
def test_sure_is_what_the_labels_say(
    forms: list[tuple[dict[str, Any], float]], how: str, confidence: float
) -> None:
    whom = Question("whom", "choices", "To whom?", when=(Condition("rude", ("yes", "no")),))
    rule = step(RUDE, UNFAIR, whom, combine=how)
    answers = [
        said(form, by=name, trust=trust) for name, (form, trust) in zip(NAMES, forms, strict=False)
    ]
    labels = combine(rule, answers, {answer.annotator: answer.trust for answer in answers})
    asked = [labels[q.id] for q in rule.questions if q.required and is_closed(q)]
    expected = all(
        label.confidence is not None and label.confidence >= confidence - 1e-9
        for label in asked
        if label.applies
    )
    assert StoppingRule(rule)(answers, confidence) == expected


def test_three_of_four_with_equal_trust_is_enough_for_three_quarters() -> None:
    """0.9 four times: 2.7 / 3.6 is just below 0.75 for a computer."""
    answers, _ = trusted(*[("yes", 0.9)] * 3, ("no", 0.9))
    assert StoppingRule(step(combine="trust_weighted"))(answers, 0.75)
