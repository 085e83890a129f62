"""Train systems of DETESTS and write what they answer as official submission files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from tactful.detectors.models.vectors import coverage, read_vectors
from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, consistent
from tactful.errors import InputError, TactfulError
from tactful.evaluation.reproduce.detests_data import DetestsData
from tactful.evaluation.reproduce.detests_files import submission_name, write_submission
from tactful.evaluation.reproduce.detests_systems import System, SystemSettings
from tactful.evaluation.reproduce.detests_task import ExampleClassifier
from tactful.words import counted

OnProgress = Callable[[str, int, int], None]
_ANSWERED = frozenset((ROOT, *CATEGORIES))


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One system: its files by subtask, or why there are none."""

    system: System
    files: dict[int, Path] = field(default_factory=dict)
    seconds: float | None = None
    """Processor time for learning and answering."""
    reason: str | None = None


def with_vectors(
    settings: SystemSettings, path: Path, data: DetestsData
) -> tuple[SystemSettings, str]:
    """Read the vectors of the corpus' words once, and say how much of the sentences they know."""
    texts = [example.text for example in (*data.train, *data.test)]
    read = read_vectors(path, texts)
    return replace(settings, vectors=read), f"Vectors: {path.name}, {coverage(read, texts)}."


def run_systems(
    systems: Sequence[System],
    data: DetestsData,
    settings: SystemSettings,
    folder: Path,
    on_progress: OnProgress | None = None,
) -> list[SystemRun]:
    """Train each system and write its files; one that cannot run says why and the others go on."""
    runs = []
    for at, system in enumerate(systems):
        if on_progress is not None:
            on_progress("Systems", at, len(systems))
        runs.append(_run(system, data, settings, folder))
    if on_progress is not None:
        on_progress("Systems", len(systems), len(systems))
    return runs


def _run(system: System, data: DetestsData, settings: SystemSettings, folder: Path) -> SystemRun:
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
