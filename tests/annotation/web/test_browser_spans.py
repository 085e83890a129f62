"""Marking words: offsets are code points, in every script."""

from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

pytestmark = pytest.mark.browser

PROTOCOL = """
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
    judgements: 1
    combine: union
    questions:
      - id: spans
        kind: spans
        text: What stands out?
        options:
          - {value: one, name: First kind}
          - {value: two, name: Second kind}
          - {value: three, name: Third kind}
"""
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
TEXTS = {
    "emoji": f"Oh {FAMILY} dear \U0001f642 friends",
    "marks": "Une de\u0301ja\u0300 vu note",
    "hebrew": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u05d8\u05d5\u05d1",
    "markup": "<script>alert(1)</script> {{ 7 * 7 }} <b>bold</b>",
    "turned": "plain \u202etxet live\u202c after\u200b all",
}


@pytest.fixture
def mark(make_project: MakeProject, open_tab: OpenTab, tmp_path: Path) -> "object":
    path = tmp_path / "marks.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")

    def start(text: str, **options: object) -> Tab:
        tab = open_tab(make_project(path, [text]), **options)
        tab.show()
        return tab

    return start


def spans(tab: Tab) -> list[tuple[int, int, str]]:
    """Save, and return what the project then has."""
    tab.press("Enter")
    found = tab.wait_for("item-0", "mark")
    return [(each["start"], each["end"], each["value"]) for each in found["spans"]]  # type: ignore[index]


def test_words_around_emoji(mark) -> None:  # type: ignore[no-untyped-def]
    text = TEXTS["emoji"]
    tab = mark(text)
    # Behind "Oh", behind "dear", and on over the smile to "friends".
    tab.press("ArrowRight", "ArrowRight", "1", "Shift+ArrowRight", "2")
    (start, end, _), (start_2, end_2, _) = found = spans(tab)
    assert text[start:end] == "dear"
    assert text[start_2:end_2] == "\U0001f642 friends"
    assert [value for *_, value in found] == ["one", "two"]


def test_letters_are_whole(mark) -> None:  # type: ignore[no-untyped-def]
    """One step by letter passes a family of five code points, and a letter with its accent."""
    text = TEXTS["emoji"]
    tab = mark(text)
    tab.press(*["Control+ArrowRight"] * 3, "Shift+Control+ArrowRight", "1")
    assert [text[start:end] for start, end, _ in spans(tab)] == [FAMILY]
    text = TEXTS["marks"]
    tab = mark(text)
    tab.press(*["Alt+ArrowRight"] * 5, "Shift+Alt+ArrowRight", "1")
    assert [text[start:end] for start, end, _ in spans(tab)] == ["e\u0301"]


def test_right_to_left(mark) -> None:  # type: ignore[no-untyped-def]
    text = TEXTS["hebrew"]
    tab = mark(text)
    assert tab.page.evaluate("getComputedStyle(document.querySelector('#text')).direction") == "rtl"
    # The text runs to the left, and so does the key.
    tab.press("ArrowLeft", "Shift+ArrowLeft", "2")
    assert spans(tab) == [(5, 9, "two")]


def test_overlapping_spans_have_lines_of_their_own(mark) -> None:  # type: ignore[no-untyped-def]
    tab = mark("one two three four")
    tab.press("Shift+ArrowRight", "Shift+ArrowRight", "1")
    tab.press("Home", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "2", "3")
    runs = tab.page.locator("#text .marked-run")
    assert [runs.nth(index).inner_text() for index in range(3)] == ["one ", "two", " three"]
    assert runs.nth(1).evaluate("each => each.style.backgroundImage.split('gradient').length") == 4
    assert tab.page.get_attribute("#text", "data-lanes") == "3"
    assert spans(tab) == [(0, 7, "one"), (4, 13, "two"), (4, 13, "three")]


