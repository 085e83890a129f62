"""Texts are blurred on the owner's pages until somebody asks for them."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from tactful.annotation.project.exchange import NewAnswer, NewItem
from tactful.annotation.project.project import Project

MakeProject = Callable[..., Project]
Visit = Callable[..., Any]
WORD = "zebra"
"""A word in every text, and in what people wrote about it."""
PAGES = (
    "/owner",
    "/owner/people",
    "/owner/items",
    "/owner/disputed",
    "/owner/item?id=split",
    "/owner/item?id=test",
    "/owner/log",
)
PROTOCOL = """
id: kind
name: Kindness
version: "1"
lang: en
summary: Is it kind?
source: ours
quality: {page: 3, tests: 1, least_trust: 0.7, least_tests: 9}
wellbeing: {blur: true}
steps:
  - id: look
    title: A look
    judgements: 2
    context: [before]
    questions:
      - id: tone
        kind: choice
        text: Is it kind?
        options: [{value: "yes", name: "Yes"}, {value: "no", name: "No"}]
      - id: places
        kind: spans
        text: Where?
        required: false
        options: [{value: praise, name: Praise}]
      - id: why
        kind: text
        text: Why?
        required: false
"""


class Reader(HTMLParser):
    """Finds where a word is: visible, or in an element that is blurred."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool, bool]] = []
        self.seen: list[tuple[bool, bool]] = []
        self.body = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "body":
            self.body = given.get("class") or ""
        if tag in ("input", "meta", "link", "br", "img"):
            return
        veil = "veil" in (given.get("class") or "").split()
        self.open.append((tag, veil, given.get("aria-hidden") == "true"))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if WORD in data:
            veiled = [hidden for _, veil, hidden in self.open if veil]
            self.seen.append((bool(veiled), any(veiled)))


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def said(person: str, tone: str, **more: Any) -> NewAnswer:
    return NewAnswer(person, "look", {"tone": tone, **more}, at=1_700_000_000.0, seconds=12)


@pytest.fixture
def project(make_project: MakeProject, tmp_path: Any) -> Project:
    file = tmp_path / "kind.yaml"
    file.write_text(PROTOCOL, encoding="utf-8")
    text = f"A {WORD} is mild."
    place = [{"start": 2, "end": 7, "value": "praise"}]
    people = tuple(said(f"P{n}", "no") for n in range(6))
    return make_project(
        file,
        [
            NewItem(
                "split",
                text,
                context={"before": f"Before the {WORD}."},
                meta={"from": f"a {WORD}"},
                answers=(
                    said("Ann", "yes", places=place),
                    said("Ben", "no", why=f"the {WORD}"),
                ),
            ),
            # Enough people miss it that the first page warns about it.
            NewItem("test", text, gold={"tone": "yes"}, answers=people),
        ],
    )


@pytest.fixture
def owner(project: Project, visit: Visit) -> Any:
    return visit(project, "owner")


@pytest.mark.parametrize("path", PAGES)
def test_texts_are_blurred_and_not_read_aloud(owner: Any, path: str) -> None:
    page = read(owner.client.get(path).text)
    assert page.seen, "the page has no text at all"
    assert page.seen == [(True, True)] * len(page.seen)
    assert "veiled" in page.body.split()


@pytest.mark.parametrize("path", PAGES)
def test_without_a_script_a_link_shows_them(owner: Any, path: str) -> None:
    found = re.search(r'href="([^"]*)" data-veil-link', owner.client.get(path).text)
    assert found is not None
    address = path.partition("?")[0] + found[1].replace("&amp;", "&")
    page = owner.client.get(address).text
    shown = read(page)
    assert shown.seen
    assert not any(hidden for _, hidden in shown.seen)
    assert "veiled" not in shown.body.split()
    # The way on keeps them shown, and the same link blurs them again.
    assert all("show=1" in link for link in re.findall(r'href="(/owner/item\?[^"]*)"', page))
    again = re.search(r'href="([^"]*)" data-veil-link', page)
    assert again is not None
    assert "show" not in again[1]


def test_a_decision_keeps_them_shown(owner: Any) -> None:
    page = owner.client.get("/owner/item?id=split&show=1").text
    token = re.findall(r'name="csrf" value="(\w+)"', page)[0]
    assert 'action="/owner/adjudicate?show=1"' in page
    fields = {"csrf": token, "item": "split", "step": "look", "q:tone": "no"}
    answer = owner.client.post("/owner/adjudicate?show=1", data=fields, follow_redirects=False)
    assert "show=1" in answer.headers["location"]
    preview = {"csrf": token, "item": "test", "action": "preview", "gold:tone": "no"}
    blurred = read(owner.client.post("/owner/gold", data=preview).text)
    assert blurred.seen == [(True, True)]
    assert not read(owner.client.post("/owner/gold?show=1", data=preview).text).seen[0][1]


@pytest.mark.parametrize("path", PAGES)
def test_where_the_project_blurs_nothing_there_is_no_button(owner: Any, path: str) -> None:
    owner.project.change({"blur": False})
    text = owner.client.get(path).text
    assert not any(hidden for _, hidden in read(text).seen)
    assert "data-veil-link" not in text
    assert "veiled" not in read(text).body.split()


def test_the_log_blurs_words_only(owner: Any) -> None:
    page = owner.client.get("/owner/log?kind=answered").text
    cells = re.findall(r'<div dir="auto"( class="veil")?[^>]*>(answers:[^<]*)</div>', page)
    assert len(cells) == 8
    assert [WORD in told for veil, told in cells if veil] == [True]
