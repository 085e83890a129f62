"""From a trained network to the folders of the English detectors.

Four folders: the encoder as int8; the fast detector, which learns from people's labels and from the
encoder; the default, which blends both; and the cascade. Calibration and thresholds come from our
own validation part, which nothing was trained on.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from shutil import copyfile
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from factory.bases import base_folder
from factory.english.documentation import documentation
from factory.english.fast import fit_fast, word_vectors
from factory.english.linear import write_linear
from factory.english.sources import (
    FRAME,
    HARMS,
    OUTPUTS,
    PCL,
    SHIPPED,
    TOKEN_OUTPUTS,
    TOXICITY,
    UNHEALTHY,
    Row,
    provenance,
    read_sources,
)
from factory.english.thresholds import Pool, quiet_thresholds
from factory.english.train import WEIGHTS
from factory.lessons.load import read_lessons
from factory.network import Network, TextTokensStates, load_weights, open_network
from factory.shipped import share_words
from factory.stages import Say, Stage, hash_of, saved
from tactful.detectors import load_detector
from tactful.detectors.base import BaseDetector, Detector, sigmoid
from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.explain.words import token_spans
from tactful.detectors.models.blend import BlendDetector
from tactful.detectors.models.cascade import CascadeDetector
from tactful.detectors.models.encoder import HEADS_FILE, MODEL_FILE, TOKENIZER_FILE, EncoderDetector
from tactful.detectors.models.linear import LinearDetector
from tactful.documents.normalise import normalise
from tactful.documents.segments import several_sentences
from tactful.errors import UsageError
from tactful.files import atomic_path, sha256
from tactful.metrics.spans import span_f1_score
from tactful.training.calibrate import best_threshold, figures_of, platt
from tactful.training.fixed_scales import fix_scales
from tactful.training.onnx_export import export_onnx, quantise_onnx
from tactful.types import Span
from tactful_lab.evaluation.identity_bias import identity_bias, phrasings

T = TypeVar("T", bound=BaseDetector)

VERSION = "2.3"
CASCADE_VERSION = "2.4"
HOMES = {"dpm": PCL, "ucc": UNHEALTHY, "sbic": FRAME, "civil": TOXICITY}
"""Corpus -> the ids that are calibrated and measured on it."""
SPANS = {"pcl": "dpm", "toxicity": "toxic_spans"}
"""Token output -> the corpus with people's marks."""
READ = (
    *HOMES,
    "lessons",
    "paragraphs",
    "dpm_sentences",
    "toxic_spans",
    "toxic_sentences",
    "sbic_partial",
    "toxigen",
    "news",
    "fiction",
)
"""The corpora whose texts teach the fast detector."""
MOST_OF_EACH = 8_000
ENCODER_SHARE = {"pcl": 0.8, "unhealthy": 0.8, "frame": 0.9, "toxicity": 0.8}
"""The weight of the encoder in the default, by family; the fast detector has the rest."""
PREFIX = {"research": "", "open": "open-"}
"""Tier -> what the names of its detectors begin with; its default is ``open-en``."""
QUIET = {"news": 0.0018, "documentation": 0.001, "fiction": 0.01, "names": 0.0, "harmless": 0.05}
"""The share of ordinary texts of each kind in which a check may report anything: sentences of news,
passages of documentation and of novels that nothing was trained on, mere names and headings,
harmless lessons, most of which are twins of harmful ones."""
SENTENCE = "sentence"
"""The corpus of single sentences of ordinary texts: a check reads these, too."""
BELOW = ("pcl.", "frame.")
"""Ids that are reported only below ``pcl`` and ``frame.offensive``."""
NATURAL_RATES = {
    "toxicity": 0.08,
    "toxicity.severe": 0.005,
    "toxicity.insult": 0.06,
    "toxicity.threat": 0.005,
    "toxicity.profanity": 0.01,
    "toxicity.identity_attack": 0.01,
    "toxicity.sexually_explicit": 0.005,
}
"""How often news comments have these labels (about as in all of Civil Comments, Borkan et al. 2019;
the rarest are rounded up). Our sample of it has far more, so the calibration is moved to these."""
LEAST_POSITIVES = 10
"""With fewer in an id's own corpus, our lessons help to calibrate it."""
OPEN_SHARE = 0.25
"""The share of comments and paragraphs that the cascade reads with the default."""
LEAST_BAND = 1e-4
_GRID = np.round(np.arange(0.1, 0.95, 0.05), 2)

