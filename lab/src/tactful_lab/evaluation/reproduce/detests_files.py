"""The submission files of DETESTS: ``NAME_task1_0.csv`` and ``NAME_task2_0.csv``.

The organisers' evaluation (github.com/alarca94/detests) reads ``comment_id``, ``sentence_pos``,
``stereotype`` and, for subtask 2, the ten categories, by the names of the columns; ``tactful
evaluate`` reads ``sentence_id`` in place of the first two. Ours have all of them, so that both can
read one file.
"""

import csv
from collections.abc import Collection, Sequence
from pathlib import Path

from tactful.corpora.detests import CATEGORIES, label_id
from tactful.detectors.stereotype_labels import OTHERS, consistent
from tactful.errors import InputError
from tactful.files import atomic_path
from tactful.types import Example
from tactful.words import counted

PLACE = ("comment_id", "sentence_pos")
COLUMNS = {1: ("stereotype",), 2: ("stereotype", *CATEGORIES)}
"""Subtask -> the label columns of its file, in their order."""


def submission_name(system: str, subtask: int, run: int = 0) -> str:
    """Return the organisers' name for a file.

    >>> submission_name("TFIDF+SVC", 2)
    'TFIDF+SVC_task2_0.csv'
    """
    return f"{system}_task{subtask}_{run}.csv"


def write_submission(
    path: Path,
    examples: Sequence[Example],
    labels: Sequence[Collection[str]],
    subtask: int,
    force: bool = False,
) -> None:
    """Write label sets of a subtask; a category without a stereotype is refused.

    The organisers' evaluation refuses it too. A stereotype without a category is written as it is.
    """
    if len(examples) != len(labels):
        raise InputError(
            f"Found {counted(len(examples), 'sentence')} and {len(labels):,} label sets; "
            "expected one set for each sentence."
        )
    with (
        atomic_path(path, force) as target,
        target.open("w", encoding="utf-8", newline="") as handle,
    ):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(("sentence_id", *PLACE, *COLUMNS[subtask]))
        for example, found in zip(examples, labels, strict=True):
            if not consistent(found) - {OTHERS} <= set(found):
                raise InputError(
                    f"Found the labels {', '.join(sorted(found))} for the sentence {example.id}; "
                    "expected a stereotype wherever there is a category."
                )
            place = [example.meta.get(name, "") for name in PLACE]
            flags = [int(label_id(name) in found) for name in COLUMNS[subtask]]
            writer.writerow((example.id, *place, *flags))
