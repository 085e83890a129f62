"""Texts as vectors for the quick model: the open encoder's in English, else those of words.

Reading takes a second for about a
hundred texts, so vectors are kept in the project's folder; deleting that file is safe.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.weights import find_weights
from tactful.files import atomic_path

Floats = NDArray[np.float64]
CACHE = "vectors.npz"
_ENCODER = {"en": "open-encoder-en"}
_AT_ONCE = 200
_LONGEST = 4_000
"""Characters of a text that are read."""
_WORDS = 300
"""Dimensions of the vectors of words."""
_FEW = 1e-3


def vectors_of(
    texts: Sequence[str],
    lang: str,
    cache: Path | None = None,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> Floats:
    """Return one row for each text, scaled so that columns have the same spread.

    Parameters
    ----------
    texts
        The texts.
    lang
        Their language; without an encoder for it, vectors are made of the words.
    cache
        The file that keeps the encoder's vectors between runs.
    on_progress
        Called with the number of texts that were read, and of all that are to be read.

    """
    if not texts:
        return np.empty((0, 1))
    folder = find_weights(_ENCODER[lang]) if lang in _ENCODER else None
    rows = _of_words(texts) if folder is None else _read(texts, folder, cache, on_progress)
    scaled: Floats = (rows - rows.mean(axis=0)) / (rows.std(axis=0) + _FEW)
    scaled /= np.sqrt(scaled.shape[1])
    return scaled


def _of_words(texts: Sequence[str]) -> Floats:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    try:
        table = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit_transform(texts)
    except ValueError:  # no text has a word of two letters
        return np.zeros((len(texts), 1))
    size = min(_WORDS, table.shape[1] - 1, len(texts) - 1)
    if size < 1:
        return np.asarray(table.toarray(), dtype=np.float64)
    found: Floats = TruncatedSVD(size, random_state=0).fit_transform(table)
    return found


def _read(
    texts: Sequence[str], folder: Path, cache: Path | None, on_progress: Callable[[int, int], None]
) -> Floats:
    from tactful.detectors.models.encoder import load_encoder_detector

    encoder = load_encoder_detector(folder)
    name = f"{encoder.card.name} {encoder.card.version}"
    keys = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
    known = _cached(cache, name)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    missing = list(new)
    for start in range(0, len(missing), _AT_ONCE):
        part = missing[start : start + _AT_ONCE]
        windows, owners, _ = encoder.vectors([new[key][:_LONGEST] for key in part])
        owner = np.array(owners)
        for at, key in enumerate(part):
            known[key] = windows[owner == at].mean(axis=0).astype(np.float16)
        on_progress(start + len(part), len(missing))
    if cache is not None and missing:
        with atomic_path(cache, force=True) as path, path.open("wb") as file:
            np.savez(file, model=name, keys=np.array(list(known)), rows=np.stack([*known.values()]))
    return np.stack([known[key] for key in keys]).astype(np.float64)


def _cached(cache: Path | None, name: str) -> dict[str, NDArray[np.float16]]:
    """Return the vectors that a file keeps; none if it is of another model, or damaged."""
    if cache is None or not cache.is_file():
        return {}
    try:
        with cache.open("rb") as file, np.load(file) as kept:
            if str(kept["model"]) != name:
                return {}
            rows = kept["rows"]
            return {str(key): rows[at] for at, key in enumerate(kept["keys"])}
    except (OSError, ValueError, KeyError, BadZipFile):
        return {}
