"""Rows of chat models: asked about each text through the user's OpenAI-compatible endpoint.

The question is the definition of the taxonomy; few-shot rows see examples of the training part
first. Where the endpoint gives log-probabilities, the probability of "yes" against "no" is the
answer, else what the model wrote. An answer that is neither counts as 0.5, and as not found.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tactful.checking.chat import ChatEndpoint, Choice, Sampling, open_chat
from tactful.errors import UsageError
from tactful.taxonomies import find_entry

CHAT = "chat:"
"""What comes before the address of an endpoint, as in ``chat:http://127.0.0.1:8080/v1#qwen``."""
LIMIT = 200
"""How many texts of a table are asked about, unless users say otherwise."""
_TOP = 5
_MOST_TOKENS = 4
_LONGEST = 2_000
"""Characters of a text that are sent."""
_YES = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


def opened_chat(name: str, key_variable: str | None = None) -> ChatEndpoint:
    """Open the endpoint that ``chat:URL`` or ``chat:URL#MODEL`` names."""
    url, _, model = name.removeprefix(CHAT).partition("#")
    if not url:
        raise UsageError(f"Found '{name}'; expected chat:URL#MODEL.")
    return open_chat(url, model=model or None, key_variable=key_variable, patient=True)


class ChatModel:
    """A chat model behind ``fit`` and ``predict_proba``.

    Parameters
    ----------
    name
        ``chat:URL`` or ``chat:URL#MODEL``.
    labels
        The taxonomy ids that are asked about.
    shots
        How many examples of the training part come before each question, half of them positive.
    seed
        Which examples these are.
    key_variable
        The environment variable that holds the API key.

    """

    def __init__(
        self,
        name: str,
        labels: Sequence[str],
        shots: int = 0,
        seed: int = 1,
        key_variable: str | None = None,
    ):
        self.endpoint = opened_chat(name, key_variable)
        self.name, self.labels, self.shots, self.seed = name, tuple(labels), shots, seed
        self._examples: dict[str, list[tuple[str, bool]]] = {}
        self._answered: tuple[tuple[str, ...], NDArray[np.float64]] = ((), np.zeros((0, 0)))

    def get_params(self) -> dict[str, Any]:
        """Return what the answers depend on."""
        of_endpoint = {"place": self.endpoint.place, "model": self.endpoint.model}
        return of_endpoint | {"shots": self.shots, "seed": self.seed, "labels": self.labels}

    def fit(self, texts: Sequence[str], labels: Any, /) -> Self:
        """Choose the examples."""
        if not self.shots:
            return self
        table = np.asarray(labels).reshape(len(texts), len(self.labels))
        rng = np.random.default_rng(self.seed)
        for column, label in enumerate(self.labels):
            half = [
                rng.permutation(np.flatnonzero(table[:, column] == answer))[:size]
                for answer, size in ((1, self.shots - self.shots // 2), (0, self.shots // 2))
            ]
            chosen = rng.permutation(np.concatenate(half))
            self._examples[label] = [(texts[at], bool(table[at, column])) for at in chosen]
        return self

    def predict_proba(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        """Return the probability of yes, a column for each label."""
        asked = tuple(texts)
        if self._answered[0] != asked:
            rows = [[self._ask(text, label) for label in self.labels] for text in asked]
            self._answered = (asked, np.array(rows).reshape(len(asked), len(self.labels)))
        return self._answered[1]

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """Say where yes is more probable than no."""
        return (self.predict_proba(texts) > 0.5).astype(np.int64)

    def _ask(self, text: str, label: str) -> float:
        entry = find_entry(label)
        system = (
            "You judge short English texts by one definition. Answer with one word: yes or no.\n"
            f"{entry.name}: {entry.definition}"
        )
        messages = [{"role": "system", "content": system}]
        for example, answer in self._examples.get(label, []):
            messages.append({"role": "user", "content": _question(example)})
            messages.append({"role": "assistant", "content": "yes" if answer else "no"})
        messages.append({"role": "user", "content": _question(text)})
        sampling = Sampling(seed=self.seed, top_logprobs=_TOP)
        return probability(self.endpoint.ask(messages, _MOST_TOKENS, sampling).choices[0])


def _question(text: str) -> str:
    return f"Text: {text[:_LONGEST]}\nDoes the definition apply to this text?"


def probability(choice: Choice) -> float:
    """Return the probability of yes in an answer: of its first token, or of what it says."""
    found = {"yes": 0.0, "no": 0.0}
    for token, value in choice.first:
        word = token.strip().lower()
        if word in found:
            found[word] += math.exp(value)
    if sum(found.values()) > 0:
        return found["yes"] / sum(found.values())
    said = _YES.match(choice.text)
    return 0.5 if said is None else float(said[1].lower() == "yes")
