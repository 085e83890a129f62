"""Training data of a task: a corpus or the user's own table, split into two parts.

Labels are those that the papers count as positive. The parts are stratified by label; texts of one
group (an article, a post) and identical texts are in the same part.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tactful.corpora import load_corpus
from tactful.corpora.dpm import DontPatronizeMe
from tactful.corpora.split import assign_texts, parts_by_ratio
from tactful.corpora.ucc import UnhealthyComments
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name

PCL_IDS, UNHEALTHY_IDS = DontPatronizeMe.stratify, UnhealthyComments.stratify
FRAME_IDS = ("frame.offensive", "frame.intent", "frame.lewd", "frame.group", "frame.in_group")

TASKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pcl": ("dpm", PCL_IDS[:1]),
    "pcl-categories": ("dpm", PCL_IDS[1:]),
    "unhealthy": ("ucc", UNHEALTHY_IDS),
    "frame": ("sbic", FRAME_IDS),
}
"""Task -> its corpus, and its ids."""
CUSTOM = "custom"

_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TaskData:
    """Texts, 0 or 1 for each id, and which texts are held out."""

    name: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: Flags
    held_out: Flags
    lang: str = "en"
    corpora: tuple[dict[str, Any], ...] = ()
    """As a card lists them."""
    licence: str = "that of the data it learnt from"
    left_out: int = 0
    """Rows of the files that could not be read."""

    def train(self) -> tuple[list[str], Flags]:
        """Return the texts and labels to train on."""
        return self._part(~self.held_out)

    def validation(self) -> tuple[list[str], Flags]:
        """Return the held-out texts and labels, for calibration, thresholds and figures."""
        return self._part(self.held_out)

    def _part(self, chosen: Flags) -> tuple[list[str], Flags]:
        rows = np.flatnonzero(chosen)
        return [self.texts[row] for row in rows], self.labels[rows]

    def fingerprint(self) -> str:
        """Return a hash of all texts, labels and parts: equal data, equal hash."""
        digest = sha256(repr(self.ids).encode("utf-8", "backslashreplace"))
        for text, row, part in zip(self.texts, self.labels, self.held_out, strict=True):
            line = repr((text, row.tolist(), bool(part)))
            digest.update(line.encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


def read_task(name: str, data: Path | None, validation: float = 0.1, seed: int = 1) -> TaskData:
    """Read the corpus of a task from the data folder, or from its own folder or file."""
    if name not in TASKS:
        raise unknown_name("task", name, [*TASKS, CUSTOM])
    corpus_name, ids = TASKS[name]
    corpus = load_corpus(corpus_name, data)
    examples = [example for example in corpus.examples() if example.text.strip()]
    # What nobody was asked is a no: SBIC asks for group and in-group only where there is offence.
    labels = np.array(
        [[example.labels.get(key, 0.0) >= 0.5 for key in ids] for example in examples],
        dtype=np.bool_,
    ).reshape(len(examples), len(ids))
    texts = tuple(example.text for example in examples)
    held_out = _deal(texts, [example.group for example in examples], labels, validation, seed)
    about = {
        "name": corpus.title,
        "terms": corpus.licence,
        "release": corpus.release_name(),
        "texts": len(texts),
    }
    licence = f"that of its corpus: {corpus.licence}"
    left_out = corpus.log.rows_left_out
    return TaskData(name, ids, texts, labels, held_out, corpus.lang, (about,), licence, left_out)


def custom_task(
    frame: pl.DataFrame,
    file: Path,
    text: str,
    labels: dict[str, str],
    *,
    group: str | None = None,
    lang: str = "en",
    validation: float = 0.1,
    seed: int = 1,
) -> TaskData:
    """Read a table of the user's: a text and a yes or no for each id.

    ``labels`` maps ids to columns. A cell that is neither yes nor no is an :class:`InputError`.
    """
    texts = frame[text].cast(pl.String).to_list()
    for at, each in enumerate(texts):
        if each is None or not each.strip():
            raise InputError(
                f"{file}, row {at + 1}: column '{text}': found no text; expected one; "
                "take the row out."
            )
    table = np.array(
        [_flags(frame[column], file, column) for column in labels.values()], dtype=np.bool_
    ).T
    groups = (
        [str(row) for row in range(len(texts))]
        if group is None
        else frame[group].cast(pl.String).fill_null("").to_list()
    )
    return own_task(
        file.name, tuple(labels), texts, table, groups, lang=lang, validation=validation, seed=seed
    )


def own_task(
    name: str,
    ids: Sequence[str],
    texts: Sequence[str],
    labels: Flags,
    groups: Sequence[str],
    *,
    lang: str = "en",
    validation: float = 0.1,
    seed: int = 1,
) -> TaskData:
    """Return texts and labels of the user's own, split into two parts; ``name`` is their source.

    ``labels`` has a row for each text and a column for each id.
    """
    held_out = _deal(texts, groups, labels, validation, seed)
    about = {"name": name, "terms": "those of its owner", "texts": len(set(texts))}
    return TaskData(CUSTOM, tuple(ids), tuple(texts), labels, held_out, lang, (about,))


def _flags(column: pl.Series, file: Path, name: str) -> list[bool]:
    found = []
    for at, value in enumerate(column.cast(pl.String).to_list()):
        word = (value or "").strip().lower()
        if word not in _YES + _NO:
            shown = "an empty cell" if not word else repr(word[:40])
            raise InputError(
                f"{file}, row {at + 1}: column '{name}': found {shown}; expected 0 or 1 "
                "(or true, false, yes, no); correct the cell or take the row out."
            )
        found.append(word in _YES)
    return found


def _deal(
    texts: Sequence[str], groups: Sequence[str], labels: Flags, validation: float, seed: int
) -> Flags:
    if not 0 < validation < 1:
        raise UsageError(
            f"Found --validation {validation:g}; expected a share above 0 and below 1: thresholds "
            "are chosen on held-out texts."
        )
    parts = parts_by_ratio([("train", 1 - validation), ("validation", validation)])
    held_out: Flags = assign_texts(texts, groups, labels, parts, seed) == "validation"
    return held_out


def thinned(data: TaskData, negatives: float, seed: int) -> TaskData:
    """Keep at most ``negatives`` texts without a label for each with one, in the training part.

    The held-out part stays as it is. DPM's table 3 needs about 3 (its random classifier
    has a precision of 24.8 %), its table 4 none (all its paragraphs have PCL).
    """
    marked = data.labels.any(axis=1)
    plain = np.flatnonzero(~marked & ~data.held_out)
    wanted = round(negatives * int((marked & ~data.held_out).sum()))
    kept = np.ones(len(data.texts), dtype=np.bool_)
    if wanted < len(plain):
        gone = np.random.default_rng(seed).permutation(plain)[wanted:]
        kept[gone] = False
    rows = np.flatnonzero(kept)
    return replace(
        data,
        texts=tuple(data.texts[row] for row in rows),
        labels=data.labels[rows],
        held_out=data.held_out[rows],
    )