LICENCE = {
    "research": "research and non-commercial use only: the weights inherit the terms of the "
    "corpora (CC BY-NC-SA 4.0, CC BY 4.0, research use only)",
    "open": "Apache-2.0; the weights learnt only from corpora whose terms allow commercial use "
    "(CC0, CC BY 3.0 and 4.0, MIT, CDLA-Permissive 2.0) and from texts of ours",
}
_LIMITS = (
    "English only. It learnt from news paragraphs about vulnerable people, comments on news sites, "
    "and posts on social media: elsewhere expect it to be less right.",
    "It reads one passage at a time: it knows neither the author, the reader, the thread nor the "
    "facts, and misses what only these reveal.",
    "Irony, reclaimed words, and quotations without any sign of distance are easily misread.",
    "Most labels are rare, and people disagree on them: at the thresholds some findings are wrong. "
    "The figures say how many.",
)
LIMITS: dict[str, tuple[str, ...]] = {
    "research": _LIMITS,
    "open": (
        *_LIMITS,
        "Its probabilities of unhealthy comments are calibrated on our lessons, of which a quarter "
        "are unhealthy: for comments, of which about 7 of 100 are, they are far too high. Rank "
        "comments by them, or choose thresholds on texts of your own.",
    ),
}


@dataclass(frozen=True)
class Texts:
    """The texts that the detectors of a tier are made with."""

    rows: Sequence[Row]
    corpora: list[dict[str, object]]

    @classmethod
    def read(cls, data: Path, tier: str) -> "Texts":
        """Read them; of a large corpus the validation part and a fixed sample of the rest."""
        found = read_sources(data, tier)
        rng = np.random.default_rng(5)
        rows: list[Row] = []
        for name in READ:
            if name in found:
                held = [row for row in found[name] if row.part == "validation"]
                rest = [row for row in found[name] if row.part == "train"]
                if name not in HOMES and len(rest) > MOST_OF_EACH:
                    kept = rng.choice(len(rest), MOST_OF_EACH, replace=False)
                    rest = [rest[at] for at in sorted(kept.tolist())]
                rows += held + rest
        rows += quiet_rows()
        return cls([*rows, *sentence_rows(rows)], provenance(data, tier, found))

    @cached_property
    def texts(self) -> list[str]:
        """The texts in the order of the rows."""
        return [row.text for row in self.rows]

    def held(self, name: str) -> tuple[list[int], NDArray[np.int_]]:
        """Return the validation rows of an id's own corpus that judge it, and their labels."""
        homes = [corpus for corpus, ids in HOMES.items() if name in ids]
        present = {row.corpus for row in self.rows}
        rows, gold = self._judged(name, [corpus for corpus in homes if corpus in present])
        if gold.sum() < LEAST_POSITIVES:
            more, added = self._judged(name, ["lessons"])
            rows, gold = [*rows, *more], np.concatenate([gold, added])
        return rows, gold

    def _judged(self, name: str, corpora: Sequence[str]) -> tuple[list[int], NDArray[np.int_]]:
        rows = [
            at
            for at, row in enumerate(self.rows)
            if row.part == "validation" and row.corpus in corpora and name in row.targets
        ]
        return rows, np.array([int(self.rows[at].targets[name] >= 0.5) for at in rows], dtype=int)

    @cached_property
    def ordinary(self) -> dict[str, list[int]]:
        """The texts in which a check should report nothing, by kind."""
        found: dict[str, list[int]] = {kind: [] for kind in QUIET}
        for at, row in enumerate(self.rows):
            if row.part == "validation" and _is_ordinary(row):
                found["harmless" if row.corpus == "lessons" else row.corpus].append(at)
        return found

    @cached_property
    def sentences(self) -> dict[int, list[int]]:
        """The rows with the single sentences of a row, by its number."""
        first = {row.text: at for at, row in reversed(list(enumerate(self.rows)))}
        found: dict[int, list[int]] = {}
        for rows in self.ordinary.values():
            for at in rows:
                text = self.rows[at].text
                parts = [first[text[start:end]] for start, end in several_sentences(text)]
                if parts:
                    found[at] = parts
        return found

    def loudest(self, scores: NDArray[np.floating], rows: Sequence[int]) -> NDArray[np.floating]:
        """Return the highest score of each row and its sentences, as a check reads them."""
        return np.array([scores[[at, *self.sentences.get(at, ())]].max() for at in rows])

    @cached_property
    def harmful(self) -> list[int]:
        """The harmful ones of our validation lessons."""
        return [
            at
            for at, row in enumerate(self.rows)
            if row.corpus == "lessons" and row.part == "validation" and _is_harmful(row)
        ]


