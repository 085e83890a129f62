"""What a multi-task model learns from: texts with soft targets, and spans where they are known.

Targets keep what annotators disagreed on: UCC's confidences, DPM's 5-point labels, SBIC's means.
A text that a corpus does not judge on an id has no target there, and teaches nothing about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import polars as pl

from tactful.corpora import load_corpus
from tactful.corpora.split import hashed_part
from tactful.files import open_text
from tactful.settings import Settings, load_settings
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS
from tactful.types import Example, Span

IDS = PCL_IDS + UNHEALTHY_IDS + FRAME_IDS
AUXILIARY = "auxiliary.offensive"
"""A noisy label of the SBIC training posts: it teaches the body and is dropped at export."""
IDS_OF = {"dpm": PCL_IDS, "ucc": UNHEALTHY_IDS, "sbic": FRAME_IDS}

PCL_TARGETS = {"0": 0.0, "1": 0.25, "2": 0.65, "3": 0.85, "4": 1.0}
"""DPM section 4.1: 2 to 4 count as PCL; 1 and 2 are the borderline of two annotators."""
ONE_ANNOTATOR = 0.8
"""The target of a category that only one of the two annotators marked."""


@dataclass(frozen=True, slots=True)
class Record:
    """One text to learn from."""

    id: str
    text: str
    corpus: str
    part: str
    """``train`` or ``validation``."""
    targets: Mapping[str, float] = field(default_factory=dict)
    gold: Mapping[str, int] = field(default_factory=dict)
    """The labels as the papers binarise them."""
    spans: tuple[Span, ...] | None = None
    """None where nobody looked for spans."""


def read_records(data: Path | None = None) -> list[Record]:
    """Read the corpora from the data folder; a part of each is validation."""
    settings = load_settings()
    if data is not None:
        settings = replace(settings, data=data)
    return [record for name in IDS_OF for record in _corpus_records(name, settings)]


def fingerprint(records: Sequence[Record]) -> str:
    """Return a hash of all texts, parts, targets and spans: equal data, equal hash."""
    digest = sha256()
    for record in records:
        who = (record.id, record.text, record.corpus, record.part, record.spans)
        digest.update(repr(who).encode("utf-8", "backslashreplace"))
        digest.update(repr(sorted(record.targets.items())).encode())
    return digest.hexdigest()


def _corpus_records(name: str, settings: Settings) -> list[Record]:
    corpus = load_corpus(name, settings=settings)
    examples = [example for example in corpus.examples() if example.text.strip()]
    return [
        Record(
            example.id,
            example.text,
            name,
            hashed_part(example.text),
            _targets(name, example),
            {key: int(example.labels[key] >= 0.5) for key in IDS_OF[name] if key in example.labels},
            example.spans if name == "dpm" else None,
        )
        for example in examples
    ]


def _targets(corpus: str, example: Example) -> dict[str, float]:
    labels = {key: example.labels[key] for key in IDS_OF[corpus] if key in example.labels}
    if corpus == "dpm":
        return _pcl_targets(example, labels)
    if corpus == "ucc":
        return {key: _towards(value, example.confidences.get(key)) for key, value in labels.items()}
    if labels.get("frame.offensive", 1.0) < 0.5:
        # Nobody was asked for a group then: there is none without offence (SBF section 2).
        return {"frame.group": 0.0} | labels
    return labels


def _pcl_targets(example: Example, labels: dict[str, float]) -> dict[str, float]:
    certain = {span.id for span in example.spans if (span.annotators or 1) > 1}
    targets = {
        key: value if value == 0 or key in certain else ONE_ANNOTATOR
        for key, value in labels.items()
    }
    return targets | {"pcl": PCL_TARGETS.get(example.meta.get("label", ""), labels["pcl"])}


def _towards(label: float, confidence: float | None) -> float:
    """Return the share of trust that said yes: the confidence belongs to the label that won."""
    if confidence is None or confidence == 0:
        return label
    return confidence if label >= 0.5 else 1 - confidence


def read_unlabelled(data: Path) -> list[Record]:
    """Read what the data folder has beside the labelled corpora, if it has it.

    Those are the comments of UCC's training part without their labels, and the posts of SBIC's
    training part with one noisy label (the mean of ``offensive``).
    """
    found = []
    comments = data / "unhealthy_comments" / "train_comments_text_only.txt"
    if comments.is_file():
        with open_text(comments) as lines:
            found += [
                Record(f"ucc-{number}", line.strip(), "comment", "train")
                for number, line in enumerate(lines, 1)
                if line.strip()
            ]
    posts = data / "social_bias" / "SBIC_train_partial_offensive_only.csv"
    if posts.is_file():
        table = pl.read_csv(posts, columns=["text", "offensive_mean"])
        found += [
            Record(f"sbic-{number}", text, "post", "train", {AUXILIARY: float(mean)})
            for number, (text, mean) in enumerate(table.iter_rows(), 1)
            if text and text.strip()
        ]
    return found
