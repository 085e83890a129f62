"""What the English models learn from: every corpus as rows with soft targets.

A row has targets only for what its corpus judges; everything else is blank and teaches nothing.
Outputs whose meaning differs between corpora have names of their own (``gab.dignity``): they teach
the body and are left out of the shipped heads. ``open`` says whether the corpus' terms allow
commercial use; the open tier learns from these only.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl

from factory.english.fiction import FOLDER as BOOKS_FOLDER
from factory.english.fiction import fiction
from factory.lessons.load import FOLDER as LESSONS
from factory.lessons.load import Lesson, read_lessons
from tactful.corpora.dpm import CATEGORIES
from tactful.corpora.split import hashed_part
from tactful.documents.segments import sentences
from tactful.errors import UsageError
from tactful.files import sha256 as file_sha256
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS

PCL, UNHEALTHY, FRAME = PCL_IDS, UNHEALTHY_IDS, FRAME_IDS
TOXICITY = (
    "toxicity",
    "toxicity.severe",
    "toxicity.insult",
    "toxicity.threat",
    "toxicity.profanity",
    "toxicity.identity_attack",
    "toxicity.sexually_explicit",
)
SHIPPED = (*PCL, *UNHEALTHY, *FRAME, *TOXICITY)
TEACHING = (
    "civil.toxic",
    "edos.sexist",
    "edos.threat",
    "edos.derogation",
    "edos.animosity",
    "edos.prejudice",
    "implicit.hate",
    "implicit.implicit",
    "hatexplain.offensive",
    "hatexplain.hate",
    "cad.identity",
    "cad.affiliation",
    "cad.person",
    "cad.counter",
    "gab.dignity",
    "gab.violence",
    "gab.vulgar",
    "davidson.hate",
    "davidson.offensive",
    "isarcasm.sarcastic",
    "toxigen.hate",
    "dynahate.hate",
    "stormfront.hate",
    "wiki.toxic",
    "politeness",
    "talkdown.condescending",
    "figlang.sarcastic",
    "sfu.toxic",
    "ishate.hate",
    "ishate.implicit",
    "stereobias.bias",
    "stereobias.stereotype",
    "reddit.stereotype",
    "stereotype",
    "harm",
)
OUTPUTS = (*SHIPPED, *TEACHING)
ROOTS = ("pcl", "unhealthy", "toxicity", "frame.offensive")
"""The ids of which each family has one; ``harm`` is the highest of them."""
TOKEN_OUTPUTS = ("pcl", "toxicity")
"""What the token head marks."""

PCL_POINTS = {"0": 0.0, "1": 0.25, "2": 0.65, "3": 0.85, "4": 1.0}
"""DPM section 4.1: 2 to 4 count as PCL; 1 and 2 are the borderline of two annotators."""
NOISY = 0.85
"""The target of a label that one unknown person gave."""
ORDINARY = 0.01
"""The target of a harm in a news sentence that nobody judged."""
BESIDE = 0.1
"""The target of a sentence beside the marked ones: annotators miss some."""

LESSONS_OF = LESSONS / "english"
_SHORT = (6, 24)
"""How many words a news sentence beside a lesson has."""
_LONGEST_LESSON = 40

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One text to learn from."""

    text: str
    corpus: str
    targets: Mapping[str, float]
    marks: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    """For each token output that was judged, the marked places."""
    weight: float = 1.0
    fixed_part: str = ""
    """The part where the source decides it."""

    @property
    def part(self) -> str:
        """``train`` or ``validation``; equal texts of all corpora are in the same part."""
        return self.fixed_part or hashed_part(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """One corpus: where it is, who may learn from it, and how much of it an epoch sees."""

    name: str
    file: str
    read: Callable[[Path], Iterator[Row]]
    open: bool
    terms: str
    share: int | None = None
    """Rows an epoch sees, some of them more than once if there are fewer; None for all."""


def read_sources(data: Path, tier: str) -> dict[str, list[Row]]:
    """Read all corpora of a tier; a text that occurs twice is one row with the targets of both.

    Parameters
    ----------
    data
        The folder with the authors' own files.
    tier
        ``open`` or ``research``.

    """
    return {each.name: merged(each.read(data / each.file)) for each in sources_of(tier)}


def merged(rows: Iterable[Row]) -> list[Row]:
    """Return each text once, with the targets of all its rows; blank texts are left out."""
    found: dict[str, Row] = {}
    for row in rows:
        known = found.get(row.text)
        if known is not None:
            row = replace(row, targets={**known.targets, **row.targets})  # noqa: PLW2901
        if row.text.strip():
            found[row.text] = row
    return list(found.values())


def sources_of(tier: str) -> list[Source]:
    """Return the sources that a tier may learn from."""
    if tier not in ("open", "research"):
        raise UsageError(f"Found the tier '{tier}'; expected 'open' or 'research'.")
    if tier == "research":
        return list(SOURCES)
    return [OPEN_INSTEAD.get(source.name, source) for source in SOURCES if source.open]


TITLES = {
    "lessons": "Lessons of our own",
    "paragraphs": "Lessons of our own between news sentences",
    "ucc": "Unhealthy Comment Corpus",
    "dpm": "Don't Patronize Me!",
    "dpm_sentences": "Don't Patronize Me!, sentences",
    "sbic": "Social Bias Inference Corpus v2 (dev)",
    "sbic_partial": "Social Bias Inference Corpus (training posts, offensiveness)",
    "sbic_instructions": "Social Bias Inference Corpus (Natural Instructions)",
    "sbic_targets": "Social Bias Inference Corpus (target groups)",
    "civil": "Civil Comments (a sample)",
    "toxic_spans": "Toxic Spans",
    "toxic_sentences": "Toxic Spans, sentences",
    "edos": "EDOS (explainable detection of online sexism)",
    "implicit_hate": "Implicit Hate",
    "hatexplain": "HateXplain",
    "cad": "Contextual Abuse Dataset",
    "gab": "Gab Hate Corpus",
    "davidson": "Hate Speech and Offensive Language",
    "isarcasm": "iSarcasmEval",
    "toxigen_demonstrations": "ToxiGen (demonstrations)",
    "toxigen": "ToxiGen (a sample)",
    "dynahate": "Dynamically Generated Hate Dataset (dev, test)",
    "stormfront": "Hate speech from a white supremacy forum",
    "wiki": "Wikipedia Talk, toxicity in context",
    "politeness": "Stanford Politeness Corpus",
    "talkdown": "TalkDown",
    "figlang": "FigLang 2020, sarcasm",
    "sfu": "SFU Opinion and Comments Corpus",
    "ishate": "ISHate",
    "stereobias": "StereoBias",
    "stereotype_reddit": "Stereotypes on Reddit",
    "news": "News sentences without labels",
    "fiction": "Novels and plays of Project Gutenberg",
}
"""What cards call the corpora."""


def provenance(data: Path, tier: str, rows: Mapping[str, list[Row]]) -> list[dict[str, object]]:
    """Return what a card says of each corpus: name, terms, rows and the file's hash."""
    return [
        {
            "corpus": TITLES.get(source.name, source.name),
            "terms": source.terms,
            "rows": len(rows[source.name]),
            "sha256": hash_of_path(data / source.file),
        }
        for source in sources_of(tier)
    ]


def hash_of_path(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and hashes of all files in a folder."""
    if path.is_file():
        return file_sha256(path)
    found = sorted(each for each in path.rglob("*") if each.is_file())
    lines = [f"{each.relative_to(path).as_posix()} {file_sha256(each)}" for each in found]
    return sha256("\n".join(lines).encode()).hexdigest()


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV file as text; blank cells are empty strings."""
    return pl.read_csv(path, infer_schema=False).fill_null("").to_dicts()


def _towards(label: str, confidence: str) -> float:
    """Return the share of trust that said yes: the confidence belongs to the label that won."""
    sure = float(confidence or 1) or 1.0
    return sure if float(label) >= 0.5 else 1 - sure


def _ucc(path: Path) -> Iterator[Row]:
    for name in ("train.csv", "val.csv"):
        for row in read_table(path / name):
            spelled = {"antagonistic": "antagonize" if "antagonize" in row else "antagonise"}
            targets = {"unhealthy": 1 - _towards(row["healthy"], row["healthy:confidence"])}
            for output in UNHEALTHY[1:]:
                column = output.removeprefix("unhealthy.")
                column = spelled.get(column, column)
                targets[output] = _towards(row[column], row[f"{column}:confidence"])
            yield Row(row["comment"], "ucc", targets)


PclSpan = tuple[str, int, int, int]
"""The category of a span, its start and end, and how many annotators marked it."""


def _pcl_spans(path: Path) -> dict[str, list[PclSpan]]:
    spans: dict[str, list[PclSpan]] = {}
    for line in (path / "dontpatronizeme_categories.tsv").read_text("utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) >= 10 and cells[0].strip().isdigit():
            category = CATEGORIES.get(cells[8].strip().replace(" ", "_"))
            if category in PCL:
                judged = (category, int(cells[5]), int(cells[6]), int(cells[9]))
                spans.setdefault(cells[0], []).append(judged)
    return spans


def _dpm_paragraphs(
    path: Path, spans: Mapping[str, Sequence[PclSpan]]
) -> Iterator[tuple[str, Row]]:
    for line in (path / "dontpatronizeme_pcl.tsv").read_text("utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) != 6 or not cells[0].strip().isdigit():
            continue
        found = spans.get(cells[0], [])
        targets = {"pcl": PCL_POINTS[cells[5].strip()]}
        for name in PCL[1:]:
            annotators = [number for category, _, _, number in found if category == name]
            targets[name] = (0.8 if max(annotators) < 2 else 1.0) if annotators else 0.0
        marks = {"pcl": tuple((start, end) for _, start, end, _ in found)}
        row = Row(cells[4], "dpm", targets, marks if found or targets["pcl"] < 0.3 else {})
        yield cells[0], row


def _dpm(path: Path) -> Iterator[Row]:
    for _, row in _dpm_paragraphs(path, _pcl_spans(path)):
        yield row


def _sentences_of(
    row: Row, corpus: str, name: str, targets: Callable[[int, int], Mapping[str, float]]
) -> Iterator[Row]:
    """Cut a marked text into its sentences; each has only the marks inside it."""
    found = [place for place in sentences(row.text) if len(row.text[slice(*place)].split()) > 2]
    if len(found) < 2:
        return
    for left, right in found:
        inside = [
            (max(start, left) - left, min(end, right) - left)
            for start, end in row.marks.get(name, ())
            if start < right and left < end
        ]
        text = row.text[left:right]
        marks = {name: tuple(inside)}
        yield Row(text, corpus, targets(left, right), marks, fixed_part=row.part)


def _dpm_sentences(path: Path) -> Iterator[Row]:
    """Cut paragraphs with PCL into sentences: a sentence without a span hardly has it."""
    spans = _pcl_spans(path)
    for number, row in _dpm_paragraphs(path, spans):
        if row.targets["pcl"] < 0.5 or not row.marks:
            continue
        own = spans[number]

        def targets(left: int, right: int, own: Sequence[PclSpan] = own) -> Mapping[str, float]:
            found = {name for name, start, end, _ in own if start < right and left < end}
            each = {name: 0.85 if name in found else 0.03 for name in PCL[1:]}
            return {"pcl": 0.85 if found else BESIDE, **each}

        yield from _sentences_of(row, "dpm_sentences", "pcl", targets)


def _toxic_sentences(path: Path) -> Iterator[Row]:
    """Cut comments with marked words into sentences: toxic where the words are."""
    for row in _toxic_spans(path):
        places = row.marks["toxicity"]
        if places:

            def targets(
                left: int, right: int, places: Sequence[Place] = places
            ) -> Mapping[str, float]:
                return {
                    "toxicity": 0.9
                    if any(start < right and left < end for start, end in places)
                    else BESIDE
                }

            yield from _sentences_of(row, "toxic_sentences", "toxicity", targets)


def _in_group(path: Path) -> dict[str, float]:
    """Return, for posts about a group, the share of annotators who saw its member speak."""
    answers: dict[str, list[float]] = {}
    for row in read_table(path):
        if row["speakerMinorityYN"]:
            answers.setdefault(row["post"], []).append(float(row["speakerMinorityYN"]))
    return {post: sum(found) / len(found) for post, found in answers.items()}


def _sbic(path: Path) -> Iterator[Row]:
    in_group = _in_group(path.with_name("SBIC.v2.dev.csv"))
    for row in read_table(path):
        targets = {
            output: float(row[column])
            for output, column in (
                ("frame.offensive", "offensiveYN"),
                ("frame.intent", "intentYN"),
                ("frame.lewd", "sexYN"),
                ("frame.group", "whoTarget"),
            )
            if row[column]
        }
        if targets.get("frame.offensive", 1.0) < 0.5:
            # Nobody was asked for a group then: there is none without offence (SBF section 2).
            targets.setdefault("frame.group", 0.0)
        if row["post"] in in_group:
            targets["frame.in_group"] = in_group[row["post"]]
        yield Row(row["post"], "sbic", targets)


def _sbic_partial(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        value = min(NOISY, max(1 - NOISY, float(row["offensive_mean"])))
        yield Row(row["text"], "sbic_partial", {"frame.offensive": value}, weight=0.5)


def _sbic_instructions(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        target = {f"frame.{row['attribute']}": NOISY if row["label"] == "1" else 1 - NOISY}
        yield Row(row["text"], "sbic_instructions", target, weight=0.5)


def _sbic_targets(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        if row["target_minority"].strip():
            yield Row(row["post"], "sbic_targets", {"frame.group": NOISY}, weight=0.5)


_CIVIL = {
    "toxic": "toxicity",
    "severe_toxicity": "toxicity.severe",
    "identity_attack": "toxicity.identity_attack",
    "insult": "toxicity.insult",
    "obscene": "toxicity.profanity",
    "threat": "toxicity.threat",
    "sexually_explicit": "toxicity.sexually_explicit",
}


def _civil(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        targets = {
            output: float(row[column]) for column, output in _CIVIL.items() if row[column] != ""
        }
        if any(value == 1 for name, value in targets.items() if name != "toxicity"):
            targets.setdefault("toxicity", 0.9)
        if targets:
            yield Row(row["text"], "civil", targets)


def _toxic_spans(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        offsets = json.loads(row["spans"])
        yield Row(
            row["text"],
            "toxic_spans",
            {"toxicity": 0.9 if offsets else 0.6},
            {"toxicity": tuple(_runs(offsets))},
        )


def _runs(offsets: list[int]) -> Iterator[Place]:
    """Join neighbouring offsets to half-open places."""
    start: int | None = None
    last = -2
    for at in sorted(set(offsets)):
        if at != last + 1:
            if start is not None:
                yield start, last + 1
            start = at
        last = at
    if start is not None:
        yield start, last + 1


def _edos(path: Path) -> Iterator[Row]:
    kinds = {
        "1": "edos.threat",
        "2": "edos.derogation",
        "3": "edos.animosity",
        "4": "edos.prejudice",
    }
    for row in read_table(path):
        found = kinds.get(row["label_category"][:1])
        targets = {name: float(name == found) for name in kinds.values()}
        targets["edos.sexist"] = float(row["label_sexist"] == "sexist")
        yield Row(row["text"], "edos", targets)


def _implicit(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        targets = {"implicit.hate": float(row["class"] != "not_hate")}
        targets["implicit.implicit"] = float(row["class"] == "implicit_hate")
        yield Row(row["post"], "implicit_hate", targets)


def _hatexplain(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        targets = {"hatexplain.offensive": float(row["label"] != "0")}
        targets["hatexplain.hate"] = float(row["label"] == "2")
        yield Row(row["text"], "hatexplain", targets)


def _cad(path: Path) -> Iterator[Row]:
    kinds = {
        "cad.identity": "IdentityDirectedAbuse",
        "cad.affiliation": "AffiliationDirectedAbuse",
        "cad.person": "PersonDirectedAbuse",
        "cad.counter": "CounterSpeech",
    }
    for row in read_table(path):
        labels = row["labels"].split(",")
        yield Row(row["text"], "cad", {name: float(kind in labels) for name, kind in kinds.items()})


def _gab(path: Path) -> Iterator[Row]:
    names = {"hd": "gab.dignity", "cv": "gab.violence", "vo": "gab.vulgar"}
    for row in read_table(path):
        yield Row(row["text"], "gab", {names[key]: float(row[key]) for key in names if row[key]})


def _davidson(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        total = float(row["count"]) or 1.0
        targets = {"davidson.hate": float(row["hate_speech"]) / total}
        targets["davidson.offensive"] = float(row["offensive_language"]) / total
        yield Row(row["tweet"], "davidson", targets)


def _one(
    text: str, corpus: str, output: str, value: Callable[[dict[str, str]], float | None]
) -> Callable[[Path], Iterator[Row]]:
    """Return a reader of a corpus with one label."""

    def read(path: Path) -> Iterator[Row]:
        for row in read_table(path):
            found = value(row)
            if found is not None:
                yield Row(row[text], corpus, {output: found})

    return read


def _ishate(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        targets = {"ishate.hate": float(row["hateful_layer"] == "HS")}
        targets["ishate.implicit"] = float(row["implicit_layer"] == "Implicit HS")
        yield Row(row["text"], "ishate", targets)


def _stereobias(path: Path) -> Iterator[Row]:
    for row in read_table(path):
        targets = {"stereobias.bias": float(row["Bias"])}
        targets["stereobias.stereotype"] = float(row["Stereotype"])
        yield Row(row["Sentence"], "stereobias", targets)


def _lessons(path: Path) -> Iterator[Row]:
    for lesson in read_lessons(path.name, path.parent):
        marks: dict[str, tuple[Place, ...]] = {}
        for name in TOKEN_OUTPUTS:
            if lesson.labels.get(name) == 0:
                marks[name] = ()
            elif lesson.marks and lesson.labels.get(name, 0) > 0.5:
                starts = [(lesson.text.index(mark), len(mark)) for mark in lesson.marks]
                marks[name] = tuple((start, start + length) for start, length in starts)
        yield Row(lesson.text, "lessons", lesson.labels, marks, weight=2.0, fixed_part=lesson.part)


HARMS = (*PCL, *UNHEALTHY, *TOXICITY, "frame.offensive", "frame.intent", "frame.lewd")
"""What a sentence of news or of a novel has none of, as a rule."""


OPEN_NEWS = "global_voices"
"""The publisher of news whose terms, CC BY 3.0, allow any use; those of the others do not."""


def news_rows(path: Path, publisher: str = "") -> Iterator[Row]:
    """Read news sentences as texts without harm, of one publisher or of all."""
    quiet = dict.fromkeys(HARMS, ORDINARY)
    for text in _news(path, publisher):
        yield Row(text, "news", quiet, weight=0.5)


def _fiction(path: Path) -> Iterator[Row]:
    """Read novels and plays as texts without harm."""
    quiet = dict.fromkeys(HARMS, ORDINARY)
    for text, part in fiction(path):
        yield Row(text, "fiction", quiet, weight=0.5, fixed_part=part)


def _news(path: Path, publisher: str) -> list[str]:
    return [row["text"] for row in read_table(path) if not publisher or row["source"] == publisher]


def between_prose(
    folder: Path, prose: Iterable[str], words: tuple[int, int], seed: int
) -> Iterator[tuple[Lesson, str, int]]:
    """Put each lesson of a folder between ordinary sentences; ``words`` limits their length.

    Yields the lesson, the paragraph, and where the lesson starts in it.
    """
    short = [text for text in prose if words[0] <= len(text.split()) <= words[1]]
    rng = np.random.default_rng(seed)
    for lesson in read_lessons(folder.name, folder.parent):
        if len(lesson.text.split()) > _LONGEST_LESSON:
            continue
        before, after = rng.integers(0, 3, size=2)
        before += not before + after
        around = [short[at] for at in rng.integers(0, len(short), size=before + after)]
        start = sum(len(text) + 1 for text in around[:before])
        yield lesson, " ".join([*around[:before], lesson.text, *around[before:]]), start


def paragraph_rows(path: Path, publisher: str = "") -> Iterator[Row]:
    """Put each lesson between news sentences: one bad sentence makes the paragraph bad.

    The token heads learn to mark it, and nothing in its neighbours.
    """
    news = [text.strip() for text in _news(path, publisher)]
    for lesson, text, start in between_prose(LESSONS_OF, news, _SHORT, seed=21):
        marks = {
            name: ((start, start + len(lesson.text)),) if lesson.labels[name] > 0.5 else ()
            for name in TOKEN_OUTPUTS
            if name in lesson.labels
        }
        yield Row(text, "paragraphs", lesson.labels, marks, fixed_part=lesson.part)


SOURCES = (
    Source("lessons", str(LESSONS_OF), _lessons, True, "CC0", 14_000),
    Source("paragraphs", "more/en_news_unlabelled.csv", paragraph_rows, True, "CC0 and by source"),
    Source("ucc", "unhealthy_comments", _ucc, False, "CC BY-NC-SA 4.0", 64_000),
    Source("dpm", "dont_patronize_me", _dpm, False, "research use only", 18_000),
    Source("dpm_sentences", "dont_patronize_me", _dpm_sentences, False, "research use only"),
    Source("sbic", "social_bias/SBIC.v2.agg.dev.csv", _sbic, True, "CC BY 4.0", 9000),
    Source(
        "sbic_partial",
        "social_bias/SBIC_train_partial_offensive_only.csv",
        _sbic_partial,
        True,
        "CC BY 4.0",
        8000,
    ),
    Source(
        "sbic_instructions",
        "more/sbic_natural_instructions.csv",
        _sbic_instructions,
        True,
        "CC BY 4.0",
    ),
    Source("sbic_targets", "more/sbic_train_targets.csv", _sbic_targets, True, "CC BY 4.0", 3000),
    Source("civil", "more/civil_comments_ni.csv", _civil, True, "CC0", 40_000),
    Source("toxic_spans", "more/toxic_spans.csv", _toxic_spans, True, "CC0"),
    Source("toxic_sentences", "more/toxic_spans.csv", _toxic_sentences, True, "CC0", 8000),
    Source("edos", "more/edos.csv", _edos, True, "CC0", 6000),
    Source("implicit_hate", "more/implicit_hate_stage1.csv", _implicit, True, "CC BY 4.0", 8000),
    Source("hatexplain", "more/hatexplain.csv", _hatexplain, True, "MIT", 6000),
    Source("cad", "more/cad.csv", _cad, True, "CC BY 4.0", 6000),
    Source("gab", "more/gab_hate_corpus.csv", _gab, True, "CC BY 4.0", 5000),
    Source("davidson", "more/davidson.csv", _davidson, True, "MIT", 4000),
    Source(
        "isarcasm",
        "more/isarcasm_eval.csv",
        _one("tweet", "isarcasm", "isarcasm.sarcastic", lambda row: float(row["sarcastic"])),
        True,
        "MIT",
    ),
    Source(
        "toxigen_demonstrations",
        "more/toxigen_demonstrations.csv",
        _one("text", "toxigen_demonstrations", "toxigen.hate", lambda row: float(row["hate"])),
        True,
        "CDLA-Permissive 2.0",
    ),
    Source(
        "toxigen",
        "more/toxigen_sample.csv",
        _one("text", "toxigen", "toxigen.hate", lambda row: float(row["label"])),
        True,
        "CDLA-Permissive 2.0",
    ),
    Source(
        "dynahate",
        "more/dynahate_devtest.csv",
        _one("text", "dynahate", "dynahate.hate", lambda row: float(row["label"] == "hate")),
        False,
        "terms not stated",
    ),
    Source(
        "stormfront",
        "more/stormfront.csv",
        _one(
            "text",
            "stormfront",
            "stormfront.hate",
            lambda row: {"hate": 1.0, "noHate": 0.0}.get(row["label"]),
        ),
        False,
        "share-alike",
        4000,
    ),
    Source(
        "wiki",
        "more/wiki_context_toxicity.csv",
        _one("text", "wiki", "wiki.toxic", lambda row: float(row["label"])),
        False,
        "share-alike",
        3000,
    ),
    Source(
        "politeness",
        "more/stanford_politeness.csv",
        _one(
            "Request",
            "politeness",
            "politeness",
            lambda row: 1 / (1 + math.exp(-1.5 * float(row["NormalizedScore"]))),
        ),
        False,
        "research",
        4000,
    ),
    Source(
        "talkdown",
        "more/talkdown_derived.csv",
        _one("text", "talkdown", "talkdown.condescending", lambda row: float(row["condescending"])),
        False,
        "research",
    ),
    Source(
        "figlang",
        "more/sarcasm_figlang2020.csv",
        _one("text", "figlang", "figlang.sarcastic", lambda row: float(row["sarcastic"])),
        False,
        "research",
        5000,
    ),
    Source(
        "sfu",
        "more/sfu_constructive_toxicity.csv",
        _one(
            "comment",
            "sfu",
            "sfu.toxic",
            lambda row: (float(row["is_toxic_popular_answer_1"]) - 1) / 3,
        ),
        False,
        "CC BY-NC-SA",
    ),
    Source("ishate", "more/ishate.csv", _ishate, False, "research", 6000),
    Source("stereobias", "more/stereobias.csv", _stereobias, False, "research"),
    Source(
        "stereotype_reddit",
        "more/stereotype_reddit.csv",
        _one("text", "stereotype_reddit", "reddit.stereotype", lambda row: float(row["label"])),
        False,
        "research",
    ),
    Source("news", "more/en_news_unlabelled.csv", news_rows, True, "by source", 6000),
    Source("fiction", str(BOOKS_FOLDER), _fiction, True, "public domain", 5000),
)

OPEN_INSTEAD = {
    "paragraphs": Source(
        "paragraphs",
        "more/en_news_unlabelled.csv",
        partial(paragraph_rows, publisher=OPEN_NEWS),
        True,
        "CC0 and CC BY 3.0 (Global Voices)",
    ),
    "news": Source(
        "news",
        "more/en_news_unlabelled.csv",
        partial(news_rows, publisher=OPEN_NEWS),
        True,
        "CC BY 3.0 (Global Voices)",
        6000,
    ),
}
"""What the open tier reads of files with texts under several terms."""
