"""From the names that classifiers give their classes to negative, neutral and positive.

Classifiers have two or three classes (Mei et al. 2023, section 4.3), and some have five stars. A
name that says nothing, such as ``LABEL_0``, is never guessed: which class comes first differs
from model to model. A function or an endpoint may say about one text:

- a label: ``"NEG"``;
- a number: below 0 negative, above 0 positive, 0 neutral;
- a label and its score: ``("NEG", 0.9)`` or ``{"label": "NEG", "score": 0.9}``;
- the score of every label, the highest of which is taken (Mei et al. 2023, section 4.3):
  ``{"NEG": 0.9, "POS": 0.1}``, or a list of label-and-score mappings.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import sha256
from numbers import Real
from typing import Any, Literal

from tactful.audit.protocol import Answer, Kind
from tactful.errors import InputError, UsageError
from tactful.registry import unknown_name
from tactful.taxonomies.prompts import Prompt
from tactful.words import counted

Sentiment = Literal["negative", "neutral", "positive"]
SENTIMENTS: tuple[Sentiment, ...] = ("negative", "neutral", "positive")

_NAMES: Mapping[str, Sentiment] = {
    "neg": "negative",
    "negative": "negative",
    "very negative": "negative",
    "neu": "neutral",
    "neutral": "neutral",
    "pos": "positive",
    "positive": "positive",
    "very positive": "positive",
}
_STARS = re.compile(r"([1-5]) ?stars?")
_EXAMPLE = "--labels LABEL_0=negative,LABEL_1=positive"
_LONGEST_SHOWN = 40
EXPECTED = "a label, a number, a label with its score, or the score of every label"


class Classifier(ABC):
    """A classifier that answers texts in batches; an :class:`~tactful.audit.protocol.Asker`."""

    kind: Kind = "sentiment"
    batch: int

    def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Return one answer for each prompt, in their order."""
        answers: list[Answer] = []
        for start in range(0, len(prompts), self.batch):
            answers += self.answers([p.text for p in prompts[start : start + self.batch]])
        return answers

    @abstractmethod
    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""


def parse_labels(text: str) -> dict[str, Sentiment]:
    """Read ``LABEL_0=negative,LABEL_1=positive``.

    >>> parse_labels("LABEL_0=NEG, LABEL_1=positive")
    {'LABEL_0': 'negative', 'LABEL_1': 'positive'}
    """
    found: dict[str, Sentiment] = {}
    for part in text.split(","):
        # A label may hold '=' itself, a class never does.
        label, equals, said = (piece.strip() for piece in part.rpartition("="))
        if not equals or not label:
            raise UsageError(
                f"The labels have {shown(part)}; expected LABEL=CLASS pairs with commas between "
                f"them, such as {_EXAMPLE}."
            )
        if label in found:
            raise UsageError(f"The labels name {shown(label)} twice; expected every label once.")
        found[label] = _sentiment(label, said)
    return found


def check_labels(labels: Mapping[str, str] | None) -> dict[str, Sentiment]:
    """Return the user's labels with their classes spelt out; refuse what is no class."""
    return {label: _sentiment(label, said) for label, said in (labels or {}).items()}


def class_of(label: str, labels: Mapping[str, Sentiment] | None = None) -> Sentiment | None:
    """Return what a label stands for, by the user's labels and then by its name; None: unknown.

    >>> class_of("POS"), class_of("2 stars"), class_of("LABEL_0")
    ('positive', 'negative', None)
    """
    given = labels or {}
    if label in given:
        return given[label]
    folded = label.strip().casefold()
    for name, sentiment in given.items():
        if name.casefold() == folded:
            return sentiment
    plain = folded.replace("_", " ").replace("-", " ")
    if stars := _STARS.fullmatch(plain):
        return SENTIMENTS[(int(stars[1]) > 2) + (int(stars[1]) > 3)]
    return _NAMES.get(plain)


def classes_of_model(
    model: str, names: Sequence[str], labels: Mapping[str, Sentiment]
) -> list[Sentiment]:
    """Return what each class of a model stands for; all of them must be known."""
    folded = {name.casefold() for name in names}
    for label in labels:
        if label.casefold() not in folded:
            raise unknown_name(f"class of '{model}'", label, list(names))
    found = [class_of(name, labels) for name in names]
    known = [sentiment for sentiment in found if sentiment is not None]
    if len(known) < len(found):
        unknown = [name for name, sentiment in zip(names, found, strict=True) if sentiment is None]
        raise UsageError(
            f"'{model}' has classes whose names say nothing about sentiment "
            f"({', '.join(map(shown, unknown))}); expected negative, neutral or positive; look up "
            f"what each stands for and say it, as in: {_EXAMPLE}."
        )
    if "negative" not in known:
        raise UsageError(
            f"'{model}' has no negative class ({', '.join(map(shown, names))}); expected one, "
            "because an audit counts how often it is chosen; pass --labels."
        )
    return known


