"""From a task's data to the folder of a detector: trained, exported, calibrated and measured.

The exported detector is measured, opened from its folder, not the model in memory.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tactful.detectors.base import Detector, sigmoid
from tactful.detectors.card import Card, write_card
from tactful.detectors.load import load_detector
from tactful.errors import InputError, MissingExtraError, UsageError
from tactful.files import atomic_folder
from tactful.registry import Registry
from tactful.training.calibrate import best_threshold, figures_of, platt
from tactful.training.task_data import TaskData

_CLASSES: Registry[Callable[..., Any]] = Registry(
    "model",
    {
        "tfidf": "tactful.detectors.models.tfidf:TfidfSvm",
        "vectors": "tactful.detectors.models.vectors:VectorsSvm",
        "bilstm": "tactful.training.bilstm.train:BiLstm",
        "encoder": "tactful.training.finetune:FineTuned",
    },
)
MODELS = _CLASSES.built_in
LEARNT_IN_EPOCHS = ("bilstm", "encoder")
CHECKPOINT_FILE = "checkpoint.safetensors"
DETECTOR_FOLDER = "detector"
PART = "validation (calibration and threshold were chosen there)"
NOT_FOR = (
    "Removing texts or punishing people without a person's decision.",
    "Judging the person who wrote a text.",
)
DATA_MAP = ("id", "label", "region", "confidence", "variability", "correctness", "text")
_NEEDED = ("torch", "transformers", "safetensors", "onnx")


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Which model to train, and its settings."""

    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the model's class."""
    precision: str = "int8"
    command: str = ""
    seed: int = 1
    recipe: str | None = None
    transformers: Path | None = None
    """Where an encoder is also written for transformers."""

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise UsageError(f"Found --model {self.model}; expected {', '.join(MODELS)}.")


def require_extra(model: str) -> None:
    """Refuse a model that the installed libraries cannot train."""
    if model in LEARNT_IN_EPOCHS and any(find_spec(name) is None for name in _NEEDED):
        purpose = "Training a BiLSTM" if model == "bilstm" else "Fine-tuning an encoder"
        raise MissingExtraError("train", purpose)


def train_task(
    data: TaskData,
    chosen: TrainingOptions,
    output: Path,
    work: Path,
    *,
    force: bool = False,
    on_epoch: Callable[[Any], None] = lambda _: None,
    on_step: Callable[[int, int, float], None] = lambda *_: None,
    on_map: Callable[[list[tuple[object, ...]]], None] | None = None,
) -> Card | None:
    """Train a detector and write its folder; return its card.

    ``work`` keeps the checkpoint of an interrupted run, and is removed when the run is complete.
    Where several processes train together, only the first one writes; the others return None.
    ``on_map`` gets the rows of the data map of a network, with the columns :data:`DATA_MAP`.
    """
    texts, labels = data.train()
    _check_labels(data)
    model = make_model(chosen)
    if chosen.model in LEARNT_IN_EPOCHS:
        from tactful.training import together

        how = {"folder": work, "on_epoch": on_epoch, "on_step": on_step}
        how |= {"map_data": on_map is not None}
        with together.joined() as first:
            model.fit(texts, labels if len(data.ids) > 1 else labels[:, 0], **how)
        if not first:
            return None
    else:
        model.fit(texts, labels if len(data.ids) > 1 else labels[:, 0])
    folder = work / DETECTOR_FOLDER
    write_detector(model, data, chosen, folder)
    card = measured(load_detector(folder), data)
    write_card(card, folder)
    if on_map is not None:
        on_map(data_map_rows(model, data))
    if chosen.transformers is not None:
        model.save_pretrained(chosen.transformers, data.ids, force=force)
    with atomic_folder(output, force) as target:
        shutil.copytree(folder, target, dirs_exist_ok=True)
    clear_work(work)
    return card


def make_model(chosen: TrainingOptions) -> Any:
    """Build the chosen model, with ``fit`` and ``predict_proba``."""
    require_extra(chosen.model)
    return _CLASSES.get(chosen.model)(**chosen.settings)