def _is_harmful(row: Row) -> bool:
    return any(row.targets.get(name, 0.0) > 0.5 for name in HARMS)


def _is_ordinary(row: Row) -> bool:
    return row.corpus in QUIET or (row.corpus == "lessons" and not _is_harmful(row))


def quiet_rows() -> Iterator[Row]:
    """Yield mere names of people, short headings, and passages of documentation, without labels."""
    lessons = [lesson for lesson in read_lessons() if lesson.kind == "neutral"]
    short = [each.text for each in lessons if each.part == "train" and len(each.text.split()) <= 4]
    for text in (*phrasings(), *short):
        yield Row(text, "names", {}, fixed_part="validation")
    for text in documentation():
        yield Row(text, "documentation", {}, fixed_part="validation")


def sentence_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the single sentences of ordinary validation texts, without labels."""
    known = {row.text for row in rows}
    for row in rows:
        if row.part == "validation" and _is_ordinary(row):
            for start, end in several_sentences(row.text):
                text = row.text[start:end]
                if text not in known:
                    known.add(text)
                    yield Row(text, SENTENCE, {}, fixed_part="validation")


def make_detectors(
    base: str, tier: str, data: Path, work: Path, output: Path, say: Say, seed: int = 1
) -> None:
    """Write the four folders of a tier; the trained network is in ``work/BASE-TIER-SEED``."""
    trained = work / f"{base}-{tier}-{seed}"
    pretrained = base_folder(base, work / "models")
    network = open_network(pretrained, OUTPUTS, TOKEN_OUTPUTS, seed)
    load_weights(network, trained / WEIGHTS)
    texts = Texts.read(data, tier)
    about = {
        "command": f"python -m factory english detectors --base {base} --tier {tier} --seed {seed} "
        "--work WORK, after the trainings of docs/training.md",
        "base": base,
        "base sha256": sha256(pretrained / "model.safetensors"),
        "network sha256": sha256(trained / WEIGHTS),
        "tier": tier,
    }
    say("encoder: writing as int8, and reading every text")
    folder = output / f"{PREFIX[tier]}encoder-en"
    encoder, logits = write_encoder(network, texts, folder, pretrained, trained, about, say)
    say("fast: learning from labels and from the encoder")
    fast = write_fast(texts, logits, output / f"{PREFIX[tier]}fast-en", pretrained, about)
    say("default: blending both")
    folder = output / ("default-en" if tier == "research" else "open-en")
    default = write_blend(encoder, fast, logits, texts, folder, about)
    say("cascade: choosing its bands")
    write_cascade(fast, default, texts, output / f"{PREFIX[tier]}cascade-en", about)


def write_encoder(
    network: Network,
    texts: Texts,
    folder: Path,
    pretrained: Path,
    trained: Path,
    about: Mapping[str, Any],
    say: Say,
) -> tuple[EncoderDetector, NDArray[np.floating]]:
    """Write the encoder's folder; return its detector and its logits of all texts."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "float32.onnx"
    shipped = TextTokensStates(network, len(SHIPPED))
    export_onnx(shipped, whole, TextTokensStates.OUTPUTS, force=True)
    quantise_onnx(whole, folder / MODEL_FILE, force=True)
    whole.unlink()
    copyfile(pretrained / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    taught = [row.text for row in texts.rows if row.part == "train"]
    scales = fix_scales(folder, taught)
    share_words(folder)
    head = network.text_head
    weight, bias = (each.detach().numpy()[: len(SHIPPED)] for each in (head.weight, head.bias))
    with atomic_path(folder / HEADS_FILE, force=True) as target, target.open("wb") as file:
        np.savez_compressed(file, text_weight=weight, text_bias=bias)
    tier = str(about["tier"])
    card = Card(
        folder.name,
        VERSION,
        SHIPPED,
        kind="encoder",
        summary="An encoder of six layers for patronizing language and its categories, unhealthy "
        "comments, toxicity, and the variables of Social Bias Frames.",
        span_thresholds=dict.fromkeys(TOKEN_OUTPUTS, 0.5),
        licence=LICENCE[tier],
        corpora=_used(texts),
        training={**about, **scales},
        limits=LIMITS[tier],
    )
    make = partial(EncoderDetector, folder, threads=os.cpu_count() or 1)
    logits = Stage(
        trained / "int8_logits.npz",
        {"model": sha256(folder / MODEL_FILE), "texts": hash_of(texts.texts)},
        saved(lambda: {"logits": make(card).logits(texts.texts)}),
        say,
    ).arrays()["logits"]
    card = calibrated(card, texts, logits)
    card = with_span_thresholds(make(card), texts)
    return _finished(make, card, folder), logits


def write_fast(
    texts: Texts,
    logits: NDArray[np.floating],
    folder: Path,
    pretrained: Path,
    about: Mapping[str, Any],
) -> LinearDetector:
    """Write the folder of the fast detector."""
    write_linear(fit_fast(texts.rows, logits, partial(word_vectors, pretrained)), folder)
    card = Card(
        folder.name,
        VERSION,
        SHIPPED,
        kind="linear",
        summary="A sum of weights of words and word pairs, taught by people's labels and by the "
        "encoder.",
        licence=LICENCE[str(about["tier"])],
        corpora=_used(texts),
        training=about,
        limits=(
            *LIMITS[str(about["tier"])],
            "It sees words and neighbouring pairs, not sentences: negation and irony escape it.",
        ),
    )
    make = partial(LinearDetector, folder)
    found = make(card).logits(texts.texts)
    return _finished(make, calibrated(card, texts, found), folder)


def _used(texts: Texts) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"name": each["corpus"], **{k: each[k] for k in ("terms", "rows", "sha256")}}
        for each in texts.corpora
    )


