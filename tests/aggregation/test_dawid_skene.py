import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.aggregation import DawidSkene, fit_dawid_skene, majority_vote
from tactful.aggregation.dawid_skene import _shares
from tactful.errors import UsageError
from tactful.ratings import Ratings

# Dawid and Skene (1979), table 1, as in dallascard/dawid_skene: 45 patients;
# observer 1 three times, then observers 2 to 5. Expected values are computed by loops over it.
TABLE_1 = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343
1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222
1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343
2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
PATIENTS = TABLE_1.split()
OBSERVER = (0, 0, 0, 1, 2, 3, 4)


def anaesthetists() -> Ratings:
    item = np.repeat(np.arange(45), 7)
    annotator = np.tile(OBSERVER, 45)
    label = np.array([int(answer) - 1 for patient in PATIENTS for answer in patient])
    names = tuple(str(at) for at in range(1, 46))
    return Ratings(
        names, ("1", "2", "3", "4", "5"), ("1", "2", "3", "4"), item, annotator, label
    )  # fmt: skip


def brute_force(
    ratings: Ratings, smoothing: float, competence: float, iterations: int
) -> tuple[Any, Any, float]:
    """Run the textbook's EM with loops over everything, in plain probabilities."""
    size, labels = len(ratings.items), len(ratings.labels)
    votes = list(zip(ratings.item, ratings.annotator, ratings.label, strict=True))
    posterior = np.zeros((size, labels))
    for item, _, label in votes:
        posterior[item, label] += 1
    posterior /= posterior.sum(axis=1, keepdims=True)
    likelihood = 0.0
    for _ in range(iterations):
        prior = posterior.sum(axis=0) + smoothing
        prior /= prior.sum()
        table = np.full((len(ratings.annotators), labels, labels), float(smoothing))
        for label in range(labels):
            table[:, label, label] += competence
        for item, annotator, label in votes:
            table[annotator, :, label] += posterior[item]
        for annotator, truth in itertools.product(range(table.shape[0]), range(labels)):
            whole = table[annotator, truth].sum()
            table[annotator, truth] = table[annotator, truth] / whole if whole else 1 / labels
        posterior = np.tile(prior, (size, 1))
        for item, annotator, label in votes:
            posterior[item] *= table[annotator, :, label]
        likelihood = float(np.log(posterior.sum(axis=1)).sum())
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, table, likelihood


def test_every_patient_has_seven_judgements() -> None:
    """45 patients, three answers of observer 1 and one of each other observer: 315."""
    assert [len(patient) for patient in PATIENTS] == [7] * 45


def test_the_anaesthetists_of_the_paper() -> None:
    """The observers' data with the paper's plain likelihood, against the loops of the textbook."""
    fit = fit_dawid_skene(anaesthetists(), smoothing=0, competence=0, iterations=100, tolerance=0)
    posterior, table, likelihood = brute_force(anaesthetists(), 0, 0, 100)
    np.testing.assert_allclose(np.asarray(fit.posteriors), posterior, atol=1e-9)
    np.testing.assert_allclose(fit.confusion, table, atol=1e-9)
    assert fit.log_likelihood[-1] == pytest.approx(likelihood)
    # Clear cases of table 1: all seven judgements agree.
    for patient, label in {"1": "1", "11": "4", "13": "1", "21": "2", "34": "2"}.items():
        assert fit.label_of()[patient] == label


@settings(max_examples=25)
@given(
    votes=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)),
        min_size=2,
        max_size=24,
        unique_by=lambda vote: vote[:2],
    ),
    smoothing=st.sampled_from([0.01, 0.5]),
    competence=st.sampled_from([0.0, 2.0]),
)
def test_small_tables_equal_the_loops(
    votes: list[tuple[int, int, int]], smoothing: float, competence: float
) -> None:
    rows = [(f"i{item}", f"a{annotator}", f"{label}") for item, annotator, label in votes]
    fit = fit_dawid_skene(
        rows, smoothing=smoothing, competence=competence, iterations=7, tolerance=0
    )
    from tactful.ratings import read_ratings

    posterior, table, likelihood = brute_force(read_ratings(rows), smoothing, competence, 7)
    np.testing.assert_allclose(np.asarray(fit.posteriors), posterior, atol=1e-9)
    np.testing.assert_allclose(fit.confusion, table, atol=1e-9)
    assert fit.log_likelihood[-1] == pytest.approx(likelihood)
    assert len(fit.log_likelihood) == 7


@pytest.mark.parametrize("labels", [2, 4])
def test_it_finds_truth_and_skill_better_than_the_majority(
    planted: Callable[..., Any], labels: int
) -> None:
    data = planted(labels=labels)
    fit = fit_dawid_skene(data.ratings)
    assert isinstance(fit, DawidSkene)
    vote = majority_vote(data.ratings, ties="first")
    assert data.right(fit.labels) > data.right(vote.labels) + 0.03
    assert np.corrcoef(fit.accuracy, data.accuracy)[0, 1] > 0.95
    np.testing.assert_allclose(fit.confusion.sum(axis=2), 1)
    assert fit.priors.sum() == pytest.approx(1)
    assert fit.converged


@pytest.mark.parametrize("smoothing", [0.0, 0.01, 1.0])
def test_the_objective_never_falls(planted: Callable[..., Any], smoothing: float) -> None:
    fit = fit_dawid_skene(planted(items=200).ratings, smoothing=smoothing)
    steps = np.diff(fit.objective)
    assert (steps >= -1e-8 * abs(fit.objective[-1])).all()


def test_gold_moves_the_answer(planted: Callable[..., Any]) -> None:
    """Most annotators answer the opposite: only known items can tell."""
    data = planted(items=400, annotators=10, accuracy=[0.9] * 3 + [0.2] * 7)
    assert data.right(fit_dawid_skene(data.ratings).labels) < 0.2
    fit = fit_dawid_skene(data.ratings, gold=data.gold(60))
    assert data.right(fit.labels) > 0.9
    assert fit.why[0].rule == "known from gold"
    assert fit.accuracy[:3].min() > 0.8
    assert fit.accuracy[3:].max() < 0.4


def test_extremes_stay_numbers() -> None:
    """A thousand annotators who all agree: the probability of their answers is below any float."""
    rows = [(f"i{i}", f"a{a}", "yes" if i else "no") for i in range(3) for a in range(1000)]
    fit = fit_dawid_skene(rows)
    assert fit.labels == ("no", "yes", "yes")
    assert np.isfinite(fit.posteriors).all()  # type: ignore[arg-type]
    assert np.isfinite(fit.log_likelihood).all()


def test_it_says_when_it_has_not_converged() -> None:
    fit = fit_dawid_skene(anaesthetists(), iterations=2)
    assert not fit.converged
    assert fit.notes == ("The likelihood still grew after 2 iterations; allow more of them.",)


def test_where_nothing_was_counted_all_answers_are_as_likely() -> None:
    counts = np.array([[3.0, 1.0], [0.0, 0.0]])
    assert _shares(counts, axis=1).tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_a_smoothing_below_0_is_refused() -> None:
    with pytest.raises(UsageError, match="smoothing of -1"):
        fit_dawid_skene([("i", "a", "x")], smoothing=-1)
    with pytest.raises(UsageError, match="competence of -1"):
        fit_dawid_skene([("i", "a", "x")], competence=-1)
