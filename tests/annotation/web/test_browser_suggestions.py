"""Suggested answers at the desk, by keyboard: taken over, changed, refused, and never by itself."""

from pathlib import Path
from typing import Any

import pytest
from tests.annotation.learning.projects import PROTOCOL
from tests.annotation.web.desks import MakeProject, OpenTab, Tab
from tests.annotation.web.test_browser_access import overflows, serious

from tactful.annotation.learning.anchoring import anchoring
from tactful.annotation.project.exchange import NewSuggestion

pytestmark = pytest.mark.browser

TEXTS = [f"What a \U0001f642 silly <b>clown</b> number {number}" for number in range(3)]
MARK = {"start": 9, "end": 14, "value": "my.insult"}
SAID: dict[str, Any] = {"my.rude": "yes", "my.words": [MARK]}


@pytest.fixture
def desk(make_project: MakeProject, open_tab: OpenTab, tmp_path: Path):  # type: ignore[no-untyped-def]
    def start(blind: float = 0.0, **options: object) -> Tab:
        path = tmp_path / "rude.yaml"
        path.write_text(PROTOCOL, encoding="utf-8")
        project = make_project(path, TEXTS)
        project.suggest(
            {name: [NewSuggestion("judge", SAID, "a model 1")] for name in project.state.items}
        )
        project.change({"blind_share": blind})
        tab = open_tab(project, bypass_csp=True, **options)
        tab.show()
        return tab

    return start


def states(tab: Tab) -> list[str]:
    """Return what became of each suggestion on the page."""
    boxes = tab.page.locator("#questions .suggestion")
    return [box.get_attribute("data-state") or "" for box in boxes.all()]


def test_a_suggestion_is_taken_over_changed_and_refused(desk: Any) -> None:
    tab = desk()
    # Shown as a suggestion, with its words as text, and nothing is chosen.
    assert states(tab) == ["open", "open"]
    assert tab.page.locator("#questions input:checked").count() == 0
    assert tab.page.locator(".marked li").count() == 0
    assert "“silly” (Insult)" in tab.page.inner_text(".suggestion >> nth=1")
    assert serious(tab) == []

    # Taken over, question by question, the marks first: the text has the focus. Enter saves.
    tab.press(".")
    assert states(tab) == ["open", "taken"]
    tab.press(".")
    assert states(tab) == ["taken", "taken"]
    assert tab.is_at("save")
    assert serious(tab) == []
    tab.press("Enter")
    assert tab.wait_for("item-0", "judge") == SAID

    # Changed: another choice, and one more mark.
    tab.wait(lambda: states(tab) == ["open", "open"])
    tab.press(".", "u")
    assert states(tab) == ["open", "open"]
    tab.press("c")
    assert states(tab) == ["changed", "open"]
    tab.page.focus("#text")
    tab.press(".")
    assert states(tab) == ["changed", "taken"]
    tab.page.focus("#text")
    tab.press("Home", "Shift+ArrowRight", "2")
    assert states(tab) == ["changed", "changed"]
    assert serious(tab) == []
    tab.press("Control+Enter")
    found: Any = tab.wait_for("item-1", "judge")
    assert found["my.rude"] == "no"
    assert len(found["my.words"]) == 2

    # Refused: the question is still to be answered, and marks need a decision.
    tab.wait(lambda: states(tab) == ["open", "open"])
    tab.page.focus("#questions input")
    tab.press("-")
    assert states(tab) == ["refused", "open"]
    assert tab.page.locator("#questions input:checked").count() == 0
    tab.press("2", "Control+Enter")
    assert "Take over the suggestion or refuse it" in tab.page.inner_text("#questions")
    assert tab.answers("item-2", "judge") is None
    assert serious(tab) == []
    tab.press("-")
    assert states(tab) == ["changed", "refused"]
    tab.press("Control+Enter")
    assert tab.wait_for("item-2", "judge") == {"my.rude": "no"}

    rude, words = anchoring(tab.project.state)
    assert (rude.shown.judgements, rude.shown.same) == (3, 1)
    assert (words.shown.judgements, words.shown.same) == (3, 1)


def test_buttons_do_the_same_and_keep_the_focus(desk: Any) -> None:
    tab = desk(viewport={"width": 320, "height": 700})
    assert not overflows(tab)
    tab.page.focus(".suggestion >> nth=0 >> button >> nth=1")
    tab.press("Enter")
    assert states(tab)[0] == "refused"
    assert tab.page.evaluate("document.activeElement.matches('.suggestion button')")
    tab.press("Enter")
    assert states(tab)[0] == "taken"
    assert tab.is_at("text")


def test_who_judges_blind_sees_nothing(desk: Any) -> None:
    tab = desk(blind=1.0)
    assert states(tab) == []
    tab.press(".", "-")
    assert tab.page.locator("#questions input:checked").count() == 0
    tab.page.focus("#questions input")
    tab.press("1", "Control+Enter")
    assert tab.wait_for("item-0", "judge") == {"my.rude": "yes"}
    rude, _ = anchoring(tab.project.state)
    assert (rude.blind.judgements, rude.blind.same, rude.shown.judgements) == (1, 1, 0)


def test_a_hidden_text_hides_its_suggestions(
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = tmp_path / "rude.yaml"
    path.write_text(PROTOCOL.replace("{blur: false}", "{blur: true}"), encoding="utf-8")
    project = make_project(path, TEXTS)
    project.suggest({"item-0": [NewSuggestion("judge", SAID, "a model 1")]})
    project.change({"blind_share": 0.0})
    tab = open_tab(project)
    tab.page.wait_for_selector("#questions fieldset")
    assert tab.page.is_visible("#curtain")
    assert not tab.page.is_visible(".suggestion >> nth=1")
    tab.press(".")
    assert states(tab) == ["open", "open"]
    tab.press("b")
    assert tab.page.is_visible(".suggestion >> nth=1")
