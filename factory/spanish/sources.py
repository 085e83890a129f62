"""What the embedded Spanish detector learns from: comments, speeches, our lessons, and English.

Every text has targets for the columns that its corpus judges, and none for the others: whether a
comment or a speech holds a stereotype are two columns, and categories are known of stereotypes
only. Folds hold whole articles and whole speeches out, or single texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from factory.records import read_records
from factory.spanish.lessons import lesson_labels, lessons
from factory.spanish.mapping import mapped_labels
from tactful.corpora import load_corpus
from tactful.corpora.detests import CATEGORIES
from tactful.detectors.models.stereotype_rules import label as rule_votes
from tactful.settings import Settings, load_settings
from tactful_lab.training.stereotypes.data import group_folds

STEREOTYPE, PCL = "stereotype", "pcl"
CATEGORY_IDS = tuple(f"{STEREOTYPE}.{name}" for name in CATEGORIES)
IDS = (STEREOTYPE, *CATEGORY_IDS, PCL)
"""What the detector scores; ``pcl`` is learnt in English alone."""
COMMENT, SPEECH, REGISTER = "comment", "speech", "register"
"""A stereotype in a comment, one in a speech, and whether a text is rather of the second kind."""
COLUMNS = (COMMENT, SPEECH, REGISTER, *CATEGORY_IDS, PCL)
"""What its members score."""
TARGET_GROUP = "detoxis.target_group"
FOLDS = 5
COMMENTS, SPEECHES, LESSONS, ENGLISH = "detoxis", "stereoimmigrants", "lessons", "english"
_LEVEL = "detoxis.toxicity_level"
"""0 to 3, no share of anything."""
HoldOut = Literal["group", "text"]


@dataclass(frozen=True, slots=True)
class Text:
    """One text to learn from."""

    text: str
    corpus: str
    fold: int | None
    """None where it is never held out."""
    targets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpanishSources:
    """All texts, and how many came from where."""

    texts: tuple[Text, ...]
    heads: tuple[str, ...]
    """The columns first, then what only teaches the network."""

    def rows(self, *corpora: str) -> list[int]:
        """Return the places of the texts of some corpora."""
        return [at for at, text in enumerate(self.texts) if text.corpus in corpora]

    def table(self) -> NDArray[np.float32]:
        """Return texts x heads; NaN where nothing is known."""
        found = np.full((len(self.texts), len(self.heads)), np.nan, dtype=np.float32)
        place = {name: at for at, name in enumerate(self.heads)}
        for row, text in enumerate(self.texts):
            for name, value in text.targets.items():
                found[row, place[name]] = value
        return found

    def fingerprint(self) -> str:
        """Return a hash of all texts, folds and targets."""
        digest = sha256()
        for text in self.texts:
            known = sorted(text.targets.items())
            line = f"{text.corpus}\t{text.fold}\t{known}\t{text.text}\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def read_spanish(
    data: Path | None = None, seed: int = 1, hold_out: HoldOut = "group"
) -> SpanishSources:
    """Read the corpora of the data folder and our own lessons.

    Folds hold out whole articles and speeches, or with ``text`` single texts, which is easier.
    """
    settings = load_settings()
    if data is not None:
        settings = replace(settings, data=data)
    texts = [
        *_comments(settings, seed, hold_out),
        *_speeches(settings, seed, hold_out),
        *_lessons(),
        *_english(data),
    ]
    others = sorted({name for text in texts for name in text.targets} - set(COLUMNS))
    return SpanishSources(tuple(texts), (*COLUMNS, *others))


def _comments(settings: Settings, seed: int, hold_out: HoldOut) -> list[Text]:
    """DETOXIS: who judged the comments did not name categories; for these our rules vote."""
    examples = list(load_corpus(COMMENTS, settings=settings).examples())
    articles = [str(each.meta["thread_id"]).split("_", maxsplit=1)[0] for each in examples]
    positive = np.array([bool(each.labels[STEREOTYPE]) for each in examples])
    votes = rule_votes([each.text for each in examples])
    found = []
    folds = _folds(articles, positive, seed, hold_out)
    for at, each in enumerate(examples):
        targets = {
            name: float(value)
            for name, value in each.labels.items()
            if name not in (STEREOTYPE, _LEVEL)
        }
        targets |= {COMMENT: float(positive[at]), REGISTER: 0.0}
        # Where no rule votes, nothing is known.
        if positive[at] and votes[at].any():
            targets |= dict(zip(CATEGORY_IDS, map(float, votes[at]), strict=True))
        found.append(Text(each.text, COMMENTS, folds[at], targets))
    return found


def _speeches(settings: Settings, seed: int, hold_out: HoldOut) -> list[Text]:
    """StereoImmigrants: the expert's code is mapped; the share of agreement softens it."""
    examples = list(load_corpus(SPEECHES, settings=settings).examples())
    positive = np.array([bool(each.labels[STEREOTYPE]) for each in examples])
    codes = [str(each.meta.get("expert") or "") for each in examples]
    mapped = np.zeros((len(examples), len(CATEGORY_IDS)))
    mapped[positive] = mapped_labels(
        [code for code, yes in zip(codes, positive, strict=True) if yes]
    )
    speeches = [str(each.meta["speech_code"]) for each in examples]
    folds = _folds(speeches, positive, seed, hold_out)
    found = []
    for at, each in enumerate(examples):
        targets = {SPEECH: float(positive[at]), REGISTER: 1.0}
        if positive[at]:
            targets |= dict(zip(CATEGORY_IDS, map(float, mapped[at]), strict=True))
            targets |= {
                name: float(value)
                for name, value in each.labels.items()
                if name.startswith(SPEECHES)
            }
        found.append(Text(each.text, SPEECHES, folds[at], targets))
    return found


def _lessons() -> list[Text]:
    """Those with a stereotype teach categories; those without, what is none in any register."""
    taught = lessons()
    table = lesson_labels(taught)
    return [
        Text(
            each.text,
            LESSONS,
            None,
            dict(zip(CATEGORY_IDS, map(float, table[at]), strict=True))
            if each.stereotype
            else {COMMENT: 0.0, SPEECH: 0.0},
        )
        for at, each in enumerate(taught)
    ]


def _english(data: Path | None) -> list[Text]:
    """Paragraphs of Don't Patronize Me!; its validation part is fold 0."""
    return [
        Text(
            record.text, ENGLISH, 0 if record.part == "validation" else None,
            {PCL: record.targets[PCL]},
        )
        for record in read_records(data)
        if PCL in record.targets
    ]  # fmt: skip


def _folds(
    groups: Sequence[str], positive: NDArray[np.bool_], seed: int, hold_out: HoldOut
) -> list[int]:
    if hold_out == "text":
        groups = [str(at) for at in range(len(groups))]
    return [int(fold) for fold in group_folds(groups, positive.reshape(-1, 1), FOLDS, seed)]


def corpora_of(sources: SpanishSources) -> tuple[dict[str, Any], ...]:
    """Say for the card what was learnt from, under which terms, and how much of it."""
    terms = {
        COMMENTS: ("DETOXIS 2021 (a part of its training comments)", "shared task, research only"),
        SPEECHES: ("StereoImmigrants", "none stated; research only"),
        LESSONS: ("Sentences of our own, Spanish", "Apache-2.0"),
        ENGLISH: ("Don't Patronize Me! (English, for pcl alone)", "research use only"),
    }
    return tuple(
        {"name": name, "terms": terms_of, "texts": len(sources.rows(corpus))}
        for corpus, (name, terms_of) in terms.items()
    )
