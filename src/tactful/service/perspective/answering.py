"""From the bodies of requests to the bodies of answers: alone, and in batches."""

import asyncio
import json
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from tactful.detectors.cost import rough_tokens
from tactful.service.engine.engine import TEXTS_SHARE, Engine
from tactful.service.engine.excerpts import TEXT_TOKENS
from tactful.service.http.batch import Answer, Part, read_batch, refused, write_batch
from tactful.service.http.errors import ServiceError
from tactful.service.logs import LOGGER, note_review
from tactful.service.perspective.analysis import analyze
from tactful.service.perspective.discovery import VERSION
from tactful.service.perspective.refusals import invalid
from tactful.service.perspective.requests import AnalyzeRequest, read_analyze, read_suggest
from tactful.service.perspective.responses import (
    analyze_response,
    review_response,
    suggest_response,
)
from tactful.service.perspective.scale import load_scale
from tactful.service.perspective.suggestions import keep_suggestion
from tactful.service.settings import ServiceSettings

if TYPE_CHECKING:
    from tactful.service.feedback.keeping import Feedback

ANALYZE, SUGGEST = f"/{VERSION}/comments:analyze", f"/{VERSION}/comments:suggestscore"
_PARTS_AT_ONCE = 8
"""Parts of a batch that are read together; more would take the queue from other callers."""
_LATE = (
    "The parts of the batch before this one have as much to read as one request may have; send "
    "this one again."
)
_LATE_KIND = "QUEUE_FULL"
_UNREAD = "The service could not judge this comment: it is overloaded, or the request was refused."
_NOTHING = "None of the requested attributes can be scored for this comment."
_UNSCORED = "A client asks for an attribute that is not scored, here or in its language"


def reviews(settings: ServiceSettings) -> dict[str, bytes]:
    """Return the answers to requests that are not even read, by path; none unless it fails closed.

    Clients of the Perspective API take an error for a comment that is fine, so theirs is replaced.
    Clients of OpenAI's moderation raise an exception at an error, so it stays one.
    """
    return {ANALYZE: json.dumps(review_response(_UNREAD)).encode()} if settings.fail_closed else {}


class Answering:
    """Answers requests as the settings of the service say."""

    def __init__(self, engine: Engine, settings: ServiceSettings):
        self._engine, self._settings = engine, settings
        self._scale = load_scale(settings.scale, [card.model for card in engine.cards.values()])
        self._warned: set[str] = set()

    async def analyze(self, body: bytes) -> dict[str, Any]:
        """Answer ``comments:analyze``; where the service fails closed, no error is an answer."""
        wanted: AnalyzeRequest | None = None
        try:
            wanted = read_analyze(body)
            mode = "omit" if wanted.drop_unsupported else self._settings.unsupported
            found = await analyze(self._engine, wanted, self._scale, mode)
            for each in found.unscored:
                self._warn(each.attribute.name)
            if self._settings.fail_closed and not found.scores:
                raise invalid(_NOTHING)
        except ServiceError as error:
            if not self._settings.fail_closed:
                raise
            note_review(error.kind)
            return review_response(error.message, wanted)
        return analyze_response(wanted, found, with_nulls=mode == "null")

    async def suggest(self, body: bytes, feedback: "Feedback | None") -> dict[str, Any]:
        """Answer ``comments:suggestscore``; with a feedback store, the suggestion is kept."""
        given = read_suggest(body)
        detected = (await self._engine.languages([given.text]))[0]
        if feedback is not None:
            await keep_suggestion(feedback, given, detected, self._engine.cards)
        return suggest_response(given, detected)

    async def batch(
        self, content_type: str | None, body: bytes, feedback: "Feedback | None"
    ) -> Response:
        """Answer the requests of a batch, each as it would be answered alone.

        A batch may cost as much as the texts of one request of the native API.
        """
        parts = read_batch(content_type, body)
        costs = accumulate(
            min(rough_tokens(part.body.decode("latin-1")), TEXT_TOKENS) for part in parts
        )
        most = TEXTS_SHARE * self._settings.max_tokens
        calls = [
            partial(self._part, part, feedback, is_late=cost > most)
            for part, cost in zip(parts, costs, strict=True)
        ]
        answers: list[Answer] = []
        for start in range(0, len(calls), _PARTS_AT_ONCE):
            group = calls[start : start + _PARTS_AT_ONCE]
            answers += await asyncio.gather(*(call() for call in group))
        return write_batch(parts, answers)

    async def _part(self, part: Part, feedback: "Feedback | None", *, is_late: bool) -> Answer:
        path = part.path.removeprefix(self._settings.root_path)
        try:
            if path not in (ANALYZE, SUGGEST) or part.method != "POST":
                raise ServiceError(404, f"Expected POST {ANALYZE} or {SUGGEST} in a batch.")
            if is_late and self._settings.fail_closed and path == ANALYZE:
                note_review(_LATE_KIND)
                return Answer(200, review_response(_LATE), {})
            if is_late:
                raise ServiceError(429, _LATE, _LATE_KIND, headers={"Retry-After": "1"})
            if path == ANALYZE:
                return Answer(200, await self.analyze(part.body), {})
            return Answer(200, await self.suggest(part.body, feedback), {})
        except ServiceError as error:
            return refused(error)

    def _warn(self, name: str) -> None:
        """Say once in the log that an attribute is asked for and not scored."""
        if name not in self._warned:
            self._warned.add(name)
            fields = {"attribute": name, "answered": self._settings.unsupported}
            LOGGER.warning(_UNSCORED, extra={"fields": fields})
