"""Agreement on each question, against the room of agreement itself."""

from collections.abc import Callable
from typing import Any

import pytest

from tactful.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement
from tactful.annotation.analysis.agreement_summary import (
    CLEAR,
    OTHERS,
    QuestionAgreement,
    question_agreement,
    step_agreement,
)
from tactful.annotation.analysis.views import (
    CHOSEN,
    NOT_CHOSEN,
    NOTHING,
    Row,
    Rows,
    View,
    by_question,
    counted_answers,
    views,
)
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Option, Question, Step
from tactful.annotation.state.items import Answer

Begin = Callable[..., Any]
TEXT = "A mild text."


def columns_of(rows: list[Row]) -> Rows:
    return Rows(*map(list, zip(*rows, strict=True)))


def labels_of(view: View) -> list[str]:
    return [view.ratings.labels[label] for label in view.ratings.label]


def judgements(state: Any, step: Step) -> dict[str, Rows]:
    return by_question(step, counted_answers(state, step, state.items.values()))


def agreement_of(
    step: Step, rows: Any, texts: dict[str, str], bootstrap: int
) -> list[QuestionAgreement]:
    seen = {question.id: views(question, rows[question.id]) for question in step.questions}
    return step_agreement(step, rows, seen, texts, bootstrap)


def test_questions_that_are_gone_and_blank_answers_are_left_out(story: Begin) -> None:
    step = story().state.protocol.steps[0]
    name = step.questions[0].id
    answers = [Answer("ann", {name: "yes", "gone": "no"}, 1.0), Answer("ben", {name: None}, 2.0)]
    rows = by_question(step, [("a", answers)])
    assert set(rows) == {question.id for question in step.questions}
    assert rows[name].annotator == ["ann"]


@pytest.fixture
def told(story: Begin) -> Any:
    made = story().people("ann", "ben", "cem").items("a", "b", "c").items("t", gold={"tone": "no"})
    said: dict[str, list[tuple[str, str, list[str]]]] = {
        "a": [("yes", "0", ["praise"]), ("yes", "0", ["praise", "pity"])],
        "b": [("no", "2", []), ("no", "1", [])],
        "c": [("yes", "0", ["pity"]), ("no", "2", ["pity"])],
    }
    for item, both in said.items():
        for person, (tone, grade, which) in zip(("ann", "ben"), both, strict=True):
            made.say(person, item, tone=tone, grade=grade, which=which)
    made.say("ann", "t", tone="yes", grade="0").say("ben", "t", tone="no", grade="0")
    span = {"start": 2, "end": 6, "value": "pity"}
    made.say("ann", "b", "second", places=[span])
    return made.say("cem", "b", "second", places=[{**span, "end": 11}])


def test_only_judgements_that_count_are_compared(told: Any) -> None:
    step = told.protocol.step("first")
    rows = judgements(told.state, step)
    assert len(rows["tone"]) == 6  # not those of the hidden test
    told.event("removed", annotator="ben", data={"why": "owner"})
    assert {row.annotator for row in judgements(told.state, step)["tone"]} == {"ann"}


def test_each_question_has_its_measures(told: Any) -> None:
    step = told.protocol.step("first")
    rows = judgements(told.state, step)
    found = agreement_of(step, rows, {}, 50)
    tone, grade = found[0], found[1]
    table = [(row.item, row.annotator, row.answer) for row in rows["tone"]]
    assert tone.answers[0].value == krippendorff_alpha(table).value
    assert tone.answers[1].value == percent_agreement(table).value == pytest.approx(2 / 3)
    assert (grade.question, grade.label, grade.answers[0].level) == ("grade", None, "ordinal")
    # Three grades were used: each is held against the others as well.
    labels = [each.label for each in found if each.question == "grade"]
    assert labels == [None, CLEAR, "0", "1", "2"]
    # Two answers say it all: yes against no is no against yes.
    assert [each.label for each in found if each.question == "tone"] == [None]


def test_intervals_hold_the_value(told: Any) -> None:
    step = told.protocol.step("first")
    percent = agreement_of(step, judgements(told.state, step), {}, 200)[0].answers[1]
    assert percent.interval is not None
    assert percent.interval[0] <= (percent.value or 0) <= percent.interval[1]


def test_several_answers_are_compared_as_a_set_and_one_by_one(told: Any) -> None:
    step = told.protocol.step("first")
    question = step.question("which")
    rows = judgements(told.state, step)["which"]
    whole, praise, pity = seen = views(question, rows)
    assert set(whole.ratings.labels) == {"praise", "praise + pity", "pity", NOTHING}
    assert (praise.id, praise.title) == ("which:praise", "Praise")
    assert set(labels_of(pity)) == {CHOSEN, NOT_CHOSEN}
    agreements = question_agreement(question, rows, seen, {}, 0)
    assert [each.label for each in agreements] == [None, "praise", "pity"]
    assert agreements[1].answers[1].value == 1.0  # all agree on praise


def test_spans_are_compared_by_character(told: Any) -> None:
    step = told.protocol.step("second")
    texts = {item.id: item.text for item in told.state.items.values()}
    whole, pity = agreement_of(step, judgements(told.state, step), texts, 0)
    assert (whole.label, pity.label, pity.title) == (None, "pity", "Pity")
    # 4 characters are marked by both, 4 by one and 9 by the other: F1 = 8 / 13.
    assert whole.answers[1].value == pytest.approx(8 / 13)
    assert whole.answers[0].value is not None


