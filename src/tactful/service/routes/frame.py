"""``POST /v1/frame``: what texts may imply, about whom."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request

from tactful.checking.reports.run import CAVEAT
from tactful.detectors.card import Card, read_card
from tactful.frames.embedded import framer_folder
from tactful.frames.frame_json import frame_as_json
from tactful.service.engine.engine import Engine
from tactful.service.engine.excerpts import beginning
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_texts, read_model
from tactful.service.http.errors import ServiceError
from tactful.service.models import ERRORS, FrameAnswer, FrameRequest, body_of
from tactful.service.settings import ServiceSettings

SCHEMA = "tactful/frame/1"
_LANG = "en"


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])
    card = framer_card()

    @routes.post(
        "/v1/frame",
        summary="Read Social Bias Frames",
        openapi_extra=body_of(FrameRequest),
        responses={**ERRORS, 200: {"model": FrameAnswer}},
    )
    async def frame(request: Request) -> JsonAnswer:
        """Say which group a text may be about, and what it may imply about that group."""
        wanted = await read_model(request, FrameRequest)
        check_texts(wanted.texts, settings)
        if card is None:
            raise ServiceError(503, "There is no framer here.", "NO_FRAMER")
        if wanted.lang == "auto":
            spoken = await engine.languages(wanted.texts)
        else:
            spoken = [[wanted.lang]] * len(wanted.texts)
        reasons = [_reason(text, langs) for text, langs in zip(wanted.texts, spoken, strict=True)]
        rows = [row for row, reason in enumerate(reasons) if reason is None]
        read = [beginning(wanted.texts[row]) for row in rows]
        frames = await engine.frame(read, statements=wanted.statements)
        told: list[dict[str, Any]] = [
            {"frame": None, "reason": reason[0], "message": reason[1]} if reason else {}
            for reason in reasons
        ]
        for row, text, found in zip(rows, read, frames, strict=True):
            told[row] = {"frame": frame_as_json(found)}
            if len(text) < len(wanted.texts[row]):
                told[row]["truncated"] = True
        model = {"name": card.name, "version": card.version, "lang": card.lang}
        return JsonAnswer({"schema": SCHEMA, "model": model, "note": CAVEAT, "frames": told})

    return routes


def framer_card() -> Card | None:
    """Return the card of the embedded framer; None if none is installed."""
    folder = framer_folder(_LANG)
    return read_card(folder) if folder else None


def _reason(text: str, may_be: list[str]) -> tuple[str, str] | None:
    if not text.strip():
        return "TEXT_EMPTY", "The text is empty."
    if _LANG not in may_be:
        return "LANGUAGE_NOT_SUPPORTED", "Frames are for English texts only."
    return None
