"""One paragraph in plain words on a finding: what it means, which words, how sure, and when not.

The words are those of the taxonomies. Their files are read here without the schema, which costs
more than all the rest of a short check; the tests of the taxonomies prove that they keep it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from tactful.errors import UsageError
from tactful.types import Span

_TAXONOMIES = Path(__file__).parents[1] / "taxonomies"
_EXPLAINED = ("pcl", "unhealthy", "frame", "stereotype")

SURENESS = (
    (0.95, "almost certain"),
    (0.85, "very sure"),
    (0.70, "fairly sure"),
    (0.50, "more sure than not"),
    (0.25, "unsure"),
    (0.00, "far from sure"),
)
"""The least calibrated probability for which each wording is used."""

MOST_QUOTES = 3
QUOTE_LENGTH = 60
"""Longer pieces are cut at a word: the report shows them whole, in their place."""

# Control characters could drive a terminal, and marks of writing direction could turn the
# sentence around a quotation; neither is needed to recognise the words.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")

# Findings of one text stand one below the other: each entry of a taxonomy takes the next wordings.
_SURE = (
    "Tactful is {sure} of this ({percent}).",
    "Here Tactful is {sure} ({percent}).",
    "Our reading is {sure} ({percent}).",
    "How sure? {Sure} ({percent}).",
)
_CARRIED = (
    "What carries it: {quotes}.",
    "Mostly through {quotes}.",
    "It rests on {quotes}.",
    "Look at {quotes}.",
)
_WHOLE = (
    "No single word carries it.",
    "It lies in the whole.",
    "No one place stands out.",
    "The whole text carries it.",
)
_ASK = (
    "Ask yourself: {questions}",
    "Worth asking: {questions}",
    "A check: {questions}",
    "Before you decide: {questions}",
)
_UNLESS = (
    "Not so when {clause}.",
    "Ignore it when {clause}.",
    "A false alarm when {clause}.",
    "Never mind it when {clause}.",
)


def explain(name: str, text: str, probability: float, spans: Sequence[Span] = ()) -> str:
    """Return one paragraph on the finding ``name`` of a text, always the same for the same input.

    ``spans`` are the words that carry it. An id that no taxonomy of Tactful knows (a detector of
    one's own may have such) is explained by its words and its probability alone.
    """
    if not (isfinite(probability) and 0 <= probability <= 1):
        raise UsageError(
            f"Found {probability} as the probability of '{name}'; expected a number from 0 to 1."
        )
    position, entry = taxonomy_entries(name.partition(".")[0]).get(name, (0, {}))
    sure, carried, whole, ask, unless = _wordings(position)
    words = sureness(probability)
    parts = [
        entry.get("definition") or f"The detector names this '{_plain(name)}'.",
        sure.format(sure=words, Sure=words.capitalize(), percent=_percent(probability)),
    ]
    quotes = quoted(text, spans)
    parts.append(carried.format(quotes=_listed(quotes)) if quotes else whole)
    # Two questions are enough to stop and think; the taxonomy has all of them.
    if entry.get("ask"):
        parts.append(ask.format(questions=" ".join(entry["ask"][:2])))
    if entry.get("not_when"):
        parts.append(unless.format(clause=", or when ".join(entry["not_when"])))
    return " ".join(parts)


def _wordings(position: int) -> list[str]:
    # After one round through a column the next one is a step ahead, so that no row comes back.
    columns = (_SURE, _CARRIED, _WHOLE, _ASK, _UNLESS)
    turn = position // len(_SURE)
    return [each[(position + turn * at) % len(each)] for at, each in enumerate(columns)]


def sureness(probability: float) -> str:
    """Return how sure a calibrated probability is, in words.

    >>> sureness(0.72)
    'fairly sure'
    """
    return next(words for least, words in SURENESS if probability >= least)


def quoted(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the first few pieces of the text, each once, shortened and safe to print."""
    pieces = [_short(_plain(span.cut(text))) for span in sorted(spans, key=lambda s: s.start)]
    return list(dict.fromkeys(piece for piece in pieces if piece))[:MOST_QUOTES]


def _listed(quotes: Sequence[str]) -> str:
    marked = [f"“{quote}”" for quote in quotes]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


def _plain(text: str) -> str:
    return " ".join(_HARMFUL.sub(" ", text).split())


def _short(piece: str) -> str:
    if len(piece) <= QUOTE_LENGTH:
        return piece
    head = piece[:QUOTE_LENGTH]
    # Without a space near the end (a long link, Chinese), cutting inside is the only way.
    cut = head.rfind(" ")
    return (head[:cut] if cut > QUOTE_LENGTH // 2 else head) + " …"


def _percent(probability: float) -> str:
    # Rounding to 0 or 100 % would claim what no detector can know.
    number = round(100 * probability)
    return "under 1 %" if number < 1 else "over 99 %" if number > 99 else f"{number} %"


@cache
def taxonomy_entries(taxonomy: str) -> Mapping[str, tuple[int, Mapping[str, Any]]]:
    """Return the place and the fields of each entry of a taxonomy; nothing for an unknown one."""
    if taxonomy not in _EXPLAINED:
        return {}
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = (_TAXONOMIES / f"{taxonomy}.yaml").read_bytes()
    entries = yaml.load(raw, Loader=loader)["entries"]  # noqa: S506 (a safe loader, either way)
    return {entry["id"]: (position, entry) for position, entry in enumerate(entries)}
