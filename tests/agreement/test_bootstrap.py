"""Intervals: the fast way draws from the same distribution as the plain one, and it covers."""

from typing import Any

import numpy as np
import pytest

from tactful.agreement import MEASURES, cohen_kappa, krippendorff_alpha, measure_per_label
from tactful.agreement.measure import Resampling, measure_agreement
from tactful.agreement.prepared import as_ratings, prepare
from tactful.agreement.statistics import Statistics
from tactful.errors import UsageError


def binary(items: int, seed: int, agree: float = 0.8) -> list[tuple[int, int, int]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, items)
    return [
        (i, a, int(truth[i] if rng.random() < agree else 1 - truth[i]))
        for i in range(items)
        for a in range(3)
    ]


def statistics(rows: Any, name: str, level: Any = "nominal") -> Statistics:
    made = MEASURES.get(name).statistics(prepare(as_ratings(rows)), level)
    assert isinstance(made, Statistics)
    return made


def test_a_measure_by_its_name_draws_the_same_samples() -> None:
    rows = binary(30, 0)
    by_name = measure_agreement(rows, "krippendorff", bootstrap=50)
    assert by_name.interval is not None
    assert by_name.interval == krippendorff_alpha(rows, bootstrap=50).interval
    assert (
        by_name.interval == measure_agreement(rows, "krippendorff", bootstrap=50, seed=0).interval
    )


@pytest.mark.parametrize("name", ["percent", "fleiss", "krippendorff", "ac1", "cohen"])
def test_a_sample_is_the_table_with_its_items_repeated(name: str) -> None:
    rows = binary(12, 0)
    counts = np.array([[2, 0, 1, 1, 3, 0, 0, 1, 1, 1, 2, 0]], dtype=float)
    made = statistics(rows, name)
    drawn = float(made.value(*made.totals(counts))[0])
    repeated = [
        (f"{i}.{copy}", a, label) for i, a, label in rows for copy in range(int(counts[0, i]))
    ]
    point, _ = statistics(repeated, name).point()
    assert drawn == pytest.approx(point, abs=1e-12)


def test_drawing_kinds_is_drawing_items(monkeypatch: pytest.MonkeyPatch) -> None:
    made = statistics(binary(200, 1), "krippendorff")
    by_kind = made.resample(4000, 0)
    monkeypatch.setattr(Statistics, "_kinds", lambda self: None)
    by_item = made.resample(4000, 0)
    assert by_kind.mean() == pytest.approx(by_item.mean(), abs=0.005)
    assert by_kind.std() == pytest.approx(by_item.std(), rel=0.06)
    levels = [0.025, 0.5, 0.975]
    assert np.quantile(by_kind, levels) == pytest.approx(np.quantile(by_item, levels), abs=0.01)


def test_an_interval_covers_about_as_often_as_it_says() -> None:
    truth = krippendorff_alpha(binary(20_000, 99)).value
    assert truth is not None
    covered = 0
    for seed in range(100):
        interval = krippendorff_alpha(binary(120, seed), bootstrap=200, confidence=0.9).interval
        assert interval is not None
        covered += interval[0] <= truth <= interval[1]
    assert 80 <= covered <= 98


def test_chunks_do_not_change_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    made = statistics([(i, a, i * a % 7) for i in range(30) for a in range(3)], "krippendorff")
    whole = made.resample(50, 3)
    monkeypatch.setattr("tactful.resampling._CELLS_AT_ONCE", 40)
    assert made.resample(50, 3) == pytest.approx(whole)


def test_samples_without_variation_are_not_hidden() -> None:
    rows = [(i, a, int(i == 0 and a == 0)) for i in range(20) for a in range(2)]
    found = krippendorff_alpha(rows, bootstrap=200)
    assert found.value is not None
    assert found.interval is None
    assert found.samples < 200
    assert "no interval: the coefficient is undefined in" in found.notes[-1]


def test_pairs_that_share_little_get_no_interval() -> None:
    rows = [(i, a, (i + a) % 2) for i in range(6) for a in range(2)]
    found = cohen_kappa(rows, bootstrap=50)
    assert found.interval is None
    assert "no interval: half of the pairs share 6 items or fewer" in found.notes[-1]


def test_per_label_has_intervals_too() -> None:
    answers = measure_per_label(binary(50, 0), "krippendorff", bootstrap=50, seed=2)
    assert list(answers) == ["0", "1"]
    for label, answer in answers.items():
        assert answer.label == label
        assert answer.interval is not None


@pytest.mark.parametrize(
    "wrong", [{"samples": -1}, {"confidence": 0}, {"confidence": 1.0}, {"seed": -1}]
)
def test_impossible_wishes_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"Found .*; expected"):
        Resampling(**wrong)
