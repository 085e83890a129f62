"""Frames as text for people, or as JSON for programs."""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from tactful import __version__
from tactful.checking.report import likelihood
from tactful.checking.reports.json_report import dump
from tactful.checking.reports.run import (
    CAVEAT,
    evidence_sentence,
    implied_sentences,
    in_group_sentence,
)
from tactful.cli.frame.texts import Found, Given
from tactful.detectors.card import Card
from tactful.frames.frame_json import frame_as_json
from tactful.types import Frame
from tactful.words import shorten, visible

SCHEMA = "tactful/frame/1"
_WIDTH = 96
_LONGEST = 400
_NAMES = {
    "frame.offensive": "may offend",
    "frame.intent": "may be meant to",
    "frame.lewd": "lewd",
    "frame.group": "about a group",
}


def render(kind: str, found: Iterable[Found], card: Card, show_all: bool) -> Iterator[str]:
    """Yield the report in pieces."""
    if kind == "jsonl":
        for each in found:
            yield dump({**_place(each.given), "frame": frame_as_json(each.frame)})
    elif kind == "json":
        yield from _json(found, card, show_all)
    else:
        yield from _text(found, show_all)


def _json(found: Iterable[Found], card: Card, show_all: bool) -> Iterator[str]:
    texts = list(found)
    yield dump(
        {
            "schema": SCHEMA,
            "tool": {"name": "tactful", "version": __version__},
            "model": {"name": card.name, "version": card.version, "lang": card.lang},
            "note": CAVEAT,
            "texts": len(texts),
            "frames": [
                {**_place(each.given), "frame": frame_as_json(each.frame)}
                for each in texts
                if show_all or _is_found(each.frame)
            ],
        },
        indent=2,
    )


def _place(given: Given) -> dict[str, Any]:
    return {"id": given.id, "path": given.path, "line": given.line, "text": given.text}


def _is_found(frame: Frame) -> bool:
    return frame.answers.get("frame.offensive", "no") != "no"


def _text(found: Iterable[Found], show_all: bool) -> Iterator[str]:
    texts = groups = shown = 0
    for each in found:
        texts += 1
        groups += bool(each.frame.target_groups)
        if show_all or _is_found(each.frame):
            shown += 1
            yield "\n".join([*_lines(each), "", ""])
    counts = f"{texts:,} {'text' if texts == 1 else 'texts'}, {groups:,} of them about a group"
    yield f"{counts}.\n" if groups == 0 else f"{counts}. {CAVEAT}\n"


def _lines(each: Found) -> Iterator[str]:
    given, frame = each.given, each.frame
    where = visible(given.path or "text")
    yield f"{where}:{given.line}" if given.line is not None else where
    yield from _wrapped(shorten(visible(" ".join(given.text.split())), longest=_LONGEST), "  | ")
    yield "  " + ", ".join(
        f"{name} {frame.probabilities[key]:.2f}"
        for key, name in _NAMES.items()
        if key in frame.probabilities
    )
    for sentence, implication in zip(implied_sentences(frame), frame.implications, strict=True):
        chance = implication.probability
        sure = "" if chance is None else f" {likelihood(chance).capitalize()}."
        yield from _wrapped(visible(sentence) + sure, "  ● ", "    ")
        evidence = evidence_sentence(implication.evidence)
        if evidence:
            yield from _wrapped(visible(evidence), "    ")
    guess = in_group_sentence(frame)
    if guess:
        yield from _wrapped(guess, "    ")


def _wrapped(text: str, first: str, others: str | None = None) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=first, subsequent_indent=first if others is None else others
    )
