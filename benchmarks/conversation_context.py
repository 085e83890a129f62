"""Does the comment that a text answers help the default detector? AUC with and without it.

The detector was not taught with context, so a context can only be put before the text. Measured on
toxicity with the parent comment (wiki_context_toxicity) and on sarcasm with the thread before it
(sarcasm_figlang2020), on a sample of each; both versions score the same texts in one run. Where a
text and its context are longer than one window, the highest score counts, as everywhere. Texts of
both corpora were among the training texts of the detector, without their context: the AUCs are no
measure of its quality, and the reading without context has the advantage.
"""

import argparse
import csv
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from results import machine_line, table, write_page
from tactful.detectors.base import Detector
from tactful.detectors.load import load_detector
from tactful.metrics.ranking import roc_auc_score

BATCH = 64
REPETITIONS = 1000
MOST_CONTEXT = 300
"""Characters of the context, from its end: what is nearest to the text."""


@dataclass(frozen=True)
class Task:
    """A corpus with a context for each text."""

    name: str
    file: str
    text: str
    context: str
    label: str
    id: str


TASKS = (
    Task("toxicity, with the parent comment", "wiki_context_toxicity.csv", "text", "parent",
         "label", "toxicity"),
    Task("sarcasm, with the thread", "sarcasm_figlang2020.csv", "text", "context", "sarcastic",
         "unhealthy.sarcastic"),
)  # fmt: skip


def rows_of(path: Path, task: Task, most: int, seed: int) -> list[tuple[str, str, int]]:
    """Return a sample of texts with their contexts and labels; those without a context are out.

    Where fewer than a tenth of the texts are positive, all of these are kept: AUC does not depend
    on the share.
    """
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8", newline="") as file:
        found = [
            (row[task.text], row[task.context], int(float(row[task.label]) >= 0.5))
            for row in csv.DictReader(file)
            if row[task.text].strip() and row[task.context].strip()
        ]
    shuffled = random.Random(seed)
    shuffled.shuffle(found)
    positive = [row for row in found if row[2]]
    if len(positive) < len(found) / 10:
        kept = positive[: most // 3]
        return kept + [row for row in found if not row[2]][: most - len(kept)]
    return found[:most]


def scores(detector: Detector, texts: Sequence[str], name: str) -> np.ndarray:
    """Return the probabilities of one id."""
    parts = [detector.score(texts[at : at + BATCH])[name] for at in range(0, len(texts), BATCH)]
    return np.concatenate(parts)


def difference(gold: np.ndarray, one: np.ndarray, two: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two AUCs over bootstrap samples."""
    draw = np.random.default_rng(1)
    found = []
    for _ in range(REPETITIONS):
        rows = draw.integers(0, len(gold), len(gold))
        first, second = (roc_auc_score(gold[rows], each[rows]).value for each in (one, two))
        if first is not None and second is not None:
            found.append(second - first)
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("TACTFUL_DATA"))
    parser.add_argument("--most", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, help="write the page here instead")
    options = parser.parse_args()
    if options.data is None:
        print("Name the folder of the corpora with --data or TACTFUL_DATA.", file=sys.stderr)
        return 2
    detector = load_detector("default")
    rows: list[list[object]] = []
    for task in TASKS:
        path = Path(options.data) / "more" / task.file
        found = rows_of(path, task, options.most, options.seed)
        gold = np.array([label for _, _, label in found])
        plain = scores(detector, [text for text, _, _ in found], task.id)
        joined = [f"{context[-MOST_CONTEXT:]}\n{text}" for text, context, _ in found]
        other = scores(detector, joined, task.id)
        base, auc = (roc_auc_score(gold, each).value or 0.0 for each in (plain, other))
        low, high = difference(gold, plain, other)
        rows.append([task.name, len(gold), int(gold.sum()), base, auc, auc - base,
                     f"{low:+.3f} to {high:+.3f}"])  # fmt: skip
    columns = [
        "task",
        "texts",
        "positive",
        "AUC without",
        "AUC with",
        "difference",
        "95 % interval",
    ]
    write_page(
        "conversation-context",
        "Does the comment that a text answers help?",
        "The default English detector, which was not taught with context, on samples of two "
        "corpora with and without what comes before the text (its last 300 characters). An "
        "interval below 0 says that the context harms.\n\n"
        + table(columns, rows)
        + f"\n\n{machine_line()}\nCommand: `python benchmarks/conversation_context.py "
        f"--most {options.most}`",
        path=options.results,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
