"""What asking costs: requests and tokens, estimated before and counted after."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tactful.audit.chat.asking import WORDS_AFTER, Manner
from tactful.audit.protocol import Answer
from tactful.taxonomies.prompts import Prompt
from tactful.words import counted

_LETTERS_A_TOKEN = 4
"""The usual rule for English; only an estimate."""
_FRAME = 12
"""Tokens that the form of a conversation adds to a message."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests and tokens; money where prices are known."""

    requests: int
    tokens_in: int
    tokens_out: int
    money: float | None = None

    def sentence(self, *, before: bool) -> str:
        """Say it in words, before asking or after."""
        start = "To ask" if before else "Asked"
        most = "at most " if before else ""
        text = (
            f"{start}: {counted(self.requests, 'request')}, "
            f"{'about ' if before else ''}{self.tokens_in:,} tokens in, "
            f"{most}{self.tokens_out:,} out"
        )
        return text + ("." if self.money is None else f"; {most}{self.money:,.2f} at your prices.")


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def of(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what tokens cost; None without prices."""
        if not self.tokens_in and not self.tokens_out:
            return None
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6


def estimate(prompts: Sequence[Prompt], manner: Manner, prices: Prices) -> Cost:
    """Estimate what prompts cost that have no answer yet; each text is asked once."""
    texts = {prompt.text for prompt in prompts}
    frame = _FRAME + len(manner.system or "") // _LETTERS_A_TOKEN
    tokens_in = sum(frame + -(-len(text) // _LETTERS_A_TOKEN) for text in texts)
    each = manner.tokens * manner.sampling.n
    if manner.by == "logprobs":
        # Where the letters are improbable, a second request asks for words.
        each += WORDS_AFTER
    tokens_out = each * len(texts)
    return Cost(len(texts), tokens_in, tokens_out, prices.of(tokens_in, tokens_out))


def spent(answers: Iterable[Answer], prices: Prices) -> Cost:
    """Add up what the endpoint counted; 0 where it counts nothing."""
    counts = [answer.get("tokens", (0, 0)) for answer in answers]
    tokens_in, tokens_out = (sum(each[place] for each in counts) for place in (0, 1))
    return Cost(len(counts), tokens_in, tokens_out, prices.of(tokens_in, tokens_out))
