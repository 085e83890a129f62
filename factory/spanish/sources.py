"""What the Spanish models learn from: every corpus as rows with soft targets, in two languages.

A row has targets only for what its corpus judges; everything else is blank and teaches nothing.
Outputs whose meaning differs between corpora have names of their own (``datathon.racist``): they
teach the body. The encoder is multilingual, so English corpora teach what no Spanish one judges.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from factory.english.sources import (
    PCL,
    TITLES,
    TOXICITY,
    UNHEALTHY,
    Row,
    between_prose,
    hash_of_path,
    merged,
    read_table,
)
from factory.english.sources import SOURCES as ENGLISH_SOURCES
from factory.lessons.load import FOLDER as LESSONS
from factory.lessons.load import read_lessons
from factory.spanish.lessons import lessons as sentences_of_ours
from factory.spanish.mapping import mapped_labels
from tactful.corpora.detests import CATEGORIES
from tactful.corpora.detoxis import FEATURES, Detoxis
from tactful.corpora.split import assign_texts
from tactful.corpora.stereoimmigrants import StereoImmigrants
from tactful.detectors.models.stereotype_rules import label as rule_votes

ROOT = "stereotype"
CATEGORY_IDS = tuple(f"{ROOT}.{name}" for name in CATEGORIES)
IMPLICIT = f"{ROOT}.implicit"
STEREOTYPE = (ROOT, *CATEGORY_IDS, IMPLICIT)
SHIPPED = (*STEREOTYPE, *TOXICITY, *UNHEALTHY)
HARMS = (*SHIPPED, "pcl")
"""What an ordinary sentence has none of. ``pcl`` is learnt, but not well enough to be shipped."""
SPEECH = "speech.stereotype"
FIVE = (
    "speech.xenophobia_victims",
    "speech.suffering_victims",
    "speech.economic_resource",
    "speech.collective_threat",
    "speech.personal_threat",
)
"""The categories of StereoImmigrants (Sánchez-Junquera et al. 2021, section 3)."""
_RIOPLATENSE = {
    name: f"rioplatense.{name.lower()}"
    for name in (
        "HATEFUL", "CALLS", "WOMEN", "LGBTI", "RACISM", "CLASS", "POLITICS", "DISABLED",
        "APPEARANCE", "CRIMINAL",
    )
}  # fmt: skip
_EXIST = {
    name: f"exist.{name.replace('-', '_')}"
    for name in (
        "ideological-inequality", "stereotyping-dominance", "misogyny-non-sexual-violence",
        "sexual-violence", "objectification",
    )
}  # fmt: skip
TEACHING = (
    *PCL,
    *(f"detoxis.{name}" for name in FEATURES),
    SPEECH,
    *FIVE,
    *_RIOPLATENSE.values(),
    "datathon.racist",
    "offendes.offensive",
    "offendes.expletive",
    "exist.sexist",
    *_EXIST.values(),
    "odio.hate",
    "toxigen.hate",
)
OUTPUTS = (*SHIPPED, *TEACHING)
ROOTS = (ROOT, "toxicity", "unhealthy", "pcl")

LESSONS_OF = LESSONS / "spanish"
OURS = ("lessons", "paragraphs", "sentences")
PROSE, HARD = "prose", "hard_prose"
"""Ordinary texts, and those of them that a trained network is least quiet on."""
ORDINARY = 0.01
"""The target of a harm in a sentence that nobody judged."""
WEAK, UNLIKELY = 0.8, 0.04
"""The targets of an id that a corpus judges under another name: where it says yes, and no."""
HELD_SHARE = 0.16
"""About how much of DETOXIS, in whole articles, is the validation part."""
HELD_OF_100 = 12
"""How many of 100 news titles, or speeches, are in the validation part."""
NOISY_PROSE = ("catalonia_tweets",)
"""Unlabelled sources that are no ordinary prose: tweets in a dispute, some of them harmful."""
_SHORT = (5, 24)
"""How many words an ordinary sentence beside a lesson has."""
_LEVELS = (0.04, 0.45, 0.85, 0.97)
"""How toxic a comment of each of DETOXIS' four levels is."""
_RULES_ABOVE = 0.5
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Source:
    """One corpus: where it is, its terms, and how much of it an epoch sees."""

    name: str
    file: str
    read: Callable[[Path], Iterator[Row]]
    terms: str
    title: str
    share: int | None = None
    """Rows an epoch sees, some of them more than once if there are fewer; None for all."""


