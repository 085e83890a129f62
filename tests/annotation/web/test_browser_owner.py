"""The owner's pages in a real browser: no page is too wide, axe finds nothing, keys decide."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

pytestmark = pytest.mark.browser

PAGES = (
    "/owner",
    "/owner/agreement",
    "/owner/people",
    "/owner/items",
    "/owner/disputed",
    "/owner/item?id=item-0",
    "/owner/import",
    "/owner/assignment",
    "/owner/crowd",
    "/owner/settings",
    "/owner/wording",
    "/owner/log",
)
TEXT = "Our volunteers 🌍 bring a smile\r\nto those who have nothing."
SPAN = {"start": 0, "end": 3, "value": "pcl.metaphor"}
MakeProject = Callable[..., Project]
OpenTab = Callable[..., Any]


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    """Two disputed paragraphs, and one that both found patronizing."""
    said = {"item-0": "02", "item-1": "20", "item-2": "22"}
    return make_project(
        "pcl",
        [
            NewItem(
                name,
                TEXT,
                answers=tuple(
                    NewAnswer(person, step, {question: answer}, at=1.7e9, seconds=9)
                    for person, label in zip(("Amal", "Ben"), labels, strict=True)
                    for step, question, answer in (
                        ("paragraph", "pcl", label),
                        ("spans", "spans", [SPAN]),
                    )
                    if step == "paragraph" or name == "item-2"
                ),
            )
            for name, labels in said.items()
        ],
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("light", {}),
        ("dark", {"color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 390, "height": 844}}),
    ],
)
def test_pages_fit_and_are_accessible(
    project: Project, open_tab: OpenTab, tmp_path: Path, name: str, options: dict[str, Any]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_tab(project, "owner", **options)
    for path in PAGES:
        page.page.goto(page.address + path)
        wide = "document.documentElement.scrollWidth > innerWidth"
        assert not page.page.evaluate(wide), path
        shot = tmp_path / f"{name}{path.replace('/', '-').replace('?', '_')}.png"
        page.page.screenshot(path=shot, full_page=True)
        assert shot.stat().st_size > 5_000
        found = axe.run(page.page).response["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], [n["target"] for n in each["nodes"]]) for each in serious] == [], path


def test_a_referee_decides_by_keys_and_goes_on(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "referee")
    tab.page.goto(tab.address + "/owner/item?id=item-0")
    tab.press("1", "Control+Enter")
    tab.page.wait_for_url("**item-1**")
    tab.press("2", "Control+Enter")
    tab.page.wait_for_url("**id=item-1&said=Decided.")
    with project.lock:
        steps = [project.state.items[f"item-{n}"].steps["paragraph"] for n in (0, 1)]
        decided = [None if s.decision is None else dict(s.decision.answers) for s in steps]
    assert decided == [{"pcl": "1"}, {"pcl": "2"}]


def test_selected_words_become_a_span_in_code_points(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/item?id=item-2")
    tab.page.locator("details.decide summary").last.click()
    # The globe is two units of UTF-16 and one code point; the line ends with two of both.
    tab.page.evaluate(
        """() => {
            const node = document.querySelector('#item-text').firstChild;
            const range = document.createRange();
            range.setStart(node, node.data.indexOf('🌍'));
            range.setEnd(node, node.data.indexOf('those'));
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }"""
    )
    tab.page.locator("[data-take] button", has_text="Compassion").click()
    form = tab.page.locator("form[data-keys]").last
    start, end = TEXT.index("🌍"), TEXT.index("those")
    assert form.locator("textarea").first.input_value() == f"{start}-{end} pcl.compassion"
    form.locator("[value=stay]").click()
    tab.page.wait_for_url("**said=Decided.")
    with project.lock:
        decision = project.state.items["item-2"].steps["spans"].decision
    assert decision is not None
    assert decision.answers["spans"] == [{"start": start, "end": end, "value": "pcl.compassion"}]


def test_figures_stay_live(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    tab.page.clock.install()
    tab.page.goto(tab.address + "/owner")
    tile = tab.page.locator(".tile dd").first
    assert tile.inner_text() == "3"
    project.add_items([NewItem("new", "A mild text.")])
    tab.page.clock.fast_forward(11_000)
    tab.wait(lambda: tile.inner_text() == "4")
    tab.page.uncheck("[data-live] input")
    project.add_items([NewItem("newer", "A mild text.")])
    tab.page.clock.fast_forward(30_000)
    tab.page.wait_for_timeout(200)
    assert tile.inner_text() == "4"


def test_a_file_is_imported_by_keys(project: Project, open_tab: OpenTab, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    table = tmp_path / "more.csv"
    table.write_text("id,text\nnew,\n", encoding="utf-8")
    tab = open_tab(project, "owner")
    tab.page.goto(tab.address + "/owner/import")

    def send() -> None:
        # Only the choice of a file is the browser's own window; keys do the rest.
        tab.page.locator("input[type=file]").set_input_files(table)
        tab.page.locator("input[type=file]").focus()
        for _ in range(6):
            tab.press("Tab")
        assert tab.page.evaluate("document.activeElement.textContent") == "Check the file"
        tab.press("Enter")

    send()
    tab.page.get_by_role("alert").wait_for()
    assert "more.csv, line 2" in tab.page.get_by_role("alert").inner_text()
    table.write_text("id,text\nnew,A mild text.\n", encoding="utf-8")
    send()
    button = tab.page.get_by_role("button", name="Add to the project")
    button.wait_for()
    found = axe.run(tab.page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    button.focus()
    tab.press("Enter")
    tab.page.get_by_text("Added 1 text from more.csv.").wait_for()
    assert project.state.items["new"].text == "A mild text."


def test_work_is_assigned_by_keys(project: Project, open_tab: OpenTab) -> None:
    tab = open_tab(project, "owner")
    worker = project.invite("annotator", "Bea").person
    tab.page.goto(tab.address + "/owner/assignment")
    tab.page.locator("textarea[name=groups]").focus()
    tab.page.keyboard.type(f"experts: {worker}")
    tab.press("Tab")
    tab.page.keyboard.type("experts")
    tab.press("Tab")
    tab.page.keyboard.type("pilot: experts")
    for _ in range(3):
        tab.press("Tab")
    tab.press("Enter")
    tab.page.get_by_text("Changed: groups, everything, assign.").wait_for()
    assert "too few" in tab.page.get_by_role("region", name="Batches").inner_text()
    assert project.state.settings["groups"] == {"experts": [worker]}
