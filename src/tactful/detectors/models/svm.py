"""Support vector machines as the papers used them, and as arrays that need no scikit-learn.

scikit-learn's ``SVC`` learns; what it learnt (support vectors, their weights, the intercept) is
kept as arrays, and the decision is computed here, so that a saved model is no pickle. What the
rows of the machines are made of is a matter of :mod:`~tactful.detectors.models.tfidf` and
:mod:`~tactful.detectors.models.vectors`.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import LogitsDetector, sigmoid
from tactful.detectors.card import Card, write_card
from tactful.detectors.models.estimator import Numbers, TextClassifier, list_of_texts
from tactful.errors import FileFormatError, InputError, UsageError
from tactful.files import atomic_folder
from tactful.libraries import needed

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Rows = Numbers | csr_array

VERSION = "1"
ARRAYS_FILE = "model.npz"
KERNELS = ("linear", "rbf", "poly")
DEGREE = 3
"""scikit-learn's default degree of the polynomial kernel, which the papers kept."""
GRID: dict[str, list[Any]] = {"C": [1, 10, 100, 1000], "kernel": list(KERNELS)}
"""What the grid search tries. The papers name what they chose, not what they tried; gamma is
'scale' in all that they name."""
_INNER_FOLDS = 3
MOST_IN_MEMORY = 12_000
"""Up to this many rows the whole kernel is in memory while learning (8 bytes for each pair)."""
_CACHE_MB = 500
_MOST_ROUNDS = 20_000
_ROWS_AT_ONCE = 512
"""The kernel of this many texts with all support vectors is in memory at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """One learnt machine: ``decision(rows)`` is above 0 for the positive class."""

    kernel: str
    gamma: float
    support: "Rows"
    """Support vectors; of a linear kernel their weighted sum, so that one row is enough."""
    weights: Numbers
    intercept: float
    slope: float = 1.0
    offset: float = 0.0
    """Platt's scaling: probability = sigmoid(slope * decision + offset)."""

    def decision(self, rows: "Rows") -> Numbers:
        """Return the signed distance of each row."""
        found = np.full(rows.shape[0], self.intercept)
        if not len(self.weights):
            return found
        squares = _squares(self.support)
        for start in range(0, rows.shape[0], _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            kernel = _kernel(part, self.support, squares, self.kernel, self.gamma)
            found[start : start + _ROWS_AT_ONCE] += kernel @ self.weights
        return found

    def probability(self, decision: Numbers) -> Numbers:
        """Turn decisions into probabilities."""
        return sigmoid(self.slope * decision + self.offset)


def fit_machines(
    rows: "Rows",
    labels: NDArray[np.bool_],
    *,
    kernel: str,
    c: float,
    grid: bool = False,
    calibrate: bool = False,
    seed: int = 1,
) -> list[Machine]:
    """Learn one machine for each column of ``labels``; ``grid`` searches :data:`GRID` for each."""
    if kernel not in KERNELS:
        raise UsageError(f"Found the kernel {kernel!r}; expected {', '.join(KERNELS)}.")
    machines = []
    for column in labels.T:
        if column.all() or not column.any():
            # One class only: nothing to learn but the answer itself.
            machines.append(
                Machine("linear", 1.0, rows[:0], np.zeros(0), 1.0 if column.all() else -1.0)
            )
            continue
        chosen: dict[str, Any] = {"kernel": kernel, "C": c}
        if grid:
            chosen = _search(rows, column, seed)
        machine = fit_machine(rows, column, chosen["kernel"], chosen["C"])
        machines.append(_calibrated(machine, rows, column, chosen, seed) if calibrate else machine)
    return machines


def fit_machine(rows: "Rows", column: NDArray[np.bool_], kernel: str, c: float) -> Machine:
    """Learn one machine."""
    with needed("A linear detector"):
        from sklearn.svm import SVC, LinearSVC

    target = column.astype(np.int64)
    gamma = scale_gamma(rows)
    if rows.shape[0] <= MOST_IN_MEMORY:
        # Sparse rows make libsvm ten times slower than a kernel that is computed once for all.
        learnt = SVC(kernel="precomputed", C=c, cache_size=_CACHE_MB)
        learnt.fit(_kernel(rows, rows, _squares(rows), kernel, gamma), target)
    elif kernel == "linear":
        # The kernel would not fit into memory; the same machine, but for its regularised
        # intercept, is learnt without one.
        straight = LinearSVC(C=c, loss="hinge", max_iter=_MOST_ROUNDS).fit(rows, target)
        coefficients = np.asarray(straight.coef_, dtype=np.float64)
        return Machine(kernel, gamma, coefficients, np.ones(1), float(straight.intercept_[0]))
    else:
        learnt = SVC(kernel=kernel, C=c, gamma=gamma, degree=DEGREE, cache_size=_CACHE_MB)
        learnt.fit(rows, target)
    weights = learnt.dual_coef_
    weights = np.ravel(weights.toarray() if hasattr(weights, "toarray") else weights)
    support = rows[learnt.support_]
    if kernel == "linear":
        support, weights = np.asarray(support.T @ weights).reshape(1, -1), np.ones(1)
    return Machine(kernel, gamma, support, weights, float(learnt.intercept_[0]))


def scale_gamma(rows: "Rows") -> float:
    """Return what scikit-learn calls gamma='scale': 1 / (features * variance of the table)."""
    squares = float(_squares(rows).sum()) / (rows.shape[0] * rows.shape[1])
    variance = squares - float(rows.mean()) ** 2
    return 1.0 / (rows.shape[1] * variance) if variance > 0 else 1.0


def _search(rows: "Rows", column: NDArray[np.bool_], seed: int) -> dict[str, Any]:
    """Return the best of the grid by F1 of the positive class, by cross-validation inside."""
    with needed("A linear detector"):
        from sklearn.metrics import f1_score

    folds = _inner_folds(column, seed)
    if folds is None:
        raise InputError(
            f"Found {int(column.sum()):,} positive texts of {len(column):,}; the grid search needs "
            "at least 2 of each class; leave it out or bring more data."
        )
    best: tuple[float, dict[str, Any]] = (-1.0, {})
    for kernel in GRID["kernel"]:
        for c in GRID["C"]:
            chosen = {"kernel": kernel, "C": c}
            predicted = _outside(rows, column, chosen, folds) > 0
            score = float(f1_score(column, predicted, zero_division=0))
            if score > best[0]:
                best = (score, chosen)
    return best[1]


def _outside(
    rows: "Rows", column: NDArray[np.bool_], chosen: Mapping[str, Any], folds: Any
) -> Numbers:
    """Return decisions about rows that were not learnt from."""
    decisions = np.zeros(len(column))
    for train, test in folds.split(np.zeros(len(column)), column):
        part = fit_machine(rows[train], column[train], chosen["kernel"], chosen["C"])
        decisions[test] = part.decision(rows[test])
    return decisions


def _calibrated(
    machine: Machine, rows: "Rows", column: NDArray[np.bool_], chosen: Mapping[str, Any], seed: int
) -> Machine:
    """Fit Platt's scaling to decisions about rows that were not learnt from."""
    with needed("A linear detector"):
        from sklearn.linear_model import LogisticRegression

    folds = _inner_folds(column, seed)
    if folds is None:
        return machine
    decisions = _outside(rows, column, chosen, folds)
    scaling = LogisticRegression(C=1e4).fit(decisions.reshape(-1, 1), column)
    slope, offset = float(scaling.coef_[0, 0]), float(scaling.intercept_[0])
    return replace(machine, slope=slope, offset=offset)


def _inner_folds(column: NDArray[np.bool_], seed: int) -> Any:
    with needed("A linear detector"):
        from sklearn.model_selection import StratifiedKFold

    rarest = int(min(column.sum(), (~column).sum()))
    folds = min(_INNER_FOLDS, rarest)
    return StratifiedKFold(folds, shuffle=True, random_state=seed) if folds > 1 else None


def _squares(rows: "Rows") -> Numbers:
    products = rows * rows
    return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()


def _kernel(
    rows: "Rows", support: "Rows", squares: Numbers, kernel: str, gamma: float
) -> NDArray[np.float64]:
    products = rows @ support.T
    if not isinstance(products, np.ndarray):
        products = products.toarray()
    if kernel == "linear":
        return products
    if kernel == "poly":
        products *= gamma
        return np.power(products, DEGREE, out=products)
    # In place, because this is the largest table of all: exp(-gamma * squared distance).
    products *= -2
    products += _squares(rows)[:, None]
    products += squares[None, :]
    np.maximum(products, 0.0, out=products)
    products *= -gamma
    return np.exp(products, out=products)


def machine_arrays(machines: Sequence[Machine]) -> dict[str, NDArray[Any]]:
    """Return machines as named arrays, for an npz file."""
    arrays: dict[str, NDArray[Any]] = {"machines": np.array([m.kernel for m in machines])}
    for at, machine in enumerate(machines):
        numbers = (machine.gamma, machine.intercept, machine.slope, machine.offset)
        arrays[f"{at}.numbers"] = np.array(numbers)
        arrays[f"{at}.weights"] = machine.weights
        if isinstance(machine.support, np.ndarray):
            arrays[f"{at}.support"] = machine.support
        else:
            arrays[f"{at}.data"] = machine.support.data
            arrays[f"{at}.indices"] = machine.support.indices.astype(np.int32)
            arrays[f"{at}.indptr"] = machine.support.indptr.astype(np.int32)
    return arrays


def machines_of(arrays: Mapping[str, NDArray[Any]], features: int) -> list[Machine]:
    """Rebuild machines from their arrays; what does not fit together is a ValueError."""
    machines = []
    for at, kernel in enumerate(str(name) for name in arrays["machines"]):
        if kernel not in KERNELS:
            raise ValueError(f"the kernel {kernel!r}")
        weights = np.asarray(arrays[f"{at}.weights"], dtype=np.float64)
        support = _support(arrays, at, len(weights), features)
        if support.shape != (len(weights), features):
            raise ValueError(f"support vectors of shape {support.shape}")
        gamma, intercept, slope, offset = (float(each) for each in arrays[f"{at}.numbers"])
        machines.append(Machine(kernel, gamma, support, weights, intercept, slope, offset))
    return machines


def _support(arrays: Mapping[str, NDArray[Any]], at: int, rows: int, features: int) -> "Rows":
    if f"{at}.support" in arrays:
        return np.asarray(arrays[f"{at}.support"], dtype=np.float64)
    with needed("A linear detector"):
        from scipy.sparse import csr_array

    parts = (arrays[f"{at}.data"], arrays[f"{at}.indices"], arrays[f"{at}.indptr"])
    return csr_array(parts, shape=(rows, features))


class SvmClassifier(TextClassifier):
    """One support vector machine for each label; what the rows are is for each model to say.

    grid: search kernel and C by cross-validation instead of taking them. calibrate: fit
    probabilities (Platt); otherwise they are sigmoid(decision), right in order and at 0.5 only.
    """

    kernel: str
    C: float
    grid: bool
    calibrate: bool
    random_state: int

    @abstractmethod
    def _rows(self, texts: list[str]) -> "Rows":
        """Return a row for each text."""

    def _learn(self, texts: list[str], labels: NDArray[np.bool_]) -> None:
        self.machines_ = fit_machines(
            self._rows(texts),
            labels,
            kernel=self.kernel,
            c=self.C,
            grid=self.grid,
            calibrate=self.calibrate,
            seed=self.random_state,
        )
        self.classes_ = np.array([0, 1])

    def predict_proba(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return probabilities: of 0 and 1, or of 1 for each label if there are several."""
        found = self._decisions(X).T
        columns = [each.probability(row) for each, row in zip(self.machines_, found, strict=True)]
        return np.stack(columns if self.several_ else [1 - columns[0], columns[0]], axis=1)

    def _decisions(self, texts: Sequence[str]) -> Numbers:
        self.require_fitted("machines_")
        rows = self._rows(list_of_texts(texts))
        return np.stack([machine.decision(rows) for machine in self.machines_], axis=1)

    def _settings(self) -> dict[str, Any]:
        """Return the parameters as a card has them."""
        return self.get_params()

    def card(self, kind: str, ids: Sequence[str], lang: str, about: Mapping[str, Any]) -> Card:
        """Return the card of a detector of ``ids``; the logit of a machine is its decision."""
        self.require_fitted("machines_")
        scalings = ((machine.slope, machine.offset) for machine in self.machines_)
        known = {
            "ids": tuple(ids),
            "kind": kind,
            "lang": lang,
            "calibration": dict(zip(ids, scalings, strict=True)),
            "training": {"settings": self._settings(), **about.get("training", {})},
        }
        return Card(**{"name": kind, "version": VERSION, **about, **known})


class SvmDetector(LogitsDetector):
    """Learnt machines behind the protocol of all detectors."""

    def __init__(self, machines: Sequence[Machine], card: Card):
        if len(machines) != len(card.ids):
            raise InputError(
                f"Found {len(machines)} machines and {len(card.ids)} ids; expected one for each id."
            )
        self.machines, self.card = tuple(machines), card

    @abstractmethod
    def _rows(self, texts: list[str]) -> "Rows":
        """Return a row for each text."""

    @abstractmethod
    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved beside the machines."""

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the decisions, which serve as log-odds before calibration."""
        rows = self._rows(list_of_texts(texts))
        return np.stack([machine.decision(rows) for machine in self.machines], axis=1)

    def save(self, folder: Path, force: bool = False) -> None:
        """Write the arrays and the card."""
        arrays: dict[str, Any] = {**self._arrays(), **machine_arrays(self.machines)}
        with atomic_folder(folder, force) as target:
            np.savez_compressed(target / ARRAYS_FILE, **arrays)
            write_card(self.card, target)


def joined_words(places: Mapping[str, int]) -> NDArray[np.uint8]:
    """Return words, in the order of their places, as an array; none has a line break in it."""
    return np.frombuffer("\n".join(sorted(places, key=places.__getitem__)).encode(), np.uint8)


def parted_words(joined: NDArray[np.uint8]) -> dict[str, int]:
    """Return the words of an array, each with its place."""
    text = bytes(joined).decode("utf-8")
    return {word: at for at, word in enumerate(text.split("\n"))} if text else {}


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file; a broken one is a :class:`FileFormatError`."""
    if not path.is_file():
        raise FileFormatError(
            f"{path.parent}: found no {path.name}; expected the folder of a detector; "
            "check the path or train again."
        )
    try:
        # numpy does not close a file of its own that turns out to be broken.
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise broken_arrays(path, error) from None


def broken_arrays(path: Path, error: Exception) -> FileFormatError:
    """Build the error of an npz file that is not what it should be."""
    return FileFormatError(
        f"{path}: found arrays that do not fit together ({error}); expected those that Tactful "
        "wrote; restore the file or train again."
    )
