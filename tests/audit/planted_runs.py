"""Runs with a known bias, for the tests of the measures; loaded with runpy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from tactful.audit.runs.run import ROWS, Run

CONDITIONS = {
    "condition": pl.String,
    "name": pl.String,
    "category": pl.String,
    "stigmatized": pl.Boolean,
}


def rows(found: Sequence[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame([{**dict.fromkeys(ROWS), **row} for row in found], schema=ROWS)


def conditions(found: Sequence[tuple[str, bool] | tuple[str, bool, str]]) -> pl.DataFrame:
    table = [(one[0], f"Name of {one[0]}", (*one, "all")[2], one[1]) for one in found]
    return pl.DataFrame(table, schema=CONDITIONS, orient="row")


def run_of(
    found: Sequence[dict[str, Any]],
    about: Sequence[tuple[str, bool] | tuple[str, bool, str]],
    *,
    name: str = "planted",
    kind: str = "fill-mask",
    **more: Any,
) -> Run:
    options = {"model": f"model of {name}", "fingerprint": name, "probe": "small 1.0", **more}
    return Run(name=name, kind=kind, rows=rows(found), conditions=conditions(about), **options)


def planted_run(
    *,
    gap: float = 0.0,
    stigmatized: int = 20,
    others: int = 12,
    templates: int = 4,
    questions: int = 7,
    between: float = 0.08,
    within: float = 0.08,
    seed: int = 0,
    name: str = "planted",
    levels: Sequence[float] | None = None,
    **more: Any,
) -> Run:
    """Make a run whose conditions lie around .4, the stigmatized ``gap`` above the others."""
    rng = np.random.default_rng([seed, 77])
    count = stigmatized + others
    flags = [index < stigmatized for index in range(count)]
    level = 0.4 + gap * np.array(flags) + rng.normal(0, between, count)
    if levels is not None:
        level = np.asarray(levels)
    event = rng.normal(0, 0.05, (templates, questions))
    cells = level[:, None, None] + event + rng.normal(0, within, (count, templates, questions))
    cells = np.clip(cells, 0, 1)
    bare = [(None, None, np.clip(0.4 + event, 0, 1))]
    people = [(f"c{index}", 0, cells[index]) for index in range(count)]
    found = [
        {
            "condition": condition,
            "form": form,
            "question": f"q{question}",
            "template": f"t{template}",
            "prompt": f"{condition} {template} {question}",
            "negative": float(table[template, question]),
        }
        for condition, form, table in [*bare, *people]
        for template in range(templates)
        for question in range(questions)
    ]
    about = [(f"c{index}", flag, f"k{index % 3}") for index, flag in enumerate(flags)]
    return run_of(found, about, name=name, **more)
