"""A run: the prompts and answers of one audited model, and the folder that holds them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from tactful import __version__
from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_folder

RUN_FILE, ROWS_FILE = "run.json", "rows.parquet"
FORMAT = 1
_NAMES = ("name", "kind", "model", "fingerprint", "probe", "created")

ROWS: dict[str, Any] = {
    "condition": pl.String,  # null: a baseline
    "form": pl.Int64,
    "question": pl.String,
    "template": pl.String,
    "prompt": pl.String,
    "negative": pl.Float64,  # null: nothing that was said is rated
    "positive": pl.Float64,
    "neutral": pl.Float64,
    "irrelevant": pl.Float64,
    "unrated": pl.Float64,
    "seen": pl.Float64,
    "answer": pl.String,  # the likeliest word, the class, or the option that was chosen
    "refused": pl.Float64,  # chat only: the share of the answers that were refusals
    "outcome": pl.String,  # chat only: answered, refused or unreadable
}
"""The columns of :attr:`Run.rows`, one row for each prompt.

Estimates rest on ``negative``: P(negative) of a prompt, or 1 and 0 for a classifier. The other
shares are probabilities as the model gave them; they sum up to ``seen``. A causal model has none of
them. A chat model has ``seen``, the probability or share of answers that could be read, and
``unrated``, the share of those that could not; a refusal has no ``negative``.
"""
_OF_CHAT = ("refused", "outcome")
"""Columns that runs of earlier versions do not have."""

CONDITIONS: dict[str, Any] = {
    "condition": pl.String,
    "name": pl.String,
    "category": pl.String,
    "stigmatized": pl.Boolean,
}
"""The columns of :attr:`Run.conditions`."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A model's answers to a probe."""

    name: str
    kind: str
    model: str
    fingerprint: str
    probe: str
    """The id of the probe and its version."""
    rows: pl.DataFrame
    conditions: pl.DataFrame
    """Columns condition, name, category, stigmatized: all that the probe has."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unrated_words: tuple[tuple[str, float], ...] = ()
    created: str = field(
        default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds")
    )
    version: str = __version__


def write_run(run: Run, folder: Path, force: bool = False) -> None:
    """Write a run into a folder of its own, completely or not at all."""
    with atomic_folder(folder, force) as temporary:
        run.rows.write_parquet(temporary / ROWS_FILE)
        about = {
            "format": FORMAT,
            **{name: getattr(run, name) for name in _NAMES},
            "tactful": run.version,
            "settings": dict(run.settings),
            "notes": list(run.notes),
            "unrated_words": [list(pair) for pair in run.unrated_words],
            "conditions": run.conditions.to_dicts(),
        }
        text = json.dumps(about, ensure_ascii=False, indent=1)
        (temporary / RUN_FILE).write_text(text + "\n", encoding="utf-8")


def read_run(folder: Path) -> Run:
    """Read a run back."""
    file = folder / RUN_FILE
    if not file.is_file():
        raise UsageError(
            f"{folder}: found no {RUN_FILE}; expected the folder of an audited model; "
            "see 'tactful audit list'."
        )
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
        rows = pl.read_parquet(folder / ROWS_FILE)
        if about["format"] != FORMAT:
            raise FileFormatError(
                f"{file}: found format {about['format']}; expected {FORMAT}; audit the model again."
            )
        for column in _OF_CHAT:
            if column not in rows.columns:
                rows = rows.with_columns(pl.lit(None, dtype=ROWS[column]).alias(column))
        if dict(rows.schema) != ROWS:
            raise KeyError("the columns of the rows")
        names: dict[str, Any] = {name: str(about[name]) for name in _NAMES}
        return Run(
            **names,
            rows=rows,
            conditions=pl.DataFrame(about["conditions"], schema=CONDITIONS),
            settings=dict(about["settings"]),
            notes=tuple(about["notes"]),
            unrated_words=tuple((str(word), float(p)) for word, p in about["unrated_words"]),
            version=str(about["tactful"]),
        )
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FileFormatError(
            f"{folder}: found a damaged run ({reason}); expected what 'tactful audit' wrote; "
            "audit the model again."
        ) from None


def list_runs(folder: Path) -> list[Run]:
    """Read all runs below a folder, the oldest first."""
    if not folder.is_dir():
        return []
    found = [read_run(file.parent) for file in sorted(folder.glob(f"*/{RUN_FILE}"))]
    return sorted(found, key=lambda run: (run.created, run.name))
