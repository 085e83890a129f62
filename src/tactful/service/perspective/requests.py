"""What clients of the Perspective API send, read and checked field by field.

Sources: the pages "Methods" and "Limits and errors" of its documentation, and the schemas of its
discovery document (commentanalyzer v1alpha1).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tactful.service.perspective.payload import Payload, parse
from tactful.service.perspective.refusals import invalid, shown

ANALYZE_FIELDS = (
    "comment", "context", "requestedAttributes", "spanAnnotations", "languages", "doNotStore",
    "clientToken", "sessionId", "communityId", "dropUnsupportedAttributes",
)  # fmt: skip
SUGGEST_FIELDS = (
    "comment", "context", "attributeScores", "languages", "communityId", "sessionId",
    "clientToken",
)  # fmt: skip
TEXT_TYPES = ("TEXT_TYPE_UNSPECIFIED", "PLAIN_TEXT", "HTML")
SCORE_TYPES = ("SCORE_TYPE_UNSPECIFIED", "PROBABILITY", "STD_DEV_SCORE", "PERCENTILE", "RAW")
PROBABILITY = SCORE_TYPES[1]
MOST_BYTES = 20_480
"""The longest comment, in bytes of UTF-8."""
MOST_ATTRIBUTES = 200
"""No request asks for more; without a limit, versions (``NAME@1``, ``NAME@2`` …) have no end."""
MOST_LANGUAGES = 20
MOST_ENTRIES = 200
"""Earlier comments in the context, which nobody reads."""
MOST_SPANS = 1_000
"""Spans of one suggested attribute."""
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


def primary(language: str) -> str:
    """Return the language of an ISO or BCP-47 code.

    >>> primary("es-MX")
    'es'
    """
    return language.replace("_", "-").partition("-")[0].strip().lower()


def read_analyze(body: bytes) -> AnalyzeRequest:
    """Read the body of ``comments:analyze``."""
    payload = Payload(parse(body), ANALYZE_FIELDS)
    fields = payload.fields
    text, text_type = _text_entry(payload, fields.get("comment"), "comment")
    complaint = _context(payload, fields.get("context"))
    wanted = []
    asked = payload.mapping(
        fields.get("requestedAttributes"), "requested_attributes", MOST_ATTRIBUTES
    )
    score_types: dict[str, str | None] = {}
    for at, (name, cell) in enumerate(asked.items()):
        place = f"requested_attributes[{at}].value"
        options = payload.message(cell, place, ("scoreType", "scoreThreshold"))
        score_types[name] = payload.choice(
            options.get("scoreType"), f"{place}.score_type", SCORE_TYPES
        )
        threshold = payload.number(options.get("scoreThreshold"), f"{place}.score_threshold")
        wanted.append(Wanted(name, threshold))
    languages = _languages(payload, fields)
    token = _opaque(payload, fields)
    spans = payload.boolean(fields.get("spanAnnotations"), "span_annotations")
    payload.boolean(fields.get("doNotStore"), "do_not_store")
    drop = payload.boolean(fields.get("dropUnsupportedAttributes"), "drop_unsupported_attributes")
    payload.finish()
    _check_comment(text, text_type)
    if complaint is not None:
        raise invalid(complaint)
    if not wanted:
        raise invalid("Missing requested_attributes", "NO_REQUESTED_ATTRIBUTES")
    for name, score_type in score_types.items():
        if score_type not in (None, PROBABILITY):
            raise invalid(
                f"Requested score type {score_type} is not supported by attribute {shown(name)}"
            )
    return AnalyzeRequest(text, tuple(wanted), languages, spans, drop, token)


def read_suggest(body: bytes) -> SuggestRequest:
    """Read the body of ``comments:suggestscore``; attributes may have any name."""
    payload = Payload(parse(body), SUGGEST_FIELDS)
    fields = payload.fields
    text, text_type = _text_entry(payload, fields.get("comment"), "comment")
    complaint = _context(payload, fields.get("context"))
    scores = payload.mapping(fields.get("attributeScores"), "attribute_scores", MOST_ATTRIBUTES)
    missing = [
        found
        for at, cell in enumerate(scores.values())
        if (found := _suggested(payload, cell, f"attribute_scores[{at}].value")) is not None
    ]
    languages = _languages(payload, fields)
    token = _opaque(payload, fields)
    payload.finish()
    _check_comment(text, text_type)
    if complaint is not None:
        raise invalid(complaint)
    if not scores:
        raise invalid("Missing attribute_scores")
    if missing:
        raise invalid(missing[0])
    return SuggestRequest(text, languages, token)


def _text_entry(payload: Payload, value: Any, path: str) -> tuple[str, str | None]:
    fields = payload.message(value, path, ("text", "type"))
    text = payload.string(fields.get("text"), f"{path}.text")
    text_type = payload.string(fields.get("type"), f"{path}.type")
    return text or "", text_type


def _context(payload: Payload, value: Any) -> str | None:
    """Read the context, which no model of ours uses (nor did Perspective's).

    Return what is wrong with it beside the types of its fields, if anything.
    """
    fields = payload.message(value, "context", ("entries", "articleAndParentComment"))
    entries = payload.array(fields.get("entries"), "context.entries", MOST_ENTRIES)
    read = [
        _text_entry(payload, entry, f"context.entries[{at}]") for at, entry in enumerate(entries)
    ]
    place = "context.article_and_parent_comment"
    both = payload.message(
        fields.get("articleAndParentComment"), place, ("article", "parentComment")
    )
    read += [
        _text_entry(payload, both.get(name), f"{place}.{key}")
        for name, key in (("article", "article"), ("parentComment", "parent_comment"))
    ]
    if fields.get("entries") and fields.get("articleAndParentComment"):
        return (
            "Context can have either entries or article_and_parent_comment, but both fields were "
            "populated."
        )
    if any(kind is not None and kind not in TEXT_TYPES for _, kind in read):
        return _UNKNOWN_TYPE
    if any(len(text.encode("utf-8", "surrogatepass")) > _MOST_CONTEXT_BYTES for text, _ in read):
        return "Context entry text was too many bytes; the limit is 1 MB."
    return None


def _languages(payload: Payload, fields: Mapping[str, Any]) -> tuple[str, ...]:
    given = payload.array(fields.get("languages"), "languages", MOST_LANGUAGES)
    found = [payload.string(each, f"languages[{at}]", True) for at, each in enumerate(given)]
    return tuple(each or "" for each in found)


def _opaque(payload: Payload, fields: Mapping[str, Any]) -> str | None:
    for name, path in (("sessionId", "session_id"), ("communityId", "community_id")):
        payload.string(fields.get(name), path)
    return payload.string(fields.get("clientToken"), "client_token")


def _check_comment(text: str, text_type: str | None) -> None:
    if text_type is not None and text_type not in TEXT_TYPES:
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


def _suggested(payload: Payload, value: Any, path: str) -> str | None:
    """Read the suggested scores of one attribute; return what is missing in them, if anything."""
    fields = payload.message(value, path, ("summaryScore", "spanScores"))
    spans = payload.array(fields.get("spanScores"), f"{path}.span_scores", MOST_SPANS)
    missing = None if fields.get("summaryScore") is not None or spans else "Empty attribute_scores"
    if fields.get("summaryScore") is not None:
        missing = missing or _score(payload, fields["summaryScore"], f"{path}.summary_score")
    for at, span in enumerate(spans):
        place = f"{path}.span_scores[{at}]"
        inner = payload.message(span, place, ("begin", "end", "score"))
        begin = payload.whole_number(inner.get("begin"), f"{place}.begin")
        end = payload.whole_number(inner.get("end"), f"{place}.end")
        if begin is None or end is None or not 0 <= begin < end:
            missing = missing or f"Found no begin and end in {place}; expected 0 <= begin < end"
        missing = missing or _score(payload, inner.get("score"), f"{place}.score")
    return missing


def _score(payload: Payload, value: Any, path: str) -> str | None:
    fields = payload.message(value, path, ("value", "type"))
    payload.choice(fields.get("type"), f"{path}.type", SCORE_TYPES)
    if payload.number(fields.get("value"), f"{path}.value") is None:
        return f"Found no value in {path}; expected a number"
    return None