def read_sources(data: Path, names: Collection[str] = ()) -> dict[str, list[Row]]:
    """Read the corpora; no text of any validation part stays in the training part of another.

    Parameters
    ----------
    data
        The folder with the authors' own files.
    names
        The corpora to read; all of them if empty.

    """
    found = {
        source.name: merged(source.read(data / source.file))
        for source in SOURCES
        if not names or source.name in names
    }
    held = {plain(row.text) for rows in found.values() for row in rows if row.part == "validation"}
    return {
        name: [row for row in rows if row.part == "validation" or plain(row.text) not in held]
        for name, rows in found.items()
    }


def plain(text: str) -> str:
    """Return the letters and digits of a text: what makes two texts the same."""
    return _NO_LETTERS.sub("", text.lower())


def group_part(group: str) -> str:
    """Return the part of all texts of a group, such as a news title or a speech."""
    bucket = int(sha256(group.encode()).hexdigest()[:8], 16) % 100
    return "validation" if bucket < HELD_OF_100 else "train"


def provenance(data: Path, rows: Mapping[str, list[Row]]) -> list[dict[str, object]]:
    """Return what a card says of each corpus: name, terms, rows and the file's hash."""
    return [
        {
            "name": source.title,
            "terms": source.terms,
            "rows": len(rows[source.name]),
            "sha256": hash_of_path(data / source.file),
        }
        for source in SOURCES
    ]


def _known(targets: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in targets.items() if name in _PLACES}


_PLACES = frozenset(OUTPUTS)


def _lessons(path: Path) -> Iterator[Row]:
    for lesson in read_lessons(path.name, path.parent):
        corpus = "lessons" if path.name == LESSONS_OF.name else "lessons_en"
        yield Row(lesson.text, corpus, _known(lesson.labels), weight=2.0, fixed_part=lesson.part)


def _paragraphs(path: Path) -> Iterator[Row]:
    """Put each lesson between ordinary sentences: one bad sentence makes the paragraph bad."""
    prose = (text for text, _ in ordinary(path))
    for lesson, text, _ in between_prose(LESSONS_OF, prose, _SHORT, seed=24):
        yield Row(text, "paragraphs", _known(lesson.labels), fixed_part=lesson.part)


def _sentences(path: Path) -> Iterator[Row]:
    """Read the sentences that were written for the ten categories before the lessons."""
    for each in sentences_of_ours():
        targets = dict.fromkeys(STEREOTYPE, 0.0)
        if each.stereotype:
            targets |= {ROOT: 1.0, IMPLICIT: float(each.implicit)}
            targets |= {f"{ROOT}.{name}": 1.0 for name in each.categories}
        yield Row(each.text, "sentences", targets, fixed_part="train")


def _detoxis(path: Path) -> Iterator[Row]:
    """Read comments; nobody named categories there, so our rules vote on stereotypes."""
    examples = list(Detoxis(path).examples())
    articles = [str(each.meta["thread_id"]).partition("_")[0] for each in examples]
    parts = assign_texts(
        [each.text for each in examples],
        articles,
        np.array([[bool(each.labels[ROOT])] for each in examples]),
        (("train", 1 - HELD_SHARE), ("validation", HELD_SHARE)),
        seed=1,
    )
    votes = rule_votes([each.text for each in examples])
    for at, each in enumerate(examples):
        labels = {name: float(value) for name, value in each.labels.items()}
        is_stereotype, level = labels[ROOT] > 0, int(labels["detoxis.toxicity_level"])
        targets = {
            f"detoxis.{name}": labels[f"detoxis.{name}"] for name in FEATURES if name != ROOT
        }
        targets |= {
            "detoxis.stereotype": labels[ROOT],
            ROOT: labels[ROOT],
            "toxicity": _LEVELS[level],
            "toxicity.severe": WEAK if level > 2 else UNLIKELY,
            "toxicity.insult": labels["detoxis.insult"],
            "toxicity.profanity": labels["detoxis.improper_language"],
            "unhealthy.sarcastic": WEAK if labels["detoxis.sarcasm"] else 0.1,
        }
        if not is_stereotype:
            targets |= dict.fromkeys((*CATEGORY_IDS, IMPLICIT), 0.0)
        elif votes[at].max() >= _RULES_ABOVE:  # where no rule votes, nothing is known
            targets |= dict(zip(CATEGORY_IDS, votes[at].tolist(), strict=True))
        yield Row(each.text, "detoxis", targets, fixed_part=str(parts[at]))