def write_blend(
    encoder: EncoderDetector,
    fast: LinearDetector,
    logits: NDArray[np.floating],
    texts: Texts,
    folder: Path,
    about: Mapping[str, Any],
) -> BlendDetector:
    """Write the folder of the default: a card with what the two count, and its calibration."""
    members = {
        encoder.card.name: ENCODER_SHARE,
        fast.card.name: {name: round(1 - share, 2) for name, share in ENCODER_SHARE.items()},
    }
    card = replace(
        encoder.card,
        name=folder.name,
        kind="blend",
        summary="An encoder of six layers, blended with the fast detector, for patronizing "
        "language and its categories, unhealthy comments, toxicity, and the variables of Social "
        "Bias Frames.",
        span_thresholds={},
        training={**about, "members": members},
        figures=(),
    )
    shares = np.array([ENCODER_SHARE[name.partition(".")[0]] for name in card.ids])
    mean = shares * logits + (1 - shares) * fast.logits(texts.texts)
    card = calibrated(card, texts, mean)
    spans = [figure for figure in encoder.card.figures if figure["metric"] == "span f1"]
    card = replace(card, figures=(*card.figures, *spans))
    parts = list(members.values())
    return _finished(lambda found: BlendDetector(found, [encoder, fast], parts), card, folder)


