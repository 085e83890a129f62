"""What clients of the Perspective API send, read by its schemas and checked.

Sources: the pages "Methods" and "Limits and errors" of its documentation, and the schemas of its
discovery document (commentanalyzer v1alpha1).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from tactful.service.perspective.discovery import schemas
from tactful.service.perspective.payload import TEXT_TYPES, Payload, parse
from tactful.service.perspective.refusals import invalid, shown

PROBABILITY = "PROBABILITY"
MOST_BYTES = 20_480
"""The longest comment, in bytes of UTF-8."""
_MOST_CONTEXT_BYTES = 1 << 20
_UNKNOWN_TYPE = "Unknown text type"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One requested attribute."""

    name: str
    """As the client wrote it, with its version."""
    threshold: float | None = None
    """Scores below it are left out; None leaves none out."""


@dataclass(frozen=True, slots=True)
class AnalyzeRequest:
    """A request to score a comment."""

    text: str
    wanted: tuple[Wanted, ...]
    languages: tuple[str, ...] = ()
    """As the client wrote them; empty where they are to be detected."""
    spans: bool = False
    drop_unsupported: bool = False
    client_token: str | None = None


@dataclass(frozen=True, slots=True)
class SuggestRequest:
    """A score that a client believes to be right."""

    text: str
    languages: tuple[str, ...] = ()
    client_token: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    """The summary scores, by the names of the attributes."""


def primary(language: str) -> str:
    """Return the language of an ISO or BCP-47 code.

    >>> primary("es-MX")
    'es'
    """
    return language.replace("_", "-").partition("-")[0].strip().lower()


def read_analyze(body: bytes) -> AnalyzeRequest:
    """Read the body of ``comments:analyze``."""
    fields = _read(body, "AnalyzeCommentRequest")
    asked = fields.get("requestedAttributes") or {}
    if not asked:
        raise invalid("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
    wanted = []
    for name, options in asked.items():
        score_type = (options or {}).get("scoreType")
        if score_type not in (None, "SCORE_TYPE_UNSPECIFIED", PROBABILITY):
            raise invalid(
                f"Requested score type {score_type} is not supported by attribute {shown(name)}"
            )
        wanted.append(Wanted(name, (options or {}).get("scoreThreshold")))
    return AnalyzeRequest(
        fields["comment"]["text"],
        tuple(wanted),
        tuple(fields.get("languages") or ()),
        bool(fields.get("spanAnnotations")),
        bool(fields.get("dropUnsupportedAttributes")),
        fields.get("clientToken"),
    )


def read_suggest(body: bytes) -> SuggestRequest:
    """Read the body of ``comments:suggestscore``; attributes may have any name."""
    fields = _read(body, "SuggestCommentScoreRequest")
    scores = fields.get("attributeScores") or {}
    if not scores:
        raise invalid("Missing attribute_scores")
    if (missing := next(_missing(list(scores.values())), None)) is not None:
        raise invalid(missing)
    languages = tuple(fields.get("languages") or ())
    summaries = {
        name: float(given["summaryScore"]["value"])
        for name, given in scores.items()
        if given and given.get("summaryScore") and isfinite(given["summaryScore"]["value"])
    }
    return SuggestRequest(
        fields["comment"]["text"], languages, fields.get("clientToken"), summaries
    )


def _read(body: bytes, schema: str) -> dict[str, Any]:
    """Read a body, and check what both methods have in common: the comment and its context."""
    payload = Payload()
    fields: dict[str, Any] = payload.read(parse(body), schemas()[schema])
    payload.finish()
    _check_comment(fields.get("comment") or {})
    _check_context(fields.get("context") or {})
    return fields


def _check_comment(comment: Mapping[str, Any]) -> None:
    text, text_type = comment.get("text") or "", comment.get("type")
    if text_type not in (None, *TEXT_TYPES):
        raise invalid(_UNKNOWN_TYPE)
    if text_type == "HTML":
        raise invalid("Currently, only 'PLAIN_TEXT' comments are supported")
    if not text.strip():
        raise invalid("Comment must be non-empty.", "COMMENT_EMPTY")
    if (size := len(text.encode("utf-8"))) > MOST_BYTES:
        raise invalid(
            f"Comment text was too many bytes. Value ({size}) exceeded limit ({MOST_BYTES}).",
            "COMMENT_TOO_LONG",
            commentTooLongError={"size": size, "limit": MOST_BYTES},
        )


def _check_context(context: Mapping[str, Any]) -> None:
    """Check the context, which our models do not use (nor did Perspective's)."""
    entries, both = context.get("entries") or (), context.get("articleAndParentComment") or {}
    if entries and both:
        raise invalid(
            "Context can have either entries or article_and_parent_comment, but both fields were "
            "populated."
        )
    read = [each for each in (*entries, *both.values()) if each]
    if any(each.get("type") not in (None, *TEXT_TYPES) for each in read):
        raise invalid(_UNKNOWN_TYPE)
    texts = [each.get("text") or "" for each in read]
    if any(len(text.encode("utf-8")) > _MOST_CONTEXT_BYTES for text in texts):
        raise invalid("Context entry text was too many bytes; the limit is 1 MB.")


def _missing(scores: Sequence[Mapping[str, Any] | None]) -> Iterator[str]:
    """Yield what is missing in the suggested scores of attributes."""
    for at, given in enumerate(scores):
        path, fields = f"attribute_scores[{at}].value", given or {}
        summary, spans = fields.get("summaryScore"), fields.get("spanScores") or ()
        if summary is None and not spans:
            yield "Empty attribute_scores"
        if summary is not None and summary.get("value") is None:
            yield f"Found no value in {path}.summary_score; expected a number"
        for number, span in enumerate(spans):
            place, inner = f"{path}.span_scores[{number}]", span or {}
            begin, end = inner.get("begin"), inner.get("end")
            if begin is None or end is None or not 0 <= begin < end:
                yield f"Found no begin and end in {place}; expected 0 <= begin < end"
            if (inner.get("score") or {}).get("value") is None:
                yield f"Found no value in {place}.score; expected a number"
