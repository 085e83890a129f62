"""crowd-kit's table ``task,worker,label``: a CSV file for each question.

A question with several answers becomes a table for each option, with 1 and 0.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tactful.annotation.formats.annotated import Annotated, Source
from tactful.annotation.formats.cells import write_table
from tactful.annotation.formats.losses import Loss, Lost, losses
from tactful.annotation.formats.names import safe_names
from tactful.annotation.protocol.records import Question

_OWN_WORDS = ("answers in people's own words", "each table is about one option")
HEADER = ("task", "worker", "label")


def write_crowd_kit(source: Source, folder: Path) -> list[Loss]:
    """Write ``STEP/QUESTION.csv``, and ``STEP/QUESTION/OPTION.csv`` for several answers."""
    records = list(source.judged())
    lost: Lost = Counter({_OWN_WORDS: 0})
    for step in source.protocol.steps:
        mine = [each for each in records if each.step == step.id]
        names = safe_names([step.id, *(each.id for each in step.questions)])
        for question in filter(_carried, step.questions):
            place = folder / names[step.id] / names[question.id]
            given = list(_given(mine, question.id))
            if not given:
                continue
            if question.kind != "choices":
                path = place.with_name(f"{place.name}.csv")
                write_table(source, path, HEADER, given, lost)
                continue
            values = [option.value for option in question.options]
            own = sum(word not in values for _, _, answer in given for word in answer)
            lost[_OWN_WORDS] += own
            for value, name in safe_names(values).items():
                rows = ((task, worker, int(value in answer)) for task, worker, answer in given)
                write_table(source, place / f"{name}.csv", HEADER, rows, lost)
    why = "the format holds one label per item"
    return losses(source, ("people",), lambda _step, question: _carried(question), lost, why)


def _carried(question: Question) -> bool:
    return question.kind in ("choice", "choices", "scale") and question.per is None


def _given(records: list[Annotated], question: str) -> Iterator[tuple[str, str, Any]]:
    for record in records:
        for each in record.counted:
            if each.answers.get(question) is not None:
                yield record.id, each.annotator, each.answers[question]
