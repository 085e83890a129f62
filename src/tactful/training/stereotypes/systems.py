"""The trainer and the embedded detector as systems of ``tactful reproduce detests``."""

from collections.abc import Sequence
from typing import Self

from tactful.detectors.load import load_detector
from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, decide, label_sets
from tactful.training.stereotypes.corpora import detests_contexts, detests_examples
from tactful.training.stereotypes.switches import Switches
from tactful.training.stereotypes.trainer import StereotypeTrainer, TrainerSettings
from tactful.types import Example


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
