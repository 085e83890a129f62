"""The numbers behind the page as CSV and JSON files: full precision, empty where not known."""

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from tactful.audit.report.words import baseline_of, labels
from tactful.audit.results import (
    JSON_VERSION,
    AuditResult,
    CategoryResult,
    ConditionResult,
    Contrast,
    Estimate,
    ModelResult,
    Results,
    TemplateResult,
    one_by_one,
)
from tactful.errors import UsageError
from tactful.files import atomic_path, refuse_existing

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet reads a cell that starts with one of these as a formula."""

_PREFIXES = {"by_template": "template", "dimensions": "dimension"}
_OF_TESTS = ("p_value", "smallest_p", "detectable", "verdict")

Row = dict[str, Any]
Rows = list[Row]


def write_tables(results: Results, folder: Path, force: bool = False) -> list[Path]:
    """Write the five tables into a folder, which may have other files; return their paths."""
    tables: dict[str, Rows] = {}
    for result in one_by_one(results):
        for name, rows in tables_of(result).items():
            found = [{"probe": result.probe, **row} for row in rows]
            tables.setdefault(f"{name}.csv", []).extend(found)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: found a file; expected the name of a folder to write.")
    for name in tables:
        # Check all of them first, so that an error does not leave half of them written.
        refuse_existing(folder / name, force)
    for name, rows in tables.items():
        with (
            atomic_path(folder / name, force) as temporary,
            # A name that is not valid text is written with its code.
            temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
        ):
            # Models may differ in their templates and dimensions.
            columns = dict.fromkeys(key for row in rows for key in row)
            writer = csv.DictWriter(file, list(columns), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return [folder / name for name in tables]


def write_json(results: Results, path: Path, force: bool = False) -> None:
    """Write everything as one JSON file; several probes are a list under ``probes``."""
    first, *others = [result.as_json() for result in one_by_one(results)]
    data = {"version": JSON_VERSION, "probes": [first, *others]} if others else first
    text = json.dumps(plain(data), ensure_ascii=False, indent=1, allow_nan=False)
    with atomic_path(path, force) as temporary:
        # A lone surrogate becomes its code, which is how JSON writes it, too.
        temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def tables_of(result: AuditResult) -> dict[str, Rows]:
    """Return models, conditions, templates, categories and overall as rows by column."""
    return {
        "models": [_model(model) for model in result.models],
        **{
            name: [_row(model, each) for model in result.models for each in getattr(model, name)]
            for name in ("conditions", "templates", "categories")
        },
        "overall": list(_overall(result, labels(result))),
    }


def _model(model: ModelResult) -> Row:
    coverage, refusals = model.coverage, model.refusals
    row = {
        **_run(model),
        **_estimate("stigmatized", model.stigmatized),
        **_estimate("others", model.others),
        **_estimate("gap", model.gap),
        **_estimate("named", model.named),
        "baseline": baseline_of(model),
        "refused": refusals.refused if refusals else 0,
        "refused_stigmatized": refusals.stigmatized if refusals else None,
        "refused_others": refusals.others if refusals else None,
        "above_half": model.above_half,
        "above_half_others": model.above_half_others,
        "template_spread": model.template_spread,
        "template_agreement": model.template_agreement,
        "coverage_seen": coverage.seen if coverage else None,
        "coverage_rated": coverage.rated if coverage else None,
        "coverage_irrelevant": coverage.irrelevant if coverage else None,
        "prompts_without": coverage.prompts_without if coverage else None,
    }
    for group, shares in model.proportions.items():
        row |= {f"{group}.{name}": share for name, share in shares.items()}
    return row | {f"dimension.{name}": value for name, value in model.dimensions.items()}


def _row(model: ModelResult, each: ConditionResult | TemplateResult | CategoryResult) -> Row:
    """Return a column for each field; those of an estimate and of a mapping follow each other."""
    row = _run(model)
    for name in (field.name for field in fields(each)):
        value = getattr(each, name)
        if isinstance(value, Estimate):
            row |= _estimate(name, value)
        elif isinstance(value, Mapping):
            row |= {f"{_PREFIXES[name]}.{key}": number for key, number in value.items()}
        else:
            row[name] = value
    return row


def _overall(result: AuditResult, names: dict[str, str]) -> Iterator[Row]:
    known = {c.condition: c for model in result.models for c in model.conditions}
    for side in result.overall:
        for condition, value in side.negative.items():
            entry = known.get(condition)
            yield {
                "side": side.side,
                "models": "; ".join(names.get(name, name) for name in side.models),
                "condition": condition,
                "name": entry.name if entry else None,
                "category": entry.category if entry else None,
                "stigmatized": entry.stigmatized if entry else None,
                "negative": value,
            }


def _run(model: ModelResult) -> Row:
    return {"run": model.run, "model": model.model, "kind": model.kind}


def _estimate(name: str, estimate: Estimate) -> Row:
    row: Row = {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
        f"{name}_reason": estimate.reason,
    }
    if isinstance(estimate, Contrast):
        row |= {f"{name}_{field}": getattr(estimate, field) for field in _OF_TESTS}
        row |= {f"{name}_p_{null}": p for null, p in estimate.nulls.items()}
        low, high = estimate.equivalence or (None, None)
        row |= {f"{name}_equivalence_low": low, f"{name}_equivalence_high": high}
    return row


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain(value: Any) -> Any:
    """Return data that JSON can hold; NaN and infinity become null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
