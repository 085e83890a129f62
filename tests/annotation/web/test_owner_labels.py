"""What the pages say of labels: on an item, in a long list of options, in tests of groups."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project
from tactful.annotation.web.owner.overview import _parted

MakeProject = Callable[..., Project]
Visit = Callable[..., Any]
GROUP = "black folks"
FRAME = {
    "frame.offensive": "yes",
    "frame.intent": "no",
    "frame.lewd": "no",
    "frame.group": "yes",
    "frame.in_group": "no",
}


def framed(person: str, group: str) -> NewAnswer:
    answers = {
        **FRAME,
        "frame.target_group": [group],
        "frame.implied_statement": {group: ["they are late", "they are slow"]},
    }
    return NewAnswer(person, "frame", answers, at=1.7e9)


@pytest.fixture
def frames(make_project: MakeProject) -> Project:
    statements = {GROUP: ["they are late", "they are slow"]}
    return make_project(
        "frames",
        [
            NewItem("a", "A post.", answers=(framed("Ann", GROUP), framed("Ben", "gardeners"))),
            NewItem(
                "test",
                "A test.",
                gold={"frame.offensive": "yes", "frame.implied_statement": statements},
            ),
        ],
    )


def csrf(page: str) -> str:
    return str(re.findall(r'name="csrf" value="(\w+)"', page)[0])


def test_a_test_of_statements_is_never_lost(frames: Project, visit: Visit) -> None:
    client = visit(frames, "owner").client
    page = client.get("/owner/item?id=test").text
    assert f"{GROUP}: they are late, they are slow" in page
    assert "It stays as it is" in page
    fields = {"csrf": csrf(page), "item": "test", "action": "preview", "gold:frame.offensive": "no"}
    kept = client.post("/owner/gold", data=fields).text
    assert "they are late" in kept
    confirmed = re.findall(r'name="gold" value="([^"]*)"', kept)[0].replace("&#34;", '"')
    answer = client.post(
        "/owner/gold",
        data={"csrf": csrf(page), "item": "test", "action": "confirm", "gold": confirmed},
        follow_redirects=False,
    )
    assert answer.status_code == 303
    gold = frames.state.items["test"].gold
    assert gold == {
        "frame.offensive": "no",
        "frame.implied_statement": {GROUP: ["they are late", "they are slow"]},
    }
    dropped = client.post("/owner/gold", data={**fields, "drop:frame.implied_statement": "yes"})
    shown = re.findall(r'name="gold" value="([^"]*)"', dropped.text)[0]
    assert "implied_statement" not in shown


def test_a_long_list_of_options_opens_by_itself(frames: Project, visit: Visit) -> None:
    page = visit(frames, "owner").client.get("/owner/agreement").text
    assert "options that nobody chose" in page
    assert page.count("<tr>") < 60
    minor = [each.strip() for each in re.findall(r'class="minor">([^<]*)', page)]
    assert len(minor) == 3  # two groups that somebody named, and all the others
    assert "gardeners" in minor


def test_labels_of_a_question_with_many_are_taken_apart() -> None:
    from tactful.annotation.analysis.agreement_summary import QuestionAgreement

    many = [
        QuestionAgreement("q", None, "Which?", ()),
        *(QuestionAgreement("q", str(n), str(n), ()) for n in range(16)),
    ]
    few = [
        QuestionAgreement("p", None, "How?", ()),
        *(QuestionAgreement("p", str(n), str(n), ()) for n in range(3)),
    ]
    main, apart = _parted([*few, *many])
    assert main == [*few, many[0]]
    assert apart == [("Which?", many[1:])]


def test_the_item_page_tells_the_label_and_how_sure_it_is(
    make_project: MakeProject, visit: Visit
) -> None:
    said = tuple(
        NewAnswer(name, "presence", {"stereotype": "no", **FORM}, at=1.7e9)
        for name in ("Ann", "Ben", "Cem")
    )
    project = make_project("stereotypes", [NewItem("a", "Una frase.", answers=said), "Otra."])
    client = visit(project, "owner").client
    page = client.get("/owner/item?id=a").text
    cells = re.findall(r'<td class="label">(.*?)</td>', page, re.DOTALL)
    assert len(cells) == 3
    assert all("No" in cell and "100%" in cell for cell in cells)
    assert 'class="label"' not in client.get("/owner/item?id=item-1").text


def test_two_grades_are_told_as_their_sum(make_project: MakeProject, visit: Visit) -> None:
    said = tuple(
        NewAnswer(name, "paragraph", {"pcl": grade}, at=1.7e9)
        for name, grade in (("Ann", "2"), ("Ben", "1"))
    )
    project = make_project("pcl", [NewItem("a", "A mild text.", answers=said)])
    page = visit(project, "owner").client.get("/owner/item?id=a").text
    assert "3 of 4" in page


FORM = {"stereotype.racial_target": "no", "stereotype.other_target": "no"}
