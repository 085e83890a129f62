"""Whole pages and their parts."""

import base64
import hashlib
from pathlib import Path

from tactful.pages.frame import page, report, style
from tactful.pages.markup import Cell, Section, bullets, heat_rules, table
from tactful.pages.text import Html


def test_the_policy_allows_the_page_s_own_style_and_script_only(tmp_path: Path) -> None:
    css = tmp_path / "own.css"
    css.write_text("p { color: $mine; }\n")
    rules = style(css, {"mine": "#123456"}, ".x { }")
    found = page("<t>", body="<p>b</p>", style=rules, script="let a;", lang="es")
    assert "p { color: #123456; }" in found
    assert "<title>&lt;t&gt;</title>" in found
    assert '<html lang="es">' in found
    for text, kind in ((rules, "style"), ("let a;", "script")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in found
    assert "script" not in page("t", body="", style=rules)


def test_a_report_lists_its_sections() -> None:
    found = report("T", "1 %", "note", [Section("one", "A & b", "<p>x</p>")], style="")
    assert '<a class="skip" href="#one">' in found
    assert '<li><a href="#one">A &amp; b</a></li>' in found
    assert '<h2 id="one-h">A &amp; b</h2>' in found
    assert '<p class="lead">1&nbsp;%</p>' in found


def test_cells_are_escaped_unless_they_are_markup() -> None:
    rows = [("<a>", 1234, None, Html("<b>c</b>"), Cell("d", "heat-1", 2))]
    found = table(("Name", "Number"), rows, "<caption>", "wide")
    assert (
        '<th scope="row">&lt;a&gt;</th><td>1,234</td><td>not known</td><td><b>c</b></td>' in found
    )
    assert '<td class="heat-1" colspan="2">d</td>' in found
    assert '<table class="wide"><caption>&lt;caption&gt;</caption>' in found


def test_no_bullets_are_no_list() -> None:
    assert bullets([]) == ""
    assert bullets(["a < b"], "notes") == '<ul class="notes"><li>a &lt; b</li></ul>'


def test_heat_has_a_rule_for_each_step() -> None:
    assert heat_rules([("warm", 0), ("warm", 60)]).splitlines()[1].startswith(".heat-1 {")
