"""One trainer of stereotypes, with every idea of the participants as a switch.

All that is learnt (vocabularies, scales, translations, hints, calibration, thresholds) is learnt
from the lesson that ``fit`` gets. Calibration and thresholds come from decisions about rows that
were held out in turn, group by group.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import sigmoid
from tactful.errors import UsageError
from tactful.training.calibrate import best_threshold, platt
from tactful_lab.training.stereotypes.back_translation import (
    BackTranslated,
    Translate,
    back_translate,
)
from tactful_lab.training.stereotypes.data import NO_CONTEXT, Context, StereotypeLesson, group_folds
from tactful_lab.training.stereotypes.linear import (
    BAGS,
    METHODS,
    MetaClassifier,
    Sum,
    fit_sum,
    mean_sum,
)
from tactful_lab.training.stereotypes.rows import RowMaker, Vectors, joined, views
from tactful_lab.training.stereotypes.switches import Switches

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrainerSettings:
    """Everything that a run depends on, apart from its data."""

    switches: Switches = field(default_factory=Switches)
    seed: int = 1
    c: float = 5.0
    """How little the weights are held back."""
    bags: int = BAGS
    folds: int = 3
    """How many parts are held out in turn, for calibration and thresholds."""

    def __post_init__(self) -> None:
        if self.c <= 0 or self.bags < 1 or self.folds < 2:
            raise UsageError(
                f"Found c={self.c:g}, {self.bags} bags and {self.folds} folds; expected c above 0, "
                "at least 1 bag and at least 2 folds."
            )

    def described(self) -> dict[str, Any]:
        """Return the settings as a card lists them."""
        return {**asdict(self), "switches": self.switches.names()}


@dataclass(frozen=True, slots=True, eq=False)
class LabelModel:
    """What is learnt for one label: a sum over each view, which add up to log-odds."""

    sums: tuple[Sum, ...]
    slope: float = 1.0
    offset: float = 0.0
    threshold: float = 0.5
    outside: Numbers = field(default_factory=lambda: np.zeros(0))
    """Probabilities of the lesson's own rows, each from learners that had not seen it."""

    def logits(self, tables: Sequence["csr_array"]) -> Numbers:
        """Return the log-odds before calibration."""
        each = [one.decision(rows) for one, rows in zip(self.sums, tables, strict=True)]
        return np.asarray(np.sum(each, axis=0))