def write_detector(model: Any, data: TaskData, chosen: TrainingOptions, folder: Path) -> None:
    """Write a trained model as a folder that ``load_detector`` opens."""
    about: dict[str, Any] = {
        "name": f"{data.name}-{chosen.model}",
        "lang": data.lang,
        "licence": data.licence,
        "corpora": data.corpora,
        "not_for": NOT_FOR,
        "training": {
            "command": chosen.command,
            "seed": chosen.seed,
            "recipe": chosen.recipe,
            "data sha256": data.fingerprint(),
            "texts learnt from": int((~data.held_out).sum()),
            "texts held out": int(data.held_out.sum()),
        },
    }
    if chosen.model == "tfidf":
        from tactful.detectors.models.tfidf import tfidf_detector

        tfidf_detector(model, data.ids, **about).save(folder, force=True)
    elif chosen.model == "vectors":
        from tactful.detectors.models.vectors import vectors_detector

        vectors_detector(model, data.ids, **about).save(folder, force=True)
    elif chosen.model == "bilstm":
        model.export(folder, data.ids, force=True, about=about)
    else:
        model.export(folder, data.ids, precision=chosen.precision, force=True, about=about)


def measured(detector: Detector, data: TaskData) -> Card:
    """Return the card with calibration, thresholds and figures, from the texts held out.

    A detector that gives its log-odds is calibrated here (Platt). An id without a yes and a no
    among the held-out texts keeps what it has, and the card says so.
    """
    texts, labels = data.validation()
    logits = getattr(detector, "logits", None)
    found = None if logits is None else logits(texts).astype(np.float64)
    scores = detector.score(texts)
    calibration = dict(detector.card.calibration)
    thresholds: dict[str, float] = {}
    figures: list[dict[str, Any]] = []
    limits = list(detector.card.limits)
    for at, name in enumerate(data.ids):
        gold = labels[:, at].astype(np.int64)
        if gold.all() or not gold.any():
            limits.append(f"'{name}' was neither calibrated nor measured: too few texts to do so.")
            continue
        probabilities = scores[name].astype(np.float64)
        if found is not None:
            slope, intercept = platt(found[:, at], gold.astype(np.float64))
            calibration[name] = (round(slope, 4), round(intercept, 4))
            probabilities = sigmoid(slope * found[:, at] + intercept)
        thresholds[name] = round(best_threshold(probabilities), 4)
        figures += figures_of(name, gold, probabilities, thresholds[name])
    return replace(
        detector.card,
        calibration=calibration,
        thresholds=thresholds,
        figures=tuple({**figure, "part": PART} for figure in figures),
        limits=tuple(limits),
    )


def data_map_rows(model: Any, data: TaskData) -> list[tuple[object, ...]]:
    """Say how easily each text was learnt, by id, those that were never learnt first."""
    texts, labels = data.train()
    rows: list[tuple[object, ...]] = []
    for column, (name, found) in enumerate(zip(data.ids, model.data_maps_, strict=True)):
        regions = found.regions()
        for at in np.argsort(found.confidence, kind="stable"):
            measures = (found.confidence[at], found.variability[at], found.correctness[at])
            row = model.learnt_[at]
            shown = [f"{each:.4f}" for each in measures]
            rows.append((name, int(labels[row, column]), regions[at], *shown, texts[row]))
    return rows


def clear_work(work: Path) -> None:
    """Remove what a run keeps in its work folder, and the folder if nothing else is in it."""
    (work / CHECKPOINT_FILE).unlink(missing_ok=True)
    shutil.rmtree(work / DETECTOR_FOLDER, ignore_errors=True)
    if work.is_dir() and not any(work.iterdir()):
        work.rmdir()


def _check_labels(data: TaskData) -> None:
    _, labels = data.train()
    for at, name in enumerate(data.ids):
        yes = int(labels[:, at].sum())
        if not yes:
            raise InputError(
                f"Found no text with '{name}' among the {len(labels):,} to learn from; expected "
                "some; leave the id out or bring more texts."
            )
    if labels.all():
        raise InputError(
            f"Found every label in all of the {len(labels):,} texts to learn from; expected texts "
            "without it, too."
        )
