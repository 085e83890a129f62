"""Places the findings of a passage: the sentence, the words, and the explanation.

Most passages have no findings, so a check imports this module at the first finding.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tactful.checking.explanation import (
    entry_of,
    explain,
    explanation_of,
    gravest_first,
    name_in,
)
from tactful.checking.findings import Framing
from tactful.checking.phrases import in_phrases
from tactful.checking.report import (
    FRAMED,
    DocumentReport,
    Kind,
    Passage,
    PlacedFinding,
    PlacedSpan,
    place_in,
)
from tactful.checking.wording import spoken_or_english
from tactful.detectors.base import BaseDetector, Detector, gates_of
from tactful.documents.document import Document
from tactful.documents.segments import Segment, several_sentences
from tactful.types import Finding, Frame, Span

Range = tuple[int, int]


class Seen(NamedTuple):
    """How a check sees an id in a passage."""

    probability: float
    confidence: float
    threshold: float


def findings_of(
    detector: Detector,
    text: str,
    probabilities: Mapping[str, float],
    sure: Mapping[str, float] | None = None,
    *,
    explanations: bool = True,
) -> list[Finding]:
    """Return a finding for each id of ``probabilities``, all of which reach their threshold.

    Explanations say how ``sure`` that is; without it, by the probabilities.
    """
    sure = sure or probabilities
    lang, experimental = spoken_or_english(detector.card.lang), detector.card.experimental

    def said(name: str, carrying: Sequence[Span] = (), *, tried: bool = False) -> str:
        if not explanations:
            return ""
        return explain(name, text, sure[name], carrying, lang, experimental=tried)

    if not isinstance(detector, BaseDetector):
        # A detector that has only the protocol reports by its own thresholds; ours may be lower.
        known = {finding.id: finding for finding in detector.check(text).findings}
        return [
            known.get(name) or Finding(name, value, (), said(name))
            for name, value in probabilities.items()
        ]
    spans = detector.spans(text, list(probabilities))
    if detector.card.report_thresholds:  # our models know words; others have marks of their own
        spans = in_phrases(text, gravest_first(sure), spans, lang)
    return [
        Finding(
            name,
            value,
            carrying := spans.get(name, ()),
            said(name, carrying, tried=name in experimental),
        )
        for name, value in probabilities.items()
    ]


def parent_of(name: str, found: Collection[str]) -> str | None:
    """Return the nearest of the ``found`` ids above ``name``, if any."""
    above: list[str] = []
    while parent := entry_of(above[-1] if above else name).get("parent"):
        above.append(parent)
    above += gates_of(name)
    return next((each for each in above if each in found), None)


def _root(name: str, found: Collection[str]) -> str:
    """Return the topmost of the ``found`` ids that ``name`` belongs under."""
    while parent := parent_of(name, found):
        name = parent
    return name


def by_sentence(
    found: Sequence[str], sure: Mapping[str, float], places: Mapping[str, Range]
) -> dict[Range | None, list[str]]:
    """Sort what was found in a passage by the sentence that carries it; None is the whole passage.

    A category is where the id is that it belongs under. What the whole passage carries joins the
    surest sentence, if any.
    """
    by_place: dict[Range | None, list[str]] = {}
    for name in found:
        by_place.setdefault(places.get(_root(name, found)), []).append(name)
    if len(by_place) > 1 and None in by_place:
        whole = by_place.pop(None)
        by_place[max(by_place, key=lambda at: max(sure[each] for each in by_place[at]))] += whole
    return by_place


def kinds_of(
    detector: Detector,
    document: Document,
    segment: Segment,
    wanted: Mapping[str, Seen],
    sentence: Range | None,
    *,
    explanations: bool = True,
) -> tuple[Kind, ...]:
    """Return the kinds of a finding, the gravest first, with marks in its sentence."""
    start, end = sentence or (0, len(segment.text))
    scores = {name: seen.probability for name, seen in wanted.items()}
    sure = {name: seen.confidence for name, seen in wanted.items()}
    kinds = []
    for finding in findings_of(
        detector, segment.text[start:end], scores, sure, explanations=explanations
    ):
        spans = tuple(
            replace(span, start=span.start + start, end=span.end + start) for span in finding.spans
        )
        moved = replace(finding, spans=spans)
        kinds.append(kind_of(document, segment, moved, wanted[finding.id], wanted))
    order = gravest_first(sure)
    return tuple(sorted(kinds, key=lambda kind: order.index(kind.id)))


def kind_of(
    document: Document, segment: Segment, finding: Finding, seen: Seen, found: Collection[str]
) -> Kind:
    """Return one kind of a finding, with its words in the order of the text."""
    return Kind(
        finding.id,
        name_in(finding.id),
        parent_of(finding.id, found),
        *seen,
        tuple(
            _placed_span(document, segment, span)
            for span in sorted(finding.spans, key=lambda each: (each.start, each.end))
        ),
        finding.explanation,
    )


def placed(
    document: Document,
    segment: Segment,
    passage: Passage,
    kinds: tuple[Kind, ...],
    sentence: Range | None,
    lang: str | None = None,
) -> PlacedFinding:
    """Place a finding on its sentence: the one that was read, or that has all the marked words.

    It is explained in ``lang``; without one, it has the explanation of its main kind.
    """
    whole = (0, len(segment.text))
    if sentence is None:
        marks = [span for kind in kinds for span in kind.spans]
        first = min((mark.start for mark in marks), default=whole[0])
        last = max((mark.end for mark in marks), default=whole[1])
        each = (at for at in several_sentences(segment.text) if at[0] <= first and last <= at[1])
        sentence = next(each, whole)
    place = passage.place
    if sentence != whole:
        place = place_in(document, *segment.to_source(*sentence))
    found = PlacedFinding(kinds, passage, place, sentence)
    own = found.main.explanation if lang is None else explanation_of(found, lang)
    return replace(found, explanation=own)


def _placed_span(document: Document, segment: Segment, span: Span) -> PlacedSpan:
    place = place_in(document, *segment.to_source(span.start, span.end))
    return PlacedSpan(place, span.cut(segment.text), span.start, span.end)


def with_frames(report: DocumentReport, framing: Framing) -> DocumentReport:
    """Return the report with a frame at each finding that a group is the target.

    A frame that names no group adds nothing.
    """
    asked = [each.passage.text for each in report.findings if _has_group(each)]
    if not asked:
        return report
    frames = iter(framing(asked))
    return replace(
        report,
        findings=tuple(
            _framed(finding, next(frames)) if _has_group(finding) else finding
            for finding in report.findings
        ),
    )


def _has_group(finding: PlacedFinding) -> bool:
    return any(kind.id == FRAMED for kind in finding.kinds)


def _framed(finding: PlacedFinding, frame: Frame) -> PlacedFinding:
    if not frame.implications:
        return finding
    from tactful.frames.statements import shown_frame  # most documents need none

    framed = replace(finding, frame=shown_frame(frame))
    return replace(framed, explanation=explanation_of(framed))  # frames are in English
