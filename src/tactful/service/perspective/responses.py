"""What clients of the Perspective API read: scores, spans and languages in its own shape."""

from typing import Any

from tactful.service.engine.excerpts import Piece
from tactful.service.perspective.analysis import Analysis, AttributeScore, Unscored
from tactful.service.perspective.mapping import attributes
from tactful.service.perspective.requests import PROBABILITY, AnalyzeRequest, SuggestRequest, Wanted
from tactful.service.perspective.spans import Utf16

_DIGITS = 8
"""As many as Perspective's own scores have."""


def analyze_response(
    request: AnalyzeRequest, analysis: Analysis, *, with_nulls: bool = False
) -> dict[str, Any]:
    """Return the body of an answer to ``comments:analyze``.

    Empty scores are left out, as Google's servers do: a comment whose scores are all below their
    thresholds has no ``attributeScores`` at all. ``with_nulls`` answers attributes that were not
    scored with null, in the place of the number, which no threshold leaves out.
    """
    units = Utf16(request.text)
    whole = units.span((0, len(request.text)))
    scores = {}
    for wanted in request.wanted:
        if wanted.name in analysis.scores:
            if found := _attribute(wanted, analysis.scores[wanted.name], units):
                scores[wanted.name] = found
        elif with_nulls:
            scores[wanted.name] = _all_equal(None, whole)
    body: dict[str, Any] = {"attributeScores": scores} if scores else {}
    # Without languages in the request, both fields hold the detected ones, as clients expect.
    body["languages"] = list(request.languages or analysis.detected[:1])
    # Also if it is empty: clients in Python read it without asking whether it is there.
    body["detectedLanguages"] = list(analysis.detected)
    if not analysis.is_whole:
        body["truncated"] = True
    if analysis.unscored and not request.drop_unsupported:
        body["unsupportedAttributes"] = [_unsupported(each) for each in analysis.unscored]
    if request.client_token is not None:
        body["clientToken"] = request.client_token
    return body


def review_response(reason: str, request: AnalyzeRequest | None = None) -> dict[str, Any]:
    """Return the body of an answer that sends a comment to a person: nothing was judged.

    All values are 1, because the clients we know compare only values with their thresholds. If the
    request could not be read, every attribute is answered.
    """
    names = [each.name for each in request.wanted] if request else list(attributes())
    text = request.text if request else ""
    whole = Utf16(text).span((0, len(text)))
    body: dict[str, Any] = {
        "attributeScores": {name: _all_equal(1.0, whole) for name in names},
        "languages": list(request.languages) if request else [],
        "detectedLanguages": [],
    }
    if request and request.client_token is not None:
        body["clientToken"] = request.client_token
    return {**body, "needsReview": True, "reviewReason": reason}


def suggest_response(request: SuggestRequest, detected: list[str]) -> dict[str, Any]:
    """Return the body of an answer to ``comments:suggestscore``."""
    body: dict[str, Any] = {}
    if request.client_token is not None:
        body["clientToken"] = request.client_token
    if request.languages:
        body["requestedLanguages"] = list(request.languages)
    if detected:
        body["detectedLanguages"] = detected
    return body


def _attribute(wanted: Wanted, found: AttributeScore, units: Utf16) -> dict[str, Any]:
    least = wanted.threshold
    answer: dict[str, Any] = {}
    spans = []
    for piece, value in found.spans:
        if least is None or value >= least:
            begin, end = units.span(piece)
            spans.append({"begin": begin, "end": end, "score": _score(value)})
    if spans:
        answer["spanScores"] = spans
    if least is None or found.summary >= least:
        answer["summaryScore"] = _score(found.summary)
    return answer


def _score(value: float | None) -> dict[str, Any]:
    return {"value": None if value is None else round(value, _DIGITS), "type": PROBABILITY}


def _all_equal(value: float | None, whole: Piece) -> dict[str, Any]:
    """Return an attribute with one value for the whole comment."""
    begin, end = whole
    spans = [{"begin": begin, "end": end, "score": _score(value)}]
    return {"spanScores": spans, "summaryScore": _score(value)}


def _unsupported(each: Unscored) -> dict[str, Any]:
    near = {"nearestAttribute": each.attribute.nearest} if each.attribute.nearest else {}
    return {"attribute": each.name, "reason": each.reason, **near}
