"""What the English detector says of English sentences, for their Spanish translations.

The Spanish network learns to give a translation the English answer. Nearly all of the sentences are
harmless, so those that score highest are taken first.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from factory.english.sources import TOXICITY, UNHEALTHY, Row
from factory.stages import Say, Stage, saved
from tactful.detectors import load_detector
from tactful.files import sha256

FILE = "more/es_en_parallel.csv"
TERMS, TITLE = "by source", "Translated sentences with the answers of the English detector"
NAME = "transfer"
IDS = (*TOXICITY, *UNHEALTHY, "pcl")
HIGHEST, OTHERS = 6_000, 6_000
"""How many of the highest-scoring sentences are taken, and how many of all others."""


def transfer_rows(data: Path, work: Path, say: Say = lambda _: None) -> Iterator[Row]:
    """Yield Spanish translations with the English detector's answers as targets."""
    path = data / FILE
    english = load_detector("default", lang="en").card
    stage = Stage(
        work / "transfer.npz",
        {"file": sha256(path), "model": english.model, "numbers": [HIGHEST, OTHERS]},
        saved(lambda: _answers(path, say)),
        say,
    )
    kept = stage.arrays()
    spanish = _column(path, "es")
    for place, answers in zip(kept["places"].tolist(), kept["answers"].tolist(), strict=True):
        targets = dict(zip(IDS, answers, strict=True))
        yield Row(spanish[place], NAME, targets)


def _column(path: Path, name: str) -> list[str]:
    return pl.read_csv(path, columns=[name], infer_schema=False)[name].fill_null("").to_list()


def _answers(path: Path, say: Say) -> dict[str, NDArray[np.generic]]:
    texts = _column(path, "en")
    say(f"transfer: scoring {len(texts):,} English sentences with the fast detector")
    quick = load_detector("fast", lang="en").score(texts)
    places = chosen_places(np.stack([quick[name] for name in IDS], axis=1))
    say(f"transfer: scoring {len(places):,} of them with the default")
    scores = load_detector("default", lang="en").score([texts[at] for at in places.tolist()])
    return {"places": places, "answers": np.stack([scores[name] for name in IDS], axis=1)}


def chosen_places(scores: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return the rows with the highest rank in any column, and as many others, evenly spread."""
    ranks = scores.argsort(axis=0).argsort(axis=0).max(axis=1)
    order = np.argsort(-ranks, kind="stable")
    highest, rest = order[:HIGHEST], np.sort(order[HIGHEST:])
    step = max(len(rest) // OTHERS, 1)
    return np.sort(np.concatenate([highest, rest[::step][:OTHERS]]))
