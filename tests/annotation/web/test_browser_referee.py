"""The referee at work: everyone's answers beside the text, and a decision by keyboard."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab
from tests.annotation.web.test_browser_access import overflows, serious

from tactful.annotation.project.exchange import NewItem
from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

TEXT = "These poor souls can only hope for our help."
SAID: list[dict[str, str]] = [
    {"stereotype": "yes", "stereotype.implicit": "yes"},
    {"stereotype": "yes", "stereotype.implicit": "no"},
    {"stereotype": "no"},
]


def judge(project: Project, step: str, *answers: Mapping[str, Any]) -> None:
    for number, each in enumerate(answers):
        person = project.invite("annotator", f"Somebody {number}").person
        project.consent(person, {})
        (item,) = project.page(person).items
        project.answer(person, item.item, step, each)


def disputed(make_project: MakeProject) -> Project:
    project = make_project(
        "stereotypes",
        [NewItem("item-0", "Los panaderos madrugan.", context={"comment": "El comentario."})],
    )
    targets = {"stereotype.racial_target": "yes", "stereotype.other_target": "no"}
    judge(project, "presence", *(each | targets for each in SAID))
    return project


def test_a_senior_decides_by_keyboard(make_project: MakeProject, open_tab: OpenTab) -> None:
    """Behind the curtain first; then all answers, and those that all share are filled in."""
    project = disputed(make_project)
    tab = open_tab(project, role="referee", bypass_csp=True)
    tab.page.wait_for_selector("#curtain:visible")
    tree = tab.page.locator("main").aria_snapshot()
    assert "Persona A" not in tree
    assert tab.page.locator("#others.blurred").count() == 1
    tab.press("Enter")
    assert serious(tab) == []
    table = tab.page.locator("#others table")
    assert table.locator("thead th").all_inner_texts() == ["Persona A", "Persona B", "Persona C"]
    assert table.locator("tbody").count() == 4
    assert table.locator("tbody.split").count() == 2
    assert sorted(table.locator("tbody").nth(0).locator("td").all_inner_texts()) == [
        "No",
        "Sí",
        "Sí",
    ]
    assert table.locator("tbody").nth(0).locator("td.differs").all_inner_texts() == ["No"]
    assert "Somebody" not in tab.page.content()
    # The table is reached by Tab, and scrolled by the arrows where it must be.
    tab.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "others-scroll"
    # Two of the questions have the answer that all gave; no other answer is chosen.
    values = "all => all.map((each) => each.closest('fieldset').dataset.question)"
    checked = tab.page.locator("#questions input:checked")
    assert checked.evaluate_all(values) == ["stereotype.racial_target", "stereotype.other_target"]
    tab.press("1", "1")
    assert tab.is_at("save")
    tab.press("Enter")
    assert tab.wait_for("item-0", "presence_review") == {
        "stereotype": "yes",
        "stereotype.implicit": "yes",
        "stereotype.racial_target": "yes",
        "stereotype.other_target": "no",
    }


@pytest.mark.parametrize("size", [(390, 844), (640, 400), (320, 400)])
def test_the_table_fits_a_phone_and_a_large_zoom(
    make_project: MakeProject, open_tab: OpenTab, size: tuple[int, int]
) -> None:
    width, height = size
    tab = open_tab(
        disputed(make_project), role="referee", viewport={"width": width, "height": height}
    )
    tab.show()
    assert not overflows(tab)
    tab.page.focus(".others-scroll")
    cells = tab.page.locator("#others td")
    assert all(cell.bounding_box() for cell in cells.all())


def test_without_a_dispute_there_is_no_table(make_project: MakeProject, open_tab: OpenTab) -> None:
    project = make_project("pcl", [TEXT, "Another text."])
    judge(project, "paragraph", {"pcl": "0"})
    tab = open_tab(project)
    tab.show()
    assert not tab.page.is_visible("#others")
    assert tab.page.locator("#others table *").count() == 0


SPANS = """
id: marks
name: Marks
version: "1.0"
lang: en
summary: Mark words.
source: us
wellbeing: {blur: false}
steps:
  - id: mark
    title: Mark what stands out
    judgements: 2
    combine: union
    questions: &marks
      - id: spans
        kind: spans
        text: What stands out?
        options:
          - {value: one, name: First kind}
          - {value: two, name: "<b>Second</b> kind"}
  - id: decide
    title: Decide
    role: referee
    judgements: 1
    combine: referee
    entry: {step: mark, rule: disputed, question: spans}
    questions: *marks
"""


def test_marks_are_words_and_markup_is_text(
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = tmp_path / "marks.yaml"
    path.write_text(SPANS, encoding="utf-8")
    text = "plain <i>\u202etxet</i> after"
    project = make_project(path, [NewItem("item-0", text)])
    judge(
        project,
        "mark",
        {"spans": [{"start": 6, "end": 14, "value": "two"}]},
        {"spans": []},
    )
    tab = open_tab(project, role="referee")
    tab.show()
    cells = tab.page.locator("#others td")
    marked = cells.filter(has=tab.page.locator("q"))
    assert marked.locator(".tag").inner_text() == "<b>Second</b> kind"
    # What turns text around is named, and turns nothing.
    assert marked.locator("q .control").get_attribute("data-name") == "RLO"
    assert tab.page.locator("#others i, #others b").count() == 0
    assert sorted(cells.all_inner_texts())[-1] == "nothing marked"


def test_a_text_is_discussed_and_decided_by_keyboard(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    """DETESTS, section 4.2: annotators and a senior discuss until they agree."""
    project = disputed(make_project)
    tab = open_tab(project, role="referee", bypass_csp=True)
    tab.page.goto(f"{tab.address}/discussion")
    assert serious(tab) == []
    assert not overflows(tab)
    quote = tab.page.locator("blockquote")
    assert not quote.is_visible()
    tab.page.locator("summary").focus()
    tab.press("Enter")
    assert quote.inner_text() == "Los panaderos madrugan."
    assert serious(tab) == []
    tab.page.locator("textarea").focus()
    tab.page.keyboard.type("¿Todos los panaderos?")
    tab.press("Tab", "Enter")
    tab.page.wait_for_selector(".remarks li")
    assert tab.page.inner_text(".remarks li") == "Persona sénior: ¿Todos los panaderos?"
    tab.page.goto(f"{tab.address}/work")
    tab.show()
    assert tab.page.inner_text("#others .remarks li") == "Persona sénior: ¿Todos los panaderos?"
    assert serious(tab) == []
    assert tab.errors == []
