"""Teachers of many kinds label what nobody labelled, and one student learns from all.

The teachers are the multi-task encoder from several seeds and two linear models that see other
things than it does: sentence vectors of another encoder, and words and letters.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from factory.records import AUXILIARY, IDS_OF, Record
from tactful.detectors.base import sigmoid
from tactful.training.task_data import FRAME_IDS, UNHEALTHY_IDS

Floats = NDArray[np.float64]
Logits = Mapping[str, NDArray[np.floating]]
"""id -> log-odds, one per text."""

SENTENCE_STRENGTH, WORD_STRENGTH = 1 / 3, 1 / 2
"""How far the linear teachers' weights are held back (the inverse of scikit-learn's C)."""
LABELLED_BY_TEACHERS = {"comment": UNHEALTHY_IDS, "post": FRAME_IDS}


@dataclass(frozen=True, slots=True)
class Mixture:
    """Whom a student believes, by the family of the id (``pcl``, ``unhealthy``, ``frame``)."""

    linear: Mapping[str, float]
    """The share of the linear teachers; the encoders have the rest."""
    gold: Mapping[str, float]
    """The share of what people said, where they said something; the teachers have the rest."""


def family(name: str) -> str:
    """Return the first part of an id.

    >>> family("pcl.metaphor")
    'pcl'
    """
    return name.partition(".")[0]


def word_features(texts: Sequence[str], known: int) -> "object":
    """Return TF-IDF of words and pairs, and of letters within words, as one sparse matrix.

    Words are counted in the first ``known`` texts.
    """
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(
        ngram_range=(1, 2), min_df=3, sublinear_tf=True, strip_accents="unicode",
        max_features=60_000,
    )  # fmt: skip
    letters = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 5), min_df=5, sublinear_tf=True, max_features=100_000
    )
    kinds = [each.fit(texts[:known]).transform(texts) for each in (words, letters)]
    return sparse.hstack(kinds).tocsr()


def linear_teacher(
    features: "object",
    records: Sequence[Record],
    strength: float,
    on_id: Callable[[str], None] = lambda _: None,
) -> dict[str, Floats]:
    """Fit one logistic regression per id on the labelled training texts; label all texts."""
    found = {}
    for corpus, ids in IDS_OF.items():
        for name in ids:
            rows = [
                row
                for row, record in enumerate(records)
                if record.corpus == corpus and record.part == "train" and name in record.targets
            ]
            targets = np.array([records[row].targets[name] for row in rows])
            weights = _soft_regression(features[rows], targets, strength)  # type: ignore[index]
            found[name] = features @ weights[:-1] + weights[-1]  # type: ignore[operator]
            on_id(name)
    return found


def _soft_regression(features: "object", targets: Floats, strength: float) -> Floats:
    from scipy.optimize import minimize

    def loss(theta: Floats) -> tuple[float, Floats]:
        logits = features @ theta[:-1] + theta[-1]  # type: ignore[operator]
        gap = sigmoid(logits) - targets
        value = (np.logaddexp(0, logits) - targets * logits).sum()
        value += strength * (theta[:-1] ** 2).sum() / 2
        slope = features.T @ gap + strength * theta[:-1]  # type: ignore[attr-defined]
        return float(value), np.append(slope, gap.sum())

    start = np.zeros(features.shape[1] + 1)  # type: ignore[attr-defined]
    rate = np.clip(targets.mean(), 1e-3, 1 - 1e-3)
    start[-1] = np.log(rate / (1 - rate))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    weights: Floats = found.x
    return weights


def mixed_logits(
    encoders: Sequence[Logits], linear: Sequence[Logits], shares: Mapping[str, float]
) -> dict[str, Floats]:
    """Average the log-odds; ``shares`` says what the linear teachers together count.

    An encoder that did not read a text has no number there, and is left out of its mean.
    """
    mixed = {}
    for name in encoders[0]:
        mean: Floats = np.nanmean([each[name] for each in encoders], axis=0)
        others = [each[name] for each in linear if name in each]
        share = shares[family(name)] if others else 0.0
        mixed[name] = (1 - share) * mean + (share * np.mean(others, axis=0) if others else 0)
    return mixed


def labelled_by(
    mixed: Logits, records: Sequence[Record], gold: Mapping[str, float]
) -> list[Record]:
    """Give texts without labels the teachers' probabilities as soft targets.

    Where people said something, it counts its share of ``gold``, and what the teachers think the
    rest (born-again networks, Furlanello et al. 2018); a post's noisy label counts half.
    """
    found = []
    for row, record in enumerate(records):
        if record.part != "train":
            found.append(record)
            continue
        ids = LABELLED_BY_TEACHERS.get(record.corpus) or tuple(record.targets)
        targets = {name: float(sigmoid(mixed[name][row : row + 1])[0]) for name in ids}
        noisy = record.targets.get(AUXILIARY)
        if noisy is not None:
            targets["frame.offensive"] = (targets["frame.offensive"] + noisy) / 2
            targets[AUXILIARY] = noisy
        elif record.targets:
            for name in ids:
                share = gold[family(name)]
                targets[name] = share * record.targets[name] + (1 - share) * targets[name]
        found.append(replace(record, targets=targets))
    return found
