"""A scikit-learn transformer: texts in, a column of probabilities for each id out.

The class is made when it is first asked for, because its bases are scikit-learn's, which Tactful
does not load at import. It is then an attribute of this module like any other class, so that
pickle, ``clone`` and worker processes find it by its name.
"""

from collections.abc import Sequence
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.checking.adapters.reader import require_texts
from tactful.checking.models import LOCK, Model, opened_detector
from tactful.detectors.card import Card
from tactful.detectors.explain.words import log_odds
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name

Columns = NDArray[np.float32]

BATCH = 1024
"""How many texts go into one call of the detector."""


if TYPE_CHECKING:
    TactfulTransformer: Any


@cache
def _make_class() -> type[Any]:
    from sklearn.base import BaseEstimator, TransformerMixin

    class TactfulTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
        """Turns texts into the probabilities of a detector, one column per id.

        ``model`` is a detector's name, the folder of its weights, or an open detector; ``ids`` are
        the columns, in that order (all of the detector's without it); ``log_odds`` gives log-odds
        in place of probabilities, which suits linear models; ``batch`` texts are scored at a time.

        Nothing is learnt from the data: ``fit`` only checks. A clone shares an open detector.
        """

        def __init__(
            self,
            model: Model = "default",
            ids: Sequence[str] | None = None,
            log_odds: bool = False,
            batch: int = BATCH,
        ):
            self.model = model
            self.ids = ids
            self.log_odds = log_odds
            self.batch = batch

        def fit(self, X: Any, y: Any = None) -> Any:  # noqa: N803
            """Check the parameters and the texts; nothing is learnt."""
            self._columns()
            texts_of(X)
            return self

        def transform(self, X: Any) -> Columns:  # noqa: N803
            """Return an array of float32: a row for each text, a column for each id."""
            names = self._columns()
            texts = texts_of(X)
            detector = opened_detector(self.model)
            found = np.empty((len(texts), len(names)), dtype=np.float32)
            for at in range(0, len(texts), self.batch):
                with LOCK:
                    scores = detector.score(texts[at : at + self.batch])
                found[at : at + self.batch] = np.column_stack([scores[name] for name in names])
            return log_odds_of(found) if self.log_odds else found

        def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
            """Return the ids of the columns."""
            return np.array(self._columns(), dtype=object)

        def _columns(self) -> list[str]:
            if isinstance(self.batch, bool) or not isinstance(self.batch, int) or self.batch < 1:
                raise UsageError(f"Found batch {self.batch!r}; expected a whole number above 0.")
            return columns_of(opened_detector(self.model).card, self.ids)

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.string = True
            tags.input_tags.one_d_array = True
            tags.input_tags.two_d_array = False
            tags.requires_fit = False
            tags.transformer_tags.preserves_dtype = []
            return tags

        def __sklearn_clone__(self) -> Any:
            # The ordinary clone copies every parameter; an open detector can be large, or refuse.
            shell = copy(self)
            shell.model = "default"
            made = super(TactfulTransformer, shell).__sklearn_clone__()
            made.model = self.model
            return made

    TactfulTransformer.__qualname__ = "TactfulTransformer"
    return TactfulTransformer


def texts_of(data: Any) -> list[str]:
    """Return the texts of a list, an array, a Series or a table with one column."""
    if isinstance(data, str | bytes):
        raise InputError("Found one text; expected a list, an array or a Series of texts.")
    shape = getattr(data, "shape", None)
    if shape is not None and len(shape) == 2:
        if shape[1] != 1:
            raise InputError(f"Found {shape[1]} columns; expected one column of texts.")
        data = np.asarray(data, dtype=object)[:, 0]
    elif shape is not None and len(shape) != 1:
        raise InputError(f"Found {len(shape)} dimensions; expected one column of texts.")
    try:
        return require_texts(list(data))
    except TypeError:
        raise InputError(
            f"Found a value of type {type(data).__name__}; expected a list, an array or a Series "
            "of texts."
        ) from None


def columns_of(card: Card, ids: Sequence[str] | None) -> list[str]:
    """Return the wanted columns; an id that the detector does not score is an error."""
    if ids is None:
        return list(card.ids)
    if isinstance(ids, str):
        raise UsageError(f"Found the text '{ids}' as ids; expected a list: ['{ids}'].")
    names = list(ids)
    for name in names:
        if name not in card.ids:
            raise unknown_name(f"id of {card.model}", str(name), list(card.ids))
    if not names or len(set(names)) < len(names):
        raise UsageError(f"Found {names} as ids; expected at least one, and each once.")
    return names


def log_odds_of(probabilities: Columns) -> Columns:
    """Return the log-odds of probabilities, finite also where they are 0 or 1."""
    return log_odds(probabilities).astype(np.float32)


def __getattr__(name: str) -> Any:
    if name == "TactfulTransformer":
        return _make_class()
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
