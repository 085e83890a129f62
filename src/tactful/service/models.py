"""The bodies of the native API: what can be sent, and what comes back."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tactful.checking.options import LEAST
from tactful.documents.document import TextKind

Lang = Annotated[str, Field(pattern=r"^(auto|[a-z]{2,3})$")]
Id = Annotated[str, Field(min_length=1, max_length=80)]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

MOST_ENTRIES = 100
"""Ids or thresholds in a request."""
_LANG = "The language of the text, such as en or es; auto detects it."
_ONLY = "Look only for these ids and those below them: pcl includes its categories."


class Sent(BaseModel):
    """A body that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _example(body: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [body]})


class CheckRequest(Sent):
    """A text or a document to check."""

    model_config = _example(
        {"text": "With our help even they can learn to hope again.", "only": ["pcl"]}
    )

    text: str = Field(description="The text as it is; markup is skipped.")
    kind: TextKind = Field("plain", description="What the text is.")
    lang: Lang = Field("auto", description=_LANG)
    only: list[Id] = Field([], max_length=MOST_ENTRIES, fail_fast=True, description=_ONLY)
    thresholds: dict[Id, Probability] = Field(
        {}, max_length=MOST_ENTRIES, description="Report an id from this probability on."
    )
    least: Probability = Field(
        LEAST,
        description="Report findings with at least this confidence, except ids in thresholds; 0.5 "
        "is where a check reports by default.",
    )
    explanations: bool = Field(True, description="Whether each finding is explained.")
    frames: Literal["statements", "groups", "off"] = Field(
        "statements", description="What to say about passages that target a group."
    )
    terms: Literal["default", "all", "off"] = Field(
        "default", description="Which terms of style guides to report."
    )
    quotes: Literal["skip", "label", "check"] = Field(
        "skip", description="What to do with findings that only a quotation carries."
    )
    report_lang: Literal["auto", "en", "es"] = Field(
        "auto", description="The language of names and explanations; auto is that of the text."
    )
    doNotStore: bool = Field(  # noqa: N815 (the name that clients of Perspective know)
        True, description="Accepted for compatibility: nothing is ever stored."
    )


class ScoreRequest(Sent):
    """Texts to score."""

    model_config = _example({"texts": ["Nobody asked you.", "The library opens on Monday."]})

    texts: list[str] = Field(
        min_length=1, fail_fast=True, description="The texts, each scored as a whole."
    )
    lang: Lang = Field("auto", description=f"{_LANG} It holds for all texts.")
    only: list[Id] = Field([], max_length=MOST_ENTRIES, fail_fast=True, description=_ONLY)
    doNotStore: bool = Field(True, description="Nothing is ever stored.")  # noqa: N815


class FrameRequest(Sent):
    """Texts to read for what they may imply."""

    model_config = _example({"texts": ["We should not lower our standards to hire more women."]})

    texts: list[str] = Field(min_length=1, fail_fast=True, description="English texts.")
    lang: Lang = Field("auto", description=_LANG)
    statements: bool = Field(True, description="Whether to write what may be implied.")
    doNotStore: bool = Field(True, description="Nothing is ever stored.")  # noqa: N815


class RewriteRequest(Sent):
    """A text whose sentences are to be rewritten."""

    model_config = _example({"text": "With our help even they can learn to hope again."})

    text: str = Field(description="The text as it is; markup is skipped.")
    kind: TextKind = Field("plain", description="What the text is.")
    lang: Lang = Field("auto", description=_LANG)
    only: list[Id] = Field([], max_length=MOST_ENTRIES, fail_fast=True, description=_ONLY)
    least: Probability = Field(LEAST, description="Use only what is at least this likely.")
    report_lang: Literal["auto", "en", "es"] = Field(
        "auto", description="The language of the suggestions; auto is that of the text."
    )
    at: int | None = Field(
        None,
        ge=0,
        description="Only the sentence at this place, counted in characters from 0; null for all "
        "sentences with findings.",
    )
    doNotStore: bool = Field(True, description="Nothing is ever stored.")  # noqa: N815


class SentenceRewrite(BaseModel):
    """A rewrite of a sentence with both scores; without a text there is a problem."""

    text: str | None
    score_before: float | None
    score_after: float | None
    better: bool
    found: dict[str, float]
    changes: list[str]
    problem: str | None


class RewrittenSentence(BaseModel):
    """A sentence in which something was found."""

    line: int
    column: int
    text: str
    kinds: dict[str, float]
    words: list[str]
    suggestions: list[str]
    rewrite: SentenceRewrite | None


class RewriteAnswer(BaseModel):
    """The sentences with findings, in the order of the text."""

    schema_: str = Field("tactful/rewrite/1", alias="schema")
    sentences: list[RewrittenSentence]


class TextScore(BaseModel):
    """The scores of one text; without probabilities there is a reason."""

    lang: str | None
    model: str | None
    probabilities: dict[str, float] | None
    truncated: bool | None = Field(
        None, description="True where the text was too long, and only a part of it was read."
    )
    reason: str | None = None
    message: str | None = None


class ScoreAnswer(BaseModel):
    """One answer for each text, in the order of the texts."""

    schema_: str = Field("tactful/score/1", alias="schema")
    scores: list[TextScore]


class TextFrame(BaseModel):
    """The frame of one text; without a frame there is a reason."""

    frame: dict[str, Any] | None
    truncated: bool | None = Field(
        None, description="True where the text was too long, and only its beginning was read."
    )
    reason: str | None = None
    message: str | None = None


class FrameAnswer(BaseModel):
    """One answer for each text, in the order of the texts."""

    schema_: str = Field("tactful/frame/1", alias="schema")
    model: dict[str, str]
    note: str
    frames: list[TextFrame]


class ErrorBody(BaseModel):
    """What went wrong."""

    code: int
    message: str
    status: str
    details: list[dict[str, Any]]


class ErrorAnswer(BaseModel):
    """The one shape of all errors."""

    error: ErrorBody


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorAnswer, "description": said}
    for code, said in {
        400: "The request cannot be understood or answered.",
        401: "An API key is needed.",
        408: "The body came too slowly.",
        413: "The body is too long, or there is too much to read in it.",
        415: "The body is not JSON.",
        422: "A field is not as expected.",
        429: "Too many requests or waiting texts; see Retry-After.",
        503: "The service is starting or stopping.",
        504: "The answer took too long.",
    }.items()
}
"""What every route that reads a body may answer."""


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the part of the OpenAPI document that describes a body.

    Bodies are read by :func:`tactful.service.http.body.read_model`, which knows limits that FastAPI
    does not; so they are described here.
    """
    return json_body(model.model_json_schema())


def json_body(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the OpenAPI document that describes a body of JSON."""
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}
