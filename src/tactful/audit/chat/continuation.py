"""A causal model behind plain completions: the words of a scale, weighed as on this machine.

The endpoint reads the prompt with each word at its end and gives the log-probability of every
token; those of the word count. The answers have the form of
:class:`~tactful.audit.causal.asking.CausalAsker`, so that both can be compared.
"""

import json
from collections.abc import Mapping
from hashlib import sha256

from tactful.audit.causal.asking import Pairs
from tactful.audit.chat.asking import EachAsker
from tactful.audit.protocol import Answer, Kind
from tactful.checking.chat import ChatEndpoint
from tactful.taxonomies.prompts import DEFAULT_MASK, Prompt

_METHOD = 1
"""To be raised when the same model would give other numbers to the same prompt."""


class ContinuationAsker(EachAsker):
    """A model behind an endpoint that serves completions with ``echo`` and ``logprobs``."""

    kind: Kind = "causal"
    batch = 64

    def __init__(
        self,
        endpoint: ChatEndpoint,
        pairs: Mapping[str, Pairs],
        *,
        concurrency: int = 4,
        per_minute: float | None = None,
    ):
        super().__init__(endpoint, concurrency, per_minute)
        self._pairs = pairs
        what = [_METHOD, "continuation", endpoint.place, endpoint.model, sorted(pairs.items())]
        self.fingerprint = sha256(json.dumps(what).encode()).hexdigest()

    def one(self, prompt: Prompt) -> Answer:
        """Return the log-probabilities of both words of each pair."""
        before = prompt.text.partition(DEFAULT_MASK)[0]
        pairs = self._pairs[prompt.template]
        words = dict.fromkeys(word for pair in pairs for word in pair)
        of = {word: self._read(before, word) for word in words}
        return {"pairs": [[n, p, of[n], of[p]] for n, p in pairs]}

    def _read(self, before: str, word: str) -> float:
        self._pace.wait()
        tokens = self._endpoint.read(before + word)
        # The space before a word may be a part of its first token.
        behind = len(before.rstrip())
        return sum(value for start, value in tokens if start >= behind)
