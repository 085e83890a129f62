"""The coefficients against their definitions, written out pair by pair, and against a library."""

from collections import defaultdict
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.agreement import (
    cohen_kappa,
    cohen_pairs,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    percent_agreement,
)

Rows = list[tuple[int, int, int]]
tables = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 4), st.sampled_from([0, 1, 2, 5])),
    unique_by=lambda row: row[:2],
    min_size=2,
    max_size=36,
)
POWERS = {None: 0, "linear": 1, "quadratic": 2}


def units(rows: Rows) -> dict[int, list[int]]:
    found = defaultdict(list)
    for item, _, label in rows:
        found[item].append(label)
    return found


def close(found: Any, expected: float | None) -> None:
    if expected is None:
        assert found.value is None
    else:
        assert found.value == pytest.approx(expected, abs=1e-9)


def distance(level: str, values: list[int]) -> Any:
    """Return Krippendorff's squared difference, from the list of all values that can be paired."""

    def ordinal(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in values)
        return (between - (values.count(a) + values.count(b)) / 2) ** 2 if a != b else 0

    return {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: float((a - b) ** 2),
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0,
    }[level]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@settings(max_examples=50)
@given(rows=tables)
def test_alpha_is_its_definition(level: Any, rows: Rows) -> None:
    paired = [labels for labels in units(rows).values() if len(labels) > 1]
    values = [label for labels in paired for label in labels]
    if len(set(values)) < 2:
        assert krippendorff_alpha(rows, level).value is None
        return
    apart = distance(level, values)
    observed = sum(
        apart(a, b) / (len(labels) - 1) for labels in paired for a, b in permutations(labels, 2)
    ) / len(values)
    expected = sum(apart(a, b) for a, b in permutations(values, 2))
    expected /= len(values) * (len(values) - 1)
    close(krippendorff_alpha(rows, level), 1 - observed / expected)


@settings(max_examples=50)
@given(rows=tables)
def test_percent_is_its_definition(rows: Rows) -> None:
    each = [
        [a == b for a, b in combinations(labels, 2)]
        for labels in units(rows).values()
        if len(labels) > 1
    ]
    pooled = [same for pairs in each for same in pairs]
    close(percent_agreement(rows), sum(pooled) / len(pooled) if pooled else None)
    by_item = [sum(pairs) / len(pairs) for pairs in each]
    close(percent_agreement(rows, over="items"), sum(by_item) / len(by_item) if each else None)


def weight(rows: Rows, kind: str | None) -> Any:
    labels = {label for _, _, label in rows}
    widest = max(labels) - min(labels) or 1
    if kind is None:
        return lambda a, b: float(a == b)
    return lambda a, b: 1 - (abs(a - b) / widest) ** POWERS[kind]


def gwet_parts(rows: Rows, kind: str | None) -> tuple[float, dict[int, float], Any] | None:
    """Return the observed agreement and the shares of the labels, as in Gwet (2014)."""
    w = weight(rows, kind)
    judged = units(rows)
    shares = {label: 0.0 for _, _, label in rows}
    for labels in judged.values():
        for label in labels:
            shares[label] += 1 / len(labels) / len(judged)
    agreeing = [
        sum(w(a, b) for a, b in permutations(labels, 2)) / (len(labels) * (len(labels) - 1))
        for labels in judged.values()
        if len(labels) > 1
    ]
    if not agreeing or len(shares) < 2:
        return None
    return sum(agreeing) / len(agreeing), shares, w


@pytest.mark.parametrize("kind", [None, "linear", "quadratic"])
@settings(max_examples=30)
@given(rows=tables)
def test_fleiss_and_gwet_are_their_definitions(kind: Any, rows: Rows) -> None:
    parts = gwet_parts(rows, kind)
    ac = gwet_ac1(rows) if kind is None else gwet_ac2(rows, kind)
    if parts is None:
        assert fleiss_kappa(rows, kind).value is None
        assert ac.value is None
        return
    observed, share, w = parts
    chance = sum(w(a, b) * share[a] * share[b] for a in share for b in share)
    close(fleiss_kappa(rows, kind), (observed - chance) / (1 - chance))
    size = len(share)
    total = sum(w(a, b) for a in share for b in share)
    chance = total / (size * (size - 1)) * sum(p * (1 - p) for p in share.values())
    close(ac, (observed - chance) / (1 - chance))


@pytest.mark.parametrize("kind", [None, "linear", "quadratic"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_cohen_is_that_of_scikit_learn(kind: Any) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(3)
    for size in (5, 20, 200):
        labels = rng.integers(0, 4, (4, size))
        known = rng.random((4, size)) < 0.8
        # Every label occurs: scikit-learn counts steps between the labels it is given.
        rows = [(i, a, int(labels[a, i])) for a in range(4) for i in range(size) if known[a, i]]
        expected = []
        for a, b in combinations(range(4), 2):
            both = known[a] & known[b]
            if both.sum() > 1:
                score = cohen_kappa_score(
                    labels[a, both], labels[b, both], labels=[0, 1, 2, 3], weights=kind
                )
                expected.append(score)
        found = cohen_pairs(rows, kind, labels=[0, 1, 2, 3])
        values = [pair.value for pair in found if pair.value is not None]
        assert values == pytest.approx(expected, abs=1e-12)
        mean = cohen_kappa(rows, kind, labels=[0, 1, 2, 3])
        assert float(mean) == pytest.approx(np.mean(expected), abs=1e-12)


@settings(max_examples=30)
@given(rows=tables)
def test_cohen_pairs_say_who_shares_what(rows: Rows) -> None:
    judged: dict[str, dict[int, int]] = defaultdict(dict)
    for item, annotator, label in rows:
        judged[str(annotator)][item] = label
    for pair in cohen_pairs(rows, overlap=3):
        first, second = judged[pair.first], judged[pair.second]
        both = sorted(set(first) & set(second))
        assert pair.items == len(both)
        a, b = [first[i] for i in both], [second[i] for i in both]
        if len(both) < 3:
            items = "1 item" if len(both) == 1 else f"{len(both)} items"
            assert pair.reason == f"they share {items}; at least 3 are wanted"
        elif set(a) == set(b) and len(set(a)) == 1:
            assert pair.reason == "both gave one and the same label throughout"
        else:
            observed = np.mean(np.array(a) == np.array(b))
            chance = sum(a.count(c) * b.count(c) for c in set(a)) / len(both) ** 2
            assert pair.value == pytest.approx((observed - chance) / (1 - chance), abs=1e-9)


def test_free_text_labels_are_handled_sparsely() -> None:
    rng = np.random.default_rng(0)
    rows = [(i, a, f"group {rng.integers(0, 3) * 1000 + i}") for i in range(3000) for a in range(3)]
    found = krippendorff_alpha(rows, bootstrap=20)
    assert found.value == pytest.approx(1 / 3, abs=0.03)
    assert found.interval is not None
    assert cohen_kappa(rows).value == pytest.approx(1 / 3, abs=0.03)
    assert fleiss_kappa(rows, bootstrap=20).value == pytest.approx(1 / 3, abs=0.03)


def test_many_different_numbers() -> None:
    # The value is checked against the same scale in another unit, which must not matter.
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    rows = [(i, a, truth[i] + rng.normal() / 3 + 20) for i in range(400) for a in range(3)]
    for level in ("ordinal", "interval"):
        found = krippendorff_alpha(rows, level)
        scaled = krippendorff_alpha([(i, a, v * 1e-7) for i, a, v in rows], level)
        assert found.value == pytest.approx(0.9, abs=0.03)
        assert scaled.value == pytest.approx(found.value, abs=1e-6)
