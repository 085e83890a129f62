"""The systems of ``tactful reproduce detests``, by the names of the paper; a new one is one line.

Libraries are imported when a row is run, so that a row that needs an extra does not stop the
others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.load import load_detector
from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, decide, label_sets
from tactful.errors import UsageError
from tactful.types import Example
from tactful_lab.evaluation.reproduce.detests_task import (
    ExampleClassifier,
    Joint,
    StereotypeClassifier,
    TwoStage,
)
from tactful_lab.evaluation.reproduce.rows import (
    NO_ENCODER,
    NO_VECTORS,
    SystemSettings,
    chosen_names,
    with_extra,
)

Classifier = StereotypeClassifier | ExampleClassifier
BASELINES, SWITCHES, ENCODERS = "baselines", "switches", "encoders"
EMBEDDED = "default-es"
"""The embedded detector, by the name of its folder."""


@dataclass(frozen=True, slots=True)
class System:
    """One row: its name, the function that builds its classifier, and where it is ranked."""

    name: str
    build: Callable[[SystemSettings], Classifier]
    subtasks: tuple[int, ...] = (1, 2)
    needs_vectors: bool = False
    needs_encoder: bool = False
    switches: tuple[str, ...] | None = None
    """The switches of the trainer of stereotypes, where the system is one."""

    def reason_not_to_run(self, settings: SystemSettings) -> str | None:
        """Say what the user has to give before this row can run."""
        if self.needs_encoder and settings.encoder is None:
            return NO_ENCODER
        return NO_VECTORS if self.needs_vectors and settings.vectors is None else None

    def make(self, settings: SystemSettings) -> Classifier:
        """Build the classifier; a missing library is a :class:`MissingExtraError`."""
        return with_extra(f"The system {self.name}", lambda: self.build(settings))


def _all_ones(settings: SystemSettings) -> TwoStage:
    from tactful.detectors.models.baselines import AllOnes

    return TwoStage(lambda stage: AllOnes())


def _all_zeros(settings: SystemSettings) -> TwoStage:
    from tactful.detectors.models.baselines import AllZeros

    return TwoStage(lambda stage: AllZeros())


def _random(settings: SystemSettings) -> TwoStage:
    from tactful.detectors.models.baselines import PriorRandom

    # Draws depend on seed, column and text. With the same seed in both stages, the first category
    # would be drawn with the number that made the sentence a stereotype.
    return TwoStage(lambda stage: PriorRandom(random_state=2 * settings.seed + stage))


def _tfidf_svc(settings: SystemSettings) -> TwoStage:
    """Build "TFIDF+SVC": 10,000 n-grams of 1 to 3 words, no accents, an SVC of linear kernel.

    An SVC and not a LinearSVC, which has another loss and keeps the intercept small: section 5.1
    says "a Support Vector Classifier (SVC) with a linear kernel".
    """
    from tactful.detectors.models.tfidf import DETESTS, TfidfSvm

    return TwoStage(lambda stage: TfidfSvm(**DETESTS, random_state=settings.seed))


def _fasttext_svc(settings: SystemSettings) -> TwoStage:
    """Build "FastText+SVC": the mean of the words' vectors and an SVC of linear kernel."""
    from tactful.detectors.models.vectors import DETESTS, VectorsSvm

    vectors = settings.vectors
    if vectors is None:
        raise UsageError("The system FastText+SVC needs word vectors; pass --vectors FILE.")
    return TwoStage(lambda stage: VectorsSvm(vectors, **DETESTS, random_state=settings.seed))


class SwitchedSystem:
    """The trainer of stereotypes with some switches, as an ``ExampleClassifier``."""

    def __init__(self, names: Sequence[str], seed: int = 1):
        from tactful_lab.training.stereotypes.switches import Switches
        from tactful_lab.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings

        self.trainer = StereotypeTrainer(TrainerSettings(Switches.of(names), seed=seed))

    def fit_examples(self, examples: Sequence[Example]) -> Self:
        """Learn from sentences with their labels, annotators, comments and attributes."""
        from tactful_lab.training.stereotypes.corpora import detests_examples

        self.trainer.fit(detests_examples(examples))
        return self

    def predict_examples(self, examples: Sequence[Example]) -> list[set[str]]:
        """Return the labels of each sentence: first whether, then which (section 5.1)."""
        from tactful_lab.training.stereotypes.corpora import detests_contexts

        texts = [each.text for each in examples]
        found = self.trainer.predict_proba(texts, detests_contexts(examples)).T
        names, limits = self.trainer.labels_, self.trainer.thresholds().tolist()
        thresholds = dict(zip(names, limits, strict=True))
        return label_sets(decide(dict(zip(names, found, strict=True)), thresholds, "two-stage"))


class EmbeddedSystem:
    """The embedded Spanish detector, which is not trained on the training part."""

    def fit_examples(self, examples: Sequence[Example]) -> Self:
        """Open the detector."""
        self.detector_ = load_detector(lang="es")
        return self

    def predict_examples(self, examples: Sequence[Example]) -> list[set[str]]:
        """Return the labels of each sentence, by the thresholds of the card."""
        scores = self.detector_.score([each.text for each in examples])
        columns = {name: scores[name] for name in (ROOT, *CATEGORIES)}
        thresholds = {name: self.detector_.card.threshold(name) for name in columns}
        return label_sets(decide(columns, thresholds, "two-stage"))


