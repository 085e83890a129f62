"""Teaching the multilingual encoder: what is learnt, and from what nothing is learnt."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from factory.spanish.network import Stage, logits_of, padded, teach, tokenised
from factory.use.classifier import MEAN, SENTENCE, UseClassifier

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = ["la casa es grande", "el tren llega tarde hoy", "la escuela abre", "the train is late"] * 4
TARGETS = np.array([[1, 0], [0, 1], [1, np.nan], [0, 1]] * 4, dtype=np.float32)


def made() -> tuple[UseClassifier, list[list[int]]]:
    network, tokenizer = TINY["tiny_use"]()
    torch.manual_seed(0)
    return UseClassifier(network, 2, reads=(SENTENCE, MEAN)), tokenised(tokenizer, TEXTS)


def test_heads_are_learnt_and_word_vectors_keep_still() -> None:
    model, tokens = made()
    before = model.network.vectors.weight.clone()
    said: list[str] = []
    stage = Stage(12, 3e-3, batch=8, token_dropout=0)
    teach(model, tokens, TARGETS, range(16), stage, say=said.append)
    logits = logits_of(model, tokens, range(4))
    assert (logits[[0, 2], 0] > logits[[1, 3], 0].max()).all()
    assert (logits[[1, 3], 1] > logits[0, 1]).all()
    assert torch.equal(before, model.network.vectors.weight)
    assert said[0].startswith("epoch 1 of 12: loss ")
    assert float(said[-1].split()[-1]) < float(said[0].split()[-1])


def test_a_head_without_a_target_learns_nothing() -> None:
    model, tokens = made()
    before = model.text_head.weight[1].detach().clone()
    unknown = TARGETS.copy()
    unknown[:, 1] = np.nan
    # Weight decay alone would move it a little.
    teach(model, tokens, unknown, range(16), Stage(2, 1e-3, batch=8))
    assert torch.allclose(before, model.text_head.weight[1], atol=1e-3)


def test_a_weight_of_zero_teaches_nothing() -> None:
    model, tokens = made()
    weights = np.ones_like(TARGETS)
    weights[1::2] = 0
    opposite = TARGETS.copy()
    opposite[1::2] = 1 - opposite[1::2]
    other, _ = made()
    stage = Stage(3, 1e-3, batch=16, token_dropout=0)
    teach(model, tokens, TARGETS, range(16), stage, weights=weights)
    teach(other, tokens, opposite, range(16), stage, weights=weights)
    assert np.allclose(logits_of(model, tokens, range(4)), logits_of(other, tokens, range(4)))


def test_the_same_seed_gives_the_same_weights() -> None:
    found = []
    for _ in range(2):
        model, tokens = made()
        teach(model, tokens, TARGETS, range(16), Stage(2, 1e-3, batch=8))
        found.append(logits_of(model, tokens, range(16)))
    assert np.array_equal(found[0], found[1])


def test_a_text_is_scored_the_same_alone_and_in_company() -> None:
    model, tokens = made()
    together = logits_of(model, tokens, range(4))
    alone = np.concatenate([logits_of(model, tokens, [row]) for row in range(4)])
    assert np.allclose(together, alone, atol=1e-5)


def test_padding_is_masked() -> None:
    ids, mask = padded([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
