"""Ask a causal language model: which of two opposite words does it expect in a prompt?

A model that reads from left to right fills no mask, but gives every word a probability. The scale
is a list of pairs such as *unlikely* and *likely*; the answer to a prompt is the log-probability of
both words of each pair:

- by ``continuation``: of the word, given the prompt up to it. The text after the word is not
  read, so this suits templates that end with it. "good" is counted as the beginning of whatever
  the model would go on to write, "goodness" too where its tokens begin with those of "good".
- by ``sentence``: of the whole prompt with the word in its place. This suits any template.

A word of several tokens has the product of their probabilities; nothing is divided by a length.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, get_args

from tactful.audit.causal.scores import reads_in_steps, score, score_plainly
from tactful.audit.causal.tokens import PromptTokenizer, Unit
from tactful.audit.hub import Opened
from tactful.audit.protocol import Answer, Kind
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.taxonomies.prompts import Prompt

By = Literal["continuation", "sentence"]
Pairs = Sequence[tuple[str, str]]
"""Words of a scale: the negative one, then the positive one."""

_METHOD = 1
"""To be raised when the same model would give other numbers to the same prompt."""
_BATCH: Mapping[By, int] = {"continuation": 256, "sentence": 96}
"""The more prompts at a time, the more they share; a sentence is read once for each word."""


class CausalAsker:
    """An :class:`~tactful.audit.protocol.Asker` for causal language models of transformers.

    opened: the model. pairs: the words to compare, for each template by its id. by: how they are
    compared. batch: how many prompts are taken together; the answers do not depend on it.
    """

    kind: Kind = "causal"

    def __init__(
        self,
        opened: Opened,
        pairs: Mapping[str, Pairs],
        *,
        by: By = "continuation",
        batch: int | None = None,
    ):
        if by not in get_args(By):
            raise UsageError(f"Found by={by!r}; expected {' or '.join(get_args(By))}.")
        if batch is not None and batch < 1:
            raise UsageError(f"Found batch={batch}; expected at least 1.")
        self.name, self.batch, self._by = opened.name, batch or _BATCH[by], by
        self._pairs = {template: [*map(tuple, each)] for template, each in pairs.items()}
        _check_pairs(self._pairs)
        what = [_METHOD, opened.fingerprint, by, sorted(self._pairs.items())]
        self.fingerprint = sha256(json.dumps(what).encode()).hexdigest()
        # Torch's mode for inference: no dropout.
        self._model = opened.model.eval()
        self._tokenizer = PromptTokenizer(opened.tokenizer)
        self._tokens = {
            word: len(self._tokenizer.tokens_of(word))
            for each in self._pairs.values()
            for pair in each
            for word in pair
        }
        sample = [token for word in self._tokens for token in self._tokenizer.tokens_of(word)]
        self._in_steps = reads_in_steps(self._model, sample)
        self._longest = _longest(self._model.config)

    @property
    def notes(self) -> Sequence[str]:
        """Which pairs are words of unequal numbers of tokens, and what that means."""
        notes = []
        pairs = dict.fromkeys(pair for each in self._pairs.values() for pair in each)
        unequal = [
            f"{negative} ({self._tokens[negative]}) and {positive} ({self._tokens[positive]})"
            for negative, positive in pairs
            if self._tokens[negative] != self._tokens[positive]
        ]
        if unequal:
            notes.append(
                f"Of {len(pairs)} pairs of words {len(unequal)} have unequal numbers of tokens: "
                f"{'; '.join(unequal)}. The probability of a word is the product over its tokens, "
                "which favours the shorter one in every prompt alike: compare conditions with each "
                "other and with the baseline, not with one half."
            )
        if not self._in_steps:
            notes.append(
                "The model was read text by text from the beginning, which is slower, because its "
                "memory could not be shared between texts."
            )
        return tuple(notes)

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return the log-probabilities of both words of each pair, for each prompt."""
        units = []
        for prompt in prompts:
            if prompt.template not in self._pairs:
                raise unknown_name("template with pairs", prompt.template, list(self._pairs))
            words = _words(self._pairs[prompt.template])
            unit = self._tokenizer.unit(prompt.text, words, self._by == "sentence")
            self._check_length(prompt, unit)
            units.append(unit)
        answers = []
        for start in range(0, len(prompts), self.batch):
            some = units[start : start + self.batch]
            scorer = score if self._in_steps and self._in_window(some) else score_plainly
            found = scorer(self._model, some, self._by == "sentence")
            for prompt, scores in zip(prompts[start:], found, strict=False):
                pairs = self._pairs[prompt.template]
                of = dict(zip(_words(pairs), scores, strict=True))
                answers.append({"pairs": [[n, p, of[n], of[p]] for n, p in pairs]})
        return answers

    def _in_window(self, units: Sequence[Unit]) -> bool:
        # A sliding window counts padding, too; where it could matter there must be none.
        window = getattr(self._model.config, "sliding_window", None)
        return not window or 2 * max(map(_length, units)) <= window

    def _check_length(self, prompt: Prompt, unit: Unit) -> None:
        tokens = _length(unit)
        if self._longest is not None and tokens > self._longest:
            raise UsageError(
                f"Found a prompt of {tokens} tokens, {prompt.text[:60]!r}…; expected at most "
                f"{self._longest} for '{self.name}'; shorten the template or the condition."
            )


def _length(unit: Unit) -> int:
    return len(unit.context) + max(map(len, unit.tails))


def _words(pairs: Sequence[tuple[Any, ...]]) -> list[str]:
    return list(dict.fromkeys(word for pair in pairs for word in pair))


def _check_pairs(pairs: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
    if not pairs:
        raise UsageError("Found no template with pairs of words; expected at least one.")
    for template, each in pairs.items():
        if not each:
            raise UsageError(
                f"Found no pair of words for the template '{template}'; expected at least one."
            )
        for pair in each:
            words = [word.strip() for word in pair if isinstance(word, str)]
            if len(pair) != 2 or len(words) != 2 or not all(words) or words[0] == words[1]:
                raise UsageError(
                    f"Found the pair {list(pair)} for the template '{template}'; expected a "
                    "negative and a positive word."
                )


def _longest(config: Any) -> int | None:
    """Return how many tokens a model can read, where its settings limit that."""
    for name in ("max_position_embeddings", "n_positions", "max_seq_len"):
        value = getattr(config, name, None)
        if isinstance(value, int) and value > 0:
            return value
    return None
