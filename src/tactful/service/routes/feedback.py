"""``POST /v1/feedback`` and ``POST /v1/feedback:delete``; only with ``--feedback``."""

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request

from tactful.checking.findings import check_thresholds
from tactful.service.engine.engine import Engine
from tactful.service.http.answers import JsonAnswer
from tactful.service.http.body import check_length, read_model
from tactful.service.http.errors import invalid
from tactful.service.logs import key_in_use
from tactful.service.loop import feedback_of
from tactful.service.models import ERRORS, MOST_ENTRIES, Id, Lang, Probability, Sent, body_of
from tactful.service.settings import ServiceSettings
from tactful.terms.lexicon import ROOT

SCHEMA = "tactful/feedback/1"
MOST_NOTE = 1_000
_AUTHOR = (
    "Your own token for the author of the text, such as a user's number; only a keyed hash of it "
    "is stored, and what is stored can be deleted by it."
)


class FeedbackRequest(Sent):
    """What a user or a moderator thinks of a text or of our answer about it."""

    text: str = Field(description="The text.")
    thumb: Literal["up", "down"] | None = Field(
        None, description="Whether the answer about the text was right (up) or wrong (down)."
    )
    found: list[Id] = Field(
        [],
        max_length=MOST_ENTRIES,
        fail_fast=True,
        description="The ids that the answer reported. A thumb up says that they are right, a "
        "thumb down that none of them is.",
    )
    labels: dict[Id, Probability] = Field(
        {},
        max_length=MOST_ENTRIES,
        description="What is right, by id: from 0 (it is not there) to 1 (it is).",
    )
    review: bool = Field(False, description="Whether a moderator should decide; no thumb is given.")
    lang: Lang = Field("auto", description="The language of the text; auto detects it.")
    author: str | None = Field(None, min_length=1, max_length=200, description=_AUTHOR)
    note: str | None = Field(None, max_length=MOST_NOTE, description="A sentence for moderators.")
    id: str | None = Field(
        None,
        pattern=r"^[\w-]{8,64}$",
        description="An id of your own: feedback sent again with the same id is stored once.",
    )


class FeedbackAnswer(BaseModel):
    """What was stored; the feedback is on disk."""

    schema_: str = Field(SCHEMA, alias="schema")
    id: str
    stored: Literal["text", "hash"]


class DeleteRequest(Sent):
    """Whose feedback is to be deleted; one of the two."""

    author: str | None = Field(None, min_length=1, max_length=200, description=_AUTHOR)
    text: str | None = Field(None, description="All that was said about this text.")


def router(engine: Engine, settings: ServiceSettings) -> APIRouter:
    """Return the routes."""
    routes = APIRouter(tags=["Feedback"])

    @routes.post(
        "/v1/feedback",
        summary="Say what is right",
        openapi_extra=body_of(FeedbackRequest),
        responses={**ERRORS, 200: {"model": FeedbackAnswer}},
    )
    async def give(request: Request) -> JsonAnswer:
        """Store a thumb, labels, or the wish that a moderator decides.

        The text is stored as the operator configured: kept, or only a keyed hash of it.
        """
        wanted = await read_model(request, FeedbackRequest)
        check_length(wanted.text, settings)
        if not wanted.text.strip():
            raise invalid("The text is empty: there is nothing to judge.", "TEXT_EMPTY")
        if wanted.thumb is None and not wanted.labels and not wanted.review:
            raise invalid(
                "Found no feedback; expected 'thumb', 'labels' or 'review'.", "NO_FEEDBACK", 422
            )
        terms = [name for name in wanted.found if name.partition(".")[0] == ROOT]
        given = {**dict.fromkeys(wanted.found, 1.0), **wanted.labels}
        check_thresholds({name: given[name] for name in given if name not in terms}, engine.ids)
        stored = await feedback_of(request).add(
            "thumb" if wanted.thumb or wanted.labels else "queued",
            wanted.text,
            _data(wanted),
            id=wanted.id,
            lang=None if wanted.lang == "auto" else wanted.lang,
            author=wanted.author,
        )
        how = "text" if settings.feedback_texts == "keep" else "hash"
        return JsonAnswer({"schema": SCHEMA, "id": stored, "stored": how})

    @routes.post(
        "/v1/feedback:delete",
        summary="Delete feedback",
        openapi_extra=body_of(DeleteRequest),
        responses=ERRORS,
        response_description="The number of records that were deleted.",
    )
    async def delete(request: Request) -> JsonAnswer:
        """Delete what this API key sent about an author or a text; other keys' stays."""
        wanted = await read_model(request, DeleteRequest)
        if (wanted.author is None) == (wanted.text is None):
            raise invalid("Expected either 'author' or 'text'.", "NOTHING_TO_DELETE", 422)
        key = key_in_use()
        gone = await feedback_of(request).read(
            lambda store: store.delete(author=wanted.author, text=wanted.text, key=key)
        )
        return JsonAnswer({"schema": SCHEMA, "deleted": gone})

    return routes


def _data(wanted: FeedbackRequest) -> dict[str, Any]:
    """Return what is stored beside the text; labels that were given outweigh a thumb."""
    labels: dict[str, float] = {}
    if wanted.thumb is not None:
        labels = dict.fromkeys(wanted.found, 1.0 if wanted.thumb == "up" else 0.0)
    data: dict[str, Any] = {"labels": {**labels, **wanted.labels}}
    if wanted.thumb is not None:
        data["thumb"] = wanted.thumb
    if wanted.note:
        data["note"] = wanted.note
    return data
