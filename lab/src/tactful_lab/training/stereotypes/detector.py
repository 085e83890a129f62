"""Turns a trained lesson into the folder of a detector: words, weights and a card.

Bags, soft labels, translations and ensembles change how the weights are learnt, not what they are:
one sum over words for each label. Other switches need features that the folder cannot hold, and
are for experiments only.
"""

from pathlib import Path
from typing import Any

import numpy as np

from tactful.detectors.card import Card
from tactful.detectors.models.svm import Machine
from tactful.detectors.models.tfidf import TfidfDetector
from tactful.errors import UsageError
from tactful.training.calibrate import figures_of
from tactful.training.task_training import NOT_FOR
from tactful_lab.training.stereotypes.data import StereotypeLesson
from tactful_lab.training.stereotypes.trainer import StereotypeTrainer

VERSION = "1"
PART = "held out in turn, group by group (calibration and threshold were chosen there)"


def stereotype_detector(
    trainer: StereotypeTrainer,
    lesson: StereotypeLesson,
    *,
    name: str = "stereotypes",
    command: str = "",
) -> TfidfDetector:
    """Turn what was learnt from a lesson into a detector with its card."""
    experimental = trainer.settings.switches.experimental()
    if experimental:
        raise UsageError(
            f"Found the switches {', '.join(experimental)}, which are for experiments only; "
            "expected those that a saved detector can have; leave them out or use the library."
        )
    ids, limits, figures = trainer.labels_, [], []
    machines, thresholds, calibration = [], {}, {}
    for at, (label, model) in enumerate(zip(ids, trainer.models_, strict=True)):
        learnt = model.sums[0]
        support = learnt.weights.reshape(1, -1)
        slope, offset = round(model.slope, 6), round(model.offset, 6)
        machines.append(
            Machine("linear", 1.0, support, np.ones(1), learnt.intercept, slope, offset)
        )
        calibration[label] = (slope, offset)
        thresholds[label] = round(model.threshold, 4)
        if len(model.outside):
            gold = lesson.table[:, at].astype(np.int64)
            figures += figures_of(label, gold, model.outside, thresholds[label])
        else:
            limits.append(f"'{label}' was neither calibrated nor measured: too few texts to do so.")
    card = Card(
        name=name,
        version=VERSION,
        ids=ids,
        kind="tfidf",
        lang="es",
        summary="Words and a weight for each, learnt with the ideas of DETESTS' participants.",
        thresholds=thresholds,
        calibration=calibration,
        licence="; ".join(f"that of its corpus: {each.get('terms')}" for each in lesson.about)
        or "that of the data it learnt from",
        corpora=lesson.about,
        training=_training(trainer, lesson, command),
        figures=tuple({**figure, "part": PART} for figure in figures),
        limits=("It knows words, not what they mean together.", *limits),
        not_for=NOT_FOR,
    )
    return TfidfDetector(trainer.maker_.terms_, machines, card)


def save_stereotypes(
    trainer: StereotypeTrainer,
    lesson: StereotypeLesson,
    output: Path,
    *,
    name: str = "stereotypes",
    command: str = "",
    force: bool = False,
) -> Card:
    """Write the folder that ``load_detector`` opens; return its card."""
    detector = stereotype_detector(trainer, lesson, name=name, command=command)
    detector.save(output, force)
    return detector.card


def _training(trainer: StereotypeTrainer, lesson: StereotypeLesson, command: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "command": command,
        "seed": trainer.settings.seed,
        "settings": trainer.settings.described(),
        "data sha256": lesson.fingerprint(),
        "texts learnt from": len(lesson.texts),
    }
    if trainer.translated_ is not None:
        found["back-translation"] = trainer.translated_.summary()
    return found
