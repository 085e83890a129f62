"""``GET /v1/models``: the cards of the detectors and the framer, without paths."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from tactful import __version__
from tactful.detectors.card import Card
from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.models import ERRORS
from tactful.service.routes.frame import framer_card
from tactful.service.settings import ServiceSettings

_SHOWN = (
    "name", "version", "kind", "lang", "summary", "ids", "experimental", "licence", "corpora",
    "figures", "bias", "limits", "not_for",
)  # fmt: skip
"""What people need; how it was trained holds commands and paths of those who trained it."""


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the route."""
    routes = APIRouter(tags=["Native API"])
    framer = framer_card()

    @routes.get(
        "/v1/models",
        summary="Show the model cards",
        responses={code: ERRORS[code] for code in (401, 429)},
    )
    async def models() -> JsonAnswer:
        """Say who answers: what each model finds, how well, learnt from what, and its limits."""
        cards = [*engine.cards.values(), *([framer] if framer else [])]
        return JsonAnswer({"version": __version__, "models": [_shown(card) for card in cards]})

    return routes


def _shown(card: Card) -> dict[str, Any]:
    found = asdict(card)
    thresholds = {name: card.threshold(name) for name in card.ids}
    return {name: found[name] for name in _SHOWN} | {"thresholds": thresholds}
