"""Agreement against krippendorff, irrCAC, statsmodels and scikit-learn.

Where the libraries differ from us, and why:

- One label throughout: krippendorff raises, irrCAC divides by a constant of its own (AC1 becomes 1
  or a number near 0), statsmodels and scikit-learn give NaN. Ours is undefined, with the reason.
- irrCAC on pandas 3 counts a missing judgement as one more label unless it is given the labels.
"""

from typing import Any

import numpy as np
import pytest
from tests.peers import CASES, peer, quiet

from tactful.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
)

pytestmark = pytest.mark.slow


def table(seed: int, complete: bool = False) -> np.ndarray:
    """Return items by annotators; NaN is no judgement. Every fifth table is adversarial."""
    rng = np.random.default_rng([7, seed])
    items, people = int(rng.integers(2, 30)), int(rng.integers(2, 7))
    values = rng.choice([0, 1, 2, 3, 5, 9], int(rng.integers(2, 6)), replace=False)
    if seed % 5 == 0:
        # Skewed to one label, an annotator who is always wrong, and hardly any overlap.
        shares = np.array([0.97, *([0.03 / (len(values) - 1)] * (len(values) - 1))])
        truth = rng.choice(len(values), items, p=shares)
        found = np.repeat(truth[:, None], people, axis=1)
        found[:, 0] = (truth + 1) % len(values)
    else:
        truth = rng.integers(0, len(values), items)
        noise = rng.integers(0, len(values), (items, people))
        found = np.where(rng.random((items, people)) < 0.6, truth[:, None], noise)
    answer = values[found].astype(float)
    if not complete:
        answer[rng.random(answer.shape) < rng.choice([0.0, 0.2, 0.6])] = np.nan
    return answer


def rows(data: np.ndarray) -> list[tuple[int, int, int]]:
    return [
        (item, person, int(value))
        for item, line in enumerate(data)
        for person, value in enumerate(line)
        if not np.isnan(value)
    ]


def paired(data: np.ndarray) -> bool:
    """Say whether any two judgements can be compared, and whether there are two labels."""
    several = data[(~np.isnan(data)).sum(axis=1) > 1]
    return len(np.unique(several[~np.isnan(several)])) > 1


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha_is_that_of_krippendorff(level: Any) -> None:
    alpha = peer("krippendorff").alpha
    for seed in range(CASES):
        data = table(seed)
        if not paired(data):
            assert krippendorff_alpha(rows(data), level).value is None
            continue
        with quiet():
            theirs = alpha(reliability_data=data.T, level_of_measurement=level)
        assert krippendorff_alpha(rows(data), level).value == pytest.approx(theirs, abs=1e-9), seed


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_gwet_fleiss_and_alpha_are_those_of_irrcac(weights: Any) -> None:
    pandas, irr = peer("pandas"), peer("irrCAC.raw")
    kind = None if weights == "identity" else weights
    for seed in range(CASES):
        data = table(seed)
        data = data[~np.isnan(data).all(axis=1)]
        # irrCAC's standard errors need two items and two labels.
        if len(data) < 2 or not paired(data):
            continue
        ours = gwet_ac1(rows(data)) if kind is None else gwet_ac2(rows(data), kind)
        with quiet():
            labels = sorted(set(data[~np.isnan(data)].tolist()))
            theirs = irr.CAC(pandas.DataFrame(data), weights, categories=labels, digits=12)
            gwet = theirs.gwet()["est"]["coefficient_value"]
            fleiss = theirs.fleiss()["est"]["coefficient_value"]
        assert ours.value == pytest.approx(gwet, abs=1e-9), seed
        assert fleiss_kappa(rows(data), kind).value == pytest.approx(fleiss, abs=1e-9), seed


def test_fleiss_is_that_of_statsmodels() -> None:
    raters = peer("statsmodels.stats.inter_rater")
    for seed in range(CASES):
        data = table(seed, complete=True)
        counts, _ = raters.aggregate_raters(data)
        ours = fleiss_kappa(rows(data))
        with quiet():
            theirs = raters.fleiss_kappa(counts)
        if np.isnan(theirs):
            assert ours.value is None
        else:
            assert ours.value == pytest.approx(theirs, abs=1e-9), seed


@pytest.mark.parametrize("kind", [None, "linear", "quadratic"])
def test_cohen_is_that_of_statsmodels_and_scikit_learn(kind: Any) -> None:
    raters, metrics = peer("statsmodels.stats.inter_rater"), peer("sklearn.metrics")
    for seed in range(CASES):
        data = table(seed, complete=True)[:, :2].astype(int)
        labels = sorted(set(data.ravel().tolist()))
        codes = np.searchsorted(labels, data)
        # Weights by the place of a label: both libraries count steps, ours the numbers themselves.
        ours = cohen_kappa(rows(codes.astype(float)), kind)
        with quiet():
            sklearn = metrics.cohen_kappa_score(codes[:, 0], codes[:, 1], weights=kind)
            counts = metrics.confusion_matrix(codes[:, 0], codes[:, 1])
            theirs = raters.cohens_kappa(counts, wt=kind, return_results=False)
        if np.isnan(sklearn):
            assert ours.value is None
        else:
            assert ours.value == pytest.approx(sklearn, abs=1e-9), seed
            assert ours.value == pytest.approx(float(theirs), abs=1e-9), seed
