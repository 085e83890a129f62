"""How well the embedded detectors find what they should: on the part nothing was trained on.

Calibration was fitted on that same part, so the calibration error is a little flattered; thresholds
follow from the probabilities. Needs the corpora in $TACTFUL_DATA. Only for models of ``python -m
factory english detectors``: earlier ones learnt from most of this validation part.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from factory.english.detectors import HOMES, NATURAL_RATES, Texts
from factory.english.sources import FRAME, PCL, TOXICITY, UNHEALTHY

from results import machine_line, table, write_page
from tactful.detectors import Detector, load_detector
from tactful.metrics import (
    bootstrap_interval,
    expected_calibration_error,
    f1_score,
    roc_auc_score,
    span_f1_score,
)

DETECTORS = ("default", "fast", "cascade", "open", "open-fast", "open-cascade")
DRAWS = 200
GOALS = {
    "UCC mean AUC": 0.845, "PCL F1": 0.60, "pcl AUC": 0.925, "category macro-F1": 0.42,
    "frame.offensive F1": 0.875, "frame.intent F1": 0.86, "frame.lewd F1": 0.76,
    "frame.group F1": 0.85, "toxicity AUC": 0.98, "toxicity.insult AUC": 0.96,
    "toxicity.identity_attack AUC": 0.985, "toxicity.threat AUC": 0.955,
    "toxicity.profanity AUC": 0.945, "toxicity.sexually_explicit AUC": 0.97,
    "PCL span F1 (characters)": 0.45, "largest ECE": 0.03,
}  # fmt: skip
"""For the default of the research tier, on other, held-out texts."""
OPEN_GOALS = GOALS | {
    "UCC mean AUC": 0.74, "PCL F1": 0.42, "pcl AUC": 0.85, "frame.offensive F1": 0.87,
    "frame.intent F1": 0.85, "frame.lewd F1": 0.75, "frame.group F1": 0.84,
}  # fmt: skip
"""For the open default, which learnt from neither UCC nor Don't Patronize Me!."""
PEERS = {"UCC mean AUC": "0.770 BERT (Price et al. 2020)"}
"""The papers' own models on their own test parts, where the task is the same."""


def per_id(detector: Detector, texts: Texts) -> dict[str, dict[str, float]]:
    """Return AUC, F1 and calibration error of each id, with the number of texts and positives."""
    found: dict[str, dict[str, float]] = {}
    for ids in HOMES.values():
        rows, _ = texts.held(ids[0])
        asked = sorted({row for name in ids for row in texts.held(name)[0]})
        scores = detector.score([texts.texts[row] for row in asked])
        at = {row: number for number, row in enumerate(asked)}
        for name in ids:
            rows, gold = texts.held(name)
            chosen = scores[name][[at[row] for row in rows]].astype(float)
            guess = (chosen >= detector.card.threshold(name)).astype(int)
            measures = {
                "auc": bootstrap_interval(roc_auc_score, gold, chosen, repetitions=500, seed=1),
                "f1": bootstrap_interval(f1_score, gold, guess, repetitions=500, seed=1),
            }
            found[name] = {"texts": len(gold), "positive": int(gold.sum())}
            for key, answer in measures.items():
                found[name][key] = answer.measure.value or 0.0
                found[name][f"{key} low"] = answer.low or 0.0
                found[name][f"{key} high"] = answer.high or 0.0
            error = expected_calibration_error(gold, chosen, positive_rate=NATURAL_RATES.get(name))
            found[name]["ece"] = error.value or 0.0
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
        "UCC mean AUC": float(np.mean([found[name]["auc"] for name in UNHEALTHY])),
        "PCL F1": found["pcl"]["f1"],
        "pcl AUC": found["pcl"]["auc"],
        "category macro-F1": float(np.mean([found[name]["f1"] for name in PCL[1:]])),
        **{f"{name} F1": found[name]["f1"] for name in FRAME},
        **{f"{name} AUC": found[name]["auc"] for name in TOXICITY},
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
    texts = Texts.read(Path(data), "research")
    goals, details = [], []
    for name in DETECTORS:
        detector = load_detector(name)
        found = per_id(detector, texts)
        spans = span_figure(detector, texts) if name in ("default", "open") else None
        for figure, value in summary(found, spans).items():
            goal = {"default": GOALS, "open": OPEN_GOALS}.get(name, {}).get(figure, "")
            goals.append([name, figure, f"{value:.3f}", goal, PEERS.get(figure, "")])
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
        "Validation part: 8 of 100 texts of each corpus, by a hash of the text, which nothing was "
        "trained on; calibration was fitted on it, so ECE is a little flattered. The goals were "
        "set for other, held-out parts, and the papers' figures are those of their own test parts. "
        "Civil Comments is sampled: the calibration error of toxicity is that of natural rates, "
        "for which its probabilities are made. Intervals: 95 %, bootstrap. "
        "ECE of chance: what perfectly calibrated probabilities would have on as few texts.\n\n"
        + table(["detector", "figure", "found", "goal", "paper"], goals)
        + "\n\n"
        + table(
            ["detector", "id", "texts", "positive", "AUC", "F1", "ECE", "ECE of chance"], details
        )
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/detectors_quality.py`",
    )
    return 0


def span_figure(detector: Detector, texts: Texts) -> float:
    """Return the F1 of characters of all that ``check`` marks in paragraphs with PCL."""
    chosen = [
        row
        for row in texts.rows
        if row.corpus == "dpm" and row.part == "validation" and row.marks.get("pcl")
    ]
    found = [
        [
            (span.start, span.end)
            for finding in detector.check(row.text).findings
            if finding.id.startswith("pcl")
            for span in finding.spans
        ]
        for row in chosen
    ]
    return span_f1_score([list(row.marks["pcl"]) for row in chosen], found).value or 0.0


if __name__ == "__main__":
    sys.exit(main())
