"""Pruning keeps the pieces of another tokenizer; the rest falls back to shorter pieces."""

import json
import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

torch = pytest.importorskip("torch")
tokenizers = pytest.importorskip("tokenizers")

from factory.use.prune import prune_like  # noqa: E402

from tactful.errors import UsageError  # noqa: E402

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))


def with_pieces(tokenizer: "Tokenizer", without: set[str], more: str = "") -> "Tokenizer":
    described = json.loads(tokenizer.to_str())
    pieces = described["model"]["vocab"]
    kept = [[piece, score] for piece, score in pieces if piece not in without]
    described["model"]["vocab"] = [*kept, [more, -9.0]] if more else kept
    found: Tokenizer = tokenizers.Tokenizer.from_str(json.dumps(described))
    return found


def test_what_stays_keeps_its_vectors() -> None:
    network, tokenizer = TINY["tiny_use"]()
    whole = tokenizer.get_vocab_size()
    like = with_pieces(tokenizer, {"▁monday", "дом"})
    smaller, pruned = prune_like(tokenizer, network, like)
    assert smaller.get_vocab() == like.get_vocab()
    assert pruned.vectors.weight.shape[0] == whole - 2
    with torch.no_grad():
        for text in ("la casa es grande", "the house is big"):
            before = network(*TINY["padded"](tokenizer, [text]))[0]
            after = pruned(*TINY["padded"](smaller, [text]))[0]
            assert torch.allclose(before, after, atol=1e-6)
    assert tokenizer.get_vocab_size() == network.vectors.weight.shape[0] == whole


def test_a_word_that_is_gone_is_cut_into_letters() -> None:
    network, tokenizer = TINY["tiny_use"]()
    smaller, _ = prune_like(tokenizer, network, with_pieces(tokenizer, {"▁monday"}))
    found = smaller.encode("monday")
    assert "".join(found.tokens[1:-1]).replace("▁", "") == "monday"
    assert 0 not in found.ids


def test_a_piece_that_the_encoder_lacks_is_refused() -> None:
    network, tokenizer = TINY["tiny_use"]()
    with pytest.raises(UsageError, match="Found 1 pieces that the encoder does not have"):
        prune_like(tokenizer, network, with_pieces(tokenizer, set(), "quokka"))


def test_frozen_vectors_stay_frozen() -> None:
    network, tokenizer = TINY["tiny_use"]()
    network.freeze_vectors()
    _, pruned = prune_like(tokenizer, network, tokenizer)
    assert not pruned.vectors.weight.requires_grad
