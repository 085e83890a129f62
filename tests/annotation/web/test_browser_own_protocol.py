"""The protocol that the documentation gives as a start for one's own, in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[3] / "docs" / "annotation-protocols.md"
WIDTHS = [pytest.param(390, id="phone"), pytest.param(1280, id="desktop")]


def write_example(folder: Path) -> Path:
    """Write the documentation's own example to a file."""
    [example] = re.findall(r"```yaml\n(id: tone\n.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    path = folder / "tone.yaml"
    path.write_text(example, encoding="utf-8")
    return path


def boxes(tab: Tab) -> "tuple[dict[str, Any], list[dict[str, Any]]]":
    """Return the positions of the card and of each answer button."""
    box = """element => {
      const {left, right, top, bottom, width, height} = element.getBoundingClientRect();
      return {left, right, top, bottom, width, height, name: element.innerText};
    }"""
    card = tab.page.locator("#form").evaluate(box)
    found = [each.evaluate(box) for each in tab.page.locator("#questions .option").all()]
    return card, found


@pytest.mark.parametrize("width", WIDTHS)
def test_every_answer_of_the_docs_example_is_on_the_card(
    width: int, make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    project = make_project(write_example(tmp_path), ["Your parcel is late again, as usual."])
    tab = open_tab(project, viewport={"width": width, "height": 844})
    tab.show()
    tab.press("2")
    card, answers = boxes(tab)
    assert len(answers) == 5, "two tones, and three marks after 'cold'"
    for each in answers:
        assert each["width"] > 40, each
        assert each["height"] > 20, each
        assert card["left"] <= each["left"] < each["right"] <= card["right"], (card, each)
        assert card["top"] <= each["top"] < each["bottom"] <= card["bottom"], (card, each)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    # A click reaches each of them: nothing lies on top.
    tab.page.locator("#questions .option", has_text="Warm").click()
    assert tab.page.locator("#questions input:checked").count() == 1
