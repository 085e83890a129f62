"""Pruning keeps what is used, and every letter; the rest falls back to shorter pieces."""

import runpy
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from factory.use.prune import kept_pieces, prune, shares  # noqa: E402

from tactful.errors import UsageError  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
SPANISH = ["la casa es grande", "el tren llega tarde"]
ENGLISH = ["the house is big"] * 50
LEAST = 3 + 1 + 2 * len(TINY["LETTERS"])


def test_what_is_used_stays_with_its_vectors() -> None:
    network, tokenizer = TINY["tiny_use"]()
    whole = tokenizer.get_vocab_size()
    smaller, pruned = prune(tokenizer, network, [SPANISH, ENGLISH], LEAST + 12)
    assert smaller.get_vocab_size() == pruned.vectors.weight.shape[0] == LEAST + 12
    with torch.no_grad():
        for text in (*SPANISH, ENGLISH[0]):
            before = network(*TINY["padded"](tokenizer, [text]))[0]
            after = pruned(*TINY["padded"](smaller, [text]))[0]
            assert torch.allclose(before, after, atol=1e-6)
    assert tokenizer.get_vocab_size() == network.vectors.weight.shape[0] == whole


def test_a_word_that_is_gone_is_cut_into_letters() -> None:
    network, tokenizer = TINY["tiny_use"]()
    smaller, _ = prune(tokenizer, network, [SPANISH], LEAST + 8)
    assert "▁monday" not in smaller.get_vocab()
    found = smaller.encode("monday")
    assert "".join(found.tokens[1:-1]).replace("▁", "") == "monday"
    assert 0 not in found.ids


def test_a_small_language_counts_as_much_as_a_large_one() -> None:
    _, tokenizer = TINY["tiny_use"]()
    found = shares(tokenizer, [SPANISH, ENGLISH])
    piece = tokenizer.token_to_id
    assert found[piece("▁casa")] == pytest.approx(1 / 8)
    assert found[piece("▁house")] == pytest.approx(1 / 4)
    assert shares(tokenizer, [[], [""]]) == {}


def test_other_scripts_stay_only_where_they_are_used() -> None:
    network, tokenizer = TINY["tiny_use"]()
    whole = tokenizer.get_vocab_size()
    without, _ = prune(tokenizer, network, [SPANISH], whole)
    assert without.get_vocab_size() == whole - 3
    assert "дом" not in without.get_vocab()
    used, _ = prune(tokenizer, network, [["дом"]], whole)
    assert "дом" in used.get_vocab()


def test_too_few_is_refused() -> None:
    pieces = [(each.text, each.score) for each in TINY["tiny_pieces"]().pieces]
    assert len(kept_pieces(pieces, {}, LEAST)) == LEAST
    with pytest.raises(UsageError, match=f"expected at least {LEAST}"):
        kept_pieces(pieces, {}, LEAST - 1)


def test_frozen_vectors_stay_frozen() -> None:
    network, tokenizer = TINY["tiny_use"]()
    network.freeze_vectors()
    _, pruned = prune(tokenizer, network, [SPANISH], LEAST)
    assert not pruned.vectors.weight.requires_grad
