"""The page: whole in itself, escaped, marked where the words are, and no script anywhere."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.findings import check_document
from tactful.checking.reports.html import _luminance
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

Rendered = Callable[..., str]
VOID = {"meta", "rect", "line", "img", "br"}


class Page(HTMLParser):
    """Reads a page, and refuses tags that are left open or closed twice."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.marked: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "mark":
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
        if "mark" in self.open:
            self.marked[-1] += data


def main_of(page: str) -> str:
    found = re.search(r"<main.*</main>\n", page, re.DOTALL)
    assert found
    return found[0]


def test_the_golden_example(
    rendered: Rendered, plain_letter: Any, golden: Callable[[str], str]
) -> None:
    assert main_of(rendered("html", plain_letter)) == golden("letter.html")


def test_the_page_asks_for_nothing(rendered: Rendered, letter: Any, hostile: Any) -> None:
    page = rendered("html", letter, hostile)
    tags = Page(page).tags
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & {t for t, _ in tags}
    for tag, attributes in tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert "src" not in attributes
        if "href" in attributes:
            assert tag == "a"
            assert (attributes["href"] or "").startswith("#")
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_allows_the_style_of_the_page_only(rendered: Rendered, letter: Any) -> None:
    page = rendered("html", letter)
    policy = next(a["content"] for t, a in Page(page).tags if a.get("http-equiv"))
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_hostile_text_is_shown_and_does_nothing(rendered: Rendered, hostile: Any) -> None:
    page = rendered("html", hostile)
    assert page.encode("utf-8")
    assert "<img" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    read = Page(page)
    assert "</script></style><img src=x onerror=alert(1)>" in read.text
    assert "\\x1b[2Jb<i>.txt" in read.text
    assert "Deciding anything <b>alone</b>." in read.text


def test_marks_hold_the_words_and_lead_to_their_finding(rendered: Rendered, letter: Any) -> None:
    page = Page(rendered("html", letter))
    assert page.marked == ["even they", "Poor souls", "Nobody asked", "log off"]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.tags:
        if tag == "mark":
            assert set((attributes["aria-details"] or "").split()) <= set(ids)
            assert attributes["title"]
        if tag == "a":
            assert (attributes["href"] or "")[1:] in ids
    names = {a["aria-label"] for t, a in page.tags if t == "a" and "aria-label" in a}
    assert "Finding 1: Patronizing or condescending" in names


def test_overlapping_marks_of_two_kinds(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("nobody asked, even they, log off"))
    (one,) = report.findings
    page = Page(rendered("html", report))
    assert page.marked == ["nobody asked", "even they", "log off"]
    classes = [a["class"] for t, a in page.tags if t == "mark"]
    assert classes == ["g-unhealthy", "g-unhealthy two d-pcl", "g-unhealthy"]

    from dataclasses import replace

    (polite,) = [kind for kind in one.kinds if kind.id == "pcl"]
    wide = replace(polite.spans[0], start=7, end=27)
    first = replace(one, kinds=(replace(polite, spans=(wide,)),))
    second = one.keeping(lambda kind: kind.id != "pcl")
    assert second is not None
    page = Page(rendered("html", replace(report, findings=(first, second))))
    assert page.marked == ["nobody ", "asked", ", even they, ", "lo", "g off"]
    assert [a["class"] for t, a in page.tags if t == "mark"][1] == "g-pcl two d-unhealthy"


def test_the_page_says_who_looked_and_who_decides(
    rendered: Rendered, letter: Any, unread: Any
) -> None:
    text = Page(rendered("html", letter, unread)).text
    assert "A person decides." in text
    assert "phrases 1" in text
    assert "It knows six phrases." in text
    assert "Not checked. broken\\x1b.md: it cannot be read" in text
    assert "very likely, 0.88" in text
    for kind in letter.findings[0].kinds:
        assert kind.explanation in text


def test_several_documents_have_a_list(rendered: Rendered, letter: Any) -> None:
    page = Page(rendered("html", letter, letter))
    assert [a["href"] for t, a in page.tags if t == "a"][1:3] == ["#d1", "#d2"]
    assert "What these documents imply" in page.text


def test_a_folder_leads_with_what_is_surest_and_folds_the_rest(
    rendered: Rendered, phrases: BaseDetector
) -> None:
    def report(name: str, text: str) -> Any:
        return check_document(phrases, document_of(text, path=Path(name)))

    page = rendered(
        "html",
        report("a-clean.txt", "Good day."),
        report("b-mild.txt", "A very slow queue."),
        report("c-sure.txt", "Nobody asked you."),
        report("d-clean.txt", "Good night."),
    )
    read = Page(page)
    titles = re.findall(r'<h2 id="t\d">(.*?)</h2>', page)
    assert titles == ["c-sure.txt", "b-mild.txt"]
    (folded,) = re.findall(r'<details class="clean">.*?</details>', page, re.DOTALL)
    assert "2 documents without findings" in folded
    assert [name in folded for name in ("a-clean.txt", "b-mild.txt", "d-clean.txt")] == [
        True, False, True,
    ]  # fmt: skip
    assert "Good day." not in read.text
    contents = re.search(r'<nav class="contents".*?</nav>', page)
    assert contents
    assert "1 finding · dismissive (almost certain, 0.97)" in contents[0]


def test_each_finding_is_one_card(rendered: Rendered, letter: Any) -> None:
    page = rendered("html", letter)
    assert page.count('<li class="finding') == len(letter.findings) == 2


def test_words_that_carry_several_kinds_are_shown_once(
    rendered: Rendered, phrases: BaseDetector
) -> None:
    report = check_document(phrases, document_of("They are very slow."))
    (one,) = report.findings
    assert len({kind.spans for kind in one.kinds}) == 1 < len(one.kinds)
    assert rendered("html", report).count('class="carried"') == 1
    report = check_document(phrases, document_of("Poor souls, even they."))
    assert rendered("html", report).count('class="carried"') == 2


@pytest.mark.parametrize("text", ["", "Nothing to see."])
def test_a_page_without_findings(rendered: Rendered, phrases: BaseDetector, text: str) -> None:
    page = Page(rendered("html", check_document(phrases, document_of(text))))
    assert page.marked == []
    assert "No findings" in page.text


def test_colours_are_those_of_our_figures(rendered: Rendered, letter: Any) -> None:
    from tactful.figures import COLOURS

    page = rendered("html", letter)
    assert f"--pcl: {COLOURS[0]}; --on-pcl: #ffffff;" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


@pytest.mark.parametrize(
    ("colour", "luminance"),
    [("#000000", 0.0), ("#ffffff", 1.0), ("#808080", 0.2159), ("#ff0000", 0.2126)],
)
def test_luminance_is_that_of_wcag(colour: str, luminance: float) -> None:
    assert _luminance(colour) == pytest.approx(luminance, abs=1e-4)
