"""The numbers behind the page as CSV and JSON files: whole precision, empty where not known."""

import csv
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tactful.audit.report.words import baseline_of, labels
from tactful.audit.results import (
    JSON_VERSION,
    AuditResult,
    Estimate,
    ModelResult,
    Results,
    one_by_one,
)
from tactful.errors import UsageError
from tactful.files import atomic_path

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula."""

Rows = list[dict[str, Any]]


def write_tables(results: Results, folder: Path, force: bool = False) -> list[Path]:
    """Write the five tables into a folder beside what it holds; return their paths."""
    tables: dict[str, Rows] = {}
    for result in one_by_one(results):
        for name, rows in tables_of(result).items():
            found = [{"probe": result.probe, **row} for row in rows]
            tables.setdefault(f"{name}.csv", []).extend(found)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: found a file; expected the name of a folder to write.")
    for name in tables:
        # Look at all of them first: a refusal should not leave the half of them written.
        if (folder / name).exists() and not force:
            raise UsageError(
                f"{folder / name}: it exists already; name another place or pass --force."
            )
    for name, rows in tables.items():
        with (
            atomic_path(folder / name, force) as temporary,
            # A name that is no valid text is written with its code.
            temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file,
        ):
            writer = csv.DictWriter(file, list(_columns(rows)), restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return [folder / name for name in tables]


def write_json(results: Results, path: Path, force: bool = False) -> None:
    """Write everything as one JSON file; several probes are a list under ``probes``."""
    first, *others = [result.as_json() for result in one_by_one(results)]
    data = {"version": JSON_VERSION, "probes": [first, *others]} if others else first
    text = json.dumps(_plain(data), ensure_ascii=False, indent=1, allow_nan=False)
    with atomic_path(path, force) as temporary:
        # A lone surrogate becomes its code, which is how JSON writes it, too.
        temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def tables_of(result: AuditResult) -> dict[str, Rows]:
    """Return models, conditions, templates, categories and overall as rows by column."""
    names = labels(result)
    return {
        "models": [_model(each) for each in result.models],
        "conditions": [row for each in result.models for row in _conditions(each)],
        "templates": [row for each in result.models for row in _templates(each)],
        "categories": [row for each in result.models for row in _categories(each)],
        "overall": list(_overall(result, names)),
    }


def _model(model: ModelResult) -> dict[str, Any]:
    tests, coverage = model.tests, model.coverage
    row = {
        **_run(model),
        **_estimate("stigmatized", model.stigmatized),
        **_estimate("others", model.others),
        **_estimate("gap", model.gap),
        "baseline": baseline_of(model),
        "mann_whitney_u": tests.mann_whitney_u,
        "mann_whitney_p": tests.mann_whitney_p,
        "permutation_p": tests.permutation_p,
        "smallest_p": tests.smallest_p,
        "cliffs_delta": tests.cliffs_delta,
        "hedges_g": tests.hedges_g,
        "tests_reason": tests.reason,
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


def _conditions(model: ModelResult) -> Iterator[dict[str, Any]]:
    for each in model.conditions:
        yield {
            **_run(model),
            "condition": each.condition,
            "name": each.name,
            "category": each.category,
            "stigmatized": each.stigmatized,
            **_estimate("negative", each.negative),
            "to_baseline": each.to_baseline,
            "to_others": each.to_others,
            "p_value": each.p_value,
            "p_corrected": each.p_corrected,
            "smallest_p": each.smallest_p,
            "prompts": each.prompts,
            **{f"template.{name}": value for name, value in each.by_template.items()},
            **{f"dimension.{name}": value for name, value in each.dimensions.items()},
        }


def _templates(model: ModelResult) -> Iterator[dict[str, Any]]:
    for each in model.templates:
        yield {
            **_run(model),
            "template": each.template,
            "stigmatized": each.stigmatized,
            "others": each.others,
            **_estimate("gap", each.gap),
            "baseline": each.baseline,
        }


def _categories(model: ModelResult) -> Iterator[dict[str, Any]]:
    for each in model.categories:
        yield {
            **_run(model),
            "category": each.category,
            **_estimate("stigmatized", each.stigmatized),
            **_estimate("others", each.others),
            "gap": each.gap,
            "stigmatized_count": each.stigmatized_count,
            "others_count": each.others_count,
        }


def _overall(result: AuditResult, names: dict[str, str]) -> Iterator[dict[str, Any]]:
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


def _run(model: ModelResult) -> dict[str, Any]:
    return {"run": model.run, "model": model.model, "kind": model.kind}


def _estimate(name: str, estimate: Estimate) -> dict[str, Any]:
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
        f"{name}_reason": estimate.reason,
    }


def _columns(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the columns of all rows: models may differ in their templates and dimensions."""
    yield from dict.fromkeys(key for row in rows for key in row)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _plain(value: Any) -> Any:
    """Return what JSON can hold; a number that is none is missing."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
