"""Each protocol of the papers, from the invitation to the last answer, by keyboard alone."""

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

from tactful.annotation.project.exchange import NewItem

pytestmark = pytest.mark.browser


def begin(tab: Tab) -> None:
    """Agree to the first page by keyboard."""
    page = tab.page
    assert page.url.endswith("/consent")
    for _ in range(40):
        tab.press("Tab")
        name = page.evaluate("document.activeElement.name || document.activeElement.type")
        if name == "agree":
            tab.press("Space")
        elif name == "submit":
            tab.press("Enter")
            break
    page.wait_for_url("**/work")
    tab.show()


def test_pcl(make_project: MakeProject, open_tab: OpenTab) -> None:
    """Two annotators, the referee for 0 against 2, then spans (section 4.1 of the paper)."""
    project = make_project("pcl", ["These poor souls can only hope for our help."])
    one = open_tab(project, agree=False)
    begin(one)
    one.press("2", "Enter")
    assert one.wait_for("item-0", "paragraph") == {"pcl": "2"}
    one.page.wait_for_url("**/done")
    two = open_tab(project, agree=False)
    begin(two)
    two.press("0", "Enter")
    assert two.wait_for("item-0", "paragraph") == {"pcl": "0"}
    referee = open_tab(project, role="referee", agree=False)
    begin(referee)
    referee.press("2", "Enter")
    assert referee.wait_for("item-0", "referee") == {"pcl": "2"}
    one.page.goto(f"{one.address}/work")
    one.show()
    # To the second word, which is selected with the third; then a word that both marks share.
    one.press("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "1")
    one.press("Control+ArrowRight", "ArrowLeft", "Shift+ArrowRight", "5")
    assert one.page.locator(".marked li").count() == 2
    one.press("Enter")
    assert one.wait_for("item-0", "spans") == {
        "spans": [
            {"start": 6, "end": 16, "value": "pcl.unbalanced_power_relations"},
            {"start": 11, "end": 16, "value": "pcl.metaphor"},
        ]
    }


def test_unhealthy(make_project: MakeProject, open_tab: OpenTab) -> None:
    """A page of seven, one of them a hidden test, eight questions each (section 3)."""
    items = [NewItem(f"item-{number}", f"Comment number {number}.") for number in range(6)]
    tests = [NewItem(f"test-{n}", f"Nice try {n}.", gold={"unhealthy": "yes"}) for n in range(2)]
    project = make_project("unhealthy", [*items, *tests])
    tab = open_tab(project, agree=False)
    begin(tab)
    assert tab.page.inner_text("#place") == "Text 1 today"
    for number in range(1, 8):
        tab.page.wait_for_selector(f"#place:has-text('Text {number} today')")
        tab.show()
        # The same digit eight times, each in the next question; then Save has the focus.
        tab.press(*["1"] * 8)
        assert tab.is_at("save")
        tab.press("Enter")
    tab.page.wait_for_url("**/done")
    person = project.state.people[tab.person]
    assert (person.answered, person.tests, person.right) == (7, 1, 1)
    assert tab.answers("item-3", "questionnaire") == dict.fromkeys(
        (
            "unhealthy",
            "unhealthy.sarcastic",
            "unhealthy.generalisation",
            "unhealthy.generalisation_unfair",
            "unhealthy.hostile",
            "unhealthy.antagonistic",
            "unhealthy.condescending",
            "unhealthy.dismissive",
        ),
        "yes",
    )


def test_frames(make_project: MakeProject, open_tab: OpenTab) -> None:
    """Later questions where they apply; two groups, two to four statements each (section 3.2)."""
    project = make_project("frames", ["Ask a cyclist or a baker, they never listen."])
    tab = open_tab(project, agree=False)
    begin(tab)
    assert tab.page.locator("#questions fieldset").count() == 3
    tab.press("1", "1", "3")
    assert tab.page.locator("#questions fieldset").count() == 4
    tab.press("1")
    keyboard = tab.page.keyboard
    keyboard.type("Women")
    tab.press("Enter")
    keyboard.type("cyclists")
    tab.press("Enter", "Enter")
    for group in ("women", "cyclists"):
        for words in ("listen to nobody", "think of themselves"):
            keyboard.type(f"{group} {words}")
            tab.press("Enter")
    tab.press("2", "Enter")
    assert tab.wait_for("item-0", "frame") == {
        "frame.offensive": "yes",
        "frame.intent": "yes",
        "frame.lewd": "no",
        "frame.group": "yes",
        "frame.target_group": ["women", "cyclists"],
        "frame.implied_statement": {
            "women": ["women listen to nobody", "women think of themselves"],
            "cyclists": ["cyclists listen to nobody", "cyclists think of themselves"],
        },
        "frame.in_group": "maybe",
    }


def test_groups_are_found_under_headings_and_statements_begin(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    """Figure 4 of Sap et al. 2020: headings over the groups, the source, "GROUP does ___"."""
    post = NewItem("item-0", "Ask a baker.", {"source": "A forum"})
    tab = open_tab(make_project("frames", [post]), agree=False)
    begin(tab)
    assert "Source" in tab.page.inner_text("#context")
    assert "A forum" in tab.page.inner_text("#context")
    tab.press("1", "1", "3", "1")
    groups = tab.page.locator("fieldset[data-question='frame.target_group']")
    groups.locator("summary", has_text="All answers").focus()
    tab.press("Enter")
    heading = groups.get_by_role("group", name="Gender and sexuality")
    assert heading.get_by_role("button", name="trans men", exact=True).is_visible()
    chosen = heading.get_by_role("button", name="women", exact=True)
    # A second press takes it back.
    for pressed in ("true", "false", "true"):
        chosen.focus()
        tab.press("Enter")
        assert chosen.get_attribute("aria-pressed") == pressed
        assert groups.locator(".chips li").count() == (pressed == "true")
    statements = tab.page.locator("fieldset[data-question='frame.implied_statement']")
    for button, rest in (("women are …", "late"), ("women do …", "nothing"), ("women do …", "")):
        statements.get_by_role("button", name=button).focus()
        tab.press("Enter")
        tab.page.keyboard.type(rest)
    tab.press("Escape")
    tab.page.locator("fieldset[data-question='frame.in_group'] input").first.focus()
    tab.press("2", "Control+Enter")
    found = tab.wait_for("item-0", "frame")
    assert isinstance(found, dict)
    assert found["frame.target_group"] == ["women"]
    # The third one was only begun.
    assert found["frame.implied_statement"] == {"women": ["women are late", "women do nothing"]}


def test_stereotypes(make_project: MakeProject, open_tab: OpenTab) -> None:
    """Two stages, with the comment as context (sections 3.1 and 3.2 of the overview)."""
    context = {"comment": "El comentario entero. Los panaderos madrugan siempre."}
    project = make_project(
        "stereotypes", [NewItem("item-0", "Los panaderos madrugan siempre.", context=context)]
    )
    tabs = [open_tab(project, agree=False) for _ in range(3)]
    for tab in tabs:
        begin(tab)
        assert "El comentario entero." in tab.page.inner_text("#context")
        tab.press("1", "2", "1", "2")
        assert tab.is_at("save")
        tab.press("Enter")
        tab.wait_for("item-0", "presence")
        assert tab.answers("item-0", "presence")["stereotype"] == "yes"  # type: ignore[index]
    tab = tabs[0]
    tab.page.wait_for_url("**/done")
    tab.page.goto(f"{tab.address}/work")
    tab.show()
    tab.press("3", "c", "3", "o", "Enter")
    assert tab.wait_for("item-0", "categories") == {
        "categories": ["stereotype.culture", "stereotype.others"]
    }
