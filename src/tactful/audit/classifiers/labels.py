"""From the names that classifiers give their classes to negative, neutral and positive.

Classifiers have two or three classes (Mei et al. 2023, section 4.3), and some have five stars. A
name that says nothing, such as ``LABEL_0``, is never guessed: which class comes first differs
from model to model.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Literal

from tactful.audit.protocol import Answer
from tactful.errors import UsageError
from tactful.registry import unknown_name

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
