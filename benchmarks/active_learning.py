"""Active learning, simulated with the labels of real corpora.

Items are labelled in batches, in the order that ``tactful annotate rank`` gives them, and a quick
model is scored on texts that are never labelled. The bar: the F1 of 2,000 labels in random order
with 1,000 labels at most. The strategy is chosen on a third corpus, which is not reported as a
result. Needs TACTFUL_DATA.
"""

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from results import machine_line, table, write_page
from tactful.annotation.learning.features import Floats, vectors_of
from tactful.annotation.learning.order import choose
from tactful.annotation.learning.quick import Rows, fit_quick
from tactful.annotation.protocol.changes import RANK_BY, RankBy
from tactful.corpora import load_corpus
from tactful.metrics.public import f1_score

SEEDS = (1, 2, 3, 4, 5)
TUNING_SEEDS = (11, 12, 13)
START, BATCH, MOST, RANDOM = 100, 50, 1_000, 2_000
SIZES = (250, 500, 750, 1_000, 2_000)
TEST_SHARE = 0.3
MOST_TEXTS = 16_000
"""The most texts taken from one corpus; the same texts are used with every seed."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The vectors, labels and groups of a corpus."""

    name: str
    title: str
    vectors: Floats
    labels: Floats
    groups: Sequence[str]


