"""The task of DETESTS: classifiers of sentences into label sets that respect the hierarchy.

Any classifier of texts (``fit(X, y)``, ``predict(X)``) becomes one of the task, in two ways:
:class:`TwoStage`, as the baselines of section 5.1 are extended ("by first determining whether the
sentence contains at least one stereotype and a set of new baseline classifiers is trained upon
those positive cases"), and :class:`Joint`, as MALNIS did (section 5.2).
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.stereotype_labels import CATEGORIES, ROOT, consistent
from tactful.errors import InputError
from tactful.types import Example

Labels = Sequence[Collection[str]]


@runtime_checkable
class StereotypeClassifier(Protocol):
    """What every system of the task is: sentences and label sets in, label sets out."""

    def fit(self, sentences: Sequence[str], labels: Labels) -> Self:
        """Learn from sentences and their labels."""
        ...

    def predict(self, sentences: Sequence[str]) -> list[set[str]]:
        """Return the labels of each sentence, consistent with the hierarchy."""
        ...


@runtime_checkable
class ExampleClassifier(Protocol):
    """A system that looks at more than the sentence: its comment, what it answers, annotators."""

    def fit_examples(self, examples: Sequence[Example]) -> Self:
        """Learn from sentences with all that is recorded about them."""
        ...

    def predict_examples(self, examples: Sequence[Example]) -> list[set[str]]:
        """Return the labels of each sentence; the examples come without labels."""
        ...


class TextModel(Protocol):
    """A classifier of texts as scikit-learn has it: 0 or 1, or a table with a column per label."""

    def fit(self, X: Sequence[str], y: Any) -> Any:  # noqa: N803 (scikit-learn's name)
        """Learn."""
        ...

    def predict(self, X: Sequence[str]) -> NDArray[Any]:  # noqa: N803
        """Answer in the shape of ``y``."""
        ...


Make = Callable[[int], TextModel]
"""Builds the model of a stage: 0 finds stereotypes, 1 their categories."""


class TwoStage:
    """First whether there is a stereotype, then its categories, learnt from stereotypes only."""

    def __init__(self, make: Make):
        self.make = make

    def fit(self, sentences: Sequence[str], labels: Labels) -> Self:
        """Learn both stages."""
        table = label_table(sentences, labels)
        root = table[:, 0]
        if root.all() or not root.any():
            raise InputError(
                f"Found {int(root.sum()):,} stereotypes among {len(root):,} training sentences; "
                "expected sentences with and without one."
            )
        self.detector_ = self.make(0)
        self.detector_.fit(list(sentences), root.astype(np.int64))
        positives = [text for text, found in zip(sentences, root, strict=True) if found]
        self.classifier_ = self.make(1)
        self.classifier_.fit(positives, table[root, 1:].astype(np.int64))
        return self

    def predict(self, sentences: Sequence[str]) -> list[set[str]]:
        """Ask the second stage about what the first one found."""
        found = np.zeros((len(sentences), len(CATEGORIES) + 1), dtype=np.bool_)
        if len(sentences):
            found[:, 0] = np.asarray(self.detector_.predict(list(sentences))).astype(np.bool_)
        positives = [text for text, root in zip(sentences, found[:, 0], strict=True) if root]
        if positives:
            found[found[:, 0], 1:] = np.asarray(self.classifier_.predict(positives)) > 0
        return sets_of_table(found)


class Joint:
    """All categories together, trained on all sentences; any of them is a stereotype."""

    def __init__(self, make: Make):
        self.make = make

    def fit(self, sentences: Sequence[str], labels: Labels) -> Self:
        """Learn the ten categories."""
        table = label_table(sentences, labels)
        self.classifier_ = self.make(1)
        self.classifier_.fit(list(sentences), table[:, 1:].astype(np.int64))
        return self

    def predict(self, sentences: Sequence[str]) -> list[set[str]]:
        """Let the categories decide."""
        found = np.zeros((len(sentences), len(CATEGORIES) + 1), dtype=np.bool_)
        if len(sentences):
            found[:, 1:] = np.asarray(self.classifier_.predict(list(sentences))) > 0
        return sets_of_table(found)


def label_table(sentences: Sequence[str], labels: Labels) -> NDArray[np.bool_]:
    """Return a row for each sentence: ``stereotype``, then the ten categories, made consistent."""
    if len(sentences) != len(labels) or not len(sentences):
        raise InputError(
            f"Found {len(sentences):,} sentences and {len(labels):,} label sets; expected at "
            "least one sentence and a set for each."
        )
    rows = [consistent(each) for each in labels]
    columns = (ROOT, *CATEGORIES)
    return np.array([[name in row for name in columns] for row in rows], dtype=np.bool_)


def sets_of_table(table: NDArray[np.bool_]) -> list[set[str]]:
    """Return the label set of each row of such a table, made consistent."""
    columns = (ROOT, *CATEGORIES)
    return [consistent({columns[at] for at in np.flatnonzero(row)}) for row in table]
