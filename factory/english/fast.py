"""Teaching the fast detector: people's labels where there are any, and the encoder's answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from factory.english.linear import Design, LinearWeights, Strength, vocabulary
from factory.english.sources import FRAME, PCL, SHIPPED, TOXICITY, UNHEALTHY, Row
from factory.learning import load_tokenizer
from factory.network import open_body
from tactful.detectors.base import sigmoid

Floats = NDArray[np.float64]
VECTOR_WIDTH = 128
ELSEWHERE = 0.05
"""The weight of the encoder's answer on a text without labels for the id's family."""
ELSEWHERE_STEP = 5
"""Of those texts every fifth is read, and counts five times as much."""
VECTOR_SCALE = 0.15
"""The factor of the dense columns: about the size of the sparse ones, so both learn as fast."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """How the ids of one family are learnt."""

    ids: tuple[str, ...]
    gold: float
    """The weight of people's answers, where there are any; the encoder has the rest."""
    strength: Strength
    steps: int


LESSONS = (
    Lesson(PCL, 0.8, Strength(sparse=0.2, dense=0.03, pairs=1.2), 200),
    Lesson(UNHEALTHY, 0.7, Strength(sparse=0.25, dense=0.03, pairs=0.8), 200),
    Lesson(FRAME, 0.8, Strength(sparse=0.25, dense=0.03, pairs=0.8), 170),
    Lesson(TOXICITY, 0.7, Strength(sparse=0.25, dense=0.03, pairs=0.8), 200),
)
"""In the order of the shipped ids."""


def fit_fast(
    rows: Sequence[Row],
    logits: NDArray[np.floating],
    vectors: Callable[[Sequence[str]], Floats],
) -> LinearWeights:
    """Fit the fast detector on all texts but the validation part.

    ``logits`` are the encoder's, a row per text and a column per shipped id; ``vectors`` gives
    words their meaning.
    """
    train = [at for at, row in enumerate(rows) if row.part == "train"]
    chosen = [rows[at] for at in train]
    words = vocabulary([row.text for row in chosen])
    design = Design([row.text for row in chosen], words, vectors(words))
    answers = sigmoid(logits[train].astype(np.float64))
    parts = [fit_lesson(design, chosen, answers, lesson) for lesson in LESSONS]
    return LinearWeights(
        words,
        *(
            np.concatenate([getattr(part, block) for part in parts], axis=-1)
            for block in ("word_weights", "piece_weights", "pair_weights", "bias")
        ),
    )


def fit_lesson(
    design: Design, rows: Sequence[Row], answers: Floats, lesson: Lesson
) -> LinearWeights:
    """Fit the ids of one family; ``answers`` are the encoder's probabilities for all ids."""
    own = np.array([any(name in row.targets for name in lesson.ids) for row in rows])
    elsewhere = np.cumsum(~own) % ELSEWHERE_STEP == 0
    chosen = np.flatnonzero(own | elsewhere)
    columns = [SHIPPED.index(name) for name in lesson.ids]
    targets = answers[chosen][:, columns]
    for at, row in enumerate(chosen.tolist()):
        for column, name in enumerate(lesson.ids):
            said = rows[row].targets.get(name)
            if said is not None:
                targets[at, column] = lesson.gold * said + (1 - lesson.gold) * targets[at, column]
    weights = np.where(own[chosen], 1.0, ELSEWHERE * ELSEWHERE_STEP)
    wide = np.repeat(weights[:, None], len(columns), axis=1)
    return design.fit(targets, wide, lesson.strength, lesson.steps, chosen)


def word_vectors(base: Path, words: Sequence[str], width: int = VECTOR_WIDTH) -> Floats:
    """Return the pretrained encoder's vector of each word alone, in few dimensions.

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
    spread = short.std(axis=0)
    scaled: Floats = VECTOR_SCALE * short / np.where(spread > 0, spread, 1)
    return scaled