def read(name: str, data: Path, cache: Path | None) -> Texts:
    """Read a corpus and its vectors."""
    if name == "stormfront":
        with (data / "more" / "stormfront.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["label"] in ("hate", "noHate")]
        found = [(row["text"], float(row["label"] == "hate"), row["file_id"]) for row in rows]
        title = "hate in forum sentences (Stormfront)"
    else:
        folder, label = {
            "dpm": ("dont_patronize_me", "pcl"),
            "ucc": ("unhealthy_comments/train.csv", "unhealthy"),
        }[name]
        corpus = load_corpus(name, data / folder)
        examples = [each for each in corpus.examples() if each.text.strip()]
        found = [(each.text, float(each.labels[label] >= 0.5), each.group) for each in examples]
        title = f"'{label}' in {corpus.title}"
    drawn = np.random.default_rng(0).permutation(len(found))[:MOST_TEXTS]
    texts, labels, groups = zip(*(found[at] for at in drawn), strict=True)
    kept = None if cache is None else cache / f"{name}.npz"
    return Texts(name, title, vectors_of(texts, "en", kept), np.array(labels), groups)


def split(texts: Texts, seed: int) -> tuple[Rows, Rows]:
    """Return the pool in random order, and the texts that measure; no group is in both."""
    rng = np.random.default_rng(seed)
    groups = sorted(set(texts.groups))
    held = {groups[at] for at in rng.permutation(len(groups))[: round(TEST_SHARE * len(groups))]}
    is_test = np.array([group in held for group in texts.groups])
    return rng.permutation(np.flatnonzero(~is_test)), np.flatnonzero(is_test)


def score(texts: Texts, rows: Rows, test: Rows) -> float:
    """Return the F1 of a model that learnt from some rows."""
    model = fit_quick(texts.vectors[rows], texts.labels[rows, None])
    said = model.predict(texts.vectors[test])[:, 0] >= 0.5
    return f1_score(texts.labels[test].astype(int), said.astype(int)).value or 0.0


def in_order(texts: Texts, by: RankBy | None, seed: int) -> dict[int, float]:
    """Return the F1 by number of labels, in the order of a strategy; None: in random order."""
    pool, test = split(texts, seed)
    if by is None:
        return {size: score(texts, pool[:size], test) for size in SIZES}
    chosen, left = pool[:START], pool[START:]
    found = {}
    while len(chosen) < MOST:
        picked = choose(
            by,
            texts.vectors[chosen],
            texts.labels[chosen, None],
            texts.vectors[left],
            min(BATCH, MOST - len(chosen)),
            seed=seed,
        )
        chosen, left = np.concatenate([chosen, left[picked]]), np.delete(left, picked)
        found[len(chosen)] = score(texts, chosen, test)
    return found


def curves(
    texts: Texts, orders: Sequence[RankBy], seeds: Sequence[int], cache: Path | None
) -> dict[str, list[dict[int, float]]]:
    """Return the curves of random order and of strategies, one for each seed.

    ``cache`` has those of an interrupted run.
    """
    found: dict[str, list[dict[int, float]]] = {}
    for by in (None, *orders):
        name, began = by or "random", time.process_time()
        kept = None if cache is None else cache / f"{texts.name}-{name}.json"
        if kept is not None and kept.is_file():
            runs = json.loads(kept.read_text(encoding="utf-8"))
            found[name] = [{int(size): f1 for size, f1 in run.items()} for run in runs]
            continue
        found[name] = [in_order(texts, by, seed) for seed in seeds]
        if kept is not None:
            kept.write_text(json.dumps(found[name]), encoding="utf-8")
        seconds = time.process_time() - began
        print(f"{texts.title}: {name}, {seconds:.0f} CPU s", file=sys.stderr)
    return found


def mean(runs: Sequence[dict[int, float]], size: int) -> float:
    """Return the mean F1 over seeds."""
    return float(np.mean([run[size] for run in runs]))


def reached(runs: Sequence[dict[int, float]], bar: float) -> int | None:
    """Return the number of labels from which the mean F1 stays at the bar."""
    first = None
    for size in sorted(runs[0]):
        if mean(runs, size) < bar:
            first = None
        elif first is None:
            first = size
    return first


def section(texts: Texts, found: dict[str, list[dict[int, float]]], chosen: str) -> str:
    """Write the results on one corpus."""
    base = found["random"]
    bar = mean(base, RANDOM)
    rows = []
    for name, runs in found.items():
        gap = [run[MOST] - random[RANDOM] for run, random in zip(runs, base, strict=True)]
        half = 2.776 * float(np.std(gap, ddof=1)) / np.sqrt(len(gap)) if len(gap) == 5 else np.nan
        rows.append(
            (
                f"**{name}**" if name == chosen else name,
                *(f"{mean(runs, size):.3f}" if size in runs[0] else "" for size in SIZES),
                f"{np.mean(gap):+.3f} ± {half:.3f}",
                f"{sum(each >= 0 for each in gap)} of {len(gap)}",
                reached(runs, bar) or "not reached",
            )
        )
    sizes = (f"{size:,}" for size in SIZES)
    header = ("order", *sizes, "1,000 against 2,000 random", "seeds", "from")
    return (
        f"## {texts.title[0].upper()}{texts.title[1:]}\n\n{len(texts.labels):,} texts, "
        f"{texts.labels.mean():.1%} positive. Mean F1 by number of labels:\n\n{table(header, rows)}"
    )


def main() -> int:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, help="folder that keeps vectors and finished curves")
    parser.add_argument("--all", action="store_true", help="report every strategy")
    parser.add_argument("--dry", action="store_true", help="print only; write no page")
    options = parser.parse_args()
    if "TACTFUL_DATA" not in os.environ:
        parser.error("set TACTFUL_DATA to the folder of the corpora")
    data = Path(os.environ["TACTFUL_DATA"])
    if options.cache is not None:
        options.cache.mkdir(parents=True, exist_ok=True)
    other = read("stormfront", data, options.cache)
    tuned = curves(other, RANK_BY, TUNING_SEEDS, options.cache)
    chosen = max(RANK_BY, key=lambda by: mean(tuned[by], MOST))
    sections, met = [], []
    for name in ("ucc", "dpm"):
        texts = read(name, data, options.cache)
        found = curves(texts, RANK_BY if options.all else (chosen,), SEEDS, options.cache)
        sections.append(section(texts, found, chosen))
        met.append(mean(found[chosen], MOST) >= mean(found["random"], RANDOM))
    body = "\n\n".join(
        [
            f"The labels of real corpora, given in batches of {BATCH} after {START} in random "
            f"order, {len(SEEDS)} seeds. A quick model (balanced logistic regression on the "
            "vectors of the open encoder, which learnt from none of these corpora; threshold one "
            f"half) is measured on {TEST_SHARE:.0%} of the texts, with no group in both parts; "
            "vectors are scaled by all texts, labels unseen. `from` is the number of labels from "
            "which the mean F1 stays at that of 2,000 random labels. The interval is Student's "
            "(95 %), of the difference paired by seed.",
            f"The strategy was chosen on a third corpus, by its mean F1 with {MOST:,} labels over "
            f"{len(TUNING_SEEDS)} other seeds: {other.title}, "
            + ", ".join(f"{by} {mean(tuned[by], MOST):.3f}" for by in RANK_BY)
            + f" (random: {mean(tuned['random'], MOST):.3f}; {RANDOM:,} random: "
            f"{mean(tuned['random'], RANDOM):.3f}). Chosen: **{chosen}**.",
            *sections,
            f"Bar: the F1 of {RANDOM:,} random labels with at most {MOST:,}, on both corpora: "
            f"**{'met' if all(met) else 'not met'}**.",
            machine_line(),
            "Command: `TACTFUL_DATA=... python benchmarks/active_learning.py`.",
        ]
    )
    print(body)
    if not options.dry:
        write_page("active-learning", "Active learning: fewer labels for the same F1", body)
    return 0


if __name__ == "__main__":
    sys.exit(main())