class StereotypeTrainer:
    """Learns all labels of a lesson; ``predict_proba`` has a column for each."""

    def __init__(
        self,
        settings: TrainerSettings | None = None,
        *,
        vectors: Vectors | None = None,
        translate: Translate | None = None,
    ):
        self.settings = settings or TrainerSettings()
        if self.settings.switches.encoder():
            raise UsageError(
                "The switches adapters, lora and heads are about an encoder: use "
                "StereotypeEncoder, or 'tactful train stereotypes' with --encoder."
            )
        self.vectors, self.translate = vectors, translate

    def fit(self, lesson: StereotypeLesson) -> Self:
        """Learn from a lesson."""
        switches, seed = self.settings.switches, self.settings.seed
        if "soft-labels" in switches and not lesson.disagreement():
            raise UsageError(
                "Found the switch soft-labels and no annotator who disagrees with a label; "
                "expected the labels of single annotators; leave the switch out for this corpus."
            )
        self.labels_ = lesson.labels
        self.translated_: BackTranslated | None = None
        if "back-translation" in switches:
            lesson = self._translated(lesson)
        self.maker_ = RowMaker(switches, self.vectors).fit(lesson.texts)
        folds = group_folds(lesson.groups, lesson.table, self.settings.folds, seed)
        blocks = self.maker_.blocks(lesson.texts, lesson.contexts)
        self.meta_ = None
        if "meta" in switches:
            self.meta_ = MetaClassifier(self.settings.c, seed)
            seen = joined(blocks, list(blocks))
            found = self.meta_.fit_outside(seen, lesson.hints, folds)
            blocks = self.maker_.blocks(lesson.texts, lesson.contexts, found)
        self.views_ = views(list(blocks), "by-ensemble" in switches)
        tables = [joined(blocks, view) for view in self.views_]
        soft = "soft-labels" in switches
        self.models_ = [
            self._label_model(
                tables,
                lesson.shares[:, at] if soft else lesson.table[:, at].astype(np.float64),
                lesson.table[:, at],
                folds,
                ~lesson.made(),
            )
            for at in range(len(lesson.labels))
        ]
        return self

    def predict_proba(
        self, texts: Sequence[str], contexts: Sequence[Context] | None = None
    ) -> Numbers:
        """Return the probability of each label, one row for each text."""
        if not hasattr(self, "models_"):
            raise UsageError("This trainer has learnt nothing yet; call fit first.")
        around = [NO_CONTEXT] * len(texts) if contexts is None else contexts
        blocks = self.maker_.blocks(texts, around)
        if self.meta_ is not None:
            hints = self.meta_.decisions(joined(blocks, list(blocks)))
            blocks = self.maker_.blocks(texts, around, hints)
        tables = [joined(blocks, view) for view in self.views_]
        columns = [
            sigmoid(model.slope * model.logits(tables) + model.offset) for model in self.models_
        ]
        return np.stack(columns, axis=1)

    def predict(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Flags:
        """Return yes or no for each label, by the thresholds that were learnt."""
        return self.predict_proba(texts, contexts) >= self.thresholds()

    def thresholds(self) -> Numbers:
        """Return the probability from which each label is a yes."""
        return np.array([model.threshold for model in self.models_])

    def _label_model(
        self,
        tables: Sequence["csr_array"],
        targets: Numbers,
        gold: Flags,
        folds: Places,
        own: Flags,
    ) -> LabelModel:
        """Learn one label: every learner on every view, each calibrated, then their mean."""
        methods = METHODS if "ensemble" in self.settings.switches else METHODS[:1]
        members = [
            [self._member(rows, targets, folds, own, method) for method in methods]
            for rows in tables
        ]
        size = sum(map(len, members))
        # The mean of all is the sum of the views' means, each by its share of the members.
        sums = tuple(
            mean_sum([one for one, _ in group]).scaled(len(group) / size) for group in members
        )
        outside = np.mean([found for group in members for _, found in group], axis=0)
        if len(np.unique(folds)) < 2 or gold[own].all() or not gold[own].any():
            return LabelModel(sums)
        slope, offset = platt(outside[own], targets[own])
        chances = sigmoid(slope * outside[own] + offset)
        return LabelModel(sums, slope, offset, best_threshold(chances), chances)

    def _member(
        self, rows: "csr_array", targets: Numbers, folds: Places, own: Flags, method: str
    ) -> tuple[Sum, Numbers]:
        """Learn one member; return it and its decisions about rows held out, both calibrated."""
        outside = np.zeros(len(targets))
        numbers = np.unique(folds)
        whole = self._sum(rows, targets, method)
        if len(numbers) < 2:
            return whole, whole.decision(rows)
        for fold in numbers:
            test = folds == fold
            outside[test] = self._sum(rows[~test], targets[~test], method).decision(rows[test])
        slope, offset = platt(outside[own], targets[own])
        return whole.scaled(slope, offset), slope * outside + offset

    def _sum(self, rows: "csr_array", targets: Numbers, method: str) -> Sum:
        balance = next(
            (name for name in ("under-bagging", "over-sampling") if name in self.settings.switches),
            None,
        )
        return fit_sum(
            rows,
            targets,
            method=method,
            balance=balance,
            c=self.settings.c,
            bags=self.settings.bags,
            seed=self.settings.seed,
        )

    def _translated(self, lesson: StereotypeLesson) -> StereotypeLesson:
        """Add the rows with a label once more, by way of English, where the label survives."""
        rows = np.flatnonzero(lesson.table.any(axis=1))
        if len(rows) * 2 > len(lesson.texts):
            # Labels that most rows have are not rare; then every row is worth a second wording.
            rows = np.arange(len(lesson.texts))
        found = back_translate([lesson.texts[row] for row in rows], self.translate)
        self.translated_ = found
        kept = [(int(row), text) for row, text in zip(rows, found.texts, strict=True) if text]
        return lesson.with_made([row for row, _ in kept], [text for _, text in kept])
