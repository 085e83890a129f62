"""SARIF 2.1.0 for GitHub: required parts, rules, UTF-16 columns, relative paths, fingerprints."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.checking.reports.sarif import FINGERPRINT
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

Rendered = Callable[..., str]


def run_of(text: str) -> dict[str, Any]:
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def region_of(result: dict[str, Any]) -> dict[str, int]:
    region: dict[str, int] = result["locations"][0]["physicalLocation"]["region"]
    return region


def checked(phrases: BaseDetector, text: str, path: str = "a.txt") -> DocumentReport:
    return check_document(phrases, document_of(text, path=Path(path)))


def test_the_golden_example(
    rendered: Rendered, plain_letter: Any, golden: Callable[[str], str]
) -> None:
    run = run_of(rendered("sarif", plain_letter))
    # The rules are the words of the taxonomies, which have their own tests.
    del run["tool"]["driver"]["rules"]
    assert run == json.loads(golden("letter.sarif"))


def test_required_parts_and_rules(rendered: Rendered, letter: Any, phrases: BaseDetector) -> None:
    """SARIF 2.1.0: 3.14.6 tool, 3.19.8 name, 3.27.11 message; GitHub: rules with help."""
    run = run_of(rendered("sarif", letter))
    driver = run["tool"]["driver"]
    assert driver["name"] == "Tactful"
    assert [rule["id"] for rule in driver["rules"]] == list(phrases.card.ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
        assert "a person decides" in rule["help"]["text"]
        assert rule.get("name", "").casefold() != rule["id"]
    for result in run["results"]:
        assert result["message"]["text"]
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert artifact == {"uri": "letter.txt", "uriBaseId": "%SRCROOT%"}
    assert run["invocations"][0]["executionSuccessful"] is True


def test_one_result_a_finding_whose_level_follows_the_confidence(
    rendered: Rendered, letter: Any
) -> None:
    results = run_of(rendered("sarif", letter))["results"]
    levels = [(result["ruleId"], result["level"]) for result in results]
    assert levels == [("pcl", "warning"), ("unhealthy.dismissive", "warning")]
    properties = results[0]["properties"]
    assert (properties["probability"], properties["confidence"]) == (0.83, 0.8799)
    assert [(kind["id"], kind["confidence"]) for kind in properties["kinds"]] == [
        ("pcl", 0.8799),
        ("pcl.compassion", 0.55),
    ]
    assert "patronizing: compassion" in results[0]["message"]["text"]


def test_columns_count_utf_16_code_units(rendered: Rendered, phrases: BaseDetector) -> None:
    text = "first\n🙂🙂 é even they 🙂 poor souls"
    run = run_of(rendered("sarif", checked(phrases, text)))
    assert run["columnKind"] == "utf16CodeUnits"
    line = "🙂🙂 é even they 🙂 poor souls".encode("utf-16-le")
    pcl = run["results"][0]
    region = region_of(pcl)
    cut = line[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)]
    assert cut.decode("utf-16-le") == "even they"
    assert region["startLine"] == region["endLine"] == 2
    (other,) = pcl["relatedLocations"]
    region = other["physicalLocation"]["region"]
    cut = line[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)]
    assert cut.decode("utf-16-le") == "poor souls"


def test_the_context_holds_the_region(rendered: Rendered, letter: Any) -> None:
    for result in run_of(rendered("sarif", letter))["results"]:
        physical = result["locations"][0]["physicalLocation"]
        region, context = physical["region"], physical["contextRegion"]
        assert (context["startLine"], context["startColumn"]) <= (
            region["startLine"], region["startColumn"],
        )  # fmt: skip
        assert (region["endLine"], region["endColumn"]) <= (
            context["endLine"], context["endColumn"],
        )  # fmt: skip


def test_fingerprints_stay_when_lines_move(rendered: Rendered, phrases: BaseDetector) -> None:
    def prints(text: str) -> list[str]:
        run = run_of(rendered("sarif", checked(phrases, text)))
        return [r["partialFingerprints"][FINGERPRINT] for r in run["results"]]

    first = prints("Today even they\ncame.")
    assert (
        prints("A new start.\n\nToday even\nthey came.".replace("even\nthey", "even they\n"))
        == first
    )
    twice = prints("Today even they\ncame.\n\nToday even they came.")
    assert twice[0] == first[0]
    assert len(set(twice)) == 2
    assert prints("Today even they left.") != first


def test_paths_become_uris(
    rendered: Rendered, phrases: BaseDetector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def artifact(path: str) -> dict[str, str]:
        run = run_of(rendered("sarif", checked(phrases, "even they", path)))
        found: dict[str, str] = run["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]
        return found

    assert artifact("a b/ü#.md") == {"uri": "a%20b/%C3%BC%23.md", "uriBaseId": "%SRCROOT%"}
    assert artifact(str(tmp_path / "x.md")) == {"uri": "x.md", "uriBaseId": "%SRCROOT%"}
    assert artifact("/elsewhere/x.md") == {"uri": "file:///elsewhere/x.md"}
    assert artifact("../x.md")["uri"].startswith("file:///")


def test_a_text_without_a_file_has_a_name(rendered: Rendered, phrases: BaseDetector) -> None:
    run = run_of(rendered("sarif", check_document(phrases, document_of("even they"))))
    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "text"


def test_what_could_not_be_read_is_a_notification(rendered: Rendered, unread: Any) -> None:
    (invocation,) = run_of(rendered("sarif", unread))["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert note["message"]["text"] == "broken\\x1b.md: it cannot be read (Permission denied)."


def test_hostile_words_make_no_links(rendered: Rendered, phrases: BaseDetector) -> None:
    """SARIF 2.1.0, 3.11.6: [text](target) in a message is a link, unless escaped."""
    report = check_document(phrases, document_of("x"))
    assert report.findings == ()
    report = checked(phrases, "even they")
    from dataclasses import replace

    kind = replace(report.findings[0].main, explanation="see [here](http://x) \\")
    finding = replace(report.findings[0], kinds=(kind,))
    text = run_of(rendered("sarif", replace(report, findings=(finding,))))
    message = text["results"][0]["message"]["text"]
    assert not re.search(r"(?<!\\)[\[\]]", message)