def _speeches(path: Path) -> Iterator[Row]:
    """Read sentences of parliament: the expert's code is mapped to the ten categories."""
    examples = list(StereoImmigrants(path).examples())
    positive = [bool(each.labels[ROOT]) for each in examples]
    codes = [str(each.meta.get("expert") or "") for each in examples]
    mapped = iter(
        mapped_labels([code for code, yes in zip(codes, positive, strict=True) if yes]).tolist()
    )
    for each, is_stereotype in zip(examples, positive, strict=True):
        targets = {SPEECH: float(is_stereotype), ROOT: 0.9 if is_stereotype else 0.03}
        targets |= dict.fromkeys(CATEGORY_IDS, 0.0)
        if is_stereotype:
            targets |= dict(zip(CATEGORY_IDS, next(mapped), strict=True))
            targets |= {name: _label(each.labels, name) for name in FIVE}
        part = group_part(f"speech {each.meta['speech_code']}")
        yield Row(each.text, "speeches", targets, weight=0.7, fixed_part=part)


def _label(labels: Mapping[str, float], name: str) -> float:
    return float(labels.get(f"stereoimmigrants.{name.partition('.')[2]}", 0.0))


def _rioplatense(path: Path) -> Iterator[Row]:
    """Read comments on Argentinian news; whole news titles are held out."""
    groups = ("RACISM", "WOMEN", "LGBTI", "CLASS", "DISABLED")
    for row in read_table(path):
        targets = {output: float(row[name]) for name, output in _RIOPLATENSE.items()}
        hateful, racist = row["HATEFUL"] == "1", row["RACISM"] == "1"
        attacks = any(row[name] == "1" for name in groups)
        targets["toxicity.identity_attack"] = WEAK if attacks else UNLIKELY
        if hateful:
            targets["toxicity"] = 0.85
        if row["CALLS"] == "1":
            targets["toxicity.threat"] = 0.6
        if racist or not hateful:
            targets[ROOT] = WEAK if racist else UNLIKELY
        yield Row(row["text"], "rioplatense", targets, fixed_part=group_part(row["title"]))


def _datathon(path: Path) -> Iterator[Row]:
    """Read tweets with the share of labellers who found them racist; more labellers, more sure."""
    for row in read_table(path):
        yes, no = float(row["racist"]), float(row["non-racist"])
        if yes + no == 0:
            continue
        share = (yes + 0.25) / (yes + no + 0.5)
        yield Row(row["text"], "datathon", {"datathon.racist": share, ROOT: 0.03 + 0.8 * share})


def _offendes(path: Path) -> Iterator[Row]:
    toxic = {"OFP": 0.9, "OFG": 0.9, "NOE": 0.45, "NO": 0.03}
    for row in read_table(path):
        offensive, expletive = row["label"] in ("OFP", "OFG"), row["label"] == "NOE"
        targets = {
            "offendes.offensive": float(offensive),
            "offendes.expletive": float(expletive),
            "toxicity": toxic[row["label"]],
        }
        if offensive or row["label"] == "NO":
            targets["toxicity.insult"] = 0.7 if offensive else UNLIKELY
        if expletive or row["label"] == "NO":
            targets["toxicity.profanity"] = WEAK if expletive else UNLIKELY
        yield Row(row["comment"], "offendes", targets)


