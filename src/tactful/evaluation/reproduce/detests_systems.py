"""The systems of ``tactful reproduce detests``, by the names of the paper; a new one is one line.

A factory takes :class:`SystemSettings` and returns a classifier of the task, either a
``StereotypeClassifier`` or an ``ExampleClassifier`` (:mod:`.detests_task`). It is
imported when its row is run, so that a row that needs an extra does not stop the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from tactful.errors import MissingExtraError, UsageError
from tactful.evaluation.reproduce.detests_task import (
    ExampleClassifier,
    StereotypeClassifier,
    TwoStage,
)
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.metrics.word_vectors import WordVectors

Classifier = StereotypeClassifier | ExampleClassifier
BASELINES, SWITCHES = "baselines", "switches"
EMBEDDED = "default-es"
"""The embedded detector, by the name of its folder."""


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """What the user chose; all systems get the same."""

    seed: int = 1
    vectors: "WordVectors | None" = None
    """The vectors of all words of the corpus."""


@dataclass(frozen=True, slots=True)
class System:
    """One row: its name, the factory as ``module:function``, and where it is ranked."""

    name: str
    target: str
    subtasks: tuple[int, ...] = (1, 2)
    needs_vectors: bool = False
    about: str = ""

    def reason_not_to_run(self, settings: SystemSettings) -> str | None:
        """Say what the user has to give before this row can run."""
        if self.needs_vectors and settings.vectors is None:
            return "needs word vectors: pass --vectors FILE"
        return None

    def make(self, settings: SystemSettings) -> Classifier:
        """Import the factory and build the classifier."""
        module, _, name = self.target.partition(":")
        try:
            factory: Callable[[SystemSettings], Classifier] = getattr(import_module(module), name)
            return factory(settings)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("tactful"):
                raise
            raise MissingExtraError("train", f"The system {self.name}") from None


def all_ones(settings: SystemSettings) -> TwoStage:
    """Build "AllOnes": everything is a stereotype of every category."""
    from tactful.detectors.models.baselines import AllOnes

    return TwoStage(lambda stage: AllOnes())


def all_zeros(settings: SystemSettings) -> TwoStage:
    """Build "AllZeros": nothing is a stereotype."""
    from tactful.detectors.models.baselines import AllZeros

    return TwoStage(lambda stage: AllZeros())


def random_classifier(settings: SystemSettings) -> TwoStage:
    """Build "RandomClassifier": guesses as frequent as in the training part."""
    from tactful.detectors.models.baselines import PriorRandom

    # Draws depend on seed, column and text. With one seed the first category would be drawn with
    # the very number that made the sentence a stereotype, and come out far too often.
    return TwoStage(lambda stage: PriorRandom(random_state=2 * settings.seed + stage))


def tfidf_svc(settings: SystemSettings) -> TwoStage:
    """Build "TFIDF+SVC": 10,000 n-grams of 1 to 3 words, no accents, an SVC of linear kernel.

    An SVC and not a LinearSVC, which has another loss and keeps the intercept small: section 5.1
    says "a Support Vector Classifier (SVC) with a linear kernel".
    """
    from tactful.detectors.models.tfidf import DETESTS, TfidfSvm

    return TwoStage(lambda stage: TfidfSvm(**DETESTS, random_state=settings.seed))


def fasttext_svc(settings: SystemSettings) -> TwoStage:
    """Build "FastText+SVC": the mean of the words' vectors and an SVC of linear kernel."""
    from tactful.detectors.models.vectors import DETESTS, VectorsSvm

    vectors = settings.vectors
    if vectors is None:
        raise UsageError("The system FastText+SVC needs word vectors; pass --vectors FILE.")
    return TwoStage(lambda stage: VectorsSvm(vectors, **DETESTS, random_state=settings.seed))


_HERE = "tactful.evaluation.reproduce.detests_systems"
_SWITCHED = "tactful.training.stereotypes.systems"
SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("AllOnes", f"{_HERE}:all_ones", about="always everything"),
        System("AllZeros", f"{_HERE}:all_zeros", (2,), about="always nothing; subtask 2 only"),
        System("RandomClassifier", f"{_HERE}:random_classifier", about="guesses"),
        System("TFIDF+SVC", f"{_HERE}:tfidf_svc", about="10,000 n-grams"),
        System(
            "FastText+SVC", f"{_HERE}:fasttext_svc", needs_vectors=True, about="mean word vectors"
        ),
        System("base", f"{_SWITCHED}:base", about="words 1-3, logistic"),
        System("characters", f"{_SWITCHED}:characters", about="and characters 2-5"),
        System("under-bagging", f"{_SWITCHED}:under_bagging", about="after I2C"),
        System("over-sampling", f"{_SWITCHED}:over_sampling", about="after I2C"),
        System("back-translation", f"{_SWITCHED}:back_translation", about="after I2C; apertium"),
        System("ensemble", f"{_SWITCHED}:ensemble", about="after I2C"),
        System("linguistic", f"{_SWITCHED}:linguistic", about="after UMUTeam, one model"),
        System("linguistic-ensemble", f"{_SWITCHED}:linguistic_ensemble", about="after UMUTeam"),
        System("meta", f"{_SWITCHED}:meta", about="after Lak_NLP"),
        System("soft-labels", f"{_SWITCHED}:soft_labels", about="learning with disagreement"),
        System("context", f"{_SWITCHED}:context", about="neighbouring sentences and replies"),
        System(EMBEDDED, f"{_SWITCHED}:embedded", about="as it is; learns nothing here"),
    )
}
"""Name -> system. Section 5.1 has AllZeros in subtask 2 only: its F1 in subtask 1 is 0."""
GROUPS = {
    BASELINES: ("AllOnes", "AllZeros", "RandomClassifier", "TFIDF+SVC", "FastText+SVC"),
    SWITCHES: tuple(
        name
        for name, system in SYSTEMS.items()
        if system.target.startswith(_SWITCHED) and name != EMBEDDED
    ),
    "all": tuple(SYSTEMS),
}
"""Names that stand for several systems."""


def chosen_systems(names: Sequence[str]) -> list[System]:
    """Return the systems that names and groups stand for, each once, in the order of the list."""
    folded = {name.casefold(): name for name in (*GROUPS, *SYSTEMS)}
    wanted: set[str] = set()
    for each in names:
        name = folded.get(each.casefold())
        if name is None:
            raise unknown_name("system", each, [*SYSTEMS, *GROUPS])
        wanted.update(GROUPS.get(name, (name,)))
    return [system for name, system in SYSTEMS.items() if name in wanted]
