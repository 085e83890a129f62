"""How well our scores stand for the attributes of the Perspective API: fit, and held-out figures.

A combination is a logistic sum over the log-odds of our ids with weights of 0 or more. Its weights
are fitted with an intercept for each corpus and with equal weight for each corpus and answer, so
that they tell comments apart, not corpora; then one slope and one intercept calibrate the sum on
both corpora. Only the texts that the detector was not trained on are used; figures are of five
folds, each scored by a fit of the other four. Needs the corpora in $TACTFUL_DATA. The cells for
``attributes.yaml`` are printed; where the file has others, the script says so and fails.
"""

import csv
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from factory.records import Record, fingerprint, read_records
from numpy.typing import NDArray
from scipy.optimize import minimize

from results import machine_line, table, write_page
from tactful.detectors import load_detector
from tactful.metrics import (
    bootstrap_interval,
    expected_calibration_error,
    f1_score,
    reliability_bins,
    roc_auc_score,
)
from tactful.service.perspective.mapping import Formula, attributes

SEED = 1
FOLDS = 5
SHRINK = 1e-3
"""How strongly large weights are held back."""
SMALLEST = 0.01
"""A smaller weight is left out."""
DETECTORS = ("default", "cascade", "fast")
Numbers = NDArray[np.float64]
Label = Callable[[Record], int | None]


@dataclass(frozen=True)
class Task:
    """One attribute: the ids that may take part, and which answers of a corpus stand for it."""

    ids: tuple[str, ...]
    labels: Mapping[str, Label]
    told: str


def gold(name: str) -> Label:
    """Return the reader of one label."""
    return lambda record: record.gold.get(name)


def severe_post(record: Record) -> int:
    """Say whether all annotators found a post offensive, and most of them meant to be so."""
    found = record.targets
    return int(found.get("frame.offensive", 0) >= 0.99 and found.get("frame.intent", 0) >= 0.66)


def severe_comment(record: Record) -> int:
    """Say whether a comment is needlessly hostile and out of place in a healthy exchange."""
    return int(record.gold["unhealthy"] and record.gold["unhealthy.hostile"])


COMBINED = {
    "TOXICITY": Task(
        ("frame.offensive", "unhealthy"),
        {"ucc": gold("unhealthy"), "sbic": gold("frame.offensive")},
        "UCC: unhealthy; SBIC: offensive",
    ),
    "SEVERE_TOXICITY": Task(
        ("frame.offensive", "frame.intent", "unhealthy.hostile"),
        {"ucc": severe_comment, "sbic": severe_post},
        "UCC: unhealthy and hostile; SBIC: all say offensive, and intent of 0.66 or more",
    ),
    "INSULT": Task(
        ("frame.offensive", "unhealthy.antagonistic"),
        {"ucc": gold("unhealthy.antagonistic"), "sbic": gold("frame.offensive")},
        "UCC: antagonistic; SBIC: offensive",
    ),
}
PLAIN = {
    "IDENTITY_ATTACK": Task(
        ("frame.group",),
        {"sbic": lambda record: int(record.targets.get("frame.group", 0) >= 0.5)},
        "SBIC: a group is the target; none without offence",
    ),
    "SEXUALLY_EXPLICIT": Task(("frame.lewd",), {"sbic": gold("frame.lewd")}, "SBIC: lewd"),
    "ATTACK_ON_COMMENTER": Task(
        ("unhealthy.antagonistic",), {"ucc": gold("unhealthy.antagonistic")}, "UCC: antagonistic"
    ),
}


@dataclass(frozen=True)
class Sample:
    """What a task is fitted on."""

    odds: Numbers
    answers: Numbers
    corpora: NDArray[np.str_]
    rows: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> "Sample":
        """Return some of the rows."""
        return Sample(
            self.odds[chosen], self.answers[chosen], self.corpora[chosen], self.rows[chosen]
        )


