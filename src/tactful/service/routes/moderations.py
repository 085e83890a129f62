"""``POST /v1/moderations`` in the shape of OpenAI's moderation endpoint: a thin second adapter.

Only categories with an honest counterpart are judged, and some of ours beside them. Nothing here
was trained to find self-harm, sexual content about minors, illicit advice or graphic violence.
Every answer has all categories, as typed clients expect; one that is not judged, at all or in the
language of the text, is null and listed as unsupported, never false.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request

from tactful.checking.confidence import LEAST_THRESHOLD
from tactful.detectors.card import Card
from tactful.service.engine.engine import Engine, Scored
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_texts, read_json
from tactful.service.http.errors import ServiceError, invalid
from tactful.service.logs import note_review
from tactful.service.models import ERRORS, json_body
from tactful.service.perspective.mapping import attributes
from tactful.service.settings import ServiceSettings
from tactful.yaml_data import read_yaml

CATEGORIES: dict[str, tuple[str, ...]] = {
    "harassment": ("INSULT",),
    "harassment/threatening": ("THREAT",),
    "hate": ("IDENTITY_ATTACK",),
    "hate/threatening": ("IDENTITY_ATTACK", "THREAT"),
    "sexual": ("SEXUALLY_EXPLICIT",),
    "violence": ("THREAT",),
    "unhealthy": ("UNHEALTHY",),
    "condescending": ("CONDESCENDING",),
    "dismissive": ("DISMISSIVE",),
    "patronizing": ("PATRONIZING",),
    "stereotype": ("STEREOTYPE",),
}
"""Category -> the attributes that must all apply; the lowest probability is its score."""
_NEVER_JUDGED = (
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/intent",
    "self-harm/instructions",
    "sexual/minors",
    "violence/graphic",
)
_ALL = (*CATEGORIES, *_NEVER_JUDGED)
_FIELDS = ("input", "model")
_FOREIGN = "LANGUAGE_NOT_SUPPORTED"
_SHAPES = Path(__file__).with_name("moderations.yaml")


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["OpenAI-shaped"])
    sent, answered = _shapes()

    @routes.post(
        "/v1/moderations",
        summary="Classify texts as OpenAI's moderation endpoint does",
        responses={
            **ERRORS,
            200: {
                "description": "One result for each text.",
                "content": {"application/json": {"schema": answered}},
            },
        },
        openapi_extra=json_body(sent),
    )
    async def moderations(request: Request) -> JsonAnswer:
        """Say of each text which categories apply; nothing is stored."""
        texts = read_input(await read_json(request))
        try:
            check_texts(texts, settings)
            results = await _results(engine, texts, fail_closed=settings.fail_closed)
        except ServiceError as error:
            if not settings.fail_closed:
                raise
            note_review(error.kind)
            results = [_for_review(error.message)] * len(texts)
        models = dict.fromkeys(model for model, _ in results)
        return JsonAnswer(
            {
                "id": f"modr-{secrets.token_hex(12)}",
                "model": ", ".join(models),
                "results": [result for _, result in results],
            }
        )

    return routes


def _shapes() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON schemas of a request and of an answer."""
    found = read_yaml(_SHAPES)
    for part in found["result"].values():
        if "additionalProperties" in part:
            part["properties"] = dict.fromkeys(_ALL, part.pop("additionalProperties"))
    return found["request"], found["answer"]


def read_input(body: object) -> list[str]:
    """Return the texts of a request; the typed parts of one input are one text."""
    if not isinstance(body, dict):
        raise invalid("The body is no object; expected {'input': …}.", "INVALID_REQUEST")
    if unknown := [name for name in body if name not in _FIELDS]:
        raise invalid(
            f"Found {len(unknown)} unknown fields; expected {' and '.join(_FIELDS)}.",
            "UNKNOWN_FIELD",
        )
    if not isinstance(body.get("model", ""), str | None):
        raise invalid("The model is no string; expected its name.", "INVALID_REQUEST")
    given = body.get("input")
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list) or not given:
        raise invalid(
            "Found no input; expected a text, a list of texts, or a list of text parts.",
            "INPUT_MISSING",
        )
    if all(isinstance(each, dict) for each in given):
        given = ["\n".join(_part(each) for each in given)]
    if not all(isinstance(each, str) for each in given):
        raise invalid("Found an input that is no text; expected strings.", "INPUT_NOT_TEXT")
    for at, each in enumerate(given):
        if not each.strip():
            raise invalid(f"{_place(at, given)} is empty; expected some text.", "TEXT_EMPTY")
    return given