def test_the_same_again_takes_it_away_and_undo_brings_it_back(mark) -> None:  # type: ignore[no-untyped-def]
    tab = mark("one two three")
    tab.press("Shift+ArrowRight", "1")
    tab.press("1")
    assert tab.page.locator(".marked li").count() == 0
    tab.press("u")
    assert tab.page.locator(".marked li").count() == 1
    tab.page.click(".marked .remove")
    assert tab.page.locator(".marked li").count() == 0
    tab.press("Backspace")
    assert spans(tab) == [(0, 3, "one")]


def test_by_mouse(mark) -> None:  # type: ignore[no-untyped-def]
    text = TEXTS["emoji"]
    tab = mark(text)
    box = tab.page.evaluate(
        """() => {
          const node = document.querySelector('#text span').firstChild;
          const range = document.createRange();
          const from = node.data.indexOf('dear');
          range.setStart(node, from); range.setEnd(node, from + 4);
          const {left, right, top, bottom} = range.getBoundingClientRect();
          return [left, right, (top + bottom) / 2];
        }"""
    )
    left, right, middle = box
    mouse = tab.page.mouse
    mouse.move(left + 1, middle)
    mouse.down()
    mouse.move(right + 3, middle, steps=4)
    mouse.up()
    tab.page.click(".mark[data-value=three]")
    assert [text[start:end] for start, end, _ in spans(tab)] == ["dear"]


def test_text_is_shown_as_text(mark) -> None:  # type: ignore[no-untyped-def]
    """Markup, templates and characters that reverse text are shown as text."""
    tab = mark(TEXTS["markup"])
    assert tab.page.inner_text("#text") == TEXTS["markup"]
    assert tab.page.locator("#text script, #text b").count() == 0
    text = TEXTS["turned"]
    tab = mark(text)
    names = tab.page.locator("#text .control").evaluate_all("all => all.map(x => x.dataset.name)")
    assert names == ["RLO", "PDF", "ZWSP"]
    shown = tab.page.evaluate("document.querySelector('#text').textContent")
    assert shown == "plain txet live after all"
    tab.press("End", *["Shift+ArrowLeft"] * 2, "1")
    assert [text[start:end] for start, end, _ in spans(tab)] == ["after\u200b all"]


def test_offsets_both_ways(mark) -> None:  # type: ignore[no-untyped-def]
    """What the page counts in UTF-16 and what Python counts in code points is the same place."""
    tab = mark("word")
    for text in TEXTS.values():
        count = tab.page.evaluate(
            """async (text) => {
              const { fromUnits, toUnits } = await import('/static/offsets.js');
              const points = Array.from(text).length;
              for (let at = 0; at <= points; at += 1) {
                if (fromUnits(text, toUnits(text, at)) !== at) return -1;
              }
              return fromUnits(text, text.length);
            }""",
            text,
        )
        assert count == len(text)


def test_by_touch(mark) -> None:  # type: ignore[no-untyped-def]
    """A finger selects as the system lets it; a tap on a category must not lose the selection."""
    tab = mark("one two three", has_touch=True, viewport={"width": 390, "height": 844})
    tab.page.evaluate(
        """() => {
          const node = document.querySelector('#text span').firstChild;
          getSelection().setBaseAndExtent(node, 3, node, 8);
        }"""
    )
    tab.page.tap(".mark[data-value=two]")
    tab.page.tap(".mark[data-value=one]")
    assert tab.page.locator(".marked li").count() == 2
    tab.page.tap("#save")
    found = tab.wait_for("item-0", "mark")
    assert [(each["start"], each["end"], each["value"]) for each in found["spans"]] == [
        (4, 7, "one"),
        (4, 7, "two"),
    ]


