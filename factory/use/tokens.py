"""The tokenizer of the multilingual sentence encoder, for the ``tokenizers`` library.

It cuts a text as SentencePiece does, and can be written as one ``tokenizer.json``.
"""

from typing import TYPE_CHECKING

from factory.use.pieces import CONTROL, UNKNOWN, Piece, PieceModel

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN_ID, BEGIN_ID, END_ID = 0, 1, 2
"""Every text begins and ends with a token of its own."""
SPACE = "▁"
"""What SentencePiece writes for a space."""


def use_tokenizer(model: PieceModel) -> "Tokenizer":
    """Return the tokenizer of a SentencePiece model; ids are those of its pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    named = [(_name(piece), piece.score) for piece in model.pieces]
    tokenizer = Tokenizer(models.Unigram(named, UNKNOWN_ID, byte_fallback=False))
    if model.charsmap:
        tokenizer.normalizer = normalizers.Precompiled(model.charsmap)
    # Words are cut before each gets its mark, so that no token's place begins with a space.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(SPACE, "always")]
    )
    begin, end = named[BEGIN_ID][0], named[END_ID][0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=[begin, "$A", end], special_tokens=[(begin, BEGIN_ID), (end, END_ID)]
    )
    return tokenizer


def _name(piece: Piece) -> str:
    """Return what a piece is called; one that is no text has a space in its name.

    No text has a space where pieces are looked for: so a text that says ``</s>`` is cut like any
    other, and cannot end itself.
    """
    return f" {piece.text}" if piece.kind in (UNKNOWN, CONTROL) else piece.text
