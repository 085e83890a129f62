"""Teaching the fast detector: the teachers' answers on all texts, and people's where there are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from factory.english_v1.crops import CROP
from factory.english_v1.linear import Design, LinearWeights, Strength, vocabulary
from factory.learning import load_tokenizer
from factory.network import open_body
from factory.records import IDS, Record
from tactful.detectors.base import sigmoid
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS

Floats = NDArray[np.float64]
VECTOR_WIDTH = 128
OWN_CORPUS = {"comment": "ucc", "post": "sbic", "crop": "dpm"}
"""Unlabelled texts and passages come from the same places as these corpora."""
ELSEWHERE = 0.05
"""What an id's answer counts on texts of another corpus than its own."""
ELSEWHERE_STEP = 5
"""Of those texts every fifth is read, and counts five times as much."""
VECTOR_SCALE = 0.15
"""It makes the dense columns about as large as the sparse ones: both are then learnt alike fast."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """How the ids of one taxonomy are learnt."""

    ids: tuple[str, ...]
    gold: float
    """What people's answers count, where there are any; the teachers have the rest."""
    strength: Strength
    steps: int


LESSONS = {
    "dpm": Lesson(PCL_IDS, 0.8, Strength(sparse=0.2, dense=0.03, pairs=1.2), 250),
    "ucc": Lesson(UNHEALTHY_IDS, 0.7, Strength(sparse=0.25, dense=0.03, pairs=0.8), 250),
    "sbic": Lesson(FRAME_IDS, 0.8, Strength(sparse=0.25, dense=0.03, pairs=0.8), 170),
}
"""Chosen on the validation part."""


def fit_fast(
    records: Sequence[Record],
    logits: NDArray[np.floating],
    vectors: Callable[[Sequence[str]], Floats],
) -> LinearWeights:
    """Fit the fast detector on all texts but the validation part.

    ``logits`` are what it learns from, a row per record and a column per id; ``vectors`` gives
    words their meaning.
    """
    train = [row for row, record in enumerate(records) if record.part == "train"]
    chosen = [records[row] for row in train]
    words = vocabulary([record.text for record in chosen if record.corpus != CROP])
    design = Design([record.text for record in chosen], words, vectors(words))
    answers = sigmoid(logits[train].astype(np.float64))
    parts = [fit_lesson(design, chosen, answers, corpus) for corpus in LESSONS]
    return LinearWeights(
        words,
        *(
            np.concatenate([getattr(part, block) for part in parts], axis=-1)
            for block in ("word_weights", "piece_weights", "pair_weights", "bias")
        ),
    )


def fit_lesson(
    design: Design, records: Sequence[Record], answers: Floats, corpus: str
) -> LinearWeights:
    """Fit the ids of one corpus; ``answers`` are the teachers' probabilities for all ids."""
    lesson = LESSONS[corpus]
    own = np.array([OWN_CORPUS.get(each.corpus, each.corpus) == corpus for each in records])
    elsewhere = np.cumsum(~own) % ELSEWHERE_STEP == 0
    rows = np.flatnonzero(own | elsewhere)
    columns = [IDS.index(name) for name in lesson.ids]
    targets = answers[rows][:, columns]
    for at, row in enumerate(rows.tolist()):
        for column, name in enumerate(lesson.ids):
            said = records[row].targets.get(name)
            if said is not None:
                targets[at, column] = lesson.gold * said + (1 - lesson.gold) * targets[at, column]
    weights = np.where(own[rows], 1.0, ELSEWHERE * ELSEWHERE_STEP)
    wide = np.repeat(weights[:, None], len(columns), axis=1)
    return design.fit(targets, wide, lesson.strength, lesson.steps, rows)


def word_vectors(base: Path, words: Sequence[str], width: int = VECTOR_WIDTH) -> Floats:
    """Return what the pretrained encoder makes of each word alone, in few dimensions.

    The first directions of such vectors carry how frequent a word is more than what it means;
    they are scaled down with all others to the same spread.
    """
    tokenizer = load_tokenizer(base)
    body = open_body(base).eval()
    found = []
    order = sorted(range(len(words)), key=lambda at: len(words[at]))
    with torch.inference_mode():
        for start in range(0, len(order), 256):
            encodings = tokenizer.encode_batch_fast(
                [words[at] for at in order[start : start + 256]]
            )
            longest = max(len(each.ids) for each in encodings)
            tokens = torch.zeros((len(encodings), longest), dtype=torch.int64)
            for at, each in enumerate(encodings):
                tokens[at, : len(each.ids)] = torch.tensor(each.ids)
            mask = (tokens > 0).to(torch.int64)
            states = body(input_ids=tokens, attention_mask=mask).last_hidden_state
            inside = mask.unsqueeze(-1)
            found.append(((states * inside).sum(1) / inside.sum(1)).numpy())
    vectors = np.empty((len(words), found[0].shape[1]))
    vectors[order] = np.concatenate(found)
    vectors -= vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(vectors, full_matrices=False)
    short = vectors @ directions[:width].T
    scaled: Floats = VECTOR_SCALE * short / short.std(axis=0)
    return scaled
