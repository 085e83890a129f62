"""People who differ discuss a text with a senior before it is decided (DETESTS, section 4.2)."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, Visit, Visitor

from tactful.annotation.project.project import Project
from tactful.annotation.state.project_state import State
from tactful.annotation.state.snapshot import data_of, state_of
from tactful.errors import InputError

YES = {
    "stereotype": "yes",
    "stereotype.implicit": "yes",
    "stereotype.racial_target": "yes",
    "stereotype.other_target": "no",
}
NO = {"stereotype": "no", "stereotype.racial_target": "yes", "stereotype.other_target": "no"}


def judge(visitor: Visitor, answers: Mapping[str, Any]) -> None:
    (given, *_) = visitor.project.page(visitor.person).items
    visitor.project.answer(visitor.person, given.item, given.step, answers)


@pytest.fixture
def differing(make_project: MakeProject, visit: Visit) -> tuple[Project, list[Visitor]]:
    """Two of three say yes to a sentence."""
    project = make_project("stereotypes", ["Los panaderos madrugan siempre."])
    people = [visit(project) for _ in range(3)]
    for each, answers in zip(people, (YES, YES, NO), strict=True):
        judge(each, answers)
    return project, people


def say(visitor: Visitor, page: str, text: str) -> int:
    """Send the first form of the page."""
    [csrf] = set(re.findall(r'name="csrf" value="([^"]+)"', page))
    handle = re.findall(r'name="item" value="([^"]+)"', page)[0]
    form = {"csrf": csrf, "item": handle, "text": text}
    answer = visitor.client.post("/discussion", data=form, follow_redirects=False)
    return answer.status_code


def test_those_who_differ_and_the_senior_talk(
    differing: tuple[Project, list[Visitor]], visit: Visit
) -> None:
    project, (ann, _, cem) = differing
    senior, stranger = visit(project, "referee"), visit(project)
    page = ann.client.get("/discussion").text
    assert "Los panaderos madrugan siempre." in page
    assert page.count("(tú)") == 1
    assert "Nada todavía." in page
    assert say(ann, page, "Habla de <b>todos</b> los panaderos.") == 303
    assert say(senior, senior.client.get("/discussion").text, "¿Y por qué no?") == 303
    page = cem.client.get("/discussion").text
    assert page.index("Habla de &lt;b&gt;todos&lt;/b&gt;") < page.index("¿Y por qué no?")
    assert re.search(r"<b>Persona sénior</b>: <span[^>]*>¿Y por qué no\?", page)
    [letter] = re.findall(r"<b>Persona ([ABC])</b>", page)
    # The letter is the one over the answers: of somebody who said yes, and not Cem's own.
    others = senior.client.get("/api/page").json()["items"][0]["others"]
    assert [each["text"] for each in others["remarks"]] == [
        "Habla de <b>todos</b> los panaderos.",
        "¿Y por qué no?",
    ]
    column = [name[-1] for name in others["names"]].index(letter)
    assert others["rows"][0]["cells"][column]["lines"] == ["Sí"]
    # Who did not judge it sees nothing of it, and nobody sees ids or names.
    nothing = stranger.client.get("/discussion").text
    assert "No hay nada que debatir por ahora." in nothing
    assert "item-0" not in page
    assert ">Ann<" not in page


def test_a_decision_ends_it(differing: tuple[Project, list[Visitor]], visit: Visit) -> None:
    project, (ann, *_) = differing
    page = ann.client.get("/discussion").text
    assert say(ann, page, "  ") == 409
    senior = visit(project, "referee")
    judge(senior, YES)
    answer = ann.client.get("/discussion").text
    assert "No hay nada que debatir por ahora." in answer
    assert say(ann, page, "Demasiado tarde.") == 409
    assert project.state.remarks == {}
    assert project.state.items["item-0"].steps["presence"].decision is None
    label = project.state.labels("item-0", "presence")["stereotype"]
    assert label.value == "yes"


def test_nobody_speaks_for_others(differing: tuple[Project, list[Visitor]], visit: Visit) -> None:
    project, (ann, bo, _) = differing
    [item] = project.discussions(ann.person, 20)
    with pytest.raises(InputError, match="not discussed any more"):
        project.remark(bo.person, item.handle, "Soy Ann.")
    project.remove(ann.person)
    assert project.discussions(ann.person, 20) == []
    reader = visit(project, "reader", agree=False)
    assert project.discussions(reader.person, 20) == []
    assert reader.client.get("/discussion").status_code == 404
    assert "/discussion" not in reader.client.get("/help").text


def test_remarks_are_in_the_log_and_in_snapshots(
    differing: tuple[Project, list[Visitor]],
) -> None:
    project, (ann, bo, _) = differing
    for each, text in ((ann, "Uno."), (bo, "Dos."), (ann, "Tres.")):
        [item] = project.discussions(each.person, 20)
        project.remark(each.person, item.handle, text)
    [said] = project.state.remarks.values()
    assert [(each.annotator, each.text) for each in said] == [
        (ann.person, "Uno."),
        (bo.person, "Dos."),
        (ann.person, "Tres."),
    ]
    events = list(project.store.read())
    again = State.derive(project.protocol, events)
    assert again.remarks == project.state.remarks
    assert state_of(project.protocol, data_of(again)).remarks == again.remarks


def test_a_protocol_without_discussion_has_no_page(make_project: MakeProject, visit: Visit) -> None:
    visitor = visit(make_project("pcl", ["A text."]))
    assert visitor.client.get("/discussion").status_code == 404
    assert "/discussion" not in visitor.client.get("/work").text
