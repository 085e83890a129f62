"""``POST /v1/score``: probabilities of many texts at once."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request

from tactful.checking.findings import choose_ids
from tactful.service.engine.engine import Engine, Scored
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_texts, read_model
from tactful.service.http.errors import ServiceError, Unscorable
from tactful.service.models import ERRORS, ScoreAnswer, ScoreRequest, body_of
from tactful.service.settings import ServiceSettings

SCHEMA = "tactful/score/1"
DIGITS = 6
_EMPTY = ("TEXT_EMPTY", "The text is empty.")
_FOREIGN = (
    "LANGUAGE_NOT_SUPPORTED",
    "The text seems to be in a language that is not served; pass 'lang' to score it all the same.",
)
_NOTHING_WANTED = (
    "ATTRIBUTE_NOT_SUPPORTED",
    "None of the wanted ids can be found in the language of the text.",
)


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])

    @routes.post(
        "/v1/score",
        summary="Score texts",
        openapi_extra=body_of(ScoreRequest),
        responses={**ERRORS, 200: {"model": ScoreAnswer}},
    )
    async def score(request: Request) -> JsonAnswer:
        """Return the probability of each id for each text; what cannot be scored says why."""
        wanted = await read_model(request, ScoreRequest)
        check_texts(wanted.texts, settings)
        only = choose_ids(wanted.only, engine.ids) if wanted.only else None
        lang = None if wanted.lang == "auto" else wanted.lang
        answers = await score_texts(engine, wanted.texts, lang)
        return JsonAnswer(
            {"schema": SCHEMA, "scores": [answer_for(answer, only) for answer in answers]}
        )

    return routes


async def score_texts(
    engine: Engine, texts: Sequence[str], lang: str | None
) -> list[Scored | tuple[str, str]]:
    """Score what can be scored; the others have a reason and a sentence in their place."""
    found: list[Scored | tuple[str, str]] = [_EMPTY] * len(texts)
    rows = [row for row, text in enumerate(texts) if text and not text.isspace()]
    if not rows:
        return found
    if lang is not None:
        answers = await engine.score_each([texts[row] for row in rows], lang)
    else:
        spoken = zip(rows, await engine.languages([texts[row] for row in rows]), strict=True)
        langs = {row: first for row, may_be in spoken if (first := engine.first_served(may_be))}
        for row in rows:
            found[row] = _FOREIGN
        if not langs:
            return found
        rows = list(langs)
        answers = await engine.score_in([texts[row] for row in rows], list(langs.values()))
    for row, answer in zip(rows, answers, strict=True):
        found[row] = answer if isinstance(answer, Scored) else _reason(answer)
    return found


def _reason(error: Exception) -> tuple[str, str]:
    if isinstance(error, Unscorable):
        return "TEXT_NOT_SCORED", error.message
    # Any other error is about the whole request.
    raise error if isinstance(error, ServiceError) else Unscorable() from error


def answer_for(answer: Scored | tuple[str, str], only: frozenset[str] | None) -> dict[str, Any]:
    """Return the answer about one text: its probabilities, or why there are none."""
    if isinstance(answer, Scored):
        chosen = {
            name: round(value, DIGITS)
            for name, value in answer.probabilities.items()
            if only is None or name in only
        }
        if chosen:
            part = {} if answer.is_whole else {"truncated": True}
            return {"lang": answer.lang, "model": answer.model, "probabilities": chosen, **part}
        answer = _NOTHING_WANTED
    reason, message = answer
    nothing = dict.fromkeys(("lang", "model", "probabilities"))
    return {**nothing, "reason": reason, "message": message}
