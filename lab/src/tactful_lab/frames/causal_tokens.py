"""Lines of frames as numbers of a causal model's tokens, and back."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tactful.errors import FileFormatError
from tactful.frames.schema import CATEGORICAL
from tactful_lab.frames.linearise import END, SEPARATOR, Piece, prompt, special_tokens, value_token


class LineTokenizer:
    """A tokenizer of transformers that knows the tokens of a frame.

    A text that spells such a token (a post can say "[END]") is cut into ordinary pieces: only what
    :mod:`tactful_lab.frames.linearise` calls special is special.
    """

    def __init__(self, wrapped: Any):
        self.wrapped = wrapped
        self.backend = wrapped.backend_tokenizer
        self.backend.encode_special_tokens = True
        self.backend.no_padding()
        self.backend.no_truncation()
        vocabulary = wrapped.get_vocab()
        missing = [token for token in special_tokens() if token not in vocabulary]
        if missing:
            raise FileFormatError(
                f"Found no token '{missing[0]}' in the tokenizer; expected those of a frame; take "
                "the folder that training wrote."
            )
        self.ids: dict[str, int] = {token: vocabulary[token] for token in special_tokens()}
        self.names = {number: token for token, number in self.ids.items()}
        self.end, self.separator = self.ids[END], self.ids[SEPARATOR]
        self.values = {
            name: (self.ids[value_token(name, 0)], self.ids[value_token(name, 1)])
            for name in CATEGORICAL
        }
        """Of each variable the tokens of its no and its yes."""

    def encode(self, piece: Piece) -> list[int]:
        """Return the tokens of a piece; words begin with a space, as inside a sentence."""
        if piece.special:
            return [self.ids[piece.text]]
        return self.encode_words(piece.text)

    def encode_words(self, text: str) -> list[int]:
        """Return the tokens of a text, none of them special."""
        # Half a surrogate pair is no text that a tokenizer can take.
        clean = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
        found: list[int] = self.backend.encode(f" {clean}", add_special_tokens=False).ids
        return found if clean else []

    def encode_prompt(self, post: str, post_tokens: int) -> list[int]:
        """Return the beginning of a line; the post is cut as it was in training."""
        start, words, separator = (self.encode(piece) for piece in prompt(post))
        return [*start, *words[:post_tokens], *separator]

    def decode(self, tokens: Sequence[int]) -> list[str]:
        """Return what a model wrote as special tokens and the words between them."""
        runs = groupby(tokens, self.names.get)
        return [
            each
            for name, run in runs
            for each in ([name] * len(list(run)) if name else [self.decode_words(list(run))])
        ]

    def decode_words(self, tokens: Sequence[int]) -> str:
        """Return the words of tokens that are not special."""
        text: str = self.backend.decode(list(tokens), skip_special_tokens=True)
        return text
