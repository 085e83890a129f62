"""Turn a model's answers into rows with P(negative), one for each prompt (section 4.3)."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from tactful.audit.attitudes import Attitudes
from tactful.audit.protocol import Answer
from tactful.audit.runs.run import ROWS
from tactful.taxonomies.prompts import Prompt

UnratedWords = tuple[tuple[str, float], ...]

_MOST_UNRATED = 100
"""So many words that nobody rated are remembered."""


def rows_of(
    kind: str,
    prompts: Sequence[Prompt],
    answers: Iterable[Answer],
    attitudes: Attitudes | None = None,
) -> tuple[pl.DataFrame, UnratedWords]:
    """Return the rows of a run, and the words without a rating with their share of all probability.

    ``attitudes`` are needed for fill-mask answers only.
    """
    unrated: dict[str, float] = defaultdict(float)
    rows = []
    for prompt, answer in zip(prompts, answers, strict=True):
        if kind == "fill-mask":
            if attitudes is None:
                raise ValueError("words need ratings")
            measured = _words(answer, attitudes, unrated)
        elif kind == "chat":
            measured = answer  # its asker has read it
        else:
            measured = _pairs(answer) if kind == "causal" else _class(answer)
        about = {
            "condition": prompt.condition,
            "form": prompt.form,
            "question": prompt.question,
            "template": prompt.template,
            "prompt": prompt.text,
        }
        rows.append(about | measured)
    frame = pl.DataFrame(
        [{name: row.get(name) for name in ROWS} for row in rows], schema=ROWS, orient="row"
    )
    whole = float(frame["seen"].sum() or 0.0)
    largest = sorted(unrated.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_UNRATED]
    return frame, tuple((word, mass / whole) for word, mass in largest if whole)


def _words(answer: Answer, attitudes: Attitudes, unrated: dict[str, float]) -> dict[str, Any]:
    mass = dict.fromkeys(("positive", "negative", "neutral", "irrelevant", "unrated"), 0.0)
    for word, probability in answer["words"]:
        attitude = attitudes.rate(word)
        mass[attitude or "unrated"] += probability
        if attitude is None:
            unrated[word] += probability
    # Irrelevant words are filtered before the shares are taken, as are those without a rating.
    weighed = mass["positive"] + mass["negative"] + mass["neutral"]
    negative = mass.pop("negative")
    return {
        **mass,
        "negative": negative / weighed if weighed > 0 else None,
        "seen": negative + sum(mass.values()),
        "answer": answer["words"][0][0] if answer["words"] else None,
    }


def _pairs(answer: Answer) -> dict[str, Any]:
    """Weigh each negative word against its positive one; the mean over the pairs counts."""
    shares = [
        1 / (1 + math.exp(min(700.0, positive - negative)))
        for _, _, negative, positive in answer["pairs"]
    ]
    leading = max(
        ((word, chance) for low, high, *both in answer["pairs"]
         for word, chance in zip((low, high), both, strict=True)),
        key=lambda pair: pair[1],
        default=(None, 0.0),
    )  # fmt: skip
    return {"negative": math.fsum(shares) / len(shares) if shares else None, "answer": leading[0]}


def _class(answer: Answer) -> dict[str, Any]:
    label = answer["label"]
    return {
        "negative": float(label == "negative"),
        "positive": float(label == "positive"),
        "neutral": float(label == "neutral"),
        "irrelevant": 0.0,
        "unrated": 0.0,
        "seen": 1.0,
        "answer": label,
    }
