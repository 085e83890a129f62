"""Baselines: scikit-learn's own checks, guesses that depend on nothing but the text, detectors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from tactful.detectors import Card, Detector
from tactful.detectors.models.baselines import (
    STRATEGIES,
    AllOnes,
    AllZeros,
    BaselineDetector,
    PriorRandom,
    UniformRandom,
    baseline_detector,
    load_baseline_detector,
)
from tactful.errors import FileFormatError, InputError

TEXTS = [f"text number {number}" for number in range(2000)]
LABELS = np.arange(2000) % 5 == 0

CANNOT_APPLY = {
    "check_classifiers_multilabel_output_format_decision_function": "guesses have no decision",
    "check_array_api_input": "runs only where SCIPY_ARRAY_API is set",
}


def test_one_column_of_answers_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="1d array was expected"):
        fitted = PriorRandom().fit(TEXTS, LABELS.reshape(-1, 1))
    assert list(fitted.classes_) == [False, True]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STRATEGIES)
def test_scikit_learns_own_checks_pass(name: str) -> None:
    results = check_estimator(STRATEGIES[name](), on_fail=None, on_skip=None)
    assert len(results) > 40
    others = {r["check_name"]: r["exception"] for r in results if r["status"] != "passed"}
    assert set(others) <= set(CANNOT_APPLY), others


def test_a_uniform_guess_is_even_and_a_weighted_one_as_frequent_as_in_training() -> None:
    """DPM section 5: "choosing the positive class with 50% probability"; DETESTS section 5.1."""
    uniform = UniformRandom().fit(TEXTS, LABELS).predict(TEXTS)
    assert uniform.mean() == pytest.approx(0.5, abs=0.04)
    weighted = PriorRandom().fit(TEXTS, LABELS).predict(TEXTS)
    assert weighted.mean() == pytest.approx(0.2, abs=0.04)
    assert AllOnes().fit(TEXTS, LABELS).predict(TEXTS).all()
    assert not AllZeros().fit(TEXTS, LABELS).predict(TEXTS).any()


def test_a_guess_depends_on_the_text_and_the_seed_only() -> None:
    first = UniformRandom(random_state=1).fit(TEXTS, LABELS)
    second = UniformRandom(random_state=2).fit(TEXTS, LABELS)
    forwards, backwards = first.predict(TEXTS), first.predict(TEXTS[::-1])
    assert (forwards == backwards[::-1]).all()
    assert first.predict(TEXTS[7:8])[0] == forwards[7]
    assert 0.4 < np.mean(forwards == second.predict(TEXTS)) < 0.6


def test_labels_are_guessed_apart() -> None:
    table = np.stack([LABELS, ~LABELS, np.zeros_like(LABELS)], axis=1).astype(int)
    guess = UniformRandom().fit(TEXTS, table)
    predicted = guess.predict(TEXTS)
    assert predicted.shape == (2000, 3)
    assert 0.4 < np.mean(predicted[:, 0] == predicted[:, 1]) < 0.6
    tables = guess.predict_proba(TEXTS)
    assert isinstance(tables, list)
    assert [each.shape for each in tables] == [(2000, 2)] * 3
    never = PriorRandom().fit(TEXTS, table).predict(TEXTS)[:, 2]
    assert not never.any()


def test_parameters_are_those_of_scikit_learn() -> None:
    copied = clone(UniformRandom(random_state=7))
    assert copied.get_params() == {"random_state": 7}
    assert repr(copied) == "UniformRandom(random_state=7)"
    with pytest.raises(ValueError, match="Invalid parameter 'sed'"):
        copied.set_params(sed=3)


def test_what_was_not_fitted_cannot_guess() -> None:
    with pytest.raises(NotFittedError, match="call fit first"):
        UniformRandom().predict(["a"])
    with pytest.raises(NotFittedError):
        baseline_detector(AllOnes(), ["pcl"])


def test_a_baseline_is_a_detector() -> None:
    detector = baseline_detector(AllOnes().fit(["a"], [1]), ["pcl"])
    assert isinstance(detector, Detector)
    scores = detector.score(["a", "b", ""])
    assert scores["pcl"].dtype == np.float32
    assert scores["pcl"].tolist() == [1.0, 1.0, 1.0]
    report = detector.check("They are so brave.")
    assert [finding.id for finding in report.findings] == ["pcl"]
    assert report.findings[0].spans == ()
    assert report.model == "all-ones 1"


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_saved_baseline_says_the_same(tmp_path: Path, name: str) -> None:
    table = np.stack([LABELS, ~LABELS], axis=1).astype(int)
    detector = baseline_detector(STRATEGIES[name]().fit(TEXTS, table), ["pcl", "unhealthy"])
    detector.save(tmp_path / "b")
    again = load_baseline_detector(tmp_path / "b")
    for label, values in detector.score(TEXTS[:50]).items():
        assert (again.score(TEXTS[:50])[label] == values).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda card: card["training"].pop("baseline"),
        lambda card: card["training"]["baseline"].update(strategy="coin"),
        lambda card: card["training"]["baseline"].update(chances="half"),
        lambda card: card["training"]["baseline"].pop("random_state"),
    ],
)
def test_a_broken_card_is_one_sentence(tmp_path: Path, change: Any) -> None:
    baseline_detector(UniformRandom().fit(["a", "b"], [0, 1]), ["pcl"]).save(tmp_path / "b")
    path = tmp_path / "b" / "card.json"
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card))
    with pytest.raises(FileFormatError, match="without a whole baseline"):
        load_baseline_detector(tmp_path / "b")


def test_ids_and_classes_must_fit() -> None:
    with pytest.raises(InputError, match="1 labels and a card of 2 ids"):
        baseline_detector(AllOnes().fit(["a"], [1]), ["pcl", "unhealthy"])
    words = AllOnes().fit(["a", "b"], ["no", "yes"])
    with pytest.raises(InputError, match="classes other than 0 and 1"):
        BaselineDetector(words, Card("x", "1", ("pcl",)))
