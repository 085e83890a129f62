"""JSON and JSON Lines: the documented schema, whole, and the same for the same input."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.checker import Checker
from tactful.checking.findings import check_document
from tactful.checking.reports.run import render
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

Rendered = Callable[..., str]
SCHEMA: Mapping[str, Any] = json.loads(
    (Path(__file__).parents[3] / "docs" / "schemas" / "check-2.json").read_text(encoding="utf-8")
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}

_KEYWORDS = {
    *("$schema", "$id", "$defs", "title", "description", "type", "const", "required"),
    *("properties", "additionalProperties", "items", "minimum", "maximum", "minLength", "minItems"),
}


def flaws(value: Any, schema: Mapping[str, Any], at: str = "$") -> list[str]:
    """Check a value by the keywords that our schema uses; an unknown keyword is a flaw itself."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    found = [f"{at}: unknown keyword {key}" for key in schema.keys() - _KEYWORDS]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return [*found, f"{at}: {value!r} is no {kinds}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r} is not {schema['const']!r}")
    if isinstance(value, int | float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        found.append(f"{at}: {value} is out of range")
    shortest = max(schema.get("minLength", 0), schema.get("minItems", 0))
    if isinstance(value, str | list) and len(value) < shortest:
        found.append(f"{at}: too short")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += flaws(item, schema["items"], f"{at}[{number}]")
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        found += [f"{at}: no {key}" for key in schema.get("required", []) if key not in value]
        others = schema.get("additionalProperties", True)
        for key, item in value.items():
            if key in inner:
                found += flaws(item, inner[key], f"{at}.{key}")
            elif others is False:
                found.append(f"{at}: unknown {key}")
            elif isinstance(others, dict):
                found += flaws(item, others, f"{at}.{key}")
    return found


def test_the_golden_examples(
    rendered: Rendered, plain_letter: Any, golden: Callable[[str], str]
) -> None:
    assert rendered("json", plain_letter) == golden("letter.json")
    assert rendered("jsonl", plain_letter) == golden("letter.jsonl")


def test_the_schema_describes_what_is_written(
    rendered: Rendered, letter: Any, hostile: Any, unread: Any, phrases: BaseDetector
) -> None:
    scored = check_document(phrases, document_of("Hello."), all_scores=True)
    report = json.loads(rendered("json", letter, hostile, unread, scored))
    assert flaws(report, SCHEMA) == []
    assert report["documents"][2]["scores"][0]["probabilities"]["pcl"] == 0.01
    assert report["errors"] == [{"path": unread.path, "message": unread.message}]


def test_only_what_is_quoted_says_so(rendered: Rendered, phrases: BaseDetector) -> None:
    document = document_of('They wrote "poor souls" on it.\n\nPoor souls, we thought.')
    report = json.loads(rendered("json", check_document(phrases, document, quotes="label")))
    assert flaws(report, SCHEMA) == []
    said = [each.get("quoted") for each in report["documents"][0]["findings"]]
    assert said == [True, None]


def test_the_schema_would_notice(rendered: Rendered, letter: Any) -> None:
    report = json.loads(rendered("json", letter))
    first = report["documents"][0]["findings"][0]
    first["probability"] = 1.2
    first["kinds"][1]["parent"] = 3
    second = report["documents"][0]["findings"][1]
    second["kinds"] = []
    report["extra"] = 1
    del report["summary"]
    assert len(flaws(report, SCHEMA)) == 5


def test_a_finding_has_its_kinds(rendered: Rendered, letter: Any) -> None:
    first, second = json.loads(rendered("json", letter))["documents"][0]["findings"]
    assert [(kind["id"], kind["parent"]) for kind in first["kinds"]] == [
        ("pcl", None),
        ("pcl.compassion", "pcl"),
    ]
    assert [(kind["id"], kind["parent"]) for kind in second["kinds"]] == [
        ("unhealthy.dismissive", "unhealthy"),
        ("unhealthy", None),
    ]
    assert (first["id"], second["id"]) == ("pcl", "unhealthy.dismissive")
    for finding in (first, second):
        (main,) = [kind for kind in finding["kinds"] if kind["id"] == finding["id"]]
        same = set(main) - {"spans", "explanation"}
        assert {name: finding[name] for name in same} == {name: main[name] for name in same}
        assert finding["explanation"] != main["explanation"]


def test_lines_hold_the_findings_and_a_summary(
    rendered: Rendered, letter: Any, hostile: Any, unread: Any
) -> None:
    text = rendered("jsonl", letter, hostile, unread)
    # No reader of lines may see more of them than we wrote.
    lines = [json.loads(line) for line in text.splitlines()]
    assert text.count("\n") == len(lines)
    *others, summary = lines
    findings = [line for line in others if line["type"] == "finding"]
    assert len(findings) == summary["findings"] == 3
    assert [line["type"] for line in others if line not in findings] == ["error"]
    finding = {
        key: value for key, value in findings[0].items() if key not in ("type", "kind", "path")
    }
    assert flaws(finding, {"$ref": "#/$defs/finding"}) == []
    assert findings[0]["path"] == "letter.txt"
    assert (summary["type"], summary["schema"]) == ("summary", "tactful/check/2")


def test_lines_are_written_as_they_come(phrases: BaseDetector, letter: Any) -> None:
    from tactful.checking.reports import STREAMED
    from tactful.checking.reports.run import Run, render

    def outcomes() -> Any:
        yield letter
        pytest.fail("asked for the second document before the first was written")

    for name in STREAMED:
        assert next(render(name, outcomes(), Run(phrases.card, phrases.card.ids)))


@pytest.mark.parametrize("name", ["json", "jsonl", "sarif"])
def test_hostile_text_stays_data(rendered: Rendered, hostile: Any, name: str) -> None:
    text = rendered(name, hostile)
    assert text.encode("utf-8")
    assert "\x1b" not in text
    assert "\u2028" not in text
    for line in text.splitlines() if name == "jsonl" else [text]:
        json.loads(line)


def test_offsets_lead_to_the_words(rendered: Rendered, letter: Any) -> None:
    for finding in json.loads(rendered("json", letter))["documents"][0]["findings"]:
        for span in finding["spans"]:
            assert letter.source[span["start"] : span["end"]] == span["text"]
            line = letter.source.splitlines()[span["line"] - 1]
            assert line[span["column"] - 1 : span["end_column"] - 1] == span["text"]


def test_a_finding_with_suggestions_keeps_the_schema() -> None:
    checker = Checker(model="fast", lang="en", only=["term"])
    report = checker.check("She is wheelchair-bound.")
    document = json.loads("".join(render("json", [report], checker.run())))
    (finding,) = document["documents"][0]["findings"]
    assert finding["suggestions"] == ["using a wheelchair", "a wheelchair user"]
    assert flaws(document, SCHEMA) == []
