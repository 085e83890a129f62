"""``POST /v1/moderations`` in the shape of OpenAI's moderation endpoint: a thin second adapter.

Only categories with an honest counterpart are judged: ``harassment`` and ``hate`` of OpenAI's, and
some of ours beside them. Threats, ``violence`` and ``sexual`` are judged by detectors that score
the ids of toxicity; ``frame.lewd`` is no counterpart of ``sexual``, because it marks any lewd
remark. Nothing here was trained to find self-harm, sexual content about minors, illicit advice or
graphic violence. Every answer has all categories, as typed clients expect; one that is not judged,
at all or in the language of the text, is null and listed as unsupported, never false.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from fastapi import APIRouter
from starlette.requests import Request

from tactful.checking.confidence import LEAST_THRESHOLD
from tactful.detectors.card import Card
from tactful.service.engine.engine import Engine, Scored
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_texts, read_json
from tactful.service.http.errors import invalid
from tactful.service.models import ERRORS, json_body
from tactful.service.perspective.mapping import attributes
from tactful.service.settings import ServiceSettings

CATEGORIES = {
    "harassment": "INSULT",
    "hate": "IDENTITY_ATTACK",
    "unhealthy": "UNHEALTHY",
    "condescending": "CONDESCENDING",
    "dismissive": "DISMISSIVE",
    "patronizing": "PATRONIZING",
    "stereotype": "STEREOTYPE",
}
"""Category -> the attribute that it is scored as."""
BY_TOXICITY = {
    "harassment/threatening": ("toxicity.threat",),
    "hate/threatening": ("toxicity.identity_attack", "toxicity.threat"),
    "sexual": ("toxicity.sexually_explicit",),
    "violence": ("toxicity.threat",),
}
"""Category -> the ids that must all apply; the lowest of their probabilities is its score."""
_FURTHER = (
    "harassment/threatening",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/intent",
    "self-harm/instructions",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
)
"""Categories of OpenAI's that only detectors of toxicity judge, or none."""
_ALL = (*CATEGORIES, *_FURTHER)
_FIELDS = ("input", "model")
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
        check_texts(texts, settings)
        results = await _results(engine, texts)
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
    found = yaml.safe_load(_SHAPES.read_text(encoding="utf-8"))
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
    if not all(each.strip() for each in given):
        raise invalid("Found an empty input; expected some text.", "TEXT_EMPTY")
    return given


def _part(part: Mapping[str, Any]) -> str:
    text = part.get("text")
    if part.get("type") != "text" or not isinstance(text, str):
        raise invalid(
            "Found a part that is no text; expected {'type': 'text', 'text': …}: images cannot be "
            "read here.",
            "INPUT_NOT_TEXT",
        )
    return text


async def _results(engine: Engine, texts: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Classify all texts in one go; the highest score of its windows is that of a long one."""
    langs = [_served(engine, found) for found in await engine.languages(texts)]
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


def _served(engine: Engine, languages: Sequence[str]) -> str:
    lang = next((each for each in languages if each in engine.cards), None)
    if lang is None:
        raise invalid(
            f"A text is in no language that is served; expected {' or '.join(engine.cards)}.",
            "LANGUAGE_NOT_SUPPORTED",
        )
    return lang


def _classified(card: Card, lang: str, scored: Sequence[Scored]) -> dict[str, Any]:
    scores: dict[str, float] = {}
    flags: dict[str, bool] = {}
    for category, ids in _ids(card, lang).items():
        # What must apply together must do so in one window of a long text.
        values = [[part.probabilities[name] for name in ids] for part in scored]
        # From where on ``tactful check`` reports an id.
        least = [max(card.threshold(name), LEAST_THRESHOLD) for name in ids]
        scores[category] = max(map(min, values))
        flags[category] = any(
            all(value >= bound for value, bound in zip(row, least, strict=True)) for row in values
        )
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
    found = {
        category: (name,)
        for category, attribute in CATEGORIES.items()
        if (name := attributes()[attribute].id_for(lang, card.ids)) is not None
    }
    together = BY_TOXICITY.items()
    return found | {category: ids for category, ids in together if {*ids} <= {*card.ids}}
