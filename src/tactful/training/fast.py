"""Teaching the fast detector: the teachers' answers on all texts, and people's where there are."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from tactful.training.batches import load_tokenizer
from tactful.training.calibrate import sigmoid
from tactful.training.encoder import load_encoder
from tactful.training.linear import Design, LinearWeights, Strength, vocabulary
from tactful.training.records import IDS, IDS_OF, Record

Floats = NDArray[np.float64]
VECTOR_WIDTH = 128
OWN_CORPUS = {"comment": "ucc", "post": "sbic"}
"""Unlabelled texts come from the same places as these corpora."""
ELSEWHERE = 0.05
"""What an id's answer counts on texts of another corpus than its own."""
GOLD_SHARE = 0.8
VECTOR_SCALE = 0.15
"""It makes the dense columns about as large as the sparse ones: both are then learnt alike fast."""
STEPS = 170


def fit_fast(
    records: Sequence[Record],
    logits: NDArray[np.floating],
    vectors: Callable[[Sequence[str]], Floats],
    strength: Strength | None = None,
) -> LinearWeights:
    """Fit the fast detector on all texts but the validation part.

    ``logits`` are what it learns from, a row per record; ``vectors`` gives words their meaning.
    """
    rows = [row for row, record in enumerate(records) if record.part == "train"]
    texts = [records[row].text for row in rows]
    targets, weights = fast_targets([records[row] for row in rows], sigmoid(logits[rows]))
    words = vocabulary(texts)
    return Design(texts, words, vectors(words), strength).fit(targets, weights, STEPS)


def fast_targets(records: Sequence[Record], student: Floats) -> tuple[Floats, Floats]:
    """Return soft targets and weights: mostly what people said, where they said something."""
    targets = student.copy()
    weights = np.full_like(targets, ELSEWHERE)
    column = {name: at for at, name in enumerate(IDS)}
    for row, record in enumerate(records):
        own = OWN_CORPUS.get(record.corpus, record.corpus)
        for name in IDS_OF[own]:
            weights[row, column[name]] = 1.0
        for name, value in record.targets.items():
            if name in column:
                at = column[name]
                targets[row, at] = GOLD_SHARE * value + (1 - GOLD_SHARE) * targets[row, at]
    return targets, weights


def word_vectors(base: Path, words: Sequence[str], width: int = VECTOR_WIDTH) -> Floats:
    """Return what the pretrained encoder makes of each word alone, in few dimensions.

    The first directions of such vectors carry how frequent a word is more than what it means;
    they are scaled down with all others to the same spread.
    """
    tokenizer = load_tokenizer(base)
    body = load_encoder(base).body.eval()
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
