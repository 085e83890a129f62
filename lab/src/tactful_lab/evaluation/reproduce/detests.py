"""The tables of DETESTS 2022: systems trained here, their submission files, and our numbers."""

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from tactful import __version__
from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, consistent
from tactful.errors import InputError, TactfulError, UsageError
from tactful.settings import Settings
from tactful.words import counted
from tactful_lab.evaluation.evaluate import evaluate
from tactful_lab.evaluation.reproduce.detests_data import DetestsData, read_detests
from tactful_lab.evaluation.reproduce.detests_files import submission_name, write_submission
from tactful_lab.evaluation.reproduce.detests_systems import System, chosen_systems
from tactful_lab.evaluation.reproduce.detests_task import ExampleClassifier
from tactful_lab.evaluation.reproduce.paper_tables import (
    MEASURES,
    DetestsTables,
    load_detests_tables,
)
from tactful_lab.evaluation.reproduce.rows import SystemSettings, with_vectors
from tactful_lab.evaluation.tasks import Options

ANSWER_FILE = "tables.json"
TITLES = {
    1: "Table 3: subtask 1, F1 of the positive class",
    2: "Table 4: subtask 2, ICM, hierarchical F and propensity F",
}
SHORT = {"f1": "F1", "icm": "ICM", "hierarchical_f": "HF", "propensity_f": "Prop-F"}
OnProgress = Callable[[str, int, int], None]
_ANSWERED = frozenset((ROOT, *CATEGORIES))
_IN_JSON = ("subtask", "system", "paper", "ours", "difference")
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class DetestsLine:
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
class DetestsReproduction:
    """The tables of the paper and ours."""

    tables: DetestsTables
    lines: tuple[DetestsLine, ...]
    notes: tuple[str, ...]
    not_run: Mapping[str, str]
    files: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as ``--format json`` prints it."""
        return {
            **self.tables.about(),
            "settings": self.settings,
            "notes": list(self.notes),
            "not_run": dict(self.not_run),
            "files": list(self.files),
            "rows": [
                {name: getattr(line, name) for name in _IN_JSON} | {"reasons": list(line.reasons)}
                for line in self.lines
            ],
        }


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One system: its files by subtask, or why there are none."""

    system: System
    files: dict[int, Path] = field(default_factory=dict)
    seconds: float | None = None
    """Processor time for learning and answering."""
    reason: str | None = None


def _run(system: System, data: DetestsData, settings: SystemSettings, folder: Path) -> SystemRun:
    """Train a system and write its files; one that cannot run does not stop the others."""
    reason = system.reason_not_to_run(settings)
    if reason is not None:
        return SystemRun(system, reason=reason)
    started = process_time()
    try:
        answers = answer(system, data, settings)
    except TactfulError as error:
        return SystemRun(system, reason=str(error))
    seconds = process_time() - started
    files = {}
    for subtask in system.subtasks:
        files[subtask] = folder / submission_name(system.name, subtask)
        write_submission(files[subtask], data.test, answers, subtask)
    return SystemRun(system, files, seconds)


def answer(system: System, data: DetestsData, settings: SystemSettings) -> list[set[str]]:
    """Train a system and return its consistent answers about the test part."""
    made = system.make(settings)
    if isinstance(made, ExampleClassifier):
        found = made.fit_examples(data.train).predict_examples(data.test)
    else:
        made.fit([example.text for example in data.train], data.train_labels())
        found = made.predict([example.text for example in data.test])
    if len(found) != len(data.test):
        raise InputError(
            f"The system {system.name} gave {counted(len(found), 'answer')}; expected one for "
            f"each of {counted(len(data.test), 'sentence')}."
        )
    # The files have the stereotype and its categories; what else a system says is not asked for.
    return [consistent(labels) & _ANSWERED for labels in found]


