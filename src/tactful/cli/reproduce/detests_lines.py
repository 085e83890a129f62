"""The tables of DETESTS beside ours: submission files, measured as ``tactful evaluate`` does."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.detests_data import DetestsData
    from tactful.evaluation.reproduce.detests_run import SystemRun
    from tactful.evaluation.reproduce.detests_tables import DetestsTables

SCHEMA_VERSION = 1
TITLES = {
    1: "Table 3: subtask 1, F1 of the positive class",
    2: "Table 4: subtask 2, ICM, hierarchical F and propensity F",
}
SHORT = {"f1": "F1", "icm": "ICM", "hierarchical_f": "HF", "propensity_f": "Prop-F"}

Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Line:
    """One system in one table: the paper's numbers, ours, or why there are none of ours."""

    subtask: int
    system: str
    paper: Mapping[str, float] | None = None
    ours: Values | None = None
    reasons: tuple[str, ...] = ()
    """Why there are no numbers of ours, or why one of them is undefined."""

    @property
    def difference(self) -> Values | None:
        """Ours minus the paper's."""
        if self.paper is None or self.ours is None:
            return None
        return {
            name: None if value is None else value - self.paper[name]
            for name, value in self.ours.items()
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that is printed and written."""

    tables: "DetestsTables"
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    not_run: Mapping[str, str]
    files: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as ``--format json`` prints it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "table": self.tables.id,
            "title": self.tables.title,
            "paper": self.tables.paper,
            "place": self.tables.place,
            "settings": self.settings,
            "notes": list(self.notes),
            "not_run": dict(self.not_run),
            "files": list(self.files),
            "rows": [
                {
                    "subtask": line.subtask,
                    "system": line.system,
                    "paper": None if line.paper is None else dict(line.paper),
                    "ours": line.ours,
                    "difference": line.difference,
                    "reasons": list(line.reasons),
                }
                for line in self.lines
            ],
        }


def measured(
    data: "DetestsData", runs: "Sequence[SystemRun]", tables: "DetestsTables"
) -> list[Line]:
    """Lay the paper's rows beside ours, then the rows that only we have."""
    from tactful.evaluation.reproduce.detests_files import write_submission

    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="tactful-") as name:
        for subtask in TITLES:
            gold = None
            if data.gold is not None and (subtask == 1 or data.gold_has_categories):
                gold = Path(name) / f"gold_task{subtask}.csv"
                write_submission(gold, data.test, data.gold, subtask)
            shown = set()
            for row in tables.of(subtask):
                shown.add(row.name)
                ours, reasons = _ours(subtask, row.name, row.kind, runs, gold)
                lines.append(Line(subtask, row.name, row.values(subtask), ours, reasons))
            for run in runs:
                if run.system.name not in shown and subtask in run.system.subtasks:
                    ours, reasons = _ours(subtask, run.system.name, "", runs, gold)
                    lines.append(Line(subtask, run.system.name, None, ours, reasons))
    return lines


def _ours(
    subtask: int, name: str, kind: str, runs: "Sequence[SystemRun]", gold: Path | None
) -> tuple[Values | None, tuple[str, ...]]:
    if kind == "participant":
        return None, ("a participant's own system",)
    run = next((run for run in runs if run.system.name == name), None)
    if kind != "gold" and run is None:
        return None, ("not asked for",)
    if run is not None and run.reason is not None:
        return None, (run.reason,)
    if gold is None:
        return None, ("there is no gold of this subtask",)
    return _evaluate(subtask, gold, gold if run is None else run.files[subtask])


def _evaluate(subtask: int, gold: Path, guess: Path) -> tuple[Values, tuple[str, ...]]:
    """Measure a submission file with the very code of ``tactful evaluate``."""
    from tactful.cli.evaluate.command import evaluate
    from tactful.evaluation.reproduce.detests_tables import MEASURES
    from tactful.evaluation.tasks import Options

    answer = evaluate(
        f"detests-{subtask}", gold, guess, options=Options(), metrics=MEASURES[subtask]
    )
    found = {each["name"]: each for each in answer["metrics"]}
    values = {name: found[name]["value"] for name in MEASURES[subtask]}
    reasons = [
        f"{SHORT[name]} is undefined: {each['reason']}"
        for name, each in found.items()
        if each["value"] is None
    ]
    return values, tuple(reasons)
