"""What a function or an endpoint may say about one text, and how it is read.

- a label: ``"NEG"``;
- a number: below 0 negative, above 0 positive, 0 neutral;
- a label and its score: ``("NEG", 0.9)`` or ``{"label": "NEG", "score": 0.9}``;
- the score of every label, the highest of which is taken (Mei et al. 2023, section 4.3):
  ``{"NEG": 0.9, "POS": 0.1}``, or a list of label-and-score mappings.
"""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from tactful.audit.classifiers.labels import Sentiment, answer, class_of, unknown_label
from tactful.audit.protocol import Answer
from tactful.errors import InputError
from tactful.words import counted

EXPECTED = "a label, a number, a label with its score, or the score of every label"


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