def _place(at: int, texts: Sequence[object]) -> str:
    """Say which text of a request is meant."""
    return "The text" if len(texts) == 1 else f"Text {at + 1} of {len(texts)}"


def _part(part: Mapping[str, Any]) -> str:
    text = part.get("text")
    if part.get("type") != "text" or not isinstance(text, str):
        raise invalid(
            "Found a part that is no text; expected {'type': 'text', 'text': …}: images cannot be "
            "read here.",
            "INPUT_NOT_TEXT",
        )
    return text


async def _results(
    engine: Engine, texts: Sequence[str], *, fail_closed: bool
) -> list[tuple[str, dict[str, Any]]]:
    """Classify all texts; with ``fail_closed``, those in other languages need review."""
    spoken = [engine.first_served(found) for found in await engine.languages(texts)]
    foreign = f"is in no language that is served; expected {' or '.join(engine.cards)}."
    if None in spoken and not fail_closed:
        place = _place(spoken.index(None), texts)
        raise invalid(f"{place} {foreign}", _FOREIGN)
    if None in spoken:
        note_review(_FOREIGN)
    rows = [(text, lang) for text, lang in zip(texts, spoken, strict=True) if lang is not None]
    judged = iter(await _judged(engine, [text for text, _ in rows], [lang for _, lang in rows]))
    return [_for_review(f"The text {foreign}") if lang is None else next(judged) for lang in spoken]


async def _judged(
    engine: Engine, texts: Sequence[str], langs: Sequence[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Classify texts in one go; the highest score of its windows is that of a long one."""
    excerpts = await engine.excerpts(texts, langs)
    pieces = [
        (row, texts[row][start:end])
        for row, excerpt in enumerate(excerpts)
        for start, end in excerpt.pieces
    ]
    answers = await engine.score_in(
        [piece for _, piece in pieces], [langs[row] for row, _ in pieces]
    )
    scored: list[list[Scored]] = [[] for _ in texts]
    for (row, _), answer in zip(pieces, answers, strict=True):
        if isinstance(answer, Exception):
            raise answer
        scored[row].append(answer)
    return [
        (
            found[0].model,
            _classified(engine.cards[lang], lang, found)
            | ({} if excerpt.is_whole else {"truncated": True}),
        )
        for lang, found, excerpt in zip(langs, scored, excerpts, strict=True)
    ]


def _for_review(reason: str) -> tuple[str, dict[str, Any]]:
    """Return the result of a text that was not judged, and is flagged for a person to look at."""
    return "none", {
        **_result({}, {}),
        "flagged": True,
        "needs_review": True,
        "review_reason": reason,
    }


def _classified(card: Card, lang: str, scored: Sequence[Scored]) -> dict[str, Any]:
    scores: dict[str, float] = {}
    flags: dict[str, bool] = {}
    for category, ids in _ids(card, lang).items():
        # What must apply together must do so in one window of a long text.
        values = [[part.probabilities[name] for name in ids] for part in scored]
        # The threshold with the highest F1, which finds more than ``tactful check`` reports.
        least = [max(card.threshold(name), LEAST_THRESHOLD) for name in ids]
        scores[category] = max(map(min, values))
        flags[category] = any(
            all(value >= bound for value, bound in zip(row, least, strict=True)) for row in values
        )
    return _result(scores, flags)


def _result(scores: Mapping[str, float], flags: Mapping[str, bool]) -> dict[str, Any]:
    """Return a result with all categories; those that are not judged are null."""
    nothing = dict.fromkeys(_ALL)
    return {
        "flagged": any(flags.values()),
        "categories": {**nothing, **flags},
        "category_scores": {**nothing, **{name: round(scores[name], 8) for name in scores}},
        "category_applied_input_types": {name: ["text"] if name in scores else [] for name in _ALL},
        "unsupported_categories": [name for name in _ALL if name not in scores],
    }


def _ids(card: Card, lang: str) -> dict[str, tuple[str, ...]]:
    """Return the ids of each category that a detector judges; all of them must apply."""
    found = {}
    for category, names in CATEGORIES.items():
        rows = (attributes()[name] for name in names)
        ids = tuple(each for row in rows if (each := row.id_for(card.ids)) is not None)
        if len(ids) == len(names):
            found[category] = ids
    return found