def test_words_are_added_to_the_mark_made_last(mark) -> None:  # type: ignore[no-untyped-def]
    """Brat's discontinuous annotations: one mark whose words lie apart."""
    text = "take the 🙂 matter out now"
    tab = mark(text)
    hint = tab.page.locator("#join-keys")
    assert not hint.is_visible()
    tab.press("Shift+ArrowRight", "1")
    assert hint.is_visible()
    assert "join-keys" in tab.page.get_attribute("#text", "aria-describedby")
    tab.press("ArrowRight", "ArrowRight", "ArrowRight", "+")
    assert tab.page.locator(".marked li").count() == 1
    assert tab.page.locator(".marked li bdi").all_inner_texts() == ["“take”", "“out”"]
    said = tab.page.locator("#live")
    tab.wait(lambda: said.inner_text() == "Added “out” to “take”: First kind.")
    runs = tab.page.locator("#text .marked-run")
    assert runs.all_inner_texts() == ["take", "out"]
    keys = runs.evaluate_all("all => all.map(each => each.dataset.marks)")
    assert keys == [keys[0], f"+{keys[0]}"]
    assert tab.page.get_attribute("#text", "data-lanes") == "1"
    tab.press("Enter")
    found = tab.wait_for("item-0", "mark")
    out = text.index("out")
    parts = [[0, 4], [out, out + 3]]
    assert found == {"spans": [{"start": 0, "end": out + 3, "value": "one", "parts": parts}]}


def test_a_part_is_taken_away_and_undone(mark) -> None:  # type: ignore[no-untyped-def]
    tab = mark("one two three four five")
    tab.press("+")
    said = tab.page.locator("#live")
    tab.wait(lambda: said.inner_text().startswith("Mark some words first"))
    tab.press("Shift+ArrowRight", "1", "ArrowRight", "ArrowRight", "+")
    texts = tab.page.locator(".marked li bdi")
    assert texts.all_inner_texts() == ["“one”", "“three”"]
    tab.press("+")
    tab.wait(lambda: said.inner_text() == "“three” is already part of that mark.")
    tab.press("1")
    assert texts.all_inner_texts() == ["“one”"]
    tab.press("u")
    assert texts.all_inner_texts() == ["“one”", "“three”"]
    tab.press("u")
    assert texts.all_inner_texts() == ["“one”"]
    # Words with nothing but a space between them are one part.
    tab.press("Home", "ArrowRight", "ArrowRight", "+")
    assert texts.all_inner_texts() == ["“one two”"]
    assert spans(tab) == [(0, 7, "one")]


def test_words_are_added_by_mouse_to_any_mark(mark) -> None:  # type: ignore[no-untyped-def]
    tab = mark("one two three four five")
    tab.press("Shift+ArrowRight", "1", "ArrowRight", "ArrowRight", "2", "End")
    first = tab.page.get_by_role("button", name="Add the selected words to one: First kind")
    first.click()
    (one, other) = tab.page.locator(".marked li").all()
    assert one.locator("bdi").all_inner_texts() == ["“one”", "“five”"]
    assert other.locator("bdi").all_inner_texts() == ["“three”"]
    tab.page.get_by_role("button", name="Remove one … five: First kind").click()
    tab.page.focus("#text")
    assert spans(tab) == [(8, 13, "two")]


def test_a_protocol_may_forbid_gaps(  # what is offered is what the server takes
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = tmp_path / "marks.yaml"
    path.write_text(PROTOCOL.replace("kind: spans", "kind: spans\n        gaps: false"), "utf-8")
    tab = open_tab(make_project(path, ["one two three four five"]))
    tab.show()
    tab.press("Shift+ArrowRight", "1")
    assert tab.page.locator(".marked li").count() == 1
    assert not tab.page.locator("#join-keys").is_visible()
    assert tab.page.locator(".marked .join").count() == 0
    tab.press("ArrowRight", "ArrowRight", "+")
    said = tab.page.locator("#live")
    tab.wait(lambda: said.inner_text().startswith("Marks cannot have gaps here"))
    assert spans(tab) == [(0, 3, "one")]
