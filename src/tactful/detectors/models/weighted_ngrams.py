"""TF-IDF weighted n-grams of words, exactly as scikit-learn counts them, with their places.

The vocabulary and its weights are learnt by scikit-learn's ``TfidfVectorizer``; texts are then
counted here, so that a saved model needs arrays only and every n-gram is known by its place in the
text as it came (lower-casing and taking accents off may change the length of a text).
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.models.estimator import Numbers
from tactful.errors import InputError
from tactful.libraries import needed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOKEN = re.compile(r"(?u)\b\w\w+\b")
"""scikit-learn's own idea of a word: two or more letters or digits."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """A vocabulary of n-grams, and how much each counts."""

    words: dict[str, int]
    weights: Numbers
    """The inverse document frequency of each n-gram."""
    longest: int = 1
    """The number of words in the longest n-grams."""
    strip_accents: bool = False

    def rows(self, texts: Sequence[str]) -> "csr_array":
        """Return one row of unit length for each text; a text without known n-grams is empty."""
        with needed("A linear detector"):
            from scipy.sparse import csr_array

        data: list[Numbers] = []
        indices: list[NDArray[np.int32]] = []
        indptr = [0]
        for text in texts:
            counted = np.array([at for at, _ in self.found(text)], dtype=np.int32)
            columns, counts = np.unique(counted, return_counts=True)
            values = counts * self.weights[columns]
            length = np.sqrt(values @ values)
            data.append(values / length if length else values)
            indices.append(columns)
            indptr.append(indptr[-1] + len(columns))
        shape = (len(indptr) - 1, len(self.words))
        if not data:
            return csr_array(shape, dtype=np.float64)
        # scikit-learn takes 32-bit places only.
        starts = np.array(indptr, dtype=np.int32)
        return csr_array((np.concatenate(data), np.concatenate(indices), starts), shape=shape)

    def found(self, text: str) -> list[tuple[int, tuple[Place, ...]]]:
        """Return each known n-gram of a text: its column and the places of its words."""
        changed, source = simplified(text, self.strip_accents)
        spans = [match.span() for match in TOKEN.finditer(changed)]
        tokens = [changed[start:end] for start, end in spans]
        places = (
            spans
            if source is None
            else [(source[start], source[end - 1] + 1) for start, end in spans]
        )
        found = []
        for size in range(1, self.longest + 1):
            for first in range(len(tokens) - size + 1):
                at = self.words.get(" ".join(tokens[first : first + size]))
                if at is not None:
                    found.append((at, tuple(places[first : first + size])))
        return found


def fit_terms(
    texts: Sequence[str], *, longest: int = 1, most: int | None = None, strip_accents: bool = False
) -> Terms:
    """Learn the vocabulary: at most ``most`` n-grams, those that are most frequent."""
    with needed("A linear detector"):
        from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        ngram_range=(1, longest),
        max_features=most,
        strip_accents="unicode" if strip_accents else None,
    )
    try:
        vectorizer.fit(texts)
    except ValueError as error:
        if "empty vocabulary" not in str(error):
            raise
        raise InputError(
            f"Found no word of two letters in {len(texts):,} texts; expected texts to learn from."
        ) from None
    words = {str(word): int(at) for word, at in vectorizer.vocabulary_.items()}
    return Terms(words, np.asarray(vectorizer.idf_), longest, strip_accents)


def simplified(text: str, strip_accents: bool) -> tuple[str, list[int] | None]:
    """Lower-case a text and take its accents off, if asked; say where each letter came from.

    The places are None where no letter moved.
    """
    lowered = text.lower()
    if text.isascii() or (len(lowered) == len(text) and not strip_accents):
        return lowered, None
    # Letter by letter only to know the lengths: the case of a letter can depend on its neighbours.
    source = [at for at, letter in enumerate(text) for _ in letter.lower()]
    if len(source) != len(lowered):
        lowered = "".join(letter.lower() for letter in text)
    if not strip_accents:
        return lowered, source
    pieces: list[str] = []
    places: list[int] = []
    for at, letter in zip(source, lowered, strict=True):
        for part in unicodedata.normalize("NFKD", letter):
            if not unicodedata.combining(part):
                pieces.append(part)
                places.append(at)
    return "".join(pieces), places
