"""A prompt and the words of its scale as tokens of a causal language model.

The tokens of a word are those by which the tokenizer cuts the text with the word, not the word
alone: that is how the space before it is treated as the model learnt it, whether it belongs to the
word (byte-level BPE, SentencePiece) or is dropped (WordPiece).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tactful.errors import UsageError
from tactful.taxonomies.prompts import DEFAULT_MASK

Tokens = tuple[int, ...]
_SAMPLE = "it is"


@dataclass(frozen=True, slots=True)
class Unit:
    """A context and its continuations, each of at least one token."""

    context: Tokens
    tails: tuple[Tokens, ...]


class PromptTokenizer:
    """Cuts prompts, with the tokens before them that the tokenizer itself would put there.

    For a tokenizer that puts none there (GPT-2, SmolLM2), none is added: a chat model would read a
    begin token as the start of a turn. Only a prompt that begins with the word itself needs a token
    before it: the begin token or, if there is none, the end token, which separates documents.
    """

    def __init__(self, wrapped: Any):
        self._wrapped = wrapped
        plain = self._cut(_SAMPLE)
        whole = list(wrapped(_SAMPLE)["input_ids"])
        starts = [at for at in range(len(whole)) if tuple(whole[at : at + len(plain)]) == plain]
        if not plain or not starts:
            raise UsageError(
                f"The tokenizer cuts '{_SAMPLE}' into {whole} but, without tokens at its ends, "
                f"into {list(plain)}; expected the second within the first; take another model."
            )
        self.begin: Tokens = tuple(whole[: starts[0]])

    def tokens_of(self, word: str) -> Tokens:
        """Return the tokens of a word in the middle of a sentence."""
        before, after = self._cut(_SAMPLE), self._cut(f"{_SAMPLE} {word}")
        return after[shared([before, after]) :]

    def unit(self, text: str, words: Sequence[str], whole: bool) -> Unit:
        """Return the context before the masked word, and the continuation with each word.

        ``whole`` continues to the end of the prompt; without it, the word is the last part. Where a
        word merges with the text before it, the common beginning is shorter for all words, so
        that their probabilities remain comparable.
        """
        if text.count(DEFAULT_MASK) != 1:
            raise UsageError(
                f"Found {text.count(DEFAULT_MASK)} times {DEFAULT_MASK} in the prompt {text!r}; "
                "expected it once, where the word belongs."
            )
        before, after = text.split(DEFAULT_MASK)
        context = self._cut(before.rstrip())
        lines = [self._cut(before + word + (after if whole else "")) for word in words]
        stem = shared([context, *lines])
        tails = tuple(line[stem:] for line in lines)
        for word, tail in zip(words, tails, strict=True):
            if not tail:
                raise UsageError(
                    f"The tokenizer leaves nothing of the word {word!r} in the prompt {text!r}; "
                    "expected a word that it knows; choose another pair of words."
                )
        return Unit((self.begin or self._divider(stem)) + context[:stem], tails)

    def _divider(self, stem: int) -> Tokens:
        if stem:
            return ()
        for token in (self._wrapped.bos_token_id, self._wrapped.eos_token_id):
            if token is not None:
                return (int(token),)
        raise UsageError(
            f"The prompt begins with {DEFAULT_MASK}, and the model has no token for the beginning "
            "of a text; expected a prompt with words before it; choose other templates."
        )

    def _cut(self, text: str) -> Tokens:
        return tuple(self._wrapped(text, add_special_tokens=False)["input_ids"]) if text else ()


def shared(lines: Sequence[Tokens]) -> int:
    """Return how many tokens all lines have in common at their beginning."""
    first, last = min(lines), max(lines)
    # All others lie between these two, so they begin like them.
    for at, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return at
    return min(len(first), len(last))
