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

from tactful.checking.wording import STEPS, Explaining, wording
from tactful.checking.wording.english import ENGLISH
from tactful.errors import UsageError
from tactful.types import Span

_TAXONOMIES = Path(__file__).parents[1] / "taxonomies"
_EXPLAINED = ("pcl", "unhealthy", "frame", "stereotype", "toxicity", "term")

SURENESS = tuple(zip(STEPS, ENGLISH.explaining.sureness, strict=True))
"""The least calibrated probability for which each wording is used, in English."""

MOST_QUOTES = 3
QUOTE_LENGTH = 60
"""Longer pieces are cut at a word: the report shows them whole, in their place."""

# Control characters could drive a terminal, and marks of writing direction could turn the
# sentence around a quotation; neither is needed to recognise the words.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


def explain(
    name: str,
    text: str,
    probability: float,
    spans: Sequence[Span] = (),
    lang: str = "en",
    *,
    experimental: bool = False,
) -> str:
    """Return one paragraph on the finding ``name`` of a text, always the same for the same input.

    ``spans`` are the words that carry it, and ``lang`` is the language of the paragraph, ``en`` or
    ``es``. What is ``experimental`` says so at the end. An id that no taxonomy of Tactful knows (a
    custom detector may have such) is explained by its words and its probability alone.
    """
    if not (isfinite(probability) and 0 <= probability <= 1):
        raise UsageError(
            f"Found {probability} as the probability of '{name}'; expected a number from 0 to 1."
        )
    words = wording(lang)
    said = words.explaining
    position, entry = taxonomy_entries(name.partition(".")[0], lang).get(name, (0, {}))
    sure, carried, whole, ask, unless = _wordings(said, position)
    scale = words.sureness(probability)
    parts = [
        entry.get("definition") or said.unknown.format(name=_plain(name)),
        sure.format(sure=scale, Sure=scale.capitalize(), percent=words.percent(probability)),
    ]
    quotes = [words.quote(piece) for piece in quoted(text, spans)]
    parts.append(carried.format(quotes=words.joined(quotes)) if quotes else whole)
    # Two questions are enough to stop and think; the taxonomy has all of them.
    if entry.get("ask"):
        parts.append(ask.format(questions=" ".join(entry["ask"][:2])))
    if entry.get("not_when"):
        parts.append(unless.format(clause=said.or_when.join(entry["not_when"])))
    if experimental:
        parts.append(said.experimental)
    return " ".join(parts)


def _wordings(said: Explaining, position: int) -> list[str]:
    # Findings of one text stand one below the other: each entry of a taxonomy takes the next
    # wordings. After one round through a column the next one is a step ahead, so that no row
    # comes back.
    columns = (said.sure, said.carried, said.whole, said.ask, said.unless)
    turn = position // len(said.sure)
    return [each[(position + turn * at) % len(each)] for at, each in enumerate(columns)]


def sureness(probability: float, lang: str = "en") -> str:
    """Return how sure a calibrated probability is, in words.

    >>> sureness(0.72)
    'fairly sure'
    """
    return wording(lang).sureness(probability)


def quoted(text: str, spans: Sequence[Span]) -> list[str]:
    """Return the first few pieces of the text, each once, shortened and safe to print."""
    pieces = [_short(_plain(span.cut(text))) for span in _in_order(spans)]
    return list(dict.fromkeys(piece for piece in pieces if piece))[:MOST_QUOTES]


def _in_order(spans: Sequence[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: (span.start, span.end))


def _plain(text: str) -> str:
    return " ".join(_HARMFUL.sub(" ", text).split())


def _short(piece: str) -> str:
    if len(piece) <= QUOTE_LENGTH:
        return piece
    head = piece[:QUOTE_LENGTH]
    # Without a space near the end (a long link, Chinese), cutting inside is the only way.
    cut = head.rfind(" ")
    return (head[:cut] if cut > QUOTE_LENGTH // 2 else head) + " …"


@cache
def taxonomy_entries(
    taxonomy: str, lang: str = "en"
) -> Mapping[str, tuple[int, Mapping[str, Any]]]:
    """Return the place and the fields of each entry of a taxonomy; nothing for an unknown one.

    Names, definitions and questions are in ``lang``.
    """
    if taxonomy not in _EXPLAINED:
        return {}
    entries = _read_entries(f"{taxonomy}.yaml")
    said = {} if lang == "en" else {e["id"]: e for e in _read_entries(f"{lang}/{taxonomy}.yaml")}
    return {
        entry["id"]: (position, {**entry, **said.get(entry["id"], {})})
        for position, entry in enumerate(entries)
    }


@cache  # a default that is named and one that is not are two keys of the cache above
def _read_entries(file: str) -> list[dict[str, Any]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load((_TAXONOMIES / file).read_bytes(), Loader=loader)  # noqa: S506 (a safe loader)
    entries: list[dict[str, Any]] = data["entries"]
    return entries