def unknown_label(label: str) -> str:
    """Say in half a sentence that a label is unknown, and what to do."""
    return (
        f"the label {shown(label)}; expected negative, neutral or positive; say what it stands "
        f"for, as in: {_EXAMPLE}"
    )


def shown(label: str) -> str:
    """Quote what somebody else wrote: one line, not too long."""
    cut = label if len(label) <= _LONGEST_SHOWN else f"{label[: _LONGEST_SHOWN - 1]}…"
    return repr(cut)


def answer(sentiment: Sentiment, score: float | None, said: str) -> Answer:
    """Return the answer of a classifier as the store keeps it.

    ``score`` is the number that decided, as the classifier gave it; None where it gave none.
    """
    return {"label": sentiment, "score": score, "said": said}


def fingerprint(*parts: str, labels: Mapping[str, str] | None = None) -> str:
    """Hash what makes a classifier what it is, and the labels that the user gave."""
    mapped = [f"{label}={said}" for label, said in sorted((labels or {}).items())]
    return sha256(
        "\0".join(["sentiment", *parts, *mapped]).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _sentiment(label: str, said: str) -> Sentiment:
    sentiment = class_of(said)
    if sentiment is None:
        raise UsageError(
            f"The labels map {shown(label)} to {shown(said)}; expected one of "
            f"{', '.join(SENTIMENTS)}, as in {_EXAMPLE}."
        )
    return sentiment


class NoSentimentError(ValueError):
    """What was said about a text cannot be read; the message is half a sentence."""


def read_sayings(
    sayings: Sequence[Any], texts: int, labels: Mapping[str, Sentiment], place: str
) -> list[Answer]:
    """Read the answers of ``place`` to the texts of one batch."""
    if len(sayings) != texts:
        raise InputError(
            f"{place}: found {counted(len(sayings), 'answer')} for {counted(texts, 'text')}; "
            "expected one for each, in their order."
        )
    answers = []
    for number, saying in enumerate(sayings, start=1):
        try:
            answers.append(read_saying(saying, labels))
        except NoSentimentError as error:
            raise InputError(f"{place}: for text {number:,} of the batch, found {error}.") from None
    return answers


def read_saying(saying: Any, labels: Mapping[str, Sentiment]) -> Answer:
    """Read what was said about one text."""
    if isinstance(saying, str):
        return answer(_known(saying, labels), None, saying)
    if is_number(saying):
        number = _finite(saying)
        sentiment: Sentiment = "neutral"
        if number:
            sentiment = "negative" if number < 0 else "positive"
        return answer(sentiment, number, f"{number:g}")
    if is_labelled(saying):
        return _labelled(saying["label"], saying["score"], labels)
    if isinstance(saying, Mapping):
        return _highest(list(saying.items()), labels)
    if isinstance(saying, list | tuple) and saying:
        if all(is_labelled(each) for each in saying):
            return _highest([(each["label"], each["score"]) for each in saying], labels)
        if len(saying) == 2 and isinstance(saying[0], str):
            return _labelled(saying[0], saying[1], labels)
    raise NoSentimentError(f"{_kind(saying)}; expected {EXPECTED}")


def is_labelled(saying: Any) -> bool:
    """Tell whether this is one class as transformers' pipelines write it."""
    return (
        isinstance(saying, Mapping)
        and saying.keys() == {"label", "score"}
        and isinstance(saying["label"], str)
    )


def is_number(value: Any) -> bool:
    """Tell whether this is a number; yes and no are none."""
    # NumPy's bool is not a Real, Python's is.
    return isinstance(value, Real) and not isinstance(value, bool)


def _labelled(label: str, score: Any, labels: Mapping[str, Sentiment]) -> Answer:
    sentiment = _known(label, labels)
    if score is None:
        return answer(sentiment, None, label)
    if not is_number(score):
        raise NoSentimentError(f"{_kind(score)} as a score; expected a number")
    return answer(sentiment, _finite(score), label)


def _highest(pairs: Sequence[tuple[Any, Any]], labels: Mapping[str, Sentiment]) -> Answer:
    if not pairs:
        raise NoSentimentError("no label at all; expected the score of every label")
    scores: list[tuple[str, float]] = []
    for label, score in pairs:
        if not isinstance(label, str) or not is_number(score):
            raise NoSentimentError(
                f"{_kind(label)} with {_kind(score)}; expected labels, each with a number"
            )
        # Every label must be known, not only the winner: the next text may have another winner.
        _known(label, labels)
        scores.append((label, _finite(score)))
    label, score = max(scores, key=lambda pair: pair[1])
    return answer(_known(label, labels), score, label)


def _known(label: str, labels: Mapping[str, Sentiment]) -> Sentiment:
    sentiment = class_of(label, labels)
    if sentiment is None:
        raise NoSentimentError(unknown_label(label))
    return sentiment


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise NoSentimentError(f"the number {number}; expected a finite one")
    return number


def _kind(value: Any) -> str:
    if value is None:
        return "nothing (None)"
    if isinstance(value, list | tuple | Mapping):
        return f"a {type(value).__name__} of {len(value):,}"
    return f"a value of type {type(value).__name__}"
