"""An audit for other tools: a section of a model card, JUnit for CI, and one evidence file."""

import hashlib
import json
import platform
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from tactful import __version__
from tactful.audit.plan import hash_of_prompts, now
from tactful.audit.report.decision import outcome_of, worst_conditions
from tactful.audit.report.tables import plain
from tactful.audit.report.words import interval, labels, with_interval
from tactful.audit.results import Contrast, ModelResult, Results, one_by_one
from tactful.audit.runs.gate import Check, checks
from tactful.audit.runs.run import Run
from tactful.detectors.card_page import markdown_table, markdown_text
from tactful.pages.text import decimal, percent
from tactful.words import visible

EVIDENCE_FORMAT = 1
MEASURES = {"gap": "stigmatized minus others", "named": "named minus not named"}
_PACKAGES = ("numpy", "polars", "scipy")


def markdown_section(results: Results) -> str:
    """Return a section for a model card; names are text, never markup."""
    parts = ["## Audit: how it treats people"]
    for result in one_by_one(results):
        names = labels(result)
        parts.append(
            f"Probe {markdown_text(result.probe)}, {100 * result.level:g} % intervals, smallest "
            f"difference of interest {decimal(result.smallest_effect)}, Tactful {__version__}."
            + _planned(result.plan)
        )
        for model in result.models:
            parts += _model_section(model, names[model.run])
    parts.append(
        "An audit shows what a model does with these sentences. It does not show harm in a "
        "product, nor its absence."
    )
    return "\n\n".join(parts) + "\n"


def _planned(plan: Mapping[str, Any] | None) -> str:
    if plan is None:
        return ""
    deviations = "; ".join(plan["deviations"]) or "none"
    return f" Plan {plan['sha256'][:12]}, deviations: {markdown_text(deviations)}."


def _model_section(model: ModelResult, name: str) -> list[str]:
    rows = [
        [said, decimal(found.value, 3), interval(found) or "none", found.verdict]
        for said, found in (
            (MEASURES["gap"], model.gap),
            (MEASURES["named"], model.named),
        )
    ]
    parts = [
        f"### {markdown_text(name)}\n\n**{outcome_of(model)}**",
        markdown_table(["measure", "difference", "interval", "verdict"], rows),
    ]
    worst = [
        f"{markdown_text(c.name)} ({decimal(c.to_others.value)})" for c in worst_conditions(model)
    ]
    if worst:
        parts.append(f"Furthest above the others: {', '.join(worst)}.")
    if model.refusals is not None:
        parts.append(
            f"Refused: {percent(model.refusals.refused / model.refusals.prompts)} of "
            f"{model.refusals.prompts:,} prompts."
        )
    return parts


def junit(results: Results, found: Sequence[Check]) -> str:
    """Return JUnit XML: one suite for each run, one case for each measure and condition.

    ``found`` are the limits that were checked. A condition fails where it is called more negative,
    and is skipped where it was not tested.
    """
    root = ET.Element("testsuites", name="tactful audit")
    for result in one_by_one(results):
        for model in result.models:
            suite = ET.SubElement(root, "testsuite", name=visible(model.run))
            for check in found:
                if check.run == model.run:
                    case = _case(suite, model, MEASURES[check.measure], check.found)
                    if check.failure:
                        ET.SubElement(case, "failure", message=visible(check.failure))
            for each in model.conditions:
                if not each.stigmatized:
                    continue
                case = _case(suite, model, visible(each.name), each.to_others)
                if each.to_others.verdict == "more negative":
                    said = f"{visible(each.name)}: {with_interval(each.to_others)} above the others"
                    ET.SubElement(case, "failure", message=said)
                elif each.to_others.verdict == "not tested":
                    ET.SubElement(case, "skipped", message=visible(each.to_others.reason or ""))
            cases = list(suite)
            for kind in ("failure", "skipped"):
                number = sum(case.find(kind) is not None for case in cases)
                suite.set("failures" if kind == "failure" else kind, str(number))
            suite.set("tests", str(len(cases)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, "unicode") + "\n"


def _case(suite: ET.Element, model: ModelResult, name: str, found: Contrast) -> ET.Element:
    case = ET.SubElement(suite, "testcase", classname=visible(model.model), name=name)
    ET.SubElement(case, "system-out").text = f"{with_interval(found)}: {found.verdict}"
    return case


def evidence(results: Results, runs: Sequence[Run]) -> dict[str, Any]:
    """Return one record with all that is needed to check an audit: hashes, versions, figures.

    ``sha256`` is the hash of all the rest except ``created``.
    """
    found = one_by_one(results)
    by_name = {(run.probe, run.name): run for run in runs}
    data: dict[str, Any] = {
        "format": EVIDENCE_FORMAT,
        "tactful": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
        "plan": found[0].plan,
        "statistics": {
            name: getattr(found[0], name)
            for name in ("repetitions", "seed", "level", "smallest_effect")
        },
        "runs": [
            _run_evidence(by_name[result.probe, model.run], model)
            for result in found
            for model in result.models
        ],
    }
    data = plain(data)
    return {**data, "sha256": _hash(data), "created": now()}


def _run_evidence(run: Run, model: ModelResult) -> dict[str, Any]:
    rows = run.rows.sort("condition", "form", "question", "template", nulls_last=True)
    return {
        "name": run.name,
        "model": run.model,
        "kind": run.kind,
        "model_sha256": run.fingerprint,
        "probe": run.probe,
        "asked": run.created,
        "asked_with": run.version,
        "settings": dict(run.settings),
        "prompts": len(run.rows),
        "prompts_sha256": hash_of_prompts(run.rows["prompt"].drop_nulls().to_list()),
        "answers_sha256": _hash(rows.to_dicts()),
        "outcome": outcome_of(model),
        "gap": asdict(model.gap),
        "named": asdict(model.named),
        "refusals": None if model.refusals is None else asdict(model.refusals),
        "conditions_more_negative": [
            c.condition for c in model.conditions if c.to_others.verdict == "more negative"
        ],
        "checks": [
            {"measure": each.measure, "limit": each.limit, "failure": each.failure}
            for each in checks([model], model.gap.smallest_effect, model.gap.smallest_effect)
        ],
    }


def _hash(data: object) -> str:
    text = json.dumps(plain(data), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