def test_no_judgement_is_undefined_with_a_reason(story: Begin) -> None:
    made = story().items("a")
    for step in made.protocol.steps:
        for each in agreement_of(step, judgements(made.state, step), {"a": TEXT}, 10):
            if each.answers:
                assert all(answer.value is None and answer.reason for answer in each.answers)
            else:
                assert each.reason
                assert "free text" in each.reason or "nothing to agree on" in each.reason


def test_a_question_for_each_answer_of_another_is_taken_apart() -> None:
    question = Question("sure", "choice", "Sure?", options=(Option("y", "Yes"),), per="which")
    rows = [Row("a · pity", "ann", "y"), Row("a · pity", "ben", "y"), Row("a · praise", "ann", "y")]
    (view,) = views(question, columns_of(rows))
    items = [view.ratings.items[item] for item in view.ratings.item]
    assert items == ["a · pity", "a · pity", "a · praise"]


def test_answers_of_ones_own_come_behind_those_of_the_protocol() -> None:
    question = Question("who", "choice", "Who?", options=(Option("z", "Z"),), open=True)
    (view,) = views(question, columns_of([Row("a", "ann", "own"), Row("a", "ben", "z")]))
    assert view.ratings.labels == ("z", "own")


def test_options_that_nobody_chose_are_named_in_one_line() -> None:
    options = tuple(Option(name, name.title()) for name in ("praise", "pity", "envy"))
    question = Question("which", "choices", "Which?", options=options)
    rows = columns_of([Row("a", "ann", ["pity"]), Row("a", "ben", []), Row("b", "ann", ["pity"])])
    found = question_agreement(question, rows, views(question, rows), {}, 0)
    assert [each.label for each in found] == [None, "pity", OTHERS]
    assert found[-1].title == "2 options that nobody chose"
    assert found[-1].reason == "there is nothing to agree on: Praise, Envy"
    assert found[-1].answers == ()


def test_what_lies_in_a_gap_is_not_marked() -> None:
    question = Question("places", "spans", "Where?", options=(Option("pity", "Pity"),))
    gap = {"start": 0, "end": 6, "value": "pity", "parts": [[0, 1], [5, 6]]}
    rows = columns_of(
        [
            Row("a", "ann", [gap]),
            Row("a", "ben", [{"start": 0, "end": 1, "value": "pity"}]),
        ]
    )
    whole = question_agreement(question, rows, views(question, rows), {"a": TEXT}, 0)[0]
    # One character is marked by both, one by Ann alone: F1 = 2 / 3.
    assert whole.answers[1].value == pytest.approx(2 / 3)


def test_columns_are_the_rows_that_were_put_in() -> None:
    rows = [Row("a", "ann", "y"), Row("b", "ben", ["z"])]
    made = columns_of(rows)
    assert list(made) == rows
    assert len(made) == 2
    assert made.annotator == ["ann", "ben"]


def test_kappa_of_the_papers() -> None:
    """Ariza-Casabona et al. 2022, table 1; Pérez-Almendros et al. 2020, section 4.2.1."""
    said = {"a": "00", "b": "02", "c": "22", "d": "11", "e": "01", "f": "00"}
    table = [
        (item, who, one) for item, both in said.items() for who, one in zip("xy", both, strict=True)
    ]
    scale = Question("pcl", "scale", "Does it?", options=tuple(Option(n, n) for n in "012"))
    rows = columns_of([Row(*row) for row in table])
    whole, clear = question_agreement(scale, rows, views(scale, rows), {}, 0)[:2]
    assert whole.answers[2].value == cohen_kappa(table).value
    assert clear.label == CLEAR
    kept = [row for row in table if row[0] not in "de"]
    assert clear.answers[0].value == cohen_kappa(kept).value
    choice = Question("pcl", "choice", "Does it?", options=scale.options)
    answers = question_agreement(choice, rows, views(choice, rows), {}, 0)[0].answers
    assert answers[2].value == fleiss_kappa(table).value


def test_spans_have_the_families_of_their_taxonomy() -> None:
    """Pérez-Almendros et al. 2020, section 4.2.2: three higher-level categories."""
    spans = load_protocol("pcl").step("spans").question("spans")

    def mark(start: int, end: int, value: str) -> list[dict[str, Any]]:
        return [{"start": start, "end": end, "value": f"pcl.{value}"}]

    rows = columns_of(
        [
            Row("a", "x", mark(0, 6, "shallow_solution")),
            Row("a", "y", mark(0, 6, "unbalanced_power_relations")),
            Row("b", "x", mark(0, 6, "metaphor")),
            Row("b", "y", mark(0, 6, "metaphor")),
        ]
    )
    found = question_agreement(spans, rows, [], {"a": TEXT, "b": TEXT}, 0)
    values = {each.label: each.answers[0].value for each in found}
    assert [each.title for each in found][-2:] == ["The saviour (family)", "The poet (family)"]
    assert values["pcl:saviour"] == pytest.approx(1.0)
    assert (values["pcl.shallow_solution"] or 0) < 0.5
