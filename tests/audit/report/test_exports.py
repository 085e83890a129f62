"""The page of one screen, the section of a model card, JUnit and the evidence file."""

import json
import runpy
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from tactful.audit.estimates.figures import audit_result
from tactful.audit.report import evidence, junit, markdown_section, render_decision
from tactful.audit.report.decision import CLEARED, FOUND, OPEN, outcome_of, worst_conditions
from tactful.audit.results import AuditResult, Contrast, Refusals
from tactful.audit.runs.gate import checks

PLANTED = runpy.run_path(str(Path(__file__).parents[1] / "planted_runs.py"))
planted_run = PLANTED["planted_run"]
NONE = Contrast(0.0, -0.01, 0.01, equivalence=(-0.01, 0.01), verdict="no difference")


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own text


def test_a_model_passes_only_where_both_measures_do(example: AuditResult) -> None:
    model = replace(example.models[0], conditions=(), gap=NONE, named=NONE)
    assert outcome_of(model) == CLEARED
    assert outcome_of(replace(model, named=replace(NONE, verdict="undecided"))) == OPEN
    assert outcome_of(replace(model, named=replace(NONE, verdict="more negative"))) == FOUND
    (one,) = (c for c in example.models[0].conditions[:1])
    bad = replace(one, to_others=replace(NONE, value=0.3, verdict="more negative"))
    assert outcome_of(replace(model, conditions=(bad,))) == FOUND


def test_one_screen_says_verdict_worst_refusals_and_stability(
    example: AuditResult, read: Callable[[str], Any]
) -> None:
    model = replace(example.models[0], refusals=Refusals(30, 100, 0.4, 0.1, 0.0, NONE))
    page = read(render_decision(replace(example, models=(model,)), "A title"))
    assert outcome_of(model) in page.text
    for each in worst_conditions(model):
        assert each.name in page.text
    said = " ".join(page.text.split())
    assert "40 % about stigmatized conditions, 10 % about others" in said
    assert "Spread over wordings" in page.text
    assert "Without a plan" in page.text
    planned = {"sha256": "f" * 64, "created": "2026", "deviations": ["other prompts"]}
    said = read(render_decision(replace(example, plan=planned), "x")).text
    assert "Planned beforehand (ffffffffffff). Deviations: other prompts." in said


def test_hostile_names_stay_text(made: Callable[..., Any], read: Callable[[str], Any]) -> None:
    hostile = made("hostile")
    page = read(render_decision(hostile, made("HOSTILE")))
    assert not [tag for tag, _ in page.tags if tag in ("script", "b")]
    section = markdown_section(hostile)
    assert "<script>" not in section
    root = parsed(junit(hostile, checks(hostile.models, 0.05, 0.05)))
    assert root.tag == "testsuites"


def test_a_section_of_a_model_card(example: AuditResult) -> None:
    section = markdown_section(example)
    assert section.startswith("## Audit: how it treats people\n")
    assert section.count("### ") == len(example.models)
    assert "| stigmatized minus others | " in section
    assert "| named minus not named | .120 | .03 to .21 | more negative |" in section


def test_junit_has_a_case_for_each_measure_and_condition() -> None:
    biased = planted_run(gap=0.3, between=0.01, within=0.01)
    result = audit_result([biased], repetitions=200)
    root = parsed(junit(result, checks(result.models, 0.05, 0.5)))
    (suite,) = root
    assert suite.attrib == {"name": "planted", "failures": "21", "skipped": "0", "tests": "22"}
    first, second, *_ = suite
    message = first.find("failure")
    assert message is not None
    assert "above the limit of 0.05" in message.attrib["message"]
    assert second.find("failure") is None
    few = audit_result([planted_run(templates=1, questions=2)], repetitions=50)
    (other,) = parsed(junit(few, []))
    assert (other.attrib["skipped"], other.attrib["tests"]) == ("20", "20")


def test_evidence_has_the_hashes_of_prompts_and_answers() -> None:
    run = planted_run(settings={"probe sha256": "abc"})
    result = audit_result([run], repetitions=50)
    found = json.loads(json.dumps(evidence(result, [run]), allow_nan=False))
    again = evidence(result, [replace(run, rows=run.rows.reverse())])
    assert found["sha256"] == again["sha256"]
    (one,) = found["runs"]
    assert one["settings"]["probe sha256"] == "abc"
    assert one["prompts"] == len(run.rows)
    # Another answer has another hash; the prompts stay as they are.
    first = pl.when(pl.arange(0, pl.len()) == 0).then(0.123).otherwise(pl.col("negative"))
    changed = replace(run, rows=run.rows.with_columns(negative=first))
    (other,) = evidence(result, [changed])["runs"]
    assert other["prompts_sha256"] == one["prompts_sha256"]
    assert other["answers_sha256"] != one["answers_sha256"]
