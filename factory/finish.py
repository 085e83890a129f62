"""From a trained model to a folder that works without torch: calibrated, thresholded, measured.

Calibration and thresholds come from the validation part, which nothing was trained on. The rates
of UCC's rare labels come from all its labelled comments, matched on the unlabelled ones.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from factory.records import Record
from tactful.detectors.base import Detector, sigmoid
from tactful.detectors.card import Card
from tactful.detectors.explain.words import token_spans
from tactful.detectors.models.encoder import EncoderDetector
from tactful.documents.normalise import normalise
from tactful.metrics.spans import span_f1_score
from tactful.training.calibrate import best_threshold, figures_of, platt
from tactful.training.task_data import PCL_IDS, UNHEALTHY_IDS
from tactful.types import Span

Floats = NDArray[np.float64]
LEAST_COMMENTS = 1000
"""With fewer unlabelled comments, the rate of the validation part stands."""
OPEN_SHARE = 0.15
LEAST_BAND = 1e-4
BAND_STEP = 3
"""Every third text is enough to know a share."""
_GRID = np.round(np.arange(0.05, 0.95, 0.05), 2)


def calibrated(card: Card, records: Sequence[Record], answers: NDArray[np.floating]) -> Card:
    """Return the card with calibration, thresholds and figures, from the validation part.

    ``answers`` are the detector's logits, one row per record.
    """
    held = [row for row, record in enumerate(records) if record.part == "validation"]
    chosen = [records[row] for row in held]
    logits = answers[held].astype(np.float64)
    comments = [row for row, record in enumerate(records) if record.corpus == "comment"]
    wide = answers[comments].astype(np.float64) if len(comments) >= LEAST_COMMENTS else None
    calibration, thresholds, figures = {}, {}, []
    for at, name in enumerate(card.ids):
        rows = [row for row, record in enumerate(chosen) if name in record.gold]
        gold = np.array([chosen[row].gold[name] for row in rows])
        slope, intercept = platt(logits[rows, at], gold)
        if wide is not None and name in UNHEALTHY_IDS:
            everyone = [record.gold[name] for record in records if name in record.gold]
            intercept = match_rate(wide[:, at], slope, float(np.mean(everyone)))
        probabilities = sigmoid(slope * logits[rows, at] + intercept)
        calibration[name] = (round(slope, 4), round(intercept, 4))
        thresholds[name] = round(best_threshold(probabilities), 4)
        figures += figures_of(name, gold, probabilities, thresholds[name])
    return replace(card, calibration=calibration, thresholds=thresholds, figures=tuple(figures))


def with_span_thresholds(detector: EncoderDetector, records: Sequence[Record]) -> Card:
    """Choose, per id, the token threshold with the best F1 of characters on texts with PCL."""
    texts = [
        record
        for record in records
        if record.part == "validation" and record.spans and record.gold.get("pcl")
    ]
    marks = [(normalise(record.text), record) for record in texts]
    answers = [detector.marks(clean) for clean, _ in marks]
    chosen, figures = {}, []
    for column, name in enumerate(PCL_IDS):
        gold = [
            [span for span in record.spans or () if name in ("pcl", span.id)] for record in texts
        ]
        best = (0.0, 0.5)
        for threshold in _GRID:
            found: list[list[Span]] = [
                [
                    span
                    for offsets, logits in answer
                    for span in token_spans(
                        record.text, clean, offsets, logits[:, column], name, float(threshold)
                    )
                ]
                for (clean, record), answer in zip(marks, answers, strict=True)
            ]
            value = span_f1_score(gold, found).value or 0.0
            best = max(best, (value, float(threshold)))
        chosen[name] = best[1]
        figures.append(
            {
                "id": name,
                "metric": "span f1",
                "value": round(best[0], 4),
                "low": None,
                "high": None,
                "items": len(texts),
                "positives": sum(bool(spans) for spans in gold),
                "part": "validation (its threshold was chosen there)",
            }
        )
    card = detector.card
    return replace(card, span_thresholds=chosen, figures=(*card.figures, *figures))


def with_thresholds_and_figures(detector: Detector, records: Sequence[Record]) -> Card:
    """Return the card of a detector that is calibrated already, measured as it is."""
    chosen = [record for record in records if record.part == "validation"]
    scores = detector.score([record.text for record in chosen])
    thresholds, figures = {}, []
    for name in detector.card.ids:
        rows = [row for row, record in enumerate(chosen) if name in record.gold]
        gold = np.array([chosen[row].gold[name] for row in rows])
        found = scores[name][rows].astype(np.float64)
        thresholds[name] = round(best_threshold(found), 4)
        figures += figures_of(name, gold, found, thresholds[name])
    return replace(detector.card, thresholds=thresholds, figures=tuple(figures))


def bands(fast: Detector, records: Sequence[Record]) -> dict[str, tuple[float, float]]:
    """Return from which fast probability on a text of each id is asked about again.

    Every id is as sensitive as the others, measured by its threshold, and together they leave
    ``OPEN_SHARE`` of the comments and paragraphs open. What the fast detector finds is always
    confirmed: the bands have no upper end.
    """
    texts = [
        record.text
        for record in records
        if record.part == "train" and record.corpus in ("ucc", "dpm", "comment")
    ][::BAND_STEP]
    scores = fast.score(texts)
    thresholds = {name: max(fast.card.threshold(name), LEAST_BAND) for name in fast.card.ids}
    nearest = np.max([scores[name] / thresholds[name] for name in fast.card.ids], axis=0)
    level = float(np.quantile(nearest, 1 - OPEN_SHARE))
    return {name: (round(min(level * value, 1.0), 4), 1.0) for name, value in thresholds.items()}


def match_rate(logits: NDArray[np.floating], slope: float, rate: float) -> float:
    """Return the intercept with which the mean probability of many unlabelled texts is ``rate``.

    The rate of a rare label is known better from all labelled texts than from a validation part.
    """
    from scipy.optimize import brentq

    def gap(intercept: float) -> float:
        return float(sigmoid(slope * logits + intercept).mean() - rate)

    return float(brentq(gap, -30.0, 30.0))
