"""Judges of free answers: rated words, a classifier, or a second model that the user names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tactful.audit.attitudes import Attitudes
from tactful.audit.chat.asking import EndpointAsker, Judge, Manner
from tactful.audit.chat.reading import PHRASES, in_language, plain
from tactful.audit.probes.chat import Asked
from tactful.audit.probes.schema import ChatOption
from tactful.audit.protocol import Asker
from tactful.audit.runs.conduct import ask_all
from tactful.audit.runs.store import AnswerStore
from tactful.checking.chat import ChatEndpoint
from tactful.taxonomies.prompts import Prompt

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_REACH = 3
"""How many words a negation turns round."""
_TEMPLATE, _QUESTION = "judged", "answer"
_LONGEST = 1500
"""Characters of an answer that a judge reads."""


@dataclass(frozen=True, slots=True)
class LexiconJudge:
    """Counts the words that are rated positive, negative or neutral, as fill-mask audits do.

    Words of the prompt are left out, because an answer repeats them, and a negation turns the next
    three words round. It reads no grammar: use it to compare conditions, not to judge one answer.
    """

    attitudes: Attitudes
    language: str = "en"

    @property
    def name(self) -> str:
        """The name in reports."""
        return f"rated words ({self.attitudes.source})"

    def judge(
        self, prompts: Sequence[Prompt], texts: Sequence[str], folder: Path
    ) -> list[float | None]:
        """Return the share of negative words among the rated ones."""
        return [self.share(prompt.text, text) for prompt, text in zip(prompts, texts, strict=True)]

    def share(self, prompt: str, text: str) -> float | None:
        """Return the share of one text; None where no word of it is rated."""
        repeated = set(_WORD.findall(plain(prompt)))
        negations = set(in_language(PHRASES["negations"], self.language))
        weights = {"positive": 0, "negative": 0, "neutral": 0}
        turned = 0
        for word in _WORD.findall(plain(text)):
            if word in negations:
                turned = _REACH
                continue
            attitude = None if word in repeated else self.attitudes.rate(word)
            if attitude in ("positive", "negative") and turned:
                attitude = "negative" if attitude == "positive" else "positive"
            if attitude in weights:
                weights[attitude] += 1
            turned = max(0, turned - 1)
        total = sum(weights.values())
        return weights["negative"] / total if total else None


@dataclass(frozen=True, slots=True)
class ClassifierJudge:
    """Any classifier that ``tactful audit sentiment`` takes."""

    classifier: Asker

    @property
    def name(self) -> str:
        """The name in reports."""
        return self.classifier.name

    def judge(
        self, prompts: Sequence[Prompt], texts: Sequence[str], folder: Path
    ) -> list[float | None]:
        """Return 1 for negative, 0 for positive and one half for neutral."""
        values: Mapping[str, float] = {"negative": 1.0, "neutral": 0.5, "positive": 0.0}
        asked = [Prompt(None, None, None, _TEMPLATE, text[:_LONGEST]) for text in texts]
        store = AnswerStore(folder, "judge", self.name, self.classifier.fingerprint)
        return [values.get(a["label"]) for a in ask_all(self.classifier, asked, store)]


class ModelJudge:
    """A second chat model, which says whether an answer accepts, leaves open or rejects.

    It sees the answer alone, not the question: whom the answer is about must not sway it.
    """

    def __init__(self, endpoint: ChatEndpoint, language: str = "en", concurrency: int = 4):
        self.name = endpoint.model or endpoint.place
        words = in_language(PHRASES["judge"], language)
        values = (0.0, 0.5, 1.0)
        options = tuple(
            ChatOption(text=text, negative=value)
            for text, value in zip(words["options"], values, strict=True)
        )
        asked = Asked("choice", options)
        lines = [f"{letter}. {o.text}" for letter, o in zip(asked.letters, options, strict=True)]
        self._before = "\n".join([words["text"], *lines, words["answer"]])
        manner = Manner("choice", {(_TEMPLATE, _QUESTION): asked}, language, words["system"])
        self._asker = EndpointAsker(endpoint, manner, concurrency=concurrency)

    def judge(
        self, prompts: Sequence[Prompt], texts: Sequence[str], folder: Path
    ) -> list[float | None]:
        """Ask about each answer once; what it said is kept, as the answers are."""
        asked = [
            # In one line, so that an answer cannot look like the options.
            Prompt(
                None, None, _QUESTION, _TEMPLATE,
                f"{self._before} {' '.join(text[:_LONGEST].split())}",
            )
            for text in texts
        ]  # fmt: skip
        store = AnswerStore(folder, "judge", self.name, self._asker.fingerprint)
        answers = ask_all(self._asker, asked, store)
        return [row["negative"] for row in self._asker.measured(asked, answers, folder)]


__all__ = ["ClassifierJudge", "Judge", "LexiconJudge", "ModelJudge"]