def write_cascade(
    fast: LinearDetector,
    default: BlendDetector,
    texts: Texts,
    folder: Path,
    about: Mapping[str, Any],
) -> CascadeDetector:
    """Write the folder of the cascade: a card with the bands."""
    card = replace(
        default.card,
        name=folder.name,
        version=CASCADE_VERSION,
        kind="cascade",
        summary="The fast detector reads everything; the default only what that leaves open.",
        calibration={},
        bands=bands(fast, default.card, texts),
        training={**about, "detectors": [fast.card.name, default.card.name]},
        figures=(),
    )
    cascade = CascadeDetector(card, fast, default)
    figures = []
    for name in card.ids:
        rows, gold = texts.held(name)
        found = cascade.score([texts.texts[row] for row in rows])[name].astype(np.float64)
        figures += figures_of(name, gold, found, card.threshold(name), NATURAL_RATES.get(name))
    card = replace(card, figures=tuple(figures))
    return _finished(lambda found: CascadeDetector(found, fast, default), card, folder)


def calibrated(card: Card, texts: Texts, logits: NDArray[np.floating]) -> Card:
    """Return the card with calibration, thresholds and figures, from the validation part.

    An id counts as found where that gives the highest F1; a check reports it where next to no
    ordinary sentence has it.
    """
    calibration, found = {}, {}
    for at, name in enumerate(card.ids):
        rows, gold = texts.held(name)
        slope, intercept = platt(logits[rows, at], gold.astype(np.float64))
        if name in NATURAL_RATES:
            intercept += log_odds(NATURAL_RATES[name]) - log_odds(float(gold.mean()))
        calibration[name] = (round(slope, 4), round(intercept, 4))
        found[name] = sigmoid(slope * logits[:, at].astype(np.float64) + intercept)
    thresholds = {
        name: round(best_threshold(found[name][texts.held(name)[0]]), 4) for name in card.ids
    }
    figures = []
    for name in card.ids:
        rows, gold = texts.held(name)
        rate = NATURAL_RATES.get(name)
        figures += figures_of(name, gold, found[name][rows], thresholds[name], rate)
    card = replace(card, calibration=calibration, thresholds=thresholds, figures=tuple(figures))
    return with_report_thresholds(card, texts, found)


def with_report_thresholds(
    card: Card, texts: Texts, found: Mapping[str, NDArray[np.floating]]
) -> Card:
    """Return the card with thresholds of a check, chosen by the probabilities of all texts."""
    alone = {name: card.threshold(name) for name in card.ids if _is_reported_alone(name)}
    pools = [
        Pool(
            {name: texts.loudest(found[name], rows) for name in alone},
            int(QUIET[kind] * len(rows)),
        )
        for kind, rows in texts.ordinary.items()
    ]
    harmful = {name: found[name][texts.harmful] for name in alone}
    quiet = quiet_thresholds(alone, pools, harmful)
    news = texts.ordinary["news"]
    for name in card.ids:
        if name not in quiet:  # below another id: as rare as that one in ordinary texts
            loudest = np.sort(found[name][news])[::-1][: int(QUIET["news"] * len(news)) + 1]
            quiet[name] = max(card.threshold(name), float(loudest[-1]) if len(loudest) else 0.0)
    return replace(card, report_thresholds={name: _up(value) for name, value in quiet.items()})


def choose_report_thresholds(tier: str, data: Path, output: Path, say: Say) -> None:
    """Choose the report thresholds of finished detectors again; everything else stays."""
    texts = Texts.read(data, tier)
    kept = {*texts.harmful, *(row for rows in texts.ordinary.values() for row in rows)}
    kept |= {row for rows in texts.sentences.values() for row in rows}
    texts = Texts([texts.rows[row] for row in sorted(kept)], texts.corpora)
    default = "default-en" if tier == "research" else "open-en"
    for name in (f"{PREFIX[tier]}encoder-en", f"{PREFIX[tier]}fast-en", default):
        say(f"{name}: reading {len(texts.rows):,} texts")
        detector = load_detector(output / name)
        card = with_report_thresholds(detector.card, texts, detector.score(texts.texts))
        write_cards(card, output / name)
    cascade = read_card(output / f"{PREFIX[tier]}cascade-en")
    chosen = replace(cascade, report_thresholds=card.report_thresholds)
    write_cards(chosen, output / cascade.name)


