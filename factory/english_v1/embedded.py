"""Writing the embedded detectors: the student as int8, the fast one, the cascade, the cards."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copyfile
from typing import Any, TypeVar

import numpy as np

from factory.english_v1.default import (
    FINAL_MIXTURE,
    Sources,
    about_training,
    linear_answers,
    linear_stage,
    read_sources,
    student_stage,
    train_student,
)
from factory.english_v1.distil import family, mixed_logits
from factory.english_v1.fast import fit_fast, word_vectors
from factory.english_v1.linear import write_linear
from factory.finish import (
    bands,
    calibrated,
    with_span_thresholds,
    with_thresholds_and_figures,
)
from factory.network import Network, TextTokensStates
from factory.records import IDS
from factory.stages import Say, Stage, saved
from tactful.detectors.base import BaseDetector
from tactful.detectors.card import Card, write_card
from tactful.detectors.card_page import write_card_page
from tactful.detectors.identity_bias import identity_bias
from tactful.detectors.models.blend import BlendDetector
from tactful.detectors.models.cascade import CascadeDetector
from tactful.detectors.models.encoder import HEADS_FILE, MODEL_FILE, TOKENIZER_FILE, EncoderDetector
from tactful.detectors.models.linear import LinearDetector
from tactful.files import atomic_path
from tactful.training.fixed_scales import fix_scales
from tactful.training.onnx_export import export_onnx, quantise_onnx
from tactful.training.task_data import PCL_IDS

T = TypeVar("T", bound=BaseDetector)
VERSION = "1.1"
ENCODER_SHARE = {"pcl": 0.7, "unhealthy": 0.7, "frame": 0.85}
SHARES = {
    "encoder-en": ENCODER_SHARE,
    "fast-en": {name: round(1 - share, 2) for name, share in ENCODER_SHARE.items()},
}
"""What the members of the default count."""
WEIGHTS_LICENCE = (
    "research and non-commercial use only: the weights inherit the terms of the corpora "
    "(CC BY-NC-SA 4.0, CC BY 4.0, research use only)"
)
CORPORA: tuple[dict[str, Any], ...] = (
    {
        "name": "Don't Patronize Me! (SemEval-2022 training part)",
        "terms": "research use only",
        "part": "seven eighths of the articles",
    },
    {
        "name": "Unhealthy Comment Corpus (val.csv; comments of train.csv without labels)",
        "terms": "CC BY-NC-SA 4.0",
        "part": "seven eighths of val.csv, and 35,508 comments labelled by the teachers",
    },
    {
        "name": "Social Bias Inference Corpus v2 (dev; posts of the training part)",
        "terms": "CC BY 4.0",
        "part": "seven eighths of dev, and 32,229 posts with one noisy label",
    },
)
LIMITS = (
    "English only. It learnt from news paragraphs about vulnerable people, comments on one "
    "Canadian news site, and social-media posts: elsewhere expect it to be less right.",
    "It reads one passage at a time: it knows neither the author, the reader, the thread nor the "
    "facts, and misses what only these reveal.",
    "Quotations, irony, reclaimed words and texts about prejudice are easily taken for it.",
    "The mere mention of some groups raises the scores of the frame ids: the posts it learnt these "
    "from mention them mostly to offend. Neutral sentences about Jewish or Muslim people are often "
    "reported as offensive; the part on identity terms has the figures.",
    "Most labels are rare, and people disagree on them: at the thresholds many findings are wrong. "
    "The figures say how many.",
)

COMMAND = "python -m factory english first-edition --data CORPORA --output WEIGHTS --work WORK"


def train_default(
    data: Path,
    output: Path,
    work: Path,
    base: Path | None = None,
    say: Say = lambda _: None,
    command: str = COMMAND,
) -> None:
    """Train, export, calibrate and measure the embedded detectors.

    ``work`` keeps the finished stages; one whose data or settings changed is made again.
    """
    sources = read_sources(data, base)
    student = student_stage(sources, work, say)
    model = train_student(sources, student)
    about = about_training(sources, student, command)
    say("default: writing as int8, and asking it about every text")
    encoder, answers = write_encoder(model, sources, output / "encoder-en", student, about)
    say("fast: learning from the encoder and the linear teachers")
    taught = mixed_logits(
        [{name: answers[:, at] for at, name in enumerate(IDS)}],
        linear_answers(linear_stage(sources, work, say)),
        FINAL_MIXTURE.linear,
    )
    lessons = np.stack([taught[name] for name in IDS], axis=1)
    fast = write_fast(sources, lessons, output / "fast-en", about)
    say("default: blending both")
    default = write_blend(encoder, fast, answers, sources, output / "default-en", about)
    say("cascade: choosing its bands")
    write_cascade(fast, default, sources, output / "cascade-en", about)


def write_encoder(
    model: Network, sources: Sources, folder: Path, student: Stage, about: dict[str, Any]
) -> tuple[EncoderDetector, np.ndarray]:
    """Write the student's folder; return its detector and its logits of all texts."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "float32.onnx"
    export_onnx(TextTokensStates(model, len(IDS)), whole, TextTokensStates.OUTPUTS, force=True)
    quantise_onnx(whole, folder / MODEL_FILE, force=True)
    whole.unlink()
    copyfile(sources.base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    scales = fix_scales(folder, sources.taught)
    head = model.text_head
    weight, bias = (each.detach().numpy()[: len(IDS)] for each in (head.weight, head.bias))
    with atomic_path(folder / HEADS_FILE, force=True) as target, target.open("wb") as file:
        np.savez_compressed(file, text_weight=weight, text_bias=bias)
    card = Card(
        "encoder-en",
        VERSION,
        IDS,
        kind="encoder",
        summary="A multi-task encoder of six layers for patronizing language and its categories, "
        "unhealthy comments, and the variables of Social Bias Frames.",
        span_thresholds=dict.fromkeys(PCL_IDS, 0.5),
        licence=WEIGHTS_LICENCE,
        corpora=CORPORA,
        training={**about, **scales},
        limits=LIMITS,
    )
    make = partial(EncoderDetector, folder, threads=os.cpu_count() or 1)
    answers = Stage(
        student.path.with_name("fixed_answers.npz"),
        {"student": student.digest, "scales": scales},
        saved(lambda: {"logits": make(card).logits(sources.texts)}),
        student.say,
    ).arrays()["logits"]
    calibration = calibrated(card, sources.records, answers)
    finished = with_span_thresholds(make(calibration), sources.records)
    return _finished(make, finished, folder), answers


def write_fast(
    sources: Sources, answers: np.ndarray, folder: Path, about: dict[str, Any]
) -> LinearDetector:
    """Write the folder of the fast detector; ``answers`` are what it learns from."""
    vectors = partial(word_vectors, sources.base)
    write_linear(fit_fast(sources.records, answers, vectors), folder)
    card = Card(
        "fast-en",
        VERSION,
        IDS,
        kind="linear",
        summary="A sum of weights of words and word pairs, taught by the default detector.",
        licence=WEIGHTS_LICENCE,
        corpora=CORPORA,
        training=about,
        limits=(
            *LIMITS,
            "It sees words and neighbouring pairs, not sentences: negation and irony escape it.",
        ),
    )
    make = partial(LinearDetector, folder)
    found = make(card).logits(sources.texts)
    return _finished(make, calibrated(card, sources.records, found), folder)


def write_blend(
    encoder: EncoderDetector,
    fast: LinearDetector,
    answers: np.ndarray,
    sources: Sources,
    folder: Path,
    about: dict[str, Any],
) -> BlendDetector:
    """Write the folder of the default: a card with what the two count, and its calibration."""
    card = replace(
        encoder.card,
        name="default-en",
        kind="blend",
        summary="A multi-task encoder of six layers, blended with the fast detector, for "
        "patronizing language and its categories, unhealthy comments, and the variables of Social "
        "Bias Frames.",
        span_thresholds={},
        training={**about, "members": SHARES},
        figures=(),
    )
    shares = np.array([ENCODER_SHARE[family(name)] for name in card.ids])
    mean = shares * answers + (1 - shares) * fast.logits(sources.texts)
    card = calibrated(card, sources.records, mean)
    spans = [figure for figure in encoder.card.figures if figure["metric"] == "span f1"]
    card = replace(card, figures=(*card.figures, *spans))
    parts = list(SHARES.values())
    return _finished(lambda found: BlendDetector(found, [encoder, fast], parts), card, folder)


def write_cascade(
    fast: BaseDetector,
    default: BaseDetector,
    sources: Sources,
    folder: Path,
    about: dict[str, Any],
) -> CascadeDetector:
    """Write the folder of the cascade: a card with the bands."""
    card = replace(
        default.card,
        name="cascade-en",
        kind="cascade",
        summary="The fast detector reads everything; the default only what that leaves open.",
        calibration={},
        bands=bands(fast, sources.records),
        training={**about, "detectors": ["fast-en", "default-en"]},
        figures=(),
    )
    cascade = CascadeDetector(card, fast, default)
    card = with_thresholds_and_figures(cascade, sources.records)
    return _finished(lambda found: CascadeDetector(found, fast, default), card, folder)


def _finished(make: Callable[[Card], T], card: Card, folder: Path) -> T:
    """Add how the detector treats identity terms, and write the card and its page."""
    card = replace(card, bias=identity_bias(make(card)).summary())
    write_card(card, folder)
    write_card_page(card, folder)
    return make(card)
