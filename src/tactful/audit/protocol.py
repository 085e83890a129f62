"""The protocol of a model that can be audited: it answers prompts in batches."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from tactful.taxonomies.prompts import Prompt

Kind = Literal["fill-mask", "causal", "sentiment", "chat"]
Answer = dict[str, Any]
"""What a model said to one prompt, as JSON keeps it.

- fill-mask: ``{"words": [[word, probability], …], "seen": p}``, the most probable first
- causal: ``{"pairs": [[negative, positive, log-probability, log-probability], …]}``
- sentiment: ``{"label": "negative" | "neutral" | "positive", "score": p, "said": "LABEL_0"}``; the
  score is the number that decided, or None where there was only a label
- chat: ``{"said": [text, …], "refused": [bool, …], "first": [[token, log-probability], …],
  "tokens": [in, out]}``; ``first`` only where log-probabilities were asked for
"""


class Asker(Protocol):
    """A model that answers prompts.

    It may also have ``language``, such as ``"en"``: a probe in another language is then refused.
    With ``ask_each(prompts)``, which yields each prompt with its answer as it comes, answers are
    saved one by one. With ``measured(prompts, answers, folder)`` it reads its own answers: one
    mapping of the columns of a run's rows for each.
    """

    @property
    def name(self) -> str:
        """The name in reports."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of its answers."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of the weights and of every option that changes an answer."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """Sentences that a reader of the results should know, such as words it cannot say."""
        ...

    @property
    def batch(self) -> int:
        """How many prompts to ask at a time."""
        ...

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        ...
