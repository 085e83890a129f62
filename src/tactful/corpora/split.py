"""Cutting a corpus into parts: the official ones, or seeded, stratified and grouped.

Texts of one group (post, article, comment, speech) and texts that are equal word for word always
land in the same part. Groups are dealt out largest first, each to the part that is farthest behind
in the labels the group brings: an iterative stratification that works for several labels at once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tactful.corpora.convert import writer_for
from tactful.corpora.corpus import Corpus
from tactful.corpora.schema import EXAMPLE_SCHEMA
from tactful.errors import UsageError
from tactful.files import atomic_folder, sha256

DEFAULT_SEED = 1


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a split and what is in it."""

    name: str
    texts: int
    groups: int
    positives: dict[str, int]


def parts_by_ratio(ratios: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Check the names and shares of parts, and make the shares add up to one."""
    total = sum(share for _, share in ratios)
    if len(ratios) < 2 or any(share <= 0 for _, share in ratios) or not np.isfinite(total):
        raise UsageError(
            "A split needs at least two parts with shares above 0, such as "
            "--parts train=0.8,dev=0.1,test=0.1"
        )
    names = [name for name, _ in ratios]
    if len(set(names)) < len(names) or any(not name.isidentifier() for name in names):
        raise UsageError(
            f"Found the part names {', '.join(names)}; expected different plain words."
        )
    return [(name, share / total) for name, share in ratios]


def parts_by_folds(folds: int) -> list[tuple[str, float]]:
    """Return ``folds`` equal parts."""
    if folds < 2:
        raise UsageError(f"Found {folds} folds; expected at least 2.")
    return [(f"fold{number}", 1 / folds) for number in range(1, folds + 1)]


def assign(
    examples: pl.DataFrame, parts: Sequence[tuple[str, float]], labels: Sequence[str], seed: int
) -> list[str]:
    """Return the part of each example."""
    group = joined_groups(examples)
    counts = _label_counts(examples, group, labels)
    if counts.shape[0] < len(parts):
        raise UsageError(
            f"Found {counts.shape[0]} groups that must stay together; expected at least one for "
            f"each of the {len(parts)} parts; ask for fewer parts."
        )
    part_of_group = _deal(counts, np.array([share for _, share in parts]), seed)
    return [parts[part_of_group[number]][0] for number in group]


def joined_groups(examples: pl.DataFrame) -> np.ndarray:
    """Number the groups, after joining those that share a text word for word."""
    groups, texts = examples["group"], examples["text"]
    parent: dict[tuple[str, Any], tuple[str, Any]] = {}

    def root(node: tuple[str, Any]) -> tuple[str, Any]:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for name, text in zip(groups, texts, strict=True):
        first = root(("group", name))
        if text and text.strip():
            parent[root(("text", text.strip()))] = first
    numbers: dict[tuple[str, Any], int] = {}
    return np.array([numbers.setdefault(root(("group", g)), len(numbers)) for g in groups])


def _label_counts(examples: pl.DataFrame, group: np.ndarray, labels: Sequence[str]) -> np.ndarray:
    """Count texts and positive labels per group: one row each, texts first."""
    counts = np.zeros((int(group.max()) + 1 if group.size else 0, 1 + len(labels)))
    np.add.at(counts[:, 0], group, 1)
    column = {label: at + 1 for at, label in enumerate(labels)}
    for number, records in zip(group, examples["labels"], strict=True):
        for record in records:
            at = column.get(record["id"])
            if at is not None and record["value"] is not None and record["value"] >= 0.5:
                counts[number, at] += 1
    return counts


def _deal(counts: np.ndarray, shares: np.ndarray, seed: int) -> np.ndarray:
    """Deal the groups out: rare labels and large groups first, ties by the seeded order."""
    totals = counts.sum(axis=0)
    used = totals > 0
    # A rare label weighs as much as a common one: what is missing is measured in shares.
    weights = counts[:, used] / totals[used]
    shuffled = np.random.default_rng(seed).permutation(counts.shape[0])
    order = shuffled[np.argsort(-weights[shuffled].max(axis=1), kind="stable")]
    missing = np.outer(shares, np.ones(int(used.sum())))
    part_of = np.zeros(counts.shape[0], dtype=int)
    room = shares * totals[0]
    for number in order:
        gain = (missing * weights[number]).sum(axis=1)
        best = np.flatnonzero(gain >= gain.max() - 1e-12)
        part = int(best[np.argmax(room[best])])
        part_of[number] = part
        missing[part] -= weights[number]
        room[part] -= counts[number, 0]
    return part_of


def split(
    corpus: Corpus,
    output: Path,
    parts: Sequence[tuple[str, float]] | None,
    *,
    seed: int = DEFAULT_SEED,
    file_format: str = "jsonl",
    strict: bool = False,
    force: bool = False,
) -> list[Part]:
    """Write one file per part and a ``split.json`` that says how they were made.

    ``parts`` None takes the official split. The folder appears whole or not at all.
    """
    frames = list(corpus.example_batches())
    if strict:
        corpus.log.raise_errors()
    examples = pl.concat(frames) if frames else pl.DataFrame(schema=EXAMPLE_SCHEMA)
    release = corpus.release_name()
    examples = examples.with_columns(pl.lit(release, dtype=pl.String).alias("release"))
    if parts is None:
        names = _official(corpus, examples)
    else:
        names = assign(examples, parts, corpus.stratify, seed)
    examples = examples.with_columns(pl.Series("split", names, pl.String))
    order = [name for name, _ in parts] if parts else list(dict.fromkeys(names))
    made = []
    with atomic_folder(output, force) as folder:
        for name in order:
            part = examples.filter(pl.col("split") == name)
            path = folder / f"{name}.{file_format}"
            writer_for(path)(iter([part]), EXAMPLE_SCHEMA, path)
            made.append(_describe(name, part, corpus.stratify))
        manifest = {
            "corpus": corpus.name,
            "release": release,
            "method": "official" if parts is None else "stratified, grouped",
            "seed": None if parts is None else seed,
            "stratified by": list(corpus.stratify),
            "source files": {s.path.name: sha256(s.path) for s in corpus.sources},
            "parts": [
                {"name": p.name, "texts": p.texts, "groups": p.groups, "positives": p.positives}
                for p in made
            ],
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        (folder / "split.json").write_text(text + "\n", encoding="utf-8")
    return made


def _official(corpus: Corpus, examples: pl.DataFrame) -> list[str]:
    names: list[str | None] = examples["split"].to_list()
    absent = sum(name is None for name in names)
    if absent == len(names):
        raise UsageError(
            f"{corpus.path}: found no file that states an official part of {corpus.title}; "
            "make a split of your own with --parts or --folds."
        )
    return [name or "unassigned" for name in names]


def _describe(name: str, part: pl.DataFrame, labels: Sequence[str]) -> Part:
    positives = dict.fromkeys(labels, 0)
    for records in part["labels"]:
        for record in records:
            if record["id"] in positives and (record["value"] or 0) >= 0.5:
                positives[record["id"]] += 1
    return Part(name, part.height, part["group"].n_unique(), positives)
