"""Ordinary prose with the highest scores: the next detector learns most from it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from factory.english.sources import TOXICITY, UNHEALTHY, Row
from factory.stages import Stage, hash_of, saved
from tactful.detectors import load_detector

PROSE = ("news", "fiction")
HARD = "hard"
"""The corpus that hard texts are moved to."""
SHARE, LEFT_OUT = 0.15, 0.003
"""The hardest of the texts of each kind are marked. Of the first few, many deserve their score:
nothing is learnt from them."""
LOUD = ("pcl", *UNHEALTHY, "frame.offensive", *TOXICITY)
"""What a check reports on its own; a group, for one, is named in many a harmless sentence."""


def mark_hard_prose(rows: Sequence[Row], detector: str, folder: Path) -> list[Row]:
    """Move hard sentences of news and fiction to a corpus of their own, and drop the hardest."""
    prose = [at for at, row in enumerate(rows) if row.corpus in PROSE]
    texts = [rows[at].text for at in prose]
    loaded = load_detector(detector)

    def measure() -> dict[str, np.ndarray]:
        scores = loaded.score(texts)
        each = [_excess(scores[name], loaded.card.report_threshold(name)) for name in LOUD]
        return {"loud": np.max(each, axis=0)}

    about = {"detector": loaded.card.name, "version": loaded.card.version, "texts": hash_of(texts)}
    loud = Stage(folder / "hard_prose.npz", about, saved(measure), print).arrays()["loud"]
    hard: set[int] = set()
    dropped: set[int] = set()
    for kind in PROSE:
        own = [number for number, at in enumerate(prose) if rows[at].corpus == kind]
        order = sorted(own, key=lambda number: -loud[number])[: round(SHARE * len(own))]
        first = round(LEFT_OUT * len(own))
        dropped |= {prose[number] for number in order[:first]}
        hard |= {prose[number] for number in order[first:]}
    return [
        replace(row, corpus=HARD) if at in hard else row
        for at, row in enumerate(rows)
        if at not in dropped
    ]


def _excess(scores: np.ndarray, threshold: float) -> np.ndarray:
    """Return how far scores are above a threshold, in log-odds."""
    clipped = np.clip(scores.astype(np.float64), 1e-6, 1 - 1e-6)
    excess: np.ndarray = np.log(clipped / (1 - clipped)) - np.log(threshold / (1 - threshold))
    return excess
