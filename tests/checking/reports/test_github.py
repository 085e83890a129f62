"""Annotations of GitHub Actions: one command a line, escaped as GitHub's toolkit does."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

Rendered = Callable[..., str]


def commands_in(page: str) -> list[tuple[str, dict[str, str], str]]:
    """Read the commands as the runner of GitHub Actions does (ActionCommand.TryParseV2)."""
    found = []
    for line in page.splitlines():
        parts = re.fullmatch(r"::(\w+)(?: (.*?))?::(.*)", line)
        if parts is None:
            continue
        pairs = [each.partition("=") for each in (parts[2] or "").split(",") if each]
        properties = {name: unescaped(value) for name, _, value in pairs}
        found.append((parts[1], properties, unescaped(parts[3])))
    return found


def unescaped(text: str) -> str:
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def checked(phrases: BaseDetector, text: str, path: str) -> DocumentReport:
    return check_document(phrases, document_of(text, path=Path(path)))


@pytest.fixture(autouse=True)
def outside_of_a_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def test_the_golden_example(
    rendered: Rendered, plain_letter: Any, golden: Callable[[str], str]
) -> None:
    assert rendered("github", plain_letter) == golden("letter.github")


def test_a_finding_is_a_warning_where_its_words_are(rendered: Rendered, letter: Any) -> None:
    level, where, message = commands_in(rendered("github", letter))[0]
    assert level == "warning"
    assert where == {
        "file": "letter.txt",
        "line": "3",
        "endLine": "3",
        "col": "20",
        "endColumn": "29",
        "title": "Patronizing or condescending [pcl]",
    }
    assert message.startswith(
        "“even they”, “Poor souls” — patronizing: compassion (very likely, 0.88). Say"
    )


def test_each_finding_has_one_command_and_a_less_sure_one_is_a_notice(
    rendered: Rendered, letter: Any
) -> None:
    levels = [
        (where["title"].partition("[")[2][:-1], level)
        for level, where, _ in commands_in(rendered("github", letter))
    ]
    assert levels == [("pcl", "warning"), ("unhealthy.dismissive", "warning")]
    mild = replace(letter, findings=(letter.findings[0].keeping(lambda kind: kind.parent),))
    assert [level for level, *_ in commands_in(rendered("github", mild))] == ["notice"]


def test_signs_with_a_meaning_are_escaped(rendered: Rendered, phrases: BaseDetector) -> None:
    report = checked(phrases, "100 % even they", "a,b:c%.md")
    page = rendered("github", report)
    assert page.startswith("::warning file=a%2Cb%3Ac%25.md,line=1,")
    (finding,) = report.findings
    odd = replace(finding, explanation="1 %\n::error::x")
    report = replace(report, findings=(odd,))
    page = rendered("github", report)
    assert [level for level, *_ in commands_in(page)] == ["warning"]
    assert "1 %25 ::error::x\n" in page


def test_a_hostile_text_starts_no_command(rendered: Rendered, hostile: Any) -> None:
    page = rendered("github", hostile)
    assert all(line.isprintable() for line in page.splitlines())
    assert len(commands_in(page)) == len(hostile.findings)
    assert page.encode("utf-8")


def test_columns_are_left_out_where_words_run_over_lines(
    rendered: Rendered, phrases: BaseDetector
) -> None:
    (_, where, _), *_ = commands_in(rendered("github", checked(phrases, "even\nthey", "a.md")))
    assert (where["line"], where["endLine"]) == ("1", "2")
    assert "col" not in where


def test_columns_count_utf16(rendered: Rendered, phrases: BaseDetector) -> None:
    (_, where, _), *_ = commands_in(rendered("github", checked(phrases, "🙂 even they", "a.md")))
    assert where["col"] == "4"


def test_paths_are_relative_to_the_workspace(
    rendered: Rendered, phrases: BaseDetector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    monkeypatch.chdir(tmp_path / "site")
    report = checked(phrases, "even they", "pages/a.md")
    assert commands_in(rendered("github", report))[0][1]["file"] == "pages/a.md"
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert commands_in(rendered("github", report))[0][1]["file"] == "site/pages/a.md"


def test_what_cannot_be_read_is_an_error(rendered: Rendered, unread: Any) -> None:
    ((level, where, message),) = commands_in(rendered("github", unread))
    assert (level, where["title"]) == ("error", "Not checked")
    assert message == "it cannot be read (Permission denied)."
