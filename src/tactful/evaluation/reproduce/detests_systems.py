"""The systems of ``tactful reproduce detests``, by the names of the paper; a new one is one line.

Libraries are imported when a row is run, so that a row that needs an extra does not stop the
others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
    """One row: its name, the function that builds its classifier, and where it is ranked."""

    name: str
    build: Callable[[SystemSettings], Classifier]
    subtasks: tuple[int, ...] = (1, 2)
    needs_vectors: bool = False
    switches: tuple[str, ...] | None = None
    """The switches of the trainer of stereotypes, where the system is one."""

    def reason_not_to_run(self, settings: SystemSettings) -> str | None:
        """Say what the user has to give before this row can run."""
        if self.needs_vectors and settings.vectors is None:
            return "needs word vectors: pass --vectors FILE"
        return None

    def make(self, settings: SystemSettings) -> Classifier:
        """Build the classifier; a missing library is a :class:`MissingExtraError`."""
        try:
            return self.build(settings)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("tactful"):
                raise
            raise MissingExtraError("train", f"The system {self.name}") from None


def _baseline(name: str) -> System:
    """Return a baseline without features: all ones, all zeros, or random."""

    def build(settings: SystemSettings) -> TwoStage:
        from tactful.detectors.models.baselines import AllOnes, AllZeros, PriorRandom

        if name == "AllOnes":
            return TwoStage(lambda stage: AllOnes())
        if name == "AllZeros":
            return TwoStage(lambda stage: AllZeros())
        # Draws depend on seed, column and text. With the same seed in both stages, the first
        # category would be drawn with the number that made the sentence a stereotype.
        return TwoStage(lambda stage: PriorRandom(random_state=2 * settings.seed + stage))

    # Section 5.1 has AllZeros in subtask 2 only: its F1 in subtask 1 is 0.
    return System(name, build, (2,) if name == "AllZeros" else (1, 2))


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


def _switched(name: str, *switches: str) -> System:
    """Return the trainer of stereotypes with some switches."""

    def build(settings: SystemSettings) -> ExampleClassifier:
        from tactful.training.stereotypes.systems import SwitchedSystem

        return SwitchedSystem(switches, settings.seed)

    return System(name, build, switches=switches)


def _embedded(settings: SystemSettings) -> ExampleClassifier:
    from tactful.training.stereotypes.systems import EmbeddedSystem

    return EmbeddedSystem()


_LINGUISTIC = ("characters", "linguistic", "negation")
SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        _baseline("AllOnes"),
        _baseline("AllZeros"),
        _baseline("RandomClassifier"),
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
        System(EMBEDDED, _embedded),
    )
}
GROUPS = {
    BASELINES: ("AllOnes", "AllZeros", "RandomClassifier", "TFIDF+SVC", "FastText+SVC"),
    SWITCHES: tuple(name for name, system in SYSTEMS.items() if system.switches is not None),
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
