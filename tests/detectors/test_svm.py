"""Machines decide exactly as scikit-learn's, and survive as arrays."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC

from tactful.detectors.base import sigmoid
from tactful.detectors.models import svm
from tactful.detectors.models.svm import (
    KERNELS,
    fit_machine,
    fit_machines,
    machine_arrays,
    machines_of,
    scale_gamma,
)
from tactful.errors import InputError, UsageError

RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(80, 6)) * (RNG.random((80, 6)) < 0.6)
TARGET = (ROWS[:, 0] + 0.3 * RNG.normal(size=80)) > 0.2


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    # A linear machine of many rows is learnt by another solver, which has its own test.
    ("kernel", "in_memory"),
    [("linear", True), ("rbf", True), ("poly", True), ("rbf", False), ("poly", False)],
)
def test_a_machine_decides_as_scikit_learns(
    kernel: str, sparse: bool, in_memory: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_memory:
        monkeypatch.setattr(svm, "MOST_IN_MEMORY", 0)
    rows = csr_array(ROWS) if sparse else ROWS
    expected = SVC(kernel=kernel, C=10, gamma="scale").fit(ROWS, TARGET).decision_function(ROWS)
    machine = fit_machine(rows, TARGET, kernel, 10)
    # libsvm stops at a tolerance of 1e-3, and sums in another order.
    np.testing.assert_allclose(machine.decision(rows), expected, atol=5e-3)


def test_gamma_is_scikit_learns_scale() -> None:
    assert scale_gamma(ROWS) == pytest.approx(SVC(gamma="scale").fit(ROWS, TARGET)._gamma)
    assert scale_gamma(csr_array(ROWS)) == pytest.approx(scale_gamma(ROWS))
    assert scale_gamma(np.ones((3, 2))) == 1.0


def test_many_rows_are_learnt_by_the_linear_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    small = fit_machine(ROWS, TARGET, "linear", 1.0)
    monkeypatch.setattr(svm, "MOST_IN_MEMORY", 10)
    large = fit_machine(ROWS, TARGET, "linear", 1.0)
    assert np.mean((small.decision(ROWS) > 0) == (large.decision(ROWS) > 0)) > 0.95


def test_one_class_is_answered_without_learning() -> None:
    labels = np.stack([np.ones(80, bool), np.zeros(80, bool)], axis=1)
    always, never = fit_machines(ROWS, labels, kernel="rbf", c=1)
    assert (always.decision(ROWS) > 0).all()
    assert (never.decision(ROWS) < 0).all()


def test_platts_scaling_makes_probabilities() -> None:
    (machine,) = fit_machines(ROWS, TARGET[:, None], kernel="linear", c=1, calibrate=True)
    probability = machine.probability(machine.decision(ROWS))
    assert machine.slope > 0
    assert abs(probability.mean() - TARGET.mean()) < 0.1


def test_the_grid_search_takes_what_fits_best() -> None:
    circle = (ROWS[:, :2] ** 2).sum(axis=1) > 1.0
    (machine,) = fit_machines(ROWS, circle[:, None], kernel="linear", c=1, grid=True)
    assert machine.kernel != "linear"
    single = np.arange(80) == 3
    with pytest.raises(InputError, match="1 positive texts of 80"):
        fit_machines(ROWS, single[:, None], kernel="linear", c=1, grid=True)


def test_an_unknown_kernel_is_refused() -> None:
    with pytest.raises(UsageError, match="expected linear, rbf, poly"):
        fit_machines(ROWS, TARGET[:, None], kernel="sigmoid", c=1)


@pytest.mark.parametrize("sparse", [False, True])
def test_arrays_give_the_same_machines(sparse: bool) -> None:
    rows = csr_array(ROWS) if sparse else ROWS
    made = [fit_machine(rows, TARGET, kernel, 5) for kernel in KERNELS]
    made += fit_machines(rows, np.ones((80, 1), bool), kernel="rbf", c=1)
    again = machines_of(machine_arrays(made), 6)
    for one, other in zip(made, again, strict=True):
        np.testing.assert_array_equal(one.decision(rows), other.decision(rows))


def test_arrays_that_do_not_fit_are_refused() -> None:
    arrays = machine_arrays([fit_machine(ROWS, TARGET, "rbf", 1)])
    with pytest.raises(ValueError, match="shape"):
        machines_of(arrays, 7)
    with pytest.raises(ValueError, match="kernel 'tree'"):
        machines_of({**arrays, "machines": np.array(["tree"])}, 6)


def test_the_sigmoid_does_not_overflow() -> None:
    assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]
