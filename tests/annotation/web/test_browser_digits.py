"""Digits answer the question one is at, letters any; what is shown is what works."""

from pathlib import Path

import pytest
from tests.annotation.web.desks import MakeProject, OpenTab, Tab

pytestmark = pytest.mark.browser

QUESTIONS = [
    "unhealthy",
    "unhealthy.sarcastic",
    "unhealthy.generalisation",
    "unhealthy.generalisation_unfair",
    "unhealthy.hostile",
    "unhealthy.antagonistic",
    "unhealthy.condescending",
    "unhealthy.dismissive",
]


def shown_digits(tab: Tab) -> dict[str, str]:
    """Return the digits that can be seen, by question."""
    found: dict[str, str] = tab.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('#questions fieldset')]
          .map((each) => [each.dataset.question, [...each.querySelectorAll('.digit')]
            .filter((digit) => getComputedStyle(digit).visibility === 'visible')
            .map((digit) => digit.textContent).join('')])
          .filter(([, digits]) => digits))"""
    )
    return found


def shortcuts(tab: Tab, question: str) -> list[str]:
    """Return what a screen reader announces about the keys of a question."""
    options = tab.page.locator(f"#questions [data-question='{question}'] [data-digit]")
    return [str(each.get_attribute("aria-keyshortcuts")) for each in options.all()]


def checked(tab: Tab) -> list[str]:
    """Return which questions have an answer."""
    found: list[str] = tab.page.evaluate(
        """() => [...document.querySelectorAll('#questions input:checked')]
          .map((each) => each.closest('fieldset').dataset.question)"""
    )
    return found


def test_a_questionnaire_by_digits(make_project: MakeProject, open_tab: OpenTab) -> None:
    """Eight questions of the paper's appendix, of which one is asked after a yes only."""
    project = make_project("unhealthy", ["One comment.", "Another comment."])
    tab = open_tab(project)
    tab.show()
    assert shown_digits(tab) == {"unhealthy": "12"}
    tab.press("2", "2", "1", "2", "2", "2", "2", "1", "Enter")
    expected = dict.fromkeys(QUESTIONS, "no")
    expected |= {"unhealthy.generalisation": "yes", "unhealthy.dismissive": "yes"}
    assert tab.wait_for("item-0", "questionnaire") == expected
    tab.show()
    tab.press(*["2"] * 7, "Enter")
    expected = dict.fromkeys(QUESTIONS, "no")
    del expected["unhealthy.generalisation_unfair"]
    assert tab.wait_for("item-1", "questionnaire") == expected


def test_a_digit_never_chooses_where_one_is_not(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    tab = open_tab(make_project("unhealthy", ["One comment."]))
    tab.show()
    # Three is no answer of the first question, though others have a third one.
    tab.press("3", "0", "9")
    assert checked(tab) == []
    tab.press("1")
    assert checked(tab) == ["unhealthy"]
    assert shown_digits(tab) == {"unhealthy.sarcastic": "12"}
    # A letter chooses from anywhere, and one goes on from there.
    letter = tab.page.get_attribute(
        "#questions [data-question='unhealthy.hostile'] [value=no]", "data-key"
    )
    assert letter
    tab.press(letter)
    assert checked(tab) == ["unhealthy", "unhealthy.hostile"]
    assert shown_digits(tab) == {"unhealthy.antagonistic": "12"}
    # To go back is to be there: the digits follow the focus.
    tab.page.focus("#questions [data-question='unhealthy.sarcastic'] input")
    assert shown_digits(tab) == {"unhealthy.sarcastic": "12"}
    tab.press("2")
    assert checked(tab) == ["unhealthy", "unhealthy.sarcastic", "unhealthy.hostile"]


def test_screen_readers_are_told_the_keys_that_work(
    make_project: MakeProject, open_tab: OpenTab
) -> None:
    tab = open_tab(make_project("stereotypes", ["Una frase."]))
    tab.show()
    assert shortcuts(tab, "stereotype") == ["1 e", "2 a"]
    assert shortcuts(tab, "stereotype.racial_target") == ["r", "c"]
    tab.press("2")
    assert shortcuts(tab, "stereotype") == ["e", "a"]
    assert shortcuts(tab, "stereotype.racial_target") == ["1 r", "2 c"]
    letters = tab.page.locator("#questions .letter")
    assert all(letter.is_visible() for letter in letters.all())


def test_undo_and_reload_keep_the_place(make_project: MakeProject, open_tab: OpenTab) -> None:
    """One is at the first question without an answer, and its digits show it."""
    tab = open_tab(make_project("unhealthy", ["One comment."]))
    tab.show()
    tab.press("2", "2")
    tab.press("u")
    assert shown_digits(tab) == {"unhealthy.sarcastic": "12"}
    tab.page.reload()
    tab.show()
    assert shown_digits(tab) == {"unhealthy.sarcastic": "12"}
    tab.press("1")
    assert checked(tab) == ["unhealthy", "unhealthy.sarcastic"]


PROTOCOL = """
id: two
name: Two questions
version: "1.0"
lang: en
summary: Two questions.
source: us
wellbeing: {blur: false}
steps:
  - id: look
    title: Look
    judgements: 1
    questions:
      - id: kind
        kind: choices
        text: What kind?
        least: 1
        options: [one, two, three, four, five, six, seven, eight, nine, ten]
      - id: tone
        kind: choice
        per: kind
        text: Which tone?
        options: [warm, cold]
      - id: degree
        kind: scale
        text: How much?
        options: ["0", "1", "2"]
      - id: order
        kind: choice
        text: Which side?
        options: [{value: left, key: "2"}, {value: right, key: "1"}]
"""


def test_digits_of_lists_scales_repeated_questions_and_of_the_file(
    make_project: MakeProject, open_tab: OpenTab, tmp_path: Path
) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(PROTOCOL, encoding="utf-8")
    tab = open_tab(make_project(path, ["A text."]))
    tab.show()
    assert shown_digits(tab) == {"kind": "123456789"}
    # Boxes: one stays there; the tenth has its letter; the same key again takes it away.
    tab.press("2", "9", "2", "l")
    tab.press("Enter")
    # Asked once for each: the digits belong to the one that is current.
    tab.press("2", "1")
    assert shown_digits(tab) == {"degree": "012"}
    tab.press("0")
    assert shown_digits(tab) == {"order": "21"}
    tab.press("1", "Enter")
    assert tab.wait_for("item-0", "look") == {
        "kind": ["nine", "ten"],
        "tone": {"nine": "cold", "ten": "warm"},
        "degree": "0",
        "order": "right",
    }
