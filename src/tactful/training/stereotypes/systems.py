"""The participants' ideas as systems of ``tactful reproduce detests``: one factory for each row.

``factory(NAME)`` would do, but a registry names its entries as ``module:function``.
"""

from collections.abc import Sequence
from typing import Protocol, Self

from tactful.detectors.load import load_detector
from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, decide, label_sets
from tactful.training.stereotypes.corpora import detests_contexts, detests_examples
from tactful.training.stereotypes.switches import Switches
from tactful.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings
from tactful.types import Example


class Seeded(Protocol):
    """What a factory needs of the settings of a run."""

    @property
    def seed(self) -> int:
        """For what is random."""
        ...


class SwitchedSystem:
    """The trainer with some switches, in the shape of an ``ExampleClassifier`` of the task."""

    def __init__(self, names: Sequence[str], seed: int = 1):
        self.settings = TrainerSettings(Switches.of(names), seed=seed)

    def fit_examples(self, examples: Sequence[Example]) -> Self:
        """Learn from sentences with their labels, annotators, comments and attributes."""
        self.trainer_ = StereotypeTrainer(self.settings).fit(detests_examples(examples))
        return self

    def predict_examples(self, examples: Sequence[Example]) -> list[set[str]]:
        """Return the labels of each sentence: first whether, then which (section 5.1)."""
        trainer = self.trainer_
        found = trainer.predict_proba([each.text for each in examples], detests_contexts(examples))
        thresholds = dict(zip(trainer.labels_, map(float, trainer.thresholds()), strict=True))
        columns = {name: found[:, at] for at, name in enumerate(trainer.labels_)}
        return label_sets(decide(columns, thresholds, "two-stage"))


class EmbeddedSystem:
    """The embedded Spanish detector as it is: the training part teaches it nothing."""

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


def embedded(settings: Seeded) -> EmbeddedSystem:
    """Build the embedded detector."""
    return EmbeddedSystem()


def base(settings: Seeded) -> SwitchedSystem:
    """Build the trainer with words only."""
    return SwitchedSystem((), settings.seed)


def characters(settings: Seeded) -> SwitchedSystem:
    """Build the trainer with words and characters."""
    return SwitchedSystem(("characters",), settings.seed)


def under_bagging(settings: Seeded) -> SwitchedSystem:
    """Build I2C's bags, for the categories too."""
    return SwitchedSystem(("under-bagging",), settings.seed)


def over_sampling(settings: Seeded) -> SwitchedSystem:
    """Build I2C's over-sampling, for the categories too."""
    return SwitchedSystem(("over-sampling",), settings.seed)


def back_translation(settings: Seeded) -> SwitchedSystem:
    """Build I2C's translations by way of English."""
    return SwitchedSystem(("back-translation",), settings.seed)


def ensemble(settings: Seeded) -> SwitchedSystem:
    """Build I2C's ensemble, with balancing as they had it."""
    return SwitchedSystem(("under-bagging", "ensemble"), settings.seed)


def linguistic(settings: Seeded) -> SwitchedSystem:
    """Build UMUTeam's knowledge integration: features and negation in one model."""
    return SwitchedSystem(("characters", "linguistic", "negation"), settings.seed)


def linguistic_ensemble(settings: Seeded) -> SwitchedSystem:
    """Build UMUTeam's ensemble of kinds of features."""
    return SwitchedSystem(("characters", "linguistic", "negation", "by-ensemble"), settings.seed)


def meta(settings: Seeded) -> SwitchedSystem:
    """Build Lak_NLP's predicted implicitness and racial target."""
    return SwitchedSystem(("meta",), settings.seed)


def soft_labels(settings: Seeded) -> SwitchedSystem:
    """Build learning with disagreement, which needs the labels of single annotators."""
    return SwitchedSystem(("soft-labels",), settings.seed)


def context(settings: Seeded) -> SwitchedSystem:
    """Build the trainer with neighbouring sentences and the comment replied to."""
    return SwitchedSystem(("context",), settings.seed)
