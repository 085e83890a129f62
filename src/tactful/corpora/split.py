"""Cutting a corpus into parts: the official ones, or seeded, stratified and grouped.

Texts of one group (post, article, comment, speech) and texts that are equal word for word always
land in the same part. Groups are dealt out largest first, each to the part where the counts of
texts and labels then come nearest to the wanted ones; after that every group may change its part,
by the same rule, until none gains by it. This stratifies by several labels at once.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.corpora.convert import writer_for
from tactful.corpora.corpus import Corpus
from tactful.corpora.schema import EXAMPLE_SCHEMA
from tactful.errors import UsageError
from tactful.files import atomic_folder, sha256
from tactful.words import counted

DEFAULT_SEED = 1
MANIFEST = "split.json"
_MOST_ROUNDS = 10
"""A second or third round changes little; the bound keeps the time in proportion to the texts."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a split and what is in it."""

    name: str
    texts: int
    groups: int
    positives: dict[str, int]


HASHED = 8
"""Out of 100: how many texts of each corpus our own models never learn from."""


def hashed_part(text: str) -> str:
    """Return ``train`` or ``validation``: the part of a text in the making of our own models.

    It depends on the letters and digits alone, so equal texts of all corpora are in the same part.

    >>> hashed_part("A mild remark.") == hashed_part("a mild REMARK")
    True
    """
    plain = "".join(each for each in text.lower() if each.isalnum())
    bucket = int(hashlib.sha256(plain.encode()).hexdigest()[:8], 16) % 100
    return "validation" if bucket < HASHED else "train"


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
    table = label_table(examples, labels)
    names = assign_texts(examples["text"], examples["group"], table, parts, seed)
    return [str(name) for name in names]


def assign_texts(
    texts: Iterable[str],
    groups: Iterable[str],
    table: NDArray[np.bool_],
    parts: Sequence[tuple[str, float]],
    seed: int,
) -> np.ndarray:
    """Return the part of each text; ``table`` says which texts (rows) have which labels."""
    group = joined_groups(texts, groups)
    # Texts and positive labels per group: one row each, texts first.
    counts = np.zeros((int(group.max()) + 1 if group.size else 0, 1 + table.shape[1]))
    np.add.at(counts, group, np.column_stack([np.ones(group.size), table]))
    if counts.shape[0] < len(parts):
        raise UsageError(
            f"Found {counts.shape[0]} groups that must stay together; expected at least one for "
            f"each of the {counted(len(parts), 'part')}; ask for fewer parts."
        )
    part_of_group = _deal(counts, np.array([share for _, share in parts]), seed)
    return np.array([parts[part_of_group[number]][0] for number in group], dtype=np.str_)


def label_table(examples: pl.DataFrame, labels: Sequence[str]) -> NDArray[np.bool_]:
    """Say which examples (rows) have which labels (columns)."""
    positive = [
        {record["id"] for record in records if (record["value"] or 0) >= 0.5}
        for records in examples["labels"]
    ]
    table = [[label in found for label in labels] for found in positive]
    return np.array(table, dtype=np.bool_).reshape(len(positive), len(labels))


def joined_groups(texts: Iterable[str], groups: Iterable[str]) -> np.ndarray:
    """Number the groups, after joining those that share a text word for word."""
    groups = list(groups)
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
    found = [numbers.setdefault(root(("group", name)), len(numbers)) for name in groups]
    return np.array(found, dtype=int)


def _deal(counts: np.ndarray, shares: np.ndarray, seed: int) -> np.ndarray:
    """Deal the groups out: rare labels and large groups first, ties by the seeded order."""
    used = counts[:, counts.sum(axis=0) > 0]
    shuffled = np.random.default_rng(seed).permutation(len(used))
    largest = (used / used.sum(axis=0)).max(axis=1)
    order = shuffled[np.argsort(-largest[shuffled], kind="stable")]
    dealer = _Dealer(used, shares)
    for number in order:
        dealer.deal(number)
    for _ in range(_MOST_ROUNDS):
        if not sum(dealer.move(number) for number in order):
            break
    return dealer.part_of


class _Dealer:
    """Puts groups where they fit best.

    How far a part is from what it should have is Pearson's chi-squared, the sum over texts and
    labels of (wanted - found)² / wanted: a rare label weighs as much as a common one, and a part
    that has enough of a label gets worse with more of it. No part stays empty.
    """

    def __init__(self, groups: np.ndarray, shares: np.ndarray):
        self.groups = groups
        self.wanted = np.outer(shares, groups.sum(axis=0))
        self.missing = self.wanted.copy()
        self.held = np.zeros(len(shares), dtype=int)
        self.part_of = np.full(len(groups), -1)

    def deal(self, number: int) -> None:
        """Put a group into its first part; the last groups go where there are none."""
        costs = self._costs(number)
        if len(self.groups) - self.held.sum() <= np.count_nonzero(self.held == 0):
            costs[self.held > 0] = np.inf
        self._change(number, int(costs.argmin()), 1)

    def move(self, number: int) -> bool:
        """Put a group into a better part, if there is one and it is not the last of its own."""
        old = self.part_of[number]
        if self.held[old] == 1:
            return False
        self._change(number, old, -1)
        costs = self._costs(number)
        better = costs.min() < costs[old]
        self._change(number, int(costs.argmin()) if better else old, 1)
        return bool(better)

    def _costs(self, number: int) -> np.ndarray:
        """Return what the group adds to the chi-squared of each part; rounded, so that ties tie."""
        group = self.groups[number]
        added: np.ndarray = ((group - 2 * self.missing) * group / self.wanted).sum(axis=1)
        return added.round(9)

    def _change(self, number: int, part: int, sign: int) -> None:
        self.missing[part] -= sign * self.groups[number]
        self.held[part] += sign
        self.part_of[number] = part


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
    made = []
    if force and output.is_dir() and any(output.iterdir()) and not (output / MANIFEST).is_file():
        raise UsageError(
            f"{output}: found a folder with other files; expected an earlier split; "
            "name another folder."
        )
    # The folder comes first: what is already there is refused before the reading, not after it.
    with atomic_folder(output, force) as folder:
        examples, release = _read(corpus, strict)
        if parts is None:
            names = _official(corpus, examples)
        else:
            names = assign(examples, parts, corpus.stratify, seed)
        examples = examples.with_columns(pl.Series("split", names, pl.String))
        for name in [name for name, _ in parts] if parts else dict.fromkeys(names):
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
            "parts": [asdict(part) for part in made],
        }
        text = json.dumps(manifest, indent=2, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return made


def _read(corpus: Corpus, strict: bool) -> tuple[pl.DataFrame, str | None]:
    """Return all examples and the name of their release, if it is a published one."""
    frames = list(corpus.example_batches())
    if strict:
        corpus.log.raise_errors()
    examples = pl.concat(frames) if frames else pl.DataFrame(schema=EXAMPLE_SCHEMA)
    release = corpus.release_name()
    return examples.with_columns(pl.lit(release, dtype=pl.String).alias("release")), release


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
    positives = dict(zip(labels, label_table(part, labels).sum(axis=0).tolist(), strict=True))
    return Part(name, part.height, part["group"].n_unique(), positives)