def reproduce_detests(
    data: Path | None,
    names: Sequence[str],
    *,
    seed: int = 1,
    vectors: Path | None = None,
    encoder: str | None = None,
    download: bool = False,
    training: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    settings: Settings | None = None,
    on_progress: OnProgress = lambda *_: None,
) -> DetestsReproduction:
    """Train systems, write their submission files, and measure these as ``evaluate`` does.

    encoder, download, training: the encoder of the rows that need one, whether it may be fetched,
    and changed settings. folder: where the submission files and :data:`ANSWER_FILE` go; None keeps
    no files.
    """
    chosen = chosen_systems(names)
    read = read_detests(data, settings)
    if read.gold is None and folder is None:
        raise UsageError(
            "Found no gold file, so that nothing can be measured; add it to the folder (gold.csv "
            "or test_full.csv), or pass --output DIR to write the submission files."
        )
    asked = SystemSettings(seed, None, encoder, download, dict(training or {}))
    notes = list(read.notes)
    if vectors is not None:
        texts = [example.text for example in (*read.train, *read.test)]
        asked, note = with_vectors(asked, vectors, texts)
        notes.append(note)
    tables = load_detests_tables()
    runs = []
    with tempfile.TemporaryDirectory(prefix="tactful-") as scratch:
        for at, system in enumerate(chosen):
            on_progress("Systems", at, len(chosen))
            runs.append(_run(system, read, asked, folder or Path(scratch)))
        on_progress("Systems", len(chosen), len(chosen))
        lines = _measured(read, runs, tables, Path(scratch))
    notes += _notes(read, tables)
    files = sorted(path.name for run in runs for path in run.files.values())
    found = DetestsReproduction(
        tables,
        tuple(lines),
        tuple(notes),
        {run.system.name: run.reason for run in runs if run.reason is not None},
        tuple(files) if folder is not None else (),
        {
            "systems": [system.name for system in chosen],
            "seed": seed,
            "vectors": vectors.name if vectors else None,
            "encoder": encoder,
            "training": dict(training or {}),
            "train": len(read.train),
            "test": len(read.test),
            "seconds": {
                run.system.name: round(run.seconds, 3) for run in runs if run.seconds is not None
            },
            "tactful": __version__,
        },
    )
    if folder is not None:
        text = json.dumps(found.as_json(), ensure_ascii=False, indent=2)
        (folder / ANSWER_FILE).write_text(text + "\n", encoding="utf-8")
    return found


def _notes(data: DetestsData, tables: DetestsTables) -> list[str]:
    notes = []
    if data.gold is None:
        notes.append("There is no gold file: submission files are written, nothing is measured.")
    elif not data.gold_has_categories:
        notes.append("Gold has no categories: subtask 1 is measured, subtask 2 is not.")
    if len(data.test) != tables.items:
        notes.append(
            f"The test part here has {counted(len(data.test), 'sentence')}, the paper's "
            f"{tables.items:,}: its numbers are of other data than ours."
        )
    notes.append(
        "Ours name 'others' where a stereotype is found and no category; the paper's baselines may "
        "have left it without one, so rows of subtask 2 can differ."
    )
    return notes


def _measured(
    data: DetestsData, runs: Sequence[SystemRun], tables: DetestsTables, scratch: Path
) -> list[DetestsLine]:
    """Return the paper's rows beside ours, then the rows that only we have."""
    lines: list[DetestsLine] = []
    for subtask in TITLES:
        gold = None
        if data.gold is not None and (subtask == 1 or data.gold_has_categories):
            gold = scratch / f"gold_task{subtask}.csv"
            write_submission(gold, data.test, data.gold, subtask)
        shown = set()
        for row in tables.of(subtask):
            shown.add(row.name)
            ours, reasons = _ours(subtask, row.name, row.kind, runs, gold)
            lines.append(DetestsLine(subtask, row.name, row.values(subtask), ours, reasons))
        for run in runs:
            if run.system.name not in shown and subtask in run.system.subtasks:
                ours, reasons = _ours(subtask, run.system.name, "", runs, gold)
                lines.append(DetestsLine(subtask, run.system.name, None, ours, reasons))
    return lines


def _ours(
    subtask: int, name: str, kind: str, runs: Sequence[SystemRun], gold: Path | None
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
    """Measure a submission file as ``tactful evaluate`` does."""
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