def choose_bands(tier: str, data: Path, output: Path, say: Say) -> None:
    """Choose again which texts the cascade of finished detectors reads with the default."""
    texts = Texts.read(data, tier)
    fast = load_detector(output / f"{PREFIX[tier]}fast-en")
    default = load_detector(output / ("default-en" if tier == "research" else "open-en"))
    if not isinstance(fast, LinearDetector) or not isinstance(default, BlendDetector):
        raise UsageError(f"Found no English detectors of the tier '{tier}' in {output}.")
    folder = output / f"{PREFIX[tier]}cascade-en"
    known = read_card(folder).training
    say(f"{folder.name}: choosing its bands, and reading the validation part")
    write_cascade(fast, default, texts, folder, known)


def log_odds(rate: float) -> float:
    """Return the logarithm of the odds of a rate."""
    return float(np.log(rate / (1 - rate)))


def with_span_thresholds(detector: EncoderDetector, texts: Texts) -> Card:
    """Choose, per token output, the threshold with the best F1 of characters on marked texts."""
    chosen, figures = {}, []
    for column, (name, corpus) in enumerate(SPANS.items()):
        rows = [
            row
            for row in texts.rows
            if row.part == "validation" and row.corpus == corpus and row.marks.get(name)
        ]
        if not rows:  # a corpus that this tier may not learn from
            rows = [
                row
                for row in texts.rows
                if row.part == "validation" and row.corpus == "lessons" and row.marks.get(name)
            ]
        gold = [[Span(start, end, name) for start, end in row.marks[name]] for row in rows]
        clean = [normalise(row.text) for row in rows]
        answers = [detector.marks(each) for each in clean]
        best = (0.0, 0.5)
        for threshold in _GRID:
            found = [
                [
                    span
                    for offsets, logits in answer
                    for span in token_spans(
                        row.text, each, offsets, logits[:, column], name, float(threshold)
                    )
                ]
                for row, each, answer in zip(rows, clean, answers, strict=True)
            ]
            best = max(best, (span_f1_score(gold, found).value or 0.0, float(threshold)))
        chosen[name] = best[1]
        figures.append(
            {
                "id": name,
                "metric": "span f1",
                "value": round(best[0], 4),
                "low": None,
                "high": None,
                "items": len(rows),
                "positives": len(rows),
                "part": "validation (its threshold was chosen there)",
            }
        )
    card = detector.card
    return replace(card, span_thresholds=chosen, figures=(*card.figures, *figures))


def bands(fast: Detector, default: Card, texts: Texts) -> dict[str, tuple[float, float]]:
    """Return from which fast probability on a text of each id is asked about again.

    Every id is as sensitive as the others, measured by its threshold, and together they leave
    ``OPEN_SHARE`` of the comments and paragraphs open. What a check would report is always asked
    about: a band begins at the default's report threshold at the latest, and has no upper end.
    """
    train = [row for row in texts.rows if row.part == "train"]
    usual = [row for row in train if row.corpus in ("ucc", "dpm", "civil", "news")]
    chosen = [row.text for row in usual or train][::5]
    scores = fast.score(chosen)
    thresholds = {name: max(fast.card.threshold(name), LEAST_BAND) for name in fast.card.ids}
    nearest = np.max([scores[name] / thresholds[name] for name in fast.card.ids], axis=0)
    level = float(np.quantile(nearest, 1 - OPEN_SHARE))
    return {
        name: (float(np.floor(min(level * value, default.report_threshold(name)) * 1e4) / 1e4), 1.0)
        for name, value in thresholds.items()
    }


def _up(value: float) -> float:
    """Round up, so that what a threshold was raised above stays below it."""
    return float(np.ceil(value * 1e4) / 1e4)


def _is_reported_alone(name: str) -> bool:
    return name == "frame.offensive" or not name.startswith(BELOW)


def _finished(make: Callable[[Card], T], card: Card, folder: Path) -> T:
    """Add how the detector treats identity terms, and write the card and its page."""
    folder.mkdir(parents=True, exist_ok=True)
    card = replace(card, bias=identity_bias(make(card)).summary())
    write_cards(card, folder)
    return make(card)


def write_cards(card: Card, folder: Path) -> None:
    """Write the card of a detector, for programs and for people."""
    write_card(card, folder)
    write_card_page(card, folder)
