"""The labels of a project as training data.

Hard labels are the combined ones, a row for each item whose label is clear. Soft labels keep the
disagreement: an item has a row for each of its judgements, so that a model learns the share of
annotators who said yes, and its probability means that share.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

from tactful.annotation.learning.targets import Judged, judged_items, learnt_step, targets_of
from tactful.annotation.project.project import Project
from tactful.annotation.protocol.records import Step
from tactful.errors import InputError
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.training.task_data import TaskData

Kind = Literal["hard", "soft"]


def project_task(
    project: Project,
    kind: Kind = "hard",
    step: str | None = None,
    *,
    validation: float = 0.1,
    seed: int = 1,
) -> "TaskData":
    """Return what a project has labelled, for :func:`tactful.training.task_training.train_task`.

    Parameters
    ----------
    project
        The project; it may be open for reading only.
    kind
        ``hard`` or ``soft``.
    step
        The step to learn; by default the first one with options to choose.
    validation, seed
        The share of the texts that is held out, and the seed of the split. Items with the same
        ``group`` in their metadata, such as an article, are in the same part.

    """
    from tactful.training.task_data import own_task

    chosen = learnt_step(project.protocol, step)
    with project.lock:
        judged = judged_items(project.state, chosen)
    done = [each for each in judged if each.is_done]
    rows = _hard(done) if kind == "hard" else _soft(done)
    if not rows:
        raise InputError(
            f"{project.folder}: found no finished item in the step '{chosen.id}' "
            f"({counted(len(judged), 'item')} with judgements); expected some; collect more "
            "judgements."
        )
    table = np.array([labels for _, labels in rows], dtype=np.bool_)
    ids = [target.id for target in targets_of(chosen)]
    kept = np.flatnonzero(table.any(axis=0) & ~table.all(axis=0))
    if not len(kept):
        raise InputError(
            f"{project.folder}: found the same answers for all {len(done):,} finished items of the "
            f"step '{chosen.id}'; expected some of each kind; collect more judgements."
        )
    return own_task(
        f"annotations of the project {project.name!r}, step {chosen.id!r}, {kind} labels",
        [ids[at] for at in kept],
        [each.item.text for each, _ in rows],
        table[:, kept],
        [each.item.meta.get("group", each.item.id) for each, _ in rows],
        lang=project.protocol.lang,
        validation=validation,
        seed=seed,
    )


def left_out(step: Step, ids: tuple[str, ...]) -> list[str]:
    """Return the targets of a step that are not among those that can be learnt."""
    return [target.id for target in targets_of(step) if target.id not in ids]


def _hard(judged: list[Judged]) -> list[tuple[Judged, list[bool]]]:
    return [
        (each, [bool(value) for value in each.label])
        for each in judged
        if all(value is not None for value in each.label)
    ]


def _soft(judged: list[Judged]) -> list[tuple[Judged, list[bool]]]:
    return [
        (each, [value is not None and value >= 0.5 for value in one])
        for each in judged
        for one in each.judgements
        if any(value is not None for value in one)
    ]
