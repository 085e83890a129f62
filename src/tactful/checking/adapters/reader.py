"""What the adapters share: a detector by name, folder or object, and what is wanted of it.

A reader remembers only how its detector is called. So it can be pickled, and a process that was
forked opens an ONNX session of its own instead of waiting for threads that were not forked with it.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tactful.checking.findings import findings_of
from tactful.detectors.protocol import Detector, Scores
from tactful.errors import InputError, UsageError
from tactful.types import Report

Model = str | os.PathLike[str] | Detector
"""A detector's name, the folder of its weights, or an open detector."""

_KEPT_OPEN = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """One text as a reader saw it."""

    probabilities: Mapping[str, float]
    report: Report


class Reader:
    """Reads texts with one detector, for some of its ids, with its thresholds or others.

    ``only`` takes ids and what they begin with, as ``tactful check --only`` does.
    """

    def __init__(
        self,
        model: Model = "default",
        only: Sequence[str] = (),
        thresholds: Mapping[str, float] | None = None,
    ):
        from tactful.checking.findings import check_thresholds, choose_ids

        self.model = model
        card = open_detector(model).card
        check_thresholds(thresholds or {}, card.ids)
        chosen = choose_ids(only, card.ids)
        self.ids = tuple(name for name in card.ids if name in chosen)
        self.thresholds = {name: card.threshold(name) for name in card.ids} | dict(thresholds or {})

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probabilities of the wanted ids, in the order of the card."""
        scores = open_detector(self.model).score(texts)
        return {name: scores[name] for name in self.ids}

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """Score all texts in one call, and report on those in which something was found."""
        from tactful.detectors.base import found_ids

        detector = open_detector(self.model)
        scores = detector.score(texts)
        readings = []
        for row, text in enumerate(texts):
            values = {name: float(column[row]) for name, column in scores.items()}
            # A category is judged together with its parent even where only one is wanted.
            found = [name for name in found_ids(values, self.thresholds) if name in self.ids]
            wanted = {name: values[name] for name in found}
            findings = findings_of(detector, text, wanted)
            report = Report(text, tuple(findings), detector.card.model)
            readings.append(Reading({name: values[name] for name in self.ids}, report))
        return readings


def open_detector(model: Model) -> Detector:
    """Return an open detector; one that was named is opened once in a process."""
    if isinstance(model, str | os.PathLike):
        card = Path(model).expanduser() / "card.json"
        # A folder that was trained anew has a new card: what was open is not what is asked for.
        changed = card.stat().st_mtime_ns if card.is_file() else 0
        return _opened(os.fspath(model), changed, os.getpid())
    if isinstance(model, Detector):
        return model
    raise UsageError(
        f"Found {type(model).__name__} as the model; expected a detector's name, the folder of its "
        "weights, or a detector."
    )


@lru_cache(maxsize=_KEPT_OPEN)
def _opened(model: str, _changed: int, _process: int) -> Detector:
    from tactful.detectors.load import load_detector

    return load_detector(model)


def require_texts(texts: Sequence[Any], first: int = 0) -> list[str]:
    """Return the texts; what is no text is an error with its row, counted from 0."""
    for row, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            raise InputError(
                f"Row {row}: found {_shown(text)}; expected a text; leave the row out or fill it."
            )
    return [str(text) for text in texts]


def _shown(value: object) -> str:
    if value is None:
        return "nothing (None)"
    if (isinstance(value, float) and math.isnan(value)) or type(value).__name__ == "NAType":
        return "nothing (NaN)"
    return f"a value of type {type(value).__name__}"
