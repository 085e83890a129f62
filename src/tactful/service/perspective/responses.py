"""What clients of the Perspective API read: scores, spans and languages in its own shape."""

from typing import Any

from tactful.service.perspective.analysis import Analysis, AttributeScore
from tactful.service.perspective.requests import PROBABILITY, AnalyzeRequest, SuggestRequest, Wanted
from tactful.service.perspective.spans import Utf16

_DIGITS = 8
"""As many as Perspective's own scores have."""


def analyze_response(request: AnalyzeRequest, analysis: Analysis) -> dict[str, Any]:
    """Return the body of an answer to ``comments:analyze``.

    What is empty is left out, as Google's servers do: a comment whose scores are all below their
    thresholds has no ``attributeScores`` at all.
    """
    units = Utf16(request.text)
    scores = {
        wanted.name: found
        for wanted in request.wanted
        if wanted.name in analysis.scores
        and (found := _attribute(wanted, analysis.scores[wanted.name], units))
    }
    body: dict[str, Any] = {"attributeScores": scores} if scores else {}
    # Without languages in the request, both fields hold the detected ones, as clients expect.
    body["languages"] = list(request.languages or analysis.detected[:1])
    if analysis.detected:
        body["detectedLanguages"] = list(analysis.detected)
    if not analysis.is_whole:
        body["truncated"] = True
    if request.client_token is not None:
        body["clientToken"] = request.client_token
    return body


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


def _score(value: float) -> dict[str, Any]:
    return {"value": round(value, _DIGITS), "type": PROBABILITY}
