"""Learning which words and pieces of words to count (:mod:`tactful.detectors.models.ngrams`)."""

from collections.abc import Sequence

import numpy as np

from tactful.detectors.models.ngrams import Ngrams


def fit_ngrams(
    texts: Sequence[str],
    *,
    most_words: int = 2,
    piece_sizes: tuple[int, int] = (2, 5),
    least: tuple[int, int] = (2, 3),
    most: tuple[int, int] = (30_000, 60_000),
) -> Ngrams:
    """Return the n-grams of texts; ``least`` and ``most`` are for words and for pieces.

    An n-gram must be in at least ``least`` texts; the ``most`` most frequent ones are kept.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    shared = {"sublinear_tf": True, "strip_accents": "unicode"}
    words = TfidfVectorizer(
        ngram_range=(1, most_words), min_df=least[0], max_features=most[0], **shared
    ).fit(texts)
    pieces = TfidfVectorizer(
        analyzer="char_wb", ngram_range=piece_sizes, min_df=least[1], max_features=most[1], **shared
    ).fit(texts)
    return Ngrams(
        {str(name): int(at) for name, at in words.vocabulary_.items()},
        {str(name): int(at) for name, at in pieces.vocabulary_.items()},
        np.concatenate([words.idf_, pieces.idf_]).astype(np.float32),
        most_words,
        piece_sizes,
    )
