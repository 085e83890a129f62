"""A referee sees everyone's answers side by side; annotators never see anybody's."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit

from tactful.annotation.project.exchange import NewItem, PageItem
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.load import load_protocol
from tactful.annotation.protocol.records import Entry, Option, Protocol, Question, Step
from tactful.annotation.web.catalogue import catalogue
from tactful.annotation.web.side_by_side import others_of, shared_answers

YES = {
    "stereotype": "yes",
    "stereotype.implicit": "yes",
    "stereotype.racial_target": "yes",
    "stereotype.other_target": "no",
}
NO = {"stereotype": "no", "stereotype.racial_target": "yes", "stereotype.other_target": "no"}
ENGLISH, SPANISH = catalogue("en"), catalogue("es")


def let_in(project: Project, role: str, name: str) -> str:
    person = project.invite(role, name).person  # type: ignore[arg-type]
    project.consent(person, {})
    return person


def judge(project: Project, step: str, *answers: Mapping[str, Any]) -> None:
    """Let somebody new give each of the answers; nobody of them is shown one of the others."""
    for number, each in enumerate(answers):
        person = let_in(project, "annotator", f"Somebody-{step}-{number}")
        for item in project.page(person).items:
            assert item.step == step
            assert item.others == ()
            project.answer(person, item.item, item.step, each)


def test_the_referee_of_pcl_sees_both_answers(make_project: MakeProject, visit: Visit) -> None:
    """0 against 2 goes to a referee (Don't Patronize Me!, section 4.2)."""
    project = make_project("pcl", ["A text."])
    judge(project, "paragraph", {"pcl": "0"}, {"pcl": "2"})
    referee = visit(project, "referee")
    (sent,) = referee.client.get("/api/page").json()["items"]
    assert sent["step"] == "referee"
    assert sent["others"]["names"] == ["Annotator A", "Annotator B"]
    (row,) = sent["others"]["rows"]
    assert (row["split"], row["news"]) == (True, "They differ")
    assert sorted(cell["lines"][0] for cell in row["cells"]) == ["Clearly", "No"]
    assert sent["others"]["begin"] == {}
    # Who said what stays on the server.
    assert "Somebody" not in json.dumps(sent)
    assert "a1" not in json.dumps(sent["others"])


def test_a_senior_sees_three_answers_and_begins_with_what_all_share(
    make_project: MakeProject, visit: Visit
) -> None:
    """Adjudication with everyone's answers (DETESTS 2022, section 4.2)."""
    project = make_project("stereotypes", ["Una frase."])
    judge(project, "presence", YES, YES | {"stereotype.implicit": "no"}, NO)
    (sent,) = visit(project, "referee").client.get("/api/page").json()["items"]
    others = sent["others"]
    assert others["names"] == ["Persona A", "Persona B", "Persona C"]
    assert [row["split"] for row in others["rows"]] == [True, True, False, False]
    assert [row["news"] for row in others["rows"][1:3]] == ["No coinciden", "Coinciden"]
    # One of three said no: that cell is marked; people who were not asked are marked as such.
    (odd,) = (cell for cell in others["rows"][0]["cells"] if cell["differs"])
    assert odd["lines"] == ["No"]
    lines = sorted(cell["lines"][0] for cell in others["rows"][1]["cells"])
    assert lines == ["No, es explícito", "Sí, es implícito", "no se preguntó"]
    assert others["begin"] == {"stereotype.racial_target": "yes", "stereotype.other_target": "no"}


def test_annotators_are_never_told_of_others(make_project: MakeProject, visit: Visit) -> None:
    """In no step, with any answers of others, and over HTTP as well."""
    project = make_project("pcl", [f"Text {n}." for n in range(3)])
    ann, bob = visit(project), visit(project)
    for visitor in (ann, bob):
        for _ in range(3):
            (item,) = visitor.client.get("/api/page").json()["items"]
            assert item["others"] is None
            visitor.post(
                "/api/answer",
                {
                    "handle": item["handle"],
                    "answers": {"pcl": "2"},
                    "seconds": 1,
                    "key": f"key-{item['handle']}",
                },
            )
    # The second step comes from the first, but annotators do it.
    cat = visit(project)
    answer = cat.client.get("/api/page").json()
    assert [item["step"] for item in answer["items"]] == ["spans"]
    assert [item["others"] for item in answer["items"]] == [None]
    # An owner who does an annotator's step is blind, too.
    owner = let_in(project, "owner", "Olga")
    (given,) = project.page(owner).items
    assert (given.step, given.others) == ("spans", ())


def test_somebody_who_becomes_an_annotator_is_blind_from_then_on(
    make_project: MakeProject,
) -> None:
    project = make_project("pcl", ["A text."])
    judge(project, "paragraph", {"pcl": "0"}, {"pcl": "2"})
    referee = let_in(project, "referee", "Rita")
    assert len(project.page(referee).items[0].others) == 2
    project.state.people[referee].role = "annotator"
    assert all(item.others == () for item in project.page(referee).items)


def test_only_answers_that_count_are_shown(make_project: MakeProject) -> None:
    project = make_project("stereotypes", ["Una frase."])
    judge(project, "presence", YES, YES, NO)
    first = next(iter(project.state.people))
    project.remove(first)
    judge(project, "presence", NO)
    referee = let_in(project, "referee", "Rita")
    (item,) = project.page(referee).items
    said = sorted(each["stereotype"] for each in item.others)
    assert said == ["no", "no", "yes"]


def test_the_order_is_stable_for_an_item_and_says_nothing_of_people(
    make_project: MakeProject,
) -> None:
    project = make_project("pcl", [f"Text {n}." for n in range(40)])
    ann, bob = (let_in(project, "annotator", name) for name in ("Ann", "Bob"))
    for person, answer in ((ann, "0"), (bob, "2")):
        while items := project.page(person).items:
            project.answer(person, items[0].item, items[0].step, {"pcl": answer})
    referee = let_in(project, "referee", "Rita")
    firsts = []
    for _ in range(40):
        (item,) = project.page(referee).items
        assert project.page(referee).items[0].others == item.others
        firsts.append(item.others[0]["pcl"])
        project.answer(referee, item.item, item.step, {"pcl": "1"})
    # By chance less often than once in a million.
    assert 4 <= firsts.count("0") <= 36


MARKS = (Option("praise", "Praise"), Option("pity", "Pity"))
SPANS = Question("spans", "spans", "Which words?", options=MARKS)
FIRST = Step("mark", "Mark", (SPANS,))
SECOND = Step("check", "Check", (SPANS,), role="referee", entry=Entry("mark", "disputed", "spans"))
MARKING = Protocol("p", "P", "1", "en", "s", "us", (FIRST, SECOND))


def test_spans_are_shown_as_words_with_their_categories() -> None:
    text = "Poor 🌍 dear friends"
    one = {"start": 0, "end": 4, "value": "pity"}
    two = {"start": 5, "end": 19, "value": "praise", "parts": [[5, 6], [12, 19]]}
    item = PageItem(
        "h", "i", "check", text, others=({"spans": [one]}, {"spans": [two]}, {"spans": []})
    )
    found = others_of(MARKING, item, ENGLISH)
    assert found is not None
    (row,) = found["rows"]
    assert row["cells"][0]["marked"] == (("Pity", "Poor"),)
    assert row["cells"][1]["marked"] == (("Praise", "🌍 … friends"),)
    assert row["cells"][2]["lines"] == ("nothing marked",)
    assert found["begin"] == {}


def test_nothing_to_compare_is_none() -> None:
    assert others_of(MARKING, PageItem("h", "i", "check", "A text."), ENGLISH) is None
    alone = PageItem("h", "i", "mark", "A text.", others=({"spans": []},))
    assert others_of(MARKING, alone, ENGLISH) is None


def test_many_people_have_letters() -> None:
    item = PageItem("h", "i", "check", "A text.", others=tuple({"spans": []} for _ in range(28)))
    found = others_of(MARKING, item, SPANISH)
    assert found is not None
    assert found["names"][25:] == ["Persona Z", "Persona A2", "Persona B2"]


@pytest.mark.parametrize(
    ("answers", "shared"),
    [
        ([{"a": "yes"}, {"a": "yes"}], {"a": "yes"}),
        ([{"a": "yes"}, {"a": "no"}], {}),
        ([{"a": "yes"}, {}], {}),
        ([{"b": ["x", "y"]}, {"b": ["y", "x"]}], {"b": ["x", "y"]}),
        ([], {}),
    ],
)
def test_only_what_all_answered_alike_is_shared(answers: Any, shared: Any) -> None:
    yes_no = (Option("yes", "Yes"), Option("no", "No"))
    letters = (Option("x", "X"), Option("y", "Y"))
    questions = (
        Question("a", "choice", "A?", options=yes_no),
        Question("b", "choices", "B?", options=letters),
    )
    step = Step("s", "S", questions)
    assert shared_answers(step, step, answers) == shared
    # Another question of the same name is another question.
    other = Step("t", "T", (Question("a", "choice", "A?", options=letters),))
    assert shared_answers(other, step, answers) == {}


def test_words_of_people_are_sent_as_data(make_project: MakeProject, tmp_path: Path) -> None:
    """What annotators write reaches a page as JSON; nothing of it is markup by then."""
    path = tmp_path / "notes.yaml"
    path.write_text(
        """
id: notes
name: Notes
version: "1.0"
lang: en
summary: Notes.
source: us
wellbeing: {blur: false}
steps:
  - id: note
    title: Note
    judgements: 2
    questions:
      - {id: note, kind: choice, open: true, text: What is it?, options: [good, bad]}
  - id: decide
    title: Decide
    role: referee
    judgements: 1
    combine: referee
    entry: {step: note, rule: disputed, question: note}
    questions:
      - {id: note, kind: choice, open: true, text: What is it?, options: [good, bad]}
""",
        encoding="utf-8",
    )
    project = make_project(path, [NewItem("item-0", "A text.")])
    nasty = "<img src=x onerror=alert(1)> {{ 7 * 7 }}"
    judge(project, "note", {"note": nasty}, {"note": "Plain."})
    referee = let_in(project, "referee", "Rita")
    (item,) = project.page(referee).items
    found = others_of(project.protocol, item, ENGLISH)
    assert found is not None
    assert [nasty] in [list(cell["lines"]) for cell in found["rows"][0]["cells"]]


def test_every_step_of_a_referee_has_something_to_compare() -> None:
    for name in ("pcl", "stereotypes"):
        protocol = load_protocol(name)
        for step in protocol.steps:
            assert (step.role == "annotator") or step.entry is not None, (name, step.id)