def _encoder(settings: SystemSettings, seed: int, **how: Any) -> Any:
    """Build an encoder with the settings of the papers' BERT, or with the user's."""
    from tactful_lab.training.stereotypes.encoder import StereotypeEncoder

    # Adapters begin as nothing and learn at a higher rate than the whole encoder.
    rate = {"rate": 1e-4} if {"adapters", "lora"} & set(how) else {}
    chosen = {"random_state": seed, "download": settings.download, **rate, **how}
    return StereotypeEncoder(str(settings.encoder), **{**chosen, **settings.training})


class CategoryModel:
    """A head for each category (MALNIS); the first column that such an encoder wants is made."""

    def __init__(self, model: Any):
        self.model = model

    def fit(self, texts: Sequence[str], labels: Any) -> Self:
        """Learn the categories."""
        table = np.asarray(labels)
        self.model.fit(texts, np.concatenate([table.any(axis=1, keepdims=True), table], axis=1))
        return self

    def predict(self, texts: Sequence[str]) -> NDArray[Any]:
        """Return the categories."""
        found: NDArray[Any] = self.model.predict(texts)[:, 1:]
        return found


class MeanModel:
    """Several encoders with different seeds, whose probabilities are averaged (I2C)."""

    def __init__(self, models: Sequence[Any]):
        self.models = models

    def fit(self, texts: Sequence[str], labels: Any) -> Self:
        """Learn each."""
        self.several_ = np.ndim(labels) > 1
        for model in self.models:
            model.fit(texts, labels)
        return self

    def predict(self, texts: Sequence[str]) -> NDArray[Any]:
        """Say where the mean probability is above one half."""
        mean = np.mean([model.predict_proba(texts) for model in self.models], axis=0)
        return np.asarray(mean if self.several_ else mean[:, 1]) > 0.5


def _encoders(name: str, **how: Any) -> System:
    def build(settings: SystemSettings) -> TwoStage:
        return TwoStage(lambda stage: _encoder(settings, settings.seed, **how))

    return System(name, build, needs_encoder=True)


def _encoder_heads(settings: SystemSettings) -> Joint:
    return Joint(lambda stage: CategoryModel(_encoder(settings, settings.seed, heads=True)))


def _encoder_ensemble(settings: SystemSettings) -> TwoStage:
    """Build three encoders, each trained on as many positive as negative examples."""
    seeds = [3 * settings.seed + at for at in range(3)]
    return TwoStage(
        lambda stage: MeanModel([_encoder(settings, seed, sampling="balanced") for seed in seeds])
    )


def _switched(name: str, *switches: str) -> System:
    return System(name, lambda given: SwitchedSystem(switches, given.seed), switches=switches)


_LINGUISTIC = ("characters", "linguistic", "negation")
SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("AllOnes", _all_ones),
        # Section 5.1 has AllZeros in subtask 2 only: its F1 in subtask 1 is 0.
        System("AllZeros", _all_zeros, subtasks=(2,)),
        System("RandomClassifier", _random),
        System("TFIDF+SVC", _tfidf_svc),
        System("FastText+SVC", _fasttext_svc, needs_vectors=True),
        _switched("base"),
        _switched("characters", "characters"),
        # I2C balanced, translated and combined models for the binary label only.
        _switched("under-bagging", "under-bagging"),
        _switched("over-sampling", "over-sampling"),
        _switched("back-translation", "back-translation"),
        _switched("ensemble", "under-bagging", "ensemble"),
        # UMUTeam integrated knowledge in one model, and in an ensemble of kinds of features.
        _switched("linguistic", *_LINGUISTIC),
        _switched("linguistic-ensemble", *_LINGUISTIC, "by-ensemble"),
        # Lak_NLP predicted implicitness and racial target.
        _switched("meta", "meta"),
        _switched("soft-labels", "soft-labels"),
        _switched("context", "context"),
        _encoders("encoder"),
        # DaMinCi put bottlenecks between the layers of a frozen RoBERTa.
        _encoders("encoder-adapters", adapters=True),
        _encoders("encoder-lora", lora=True),
        System("encoder-heads", _encoder_heads, needs_encoder=True),
        System("encoder-ensemble", _encoder_ensemble, needs_encoder=True),
        System(EMBEDDED, lambda _: EmbeddedSystem()),
    )
}
GROUPS = {
    BASELINES: ("AllOnes", "AllZeros", "RandomClassifier", "TFIDF+SVC", "FastText+SVC"),
    SWITCHES: tuple(name for name, system in SYSTEMS.items() if system.switches is not None),
    ENCODERS: tuple(name for name, system in SYSTEMS.items() if system.needs_encoder),
    "all": tuple(SYSTEMS),
}
"""Names that stand for several systems."""


def chosen_systems(names: Sequence[str]) -> list[System]:
    """Return the systems that names and groups stand for, each once, in the order of the list."""
    return [SYSTEMS[name] for name in chosen_names("system", names, SYSTEMS, GROUPS)]
