"""Further corpora that the framer learns from, beside the Social Bias Inference Corpus.

The terms of all of them allow commercial use with attribution. A text that is held out in the
making of our own models (:func:`tactful.corpora.split.hashed_part`) teaches nothing here either.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import polars as pl

from factory.frames.lessons import neutral_lessons
from factory.lessons.load import read_lessons
from tactful.corpora.split import hashed_part
from tactful.errors import UsageError
from tactful.frames.posts import Post

IMPLICIT_HATE = "more/implicit_hate_stage3.csv"
NOT_HATE = "more/implicit_hate_stage1.csv"
SBIC_TARGETS = "more/sbic_train_targets.csv"
TOXIGEN = "more/toxigen_sample.csv"
FILES = (IMPLICIT_HATE, NOT_HATE, SBIC_TARGETS, TOXIGEN)
CORPORA = (
    {"name": "Social Bias Inference Corpus v2 (dev)", "terms": "CC BY 4.0"},
    {"name": "Social Bias Inference Corpus (target groups)", "terms": "CC BY 4.0"},
    {"name": "Implicit Hate", "terms": "CC BY 4.0"},
    {"name": "ToxiGen (a sample)", "terms": "CDLA-Permissive 2.0"},
    {"name": "Lessons of our own", "terms": "CC0"},
)
CATEGORIES = {
    "women": "women|feminist|mothers|wives|girls|rape|assault|sex workers|blondes|pregnant",
    "black": "black|african|ethiopia|nigeria|haiti|jamaica|slaves",
    "jewish": "jew|holocaust|israel",
    "muslim": "muslim|arab|terror|syria|iran|iraq|pakistan|afghan",
    "LGBT": "gay|lesbian|trans|bisexual|binary|drag|asexual",
    "asian": "asian|chinese|japan|korea|vietnam|filipin|thai",
}
"""What a training post is labelled with -> the names of the list that this can be."""
_MOST, _EVERY = 1_000, 8
"""How many texts of a large corpus say whether something is implied, and every which of others."""
_LABELLED = 3
"""Every which of the training posts with a label is read: most are about three groups."""
_NOISY, _NONE = 0.85, 0.03


@dataclass(frozen=True, slots=True)
class Judged:
    """A text, and whether it offends and implies something about a group, as far as is known."""

    text: str
    offensive: float | None
    group: float | None
    weight: float = 1.0


def check_files(data: Path) -> None:
    """Raise if a corpus is missing."""
    missing = [name for name in FILES if not (data / name).is_file()]
    if missing:
        raise UsageError(
            f"{data}: found no {', '.join(missing)}; expected the corpora that the framer learns "
            "from; give the folder that holds them."
        )


def labelled_groups(data: Path) -> list[tuple[str, str]]:
    """Return posts of the training part that teach, each with the label of ``CATEGORIES``."""
    return [
        (row["post"], row["target_minority"])
        for row in _table(data / SBIC_TARGETS)
        if row["target_minority"] in CATEGORIES
        and hashed_part(row["post"]) == "train"
        and _order(row["post"]) % _LABELLED == 0
    ]


def names_of_category(label: str, names: Sequence[str]) -> list[int]:
    """Return the places of the names that a label of a training post can mean."""
    pattern = re.compile(CATEGORIES[label])
    return [at for at, name in enumerate(names) if pattern.search(name)]


def judged_texts(data: Path, posts: Sequence[Post]) -> list[Judged]:
    """Return what teaches whether anything is implied: posts, and texts that imply nothing."""
    found = [*_judged_posts(posts), *_judged_tables(data)]
    for lesson in read_lessons():
        offensive, group = (lesson.labels.get(name) for name in ("frame.offensive", "frame.group"))
        is_read = lesson.kind != "contrast" or _order(lesson.text) % _LABELLED == 0
        if is_read and lesson.part == "train" and (offensive, group) != (None, None):
            weight = LESSON_WEIGHTS.get(lesson.kind, 1.0)
            found.append(Judged(lesson.text, offensive, group, weight))
    found += [Judged(text, _NONE, _NONE) for text in neutral_lessons()[::_EVERY]]
    return found


LESSON_WEIGHTS: Mapping[str, float] = {"neutral": 4.0, "quotation": 6.0, "harsh_fact": 3.0}
"""A mention is no harm, and that a text says so is rare in the corpora: these count more."""


def _judged_posts(posts: Sequence[Post]) -> Iterator[Judged]:
    for post in posts:
        if not post.held_out:
            shares = post.frame.probabilities
            offensive = shares.get("frame.offensive")
            group = shares.get("frame.group")
            if group is None and offensive is not None and offensive < 0.5:
                group = 0.0  # without an offence nobody was asked about a group
            yield Judged(post.text, offensive, group)


def _judged_tables(data: Path) -> Iterator[Judged]:
    for text, _ in labelled_groups(data):
        yield Judged(text, None, _NOISY, 0.5)
    harmless = [row["post"] for row in _table(data / NOT_HATE) if row["class"] == "not_hate"]
    for text in _some(harmless):
        yield Judged(text, None, _NONE, 0.5)
    for row in _table(data / TOXIGEN):
        value = _NOISY if row["label"] == "1" else _NONE
        if hashed_part(row["text"]) == "train" and _order(row["text"]) % _EVERY == 0:
            yield Judged(row["text"], value, value, 0.5)


def _some(texts: Sequence[str]) -> list[str]:
    """Return some of the texts that teach, always the same ones."""
    return sorted({text for text in texts if hashed_part(text) == "train"}, key=_order)[:_MOST]


def _order(text: str) -> int:
    return int(sha256(text.encode()).hexdigest()[:12], 16)


def _table(path: Path) -> list[dict[str, str]]:
    return pl.read_csv(path, infer_schema=False).fill_null("").to_dicts()
