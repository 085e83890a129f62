"""What scikit-learn asks of a classifier, without importing scikit-learn.

Deriving from its ``BaseEstimator`` would load scikit-learn with this room, and building the class
when it is first asked for would make one that has no place to be imported from (so it could
neither be copied to another process nor be checked by types). What scikit-learn really asks for is
small: ``get_params``, ``set_params`` and ``__sklearn_tags__``; they are here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tactful.errors import InputError

Numbers = NDArray[np.float64]


class TextClassifier(ABC):
    """A classifier of texts: ``fit(X, y)``, ``predict(X)``, ``predict_proba(X)``.

    X: texts. y: 0 or 1 for each text, or a table of them with a column for each id. The arguments
    of ``__init__`` are the parameters, and are kept as they came.
    """

    several_: bool
    """Whether the labels came as a table."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep`` is there for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; an unknown one is a ValueError, as scikit-learn has it."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {known!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"

    def __sklearn_tags__(self) -> Any:
        """Say that texts go in, not tables of numbers, and that several labels may come out."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, multi_output=True),
            classifier_tags=ClassifierTags(multi_class=False, multi_label=True),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
            array_api_support=False,
        )

    @abstractmethod
    def fit(self, X: Sequence[str], y: ArrayLike) -> Self:  # noqa: N803
        """Learn from texts and their labels; the names are those that scikit-learn passes."""

    @abstractmethod
    def _decisions(self, texts: Sequence[str]) -> Numbers:
        """Return a table of numbers above 0 for yes, with a column for each id."""

    def decision_function(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return how far each answer is from the border between yes and no, above 0 for yes."""
        return shaped(self._decisions(X), self.several_)

    def predict(self, X: Sequence[str]) -> NDArray[Any]:  # noqa: N803
        """Return 0 or 1 for each text and label."""
        return (self.decision_function(X) > 0).astype(np.int64)

    def score(self, X: Sequence[str], y: ArrayLike) -> float:  # noqa: N803
        """Return the share of texts whose labels are all predicted (scikit-learn's accuracy)."""
        right = np.asarray(y) == self.predict(X)
        return float(np.mean(right if right.ndim == 1 else right.all(axis=1)))

    def require_fitted(self, attribute: str) -> None:
        """Raise scikit-learn's own error where ``fit`` has not been called."""
        if not hasattr(self, attribute):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{type(self).__name__} has learnt nothing yet; call fit first.")


def binary_table(labels: ArrayLike, texts: int) -> tuple[NDArray[np.bool_], bool]:
    """Return labels as a table with a column for each id, and whether they came as a table."""
    found = np.asarray(labels)
    if found.ndim not in (1, 2) or found.shape[0] != texts or not texts:
        raise InputError(
            f"Found {texts:,} texts and labels of shape {found.shape}; expected at least one text "
            "and a row of labels for each."
        )
    if not np.isin(found, (0, 1)).all():
        raise InputError("Found labels other than 0 and 1; expected 0 or 1 for each text and id.")
    return found.reshape(texts, -1).astype(np.bool_), found.ndim == 2


def list_of_texts(texts: Sequence[str]) -> list[str]:
    """Return texts as a list; a single text, which would be read letter by letter, is refused."""
    if isinstance(texts, str):
        raise InputError("Found one text; expected a list of texts.")
    return list(texts)


def shaped(table: NDArray[Any], several: bool) -> NDArray[Any]:
    """Give answers the shape that the labels had."""
    return table if several else table[:, 0]


def _parameters(kind: type) -> list[str]:
    return [name for name in signature(kind).parameters if name != "self"]