def _exist(path: Path) -> Iterator[Row]:
    """Read the Spanish posts on sexism."""
    for row in read_table(path):
        if row["language"] != "es":
            continue
        sexist, kind = row["task1"] == "sexist", row["task2"]
        targets = {output: float(name == kind) for name, output in _EXIST.items()}
        targets["exist.sexist"] = float(sexist)
        if kind in ("stereotyping-dominance", "non-sexist"):
            targets[ROOT] = 0.7 if sexist else UNLIKELY
        if kind in ("misogyny-non-sexual-violence", "sexual-violence"):
            targets |= {"toxicity": 0.7, "toxicity.identity_attack": 0.6}
        yield Row(row["text"], "exist", targets)


def _odio(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        yield Row(row["text"], "odio", {"odio.hate": float(row["hate"])})


def ordinary(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the sentences of ordinary prose, each with its source."""
    for row in read_table(path):
        if row["source"] not in NOISY_PROSE:
            yield row["text"].strip(), row["source"]


def _prose(path: Path) -> Iterator[Row]:
    quiet = dict.fromkeys(HARMS, ORDINARY)
    for text, _ in ordinary(path):
        yield Row(text, PROSE, quiet, weight=0.5)


def _english(name: str) -> Source:
    """Return an English corpus; only what it judges by an id of ours teaches."""
    source = next(each for each in ENGLISH_SOURCES if each.name == name)

    def read(path: Path) -> Iterator[Row]:
        for row in source.read(path):
            targets = _known(row.targets)
            if targets:
                yield Row(row.text, name, targets, fixed_part=row.fixed_part)

    return Source(name, source.file, read, source.terms, f"{TITLES[name]} (English)", _SHARES[name])


_SHARES = {"ucc": 3_500, "dpm": 2_000, "civil": 4_000, "toxigen": 1_000}
_LESSONS_TITLE = "Lessons of our own"
_UNLABELLED = "more/es_unlabelled.csv"
SOURCES = (
    Source("lessons", str(LESSONS_OF), _lessons, "CC0", _LESSONS_TITLE, 7_500),
    Source(
        "paragraphs",
        _UNLABELLED,
        _paragraphs,
        "CC0 and by source",
        f"{_LESSONS_TITLE} between ordinary sentences",
    ),
    Source(
        "sentences",
        str(Path(__file__).parent / "stereotype_lessons.yaml"),
        _sentences,
        "Apache-2.0",
        "Sentences of our own on the ten categories",
    ),
    Source(
        "detoxis",
        "detoxis",
        _detoxis,
        "shared task, research only",
        "DETOXIS 2021 (a part of its training comments)",
        3_000,
    ),
    Source(
        "speeches",
        "stereoimmigrants",
        _speeches,
        "none stated; research only",
        "StereoImmigrants",
    ),
    Source(
        "rioplatense",
        "more/es_rioplatense_hate.csv",
        _rioplatense,
        "research",
        "Hate speech in comments on Argentinian news",
    ),
    Source(
        "datathon",
        "more/es_datathon_racism.csv",
        _datathon,
        "research",
        "Racism in Spanish tweets (datathon, with counts of labellers)",
    ),
    Source("offendes", "more/es_offendes.csv", _offendes, "research", "OffendES", 5_000),
    Source(
        "exist",
        "more/exist_2021_2022train.csv",
        _exist,
        "research",
        "EXIST 2021 and 2022 (Spanish part)",
        3_000,
    ),
    Source("odio", "more/es_odio_udelar.csv", _odio, "research", "Odio UdelaR", 1_500),
    Source(PROSE, _UNLABELLED, _prose, "by source", "Ordinary Spanish sentences", 7_000),
    Source(
        "lessons_en",
        str(LESSONS / "english"),
        _lessons,
        "CC0",
        f"{_LESSONS_TITLE} (English)",
        5_000,
    ),
    *(_english(name) for name in _SHARES),
)
"""The order in which rows are read and drawn for an epoch."""
