"""A multilingual encoder with some three hundred pieces of ours and random weights."""

from typing import Any

WORDS = [
    "la", "casa", "es", "grande", "el", "tren", "llega", "tarde", "hoy", "vecino", "nuevo",
    "barrio", "escuela", "mercado", "abre", "lunes", "the", "house", "is", "big", "train", "late",
    "today", "neighbour", "new", "school", "market", "opens", "monday",
]  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyzáéíóúñü.,;:!?¿¡0123456789-'"


def tiny_pieces() -> Any:
    """Return a model of pieces: specials, letters, words, and pieces of another script."""
    from factory.use.pieces import CONTROL, UNKNOWN, Piece, PieceModel

    texts = [f"▁{word}" for word in dict.fromkeys(WORDS)]
    pairs = [first + second for first in "bcdlmnprst" for second in "aeiouáéíóúrl"]
    texts += ["▁", *LETTERS, *(f"▁{each}" for each in LETTERS), *pairs, "д", "до", "дом"]
    found = [Piece("<unk>", 0.0, UNKNOWN), Piece("<s>", 0.0, CONTROL), Piece("</s>", 0.0, CONTROL)]
    found += [Piece(text, -2.0 - at / 100) for at, text in enumerate(dict.fromkeys(texts))]
    return PieceModel(tuple(found), b"")


def tiny_use() -> tuple[Any, Any]:
    """Return network and tokenizer."""
    import torch
    from factory.use.network import UseNetwork
    from factory.use.tokens import use_tokenizer

    torch.manual_seed(1)
    model = tiny_pieces()
    return UseNetwork(len(model.pieces)).eval(), use_tokenizer(model)


def padded(tokenizer: Any, texts: list[str]) -> tuple[Any, Any]:
    """Return tokens and mask of texts."""
    import torch

    cut = [each.ids for each in tokenizer.encode_batch(texts)]
    width = max(map(len, cut))
    tokens = torch.tensor([each + [0] * (width - len(each)) for each in cut])
    mask = torch.tensor([[1] * len(each) + [0] * (width - len(each)) for each in cut])
    return tokens, mask
