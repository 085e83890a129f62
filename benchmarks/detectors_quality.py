"""How well the embedded detectors find what they should: on the part nothing was trained on.

Calibration was fitted on that same part, so the calibration error is a little flattered; thresholds
follow from the probabilities alone. Needs the corpora in $TACTFUL_DATA.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from factory.records import Record, read_records

from results import machine_line, table, write_page
from tactful.detectors import load_detector
from tactful.metrics import (
    bootstrap_interval,
    expected_calibration_error,
    f1_score,
    roc_auc_score,
    span_f1_score,
)
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS

Scores = Mapping[str, np.ndarray]
DETECTORS = ("default", "fast", "cascade")
DRAWS = 200
GOALS = {
    "default": {"UCC mean AUC": 0.80, "PCL F1": 0.58, "category macro-F1": 0.40,
                "frame.offensive F1": 0.86, "frame.intent F1": 0.84, "frame.lewd F1": 0.74,
                "frame.group F1": 0.84, "PCL span F1 (characters)": 0.45, "largest ECE": 0.03},
    "fast": {"UCC mean AUC": 0.72, "PCL F1": 0.47},
    "cascade": {},
}  # fmt: skip


def per_id(
    records: Sequence[Record], scores: Scores, thresholds: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """Return AUC, F1 and calibration error of each id, with the number of texts and positives."""
    found: dict[str, dict[str, float]] = {}
    for name, values in scores.items():
        rows = [row for row, record in enumerate(records) if name in record.gold]
        gold = np.array([records[row].gold[name] for row in rows])
        chosen = values[rows].astype(float)
        guess = (chosen >= thresholds[name]).astype(int)
        measures = {
            "auc": bootstrap_interval(roc_auc_score, gold, chosen, repetitions=500, seed=1),
            "f1": bootstrap_interval(f1_score, gold, guess, repetitions=500, seed=1),
        }
        found[name] = {"texts": len(gold), "positive": int(gold.sum())}
        for key, answer in measures.items():
            found[name][key] = answer.measure.value or 0.0
            found[name][f"{key} low"] = answer.low or 0.0
            found[name][f"{key} high"] = answer.high or 0.0
        found[name]["ece"] = expected_calibration_error(gold, chosen).value or 0.0
        found[name]["ece of chance"] = chance_error(chosen)
    return found


def chance_error(probabilities: np.ndarray) -> float:
    """Return the mean calibration error of labels drawn with these very probabilities."""
    rng = np.random.default_rng(1)
    drawn = [
        expected_calibration_error(
            (rng.random(len(probabilities)) < probabilities).astype(int), probabilities
        ).value
        for _ in range(DRAWS)
    ]
    return float(np.mean([value or 0.0 for value in drawn]))


def summary(found: Mapping[str, Mapping[str, float]], spans: float | None) -> dict[str, float]:
    """Return the figures that the goals are set for."""
    figures = {
        "UCC mean AUC": float(np.mean([found[name]["auc"] for name in UNHEALTHY_IDS])),
        "PCL F1": found["pcl"]["f1"],
        "category macro-F1": float(np.mean([found[name]["f1"] for name in PCL_IDS[1:]])),
        **{f"{name} F1": found[name]["f1"] for name in FRAME_IDS},
    }
    if spans is not None:
        figures["PCL span F1 (characters)"] = spans
    return figures | {"largest ECE": max(each["ece"] for each in found.values())}


def main() -> int:
    """Measure and write the page."""
    data = os.environ.get("TACTFUL_DATA")
    if not data:
        print("TACTFUL_DATA is not set: the quality of the detectors was not measured.")
        return 0
    records = [record for record in read_records(Path(data)) if record.part == "validation"]
    texts = [record.text for record in records]
    goals, details = [], []
    for name in DETECTORS:
        detector = load_detector(name)
        thresholds = {each: detector.card.threshold(each) for each in detector.card.ids}
        found = per_id(records, detector.score(texts), thresholds)
        spans = span_figure(detector, records) if name == "default" else None
        for figure, value in summary(found, spans).items():
            goals.append([name, figure, f"{value:.3f}", GOALS[name].get(figure, "")])
        for each, row in found.items():
            details.append(
                [name, each, int(row["texts"]), int(row["positive"]),
                 f"{row['auc']:.3f} ({row['auc low']:.3f}-{row['auc high']:.3f})",
                 f"{row['f1']:.3f} ({row['f1 low']:.3f}-{row['f1 high']:.3f})",
                 f"{row['ece']:.3f}", f"{row['ece of chance']:.3f}"]
            )  # fmt: skip
    write_page(
        "detectors-quality",
        "Quality of the embedded detectors",
        "Validation part: one eighth of the groups of each corpus (seed 1), which nothing was "
        "trained on; calibration was fitted on it, so ECE is a little flattered; thresholds follow "
        "from the probabilities alone. The goals were set for other, held-out parts. Intervals: "
        "95 %, bootstrap. ECE of chance: what perfectly calibrated probabilities would have on so "
        "few texts.\n\n"
        + table(["detector", "figure", "found", "goal"], goals)
        + "\n\n"
        + table(
            ["detector", "id", "texts", "positive", "AUC", "F1", "ECE", "ECE of chance"], details
        )
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/detectors_quality.py`",
    )
    return 0


def span_figure(detector: object, records: Sequence[Record]) -> float:
    """Return the F1 of characters of all that ``check`` marks in paragraphs with PCL."""
    chosen = [record for record in records if record.spans and record.gold.get("pcl")]
    found = [
        [
            (span.start, span.end)
            for finding in detector.check(record.text).findings  # type: ignore[attr-defined]
            if finding.id.startswith("pcl")
            for span in finding.spans
        ]
        for record in chosen
    ]
    gold = [[(span.start, span.end) for span in record.spans or ()] for record in chosen]
    return span_f1_score(gold, found).value or 0.0


if __name__ == "__main__":
    sys.exit(main())
