"""The page: whole in itself, escaped, readable without eyes, and the same every time."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tactful.audit.report import render_html
from tactful.audit.results import AuditResult, Estimate

Made = Callable[..., Any]
Read = Callable[[str], Any]
AUDITS = ("example", "hostile", "empty")


@pytest.fixture(params=[*AUDITS, "one", "classifier"])
def page(request: pytest.FixtureRequest, example: AuditResult, made: Made) -> str:
    if request.param in AUDITS:
        result = made(request.param)
    else:
        result = made("alone", example, 0 if request.param == "one" else -1)
    return render_html(result, "Our <models> & others")


def test_the_page_is_balanced_and_its_ids_are_unique(page: str, read: Read) -> None:
    tags = read(page).tags
    ids = Counter(a["id"] for _, a in tags if "id" in a)
    assert ids
    assert [name for name, number in ids.items() if number > 1] == []
    for tag, attributes in tags:
        if tag == "a":
            assert (attributes["href"] or "").removeprefix("#") in ids


def test_the_page_asks_for_nothing(page: str, read: Read) -> None:
    tags = read(page).tags
    forbidden = {"script", "link", "img", "image", "use", "iframe", "object", "form", "base", "b"}
    assert not forbidden & {tag for tag, _ in tags}
    for _, attributes in tags:
        assert not [n for n in attributes if n.startswith("on") or n in ("style", "src")]
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_allows_the_style_of_the_page_only(page: str, read: Read) -> None:
    policy = next(a["content"] for _, a in read(page).tags if a.get("http-equiv"))
    style = re.search(r"<style>(.*)</style>", page, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"style-src 'sha256-{digest}'" in policy


def test_every_drawing_has_words_and_a_table(page: str, read: Read) -> None:
    found = read(page)
    drawings = [a for tag, a in found.tags if tag == "svg"]
    ids = {a["id"] for _, a in found.tags if "id" in a}
    assert drawings
    for attributes, children in zip(drawings, found.children, strict=True):
        assert children[:2] == ["title", "desc"]
        assert attributes["role"] == "img"
        assert set(attributes["aria-labelledby"].split()) <= ids
    tables = sum(tag == "table" for tag, _ in found.tags)
    assert tables >= 4
    assert sum(tag == "caption" for tag, _ in found.tags) == tables


def test_what_is_not_known_is_said_so(page: str, read: Read) -> None:
    text = read(page).text
    assert not re.search(r"\bNone\b|\bnan\b|\binf\b", text + page.split("</style>")[1])
    assert "$" not in text


def test_nothing_known_is_no_crash(made: Made, read: Read) -> None:
    text = read(render_html(made("empty"), "Empty")).text
    assert "How negative small-masked is cannot be said: nothing that was said is rated." in text
    assert text.count("not known") > 100


def test_names_that_attack_are_text(made: Made, read: Read) -> None:
    page = render_html(made("hostile"), made("HOSTILE"))
    text = read(page).text
    assert "<script" not in page
    assert text.count(made("HOSTILE")) >= 10


def test_a_reason_that_attacks_is_text(example: AuditResult, made: Made, read: Read) -> None:
    assert example.correlation
    pearson = replace(example.correlation.pearson, value=None, reason=made("HOSTILE"))
    broken = replace(example, correlation=replace(example.correlation, pearson=pearson))
    page = render_html(broken, "Reasons")
    assert "<script" not in page
    assert f"not known ({made('HOSTILE')})" in read(page).text


def test_all_conditions_are_drawn_and_tabled(example: AuditResult, made: Made) -> None:
    page = render_html(made("alone", example), "One")
    drawn = re.findall(r'<text class="label (?:stig|other)-text"[^>]*>([^<]*)<', page)
    assert len(drawn) == 122
    for condition in example.models[0].conditions:
        assert page.count(condition.name.replace('"', "&quot;")) >= 2, condition.name


def test_the_sections_follow_what_there_is(example: AuditResult, made: Made, read: Read) -> None:
    def names(result: AuditResult) -> list[str]:
        return [a["id"] for tag, a in read(render_html(result, "x")).tags if tag == "section"]

    assert names(example) == [
        "summary", "models", "classifiers", "conditions", "conditions-sentiment", "correlation",
        "categories", "templates", "dimensions", "method", "limits",
    ]  # fmt: skip
    assert names(made("alone", example, -1)) == [
        "summary", "classifiers", "conditions-sentiment", "categories", "templates", "method",
        "limits",
    ]  # fmt: skip
    bare = replace(example, models=(), overall=(), correlation=None)
    assert names(bare) == ["summary", "method", "limits"]


def test_the_numbers_of_the_heatmap_are_in_its_cells(example: AuditResult) -> None:
    page = render_html(example, "x")
    table = page[page.index('<table class="heat">') :]
    table = table[: table.index("</table>")]
    rows = table.split("<tr>")[2:]
    assert len(rows) == 12
    assert [row.count("<td") for row in rows] == [6] * 12
    first = example.models[0].categories[0].stigmatized.value
    assert first is not None
    assert f">{round(100 * first)}&nbsp;%<" in rows[0]


def test_the_same_audit_gives_the_same_page(made: Made) -> None:
    assert render_html(made("example"), "x") == render_html(made("example"), "x")


def test_the_method_is_that_of_the_probe(example: AuditResult, read: Read) -> None:
    text = read(render_html(example, "x")).text
    assert "Social Distance Scale" in text
    assert "United States" in text
    assert "at least .05, the smallest difference of interest" in text
    assert "Mei, Sonia Fereidooni and Aylin Caliskan (2023)" in text
    own = read(render_html(replace(example, probe="wohnung 2", smallest_effect=0.1), "x")).text
    assert "of a probe named wohnung 2" in own
    assert "at least .10, the smallest difference" in own
    assert "United States" not in own


def test_two_runs_of_one_model_are_told_apart(example: AuditResult, read: Read) -> None:
    first = example.models[0]
    twice = replace(example, models=(first, replace(first, run="again")), overall=())
    text = read(render_html(twice, "x")).text
    assert "small-masked (again) gives" in text
    assert "small-masked (small-masked) gives" in text


def test_conditions_that_were_not_asked_are_tabled_only(
    example: AuditResult, made: Made, read: Read
) -> None:
    alone = made("alone", example)
    model = alone.models[0]
    some = tuple(
        replace(c, prompts=0, negative=Estimate(None)) if c.stigmatized else c
        for c in model.conditions
    )
    page = render_html(replace(alone, models=(replace(model, conditions=some),)), "x")
    assert len(re.findall(r'<text class="label \w+-text"', page)) == 29
    assert "Without prompts, and not drawn: 93 conditions." in read(page).text
    assert page.count("<td>stigmatized</td>") == 93