def log_odds(chances: Numbers) -> Numbers:
    """Return log-odds that stay finite."""
    kept = np.clip(chances.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.log(kept / (1 - kept))


def sample(records: Sequence[Record], scores: Mapping[str, Numbers], task: Task) -> Sample:
    """Return the rows of the corpora that can answer a task."""
    found = [
        (row, answer)
        for row, record in enumerate(records)
        if record.corpus in task.labels
        and (answer := task.labels[record.corpus](record)) is not None
    ]
    rows = np.array([row for row, _ in found])
    return Sample(
        np.stack([log_odds(scores[name][rows]) for name in task.ids], axis=1),
        np.array([float(answer) for _, answer in found]),
        np.array([records[row].corpus for row in rows]),
        rows,
    )


def logistic(columns: Numbers, answers: Numbers, weights: Numbers, free: int) -> Numbers:
    """Fit a logistic regression; all but the last ``free`` columns have weights of 0 or more."""
    own = columns.shape[1] - free
    total = weights.sum()

    def loss(point: Numbers) -> tuple[float, Numbers]:
        sums = columns @ point[1:] + point[0]
        errors = weights * (1 / (1 + np.exp(-sums)) - answers)
        held = np.concatenate([[0.0], point[1 : own + 1], np.zeros(free)])
        value = (weights * (np.logaddexp(0, sums) - answers * sums)).sum() / total
        slope = np.concatenate([[errors.sum()], columns.T @ errors]) / total
        return float(value + SHRINK * (held**2).sum()), slope + 2 * SHRINK * held

    start = np.concatenate([[0.0], np.full(own, 0.3), np.zeros(free)])
    bounds = [(None, None)] + [(0, None)] * own + [(None, None)] * free
    found: Numbers = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return found


def cell_weights(each: Sample, by_answer: bool) -> Numbers:
    """Weigh rows so that all corpora, or all answers of all corpora, count the same."""
    keys = [
        (corpus, answer if by_answer else 0)
        for corpus, answer in zip(each.corpora, each.answers, strict=True)
    ]
    sizes = {key: keys.count(key) for key in set(keys)}
    return np.array([1 / sizes[key] for key in keys])


def fit(each: Sample) -> tuple[float, Numbers]:
    """Return the intercept and the weights of a combination."""
    others = sorted(set(each.corpora))[1:]
    marks = np.stack([(each.corpora == name).astype(float) for name in others], axis=1)
    columns = np.concatenate([each.odds, marks], axis=1)
    found = logistic(columns, each.answers, cell_weights(each, True), len(others))
    weights = found[1 : each.odds.shape[1] + 1]
    weights = np.where(weights < SMALLEST, 0.0, weights)
    sums = (each.odds @ weights)[:, None]
    intercept, slope = logistic(sums, each.answers, cell_weights(each, False), 0)
    return float(intercept), weights * slope


def held_out(each: Sample) -> Numbers:
    """Return the chances of every row by a fit that did not see it."""
    folds = np.random.default_rng(SEED).integers(0, FOLDS, len(each.answers))
    chances = np.zeros(len(each.answers))
    for fold in range(FOLDS):
        intercept, weights = fit(each.part(folds != fold))
        sums = each.odds[folds == fold] @ weights + intercept
        chances[folds == fold] = 1 / (1 + np.exp(-sums))
    return chances


def best_threshold(answers: Numbers, chances: Numbers) -> float:
    """Return the chance from which on flags have the best F1."""
    steps = np.round(np.arange(0.05, 0.96, 0.01), 2)
    found = [f1_score(answers.astype(int), (chances >= at).astype(int)).value for at in steps]
    return float(steps[int(np.argmax([value or 0.0 for value in found]))])


def figures(name: str, told: str, answers: Numbers, chances: Numbers) -> list[object]:
    """Return a row of the table."""
    truth = answers.astype(int)
    auc = bootstrap_interval(roc_auc_score, truth, chances, repetitions=500, seed=SEED)
    error = expected_calibration_error(truth, chances).value
    return [name, told, len(truth), f"{truth.mean():.3f}",
            f"{auc.measure.value:.3f} [{auc.low:.3f}, {auc.high:.3f}]",
            "" if error is None else f"{error:.3f}"]  # fmt: skip


def reliability(name: str, answers: Numbers, chances: Numbers) -> list[object]:
    """Return how often the answer was yes in each fifth of the scale."""
    row: list[object] = [name]
    found = {
        round(each.low, 1): each for each in reliability_bins(answers.astype(int), chances, bins=5)
    }
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        each = found.get(low)
        row.append("" if each is None else f"{each.positive:.2f} of {each.items}")
    return row


def spanish(data: Path) -> list[list[object]]:
    """Return how far the Spanish stereotype score stands for toxicity: not far enough."""
    path = data / "detoxis" / "train_part.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    detector = load_detector(lang="es")
    chances = detector.score([row["comment"] for row in rows])["stereotype"].astype(np.float64)
    without = np.array([row["stereotype"] == "0" for row in rows])
    found = []
    for label in ("toxicity", "insult", "aggressiveness", "intolerance"):
        answers = np.array([float(row[label] != "0") for row in rows])
        for told, chosen in (("all", np.full(len(rows), True)), ("no stereotype", without)):
            found.append(figures(label, told, answers[chosen], chances[chosen]))
    return found


def yaml_cell(formula: Formula) -> str:
    """Return a cell of attributes.yaml."""
    weights = ", ".join(f"{name}: {weight}" for name, weight in formula.weights.items())
    return (
        f"{{weights: {{{weights}}}, intercept: {formula.intercept}, "
        f"threshold: {formula.threshold}}}"
    )


def fitted_formula(task: Task, each: Sample, chances: Numbers) -> Formula:
    """Return the combination that all rows give."""
    intercept, weights = fit(each)
    return Formula(
        {
            name: round(float(weight), 3)
            for name, weight in zip(task.ids, weights, strict=True)
            if weight > 0
        },
        round(intercept, 3),
        best_threshold(each.answers, chances),
    )


def main() -> int:
    """Fit, measure, print the cells and write the page."""
    data = os.environ.get("TACTFUL_DATA")
    if not data:
        print("TACTFUL_DATA is not set: the mapping of attributes was not measured.")
        return 0
    records = [
        record
        for record in read_records(Path(data))
        if record.part == "validation" and record.corpus in ("ucc", "sbic")
    ]
    texts = [record.text for record in records]
    scores = {name: load_detector(name).score(texts) for name in DETECTORS}
    default = {name: column.astype(np.float64) for name, column in scores["default"].items()}
    print(f"data_sha256: {fingerprint(records)}")
    rows, curves, others = [], [], []
    stale = 0
    for name, task in (COMBINED | PLAIN).items():
        each = sample(records, default, task)
        if name in COMBINED:
            chances = held_out(each)
            found = fitted_formula(task, each, chances)
            differs = found != attributes()[name].formulas["en"]
            stale += differs
            print(f"{name}: {yaml_cell(found)}{'  <- not as in attributes.yaml' * differs}")
        else:
            chances = default[task.ids[0]][each.rows]
        rows.append(figures(name, task.told, each.answers, chances))
        if len(task.labels) > 1:
            for corpus in task.labels:
                own = each.corpora == corpus
                rows.append(figures(name, f"{corpus} alone", each.answers[own], chances[own]))
        curves.append(reliability(name, each.answers, chances))
        formula = attributes()[name].formulas["en"]
        for detector in DETECTORS[1:]:
            told = scores[detector]
            values = np.array(
                [formula.value({key: float(told[key][row]) for key in formula.weights})
                 for row in each.rows]
            )  # fmt: skip
            others.append([detector, *figures(name, task.told, each.answers, values)])
    columns = ["attribute", "answers that stand for it", "texts", "positive", "AUC", "ECE"]
    write_page(
        "perspective-mapping",
        "Attributes of the Perspective API, by our scores",
        f"English: the texts that nothing was trained on (seed {SEED}). Combinations (TOXICITY, "
        f"SEVERE_TOXICITY, INSULT): {FOLDS} folds, each scored by a fit of the others. The others "
        "hand on one id, whose calibration was fitted on these texts, so that their ECE is a "
        "little flattered. Intervals: 95 %, bootstrap. One corpus is comments to news, in which "
        "few answers are yes, and the other posts, of which half are offensive; the calibration is "
        "for as many of each. These are labels of our corpora, not scores of Perspective: nobody "
        "here could ask it.\n\n"
        + table(columns, rows)
        + "\n\nShare of yes by score (held out):\n\n"
        + table(["attribute", "0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1"], curves)
        + "\n\nThe same formulas on the scores of the other detectors:\n\n"
        + table(["detector", *columns], others)
        + "\n\nWhy Spanish has no TOXICITY: the stereotype score against the labels of DETOXIS. "
        "These comments taught the detector (the label stereotype only), so that even these "
        "figures are flattered; rude comments that hold no stereotype are what it misses.\n\n"
        + table(["label", "comments", "texts", "positive", "AUC", "ECE"], spanish(Path(data)))
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/perspective_mapping.py`.",
    )
    return min(stale, 1)


if __name__ == "__main__":
    sys.exit(main())
