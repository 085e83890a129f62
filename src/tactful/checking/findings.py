"""From scores to findings, of one text or of a document, with a place in the document's source.

Passages are scored many at a time; only those in which something reaches its threshold are looked
at more closely, for the words that carry it and the explanation.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tactful.checking.confidence import confidence, probability_at, thresholds_in_force
from tactful.checking.explanation import explain, explanation_of, taxonomy_entries
from tactful.checking.options import LEAST, QUOTES
from tactful.checking.quotations import quotations, without_quotations
from tactful.checking.report import (
    FRAMED,
    DocumentReport,
    Kind,
    Passage,
    Place,
    PlacedFinding,
    PlacedSpan,
)
from tactful.checking.wording import spoken_or_english
from tactful.detectors.base import GATES, BaseDetector, Detector, Scores, found_ids
from tactful.detectors.card import Card
from tactful.documents.document import Document
from tactful.documents.ignores import find_ignores
from tactful.documents.segments import Segment, sentences
from tactful.errors import UsageError
from tactful.registry import unknown_name
from tactful.types import Finding, Frame, Span

if TYPE_CHECKING:
    from tactful.checking.term_findings import TermReader

BATCH = 256
"""How many passages are scored in one call."""
Framing = Callable[[Sequence[str]], Sequence[Frame]]
"""What turns texts into frames."""
MOST_CATEGORIES = 3
"""How many categories of a family are reported of one passage; the variables of a frame are not
categories of one thing, and all of them are."""
SUSPICION = 0.2
"""The share of its threshold from which a score makes a passage's sentences be read, too."""
QUOTE = "quote"
"""The block of a passage that is a quotation as a whole."""
Range = tuple[int, int]
Scored = tuple[Segment, dict[str, float], dict[str, Range]]
"""A passage, its scores, and for ids that one of its sentences carries, that sentence."""


def findings_of(
    detector: Detector,
    text: str,
    probabilities: Mapping[str, float],
    sure: Mapping[str, float] | None = None,
) -> list[Finding]:
    """Return a finding for each id of ``probabilities``, all of which reach their threshold.

    Explanations say how ``sure`` that is; without it, by the probabilities.
    """
    sure = sure or probabilities
    if not probabilities:
        return []
    lang, experimental = spoken_or_english(detector.card.lang), detector.card.experimental
    if not isinstance(detector, BaseDetector):
        # A detector that has only the protocol reports by its own thresholds; ours may be lower.
        known = {finding.id: finding for finding in detector.check(text).findings}
        return [
            known.get(name) or Finding(name, value, (), explain(name, text, sure[name], (), lang))
            for name, value in probabilities.items()
        ]
    spans = detector.spans(text, list(probabilities))
    return [
        Finding(
            name,
            value,
            carrying := spans.get(name, ()),
            explain(name, text, sure[name], carrying, lang, experimental=name in experimental),
        )
        for name, value in probabilities.items()
    ]


def choose_ids(wanted: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    """Return the known ids that are wanted; ``pcl`` stands for ``pcl`` and all below it."""
    chosen: set[str] = set()
    for name in wanted:
        below = {each for each in known if each == name or each.startswith(f"{name}.")}
        if not below:
            heads = dict.fromkeys(each.split(".")[0] for each in known)
            raise unknown_name("id to find", name, list(dict.fromkeys([*heads, *known])))
        chosen |= below
    return frozenset(chosen or known)


def check_thresholds(thresholds: Mapping[str, float], known: Sequence[str]) -> None:
    """Refuse thresholds for ids that the detector does not score, or outside 0 to 1."""
    for name, value in thresholds.items():
        if name not in known:
            raise unknown_name("id to find", name, list(known))
        if not 0 <= value <= 1:
            raise UsageError(f"The threshold of '{name}' is {value:g}; expected 0 to 1.")


def check_document(
    detector: Detector,
    document: Document,
    *,
    only: Sequence[str] | None = (),
    thresholds: Mapping[str, float] | None = None,
    least: float = LEAST,
    all_scores: bool = False,
    terms: "TermReader | None" = None,
    quotes: str = QUOTES[0],
) -> DocumentReport:
    """Find what there is in a document; ``thresholds`` replace those of the detector's card.

    ``terms`` finds terms in the same passages. Without any id to look for (``only`` is None) the
    detector reads nothing.

    What has less confidence than ``least`` is left out; an id that ``thresholds`` names is reported
    from that probability on.

    ``quotes`` says what happens to findings that only a quotation carries: ``skip`` leaves them
    out, ``label`` reports them as quoted, and ``check`` as any other.

    ``only`` takes ids and what they begin with: ``pcl`` is ``pcl`` and its categories. A category
    is still judged together with its parent when only the category is wanted.
    """
    card = detector.card
    chosen = frozenset[str]() if only is None else choose_ids(only, card.ids)
    check_thresholds(thresholds or {}, card.ids)
    own = thresholds or {}
    limits = thresholds_in_force(card, own)
    needed = {
        name: limit if name in own else probability_at(least, limit)
        for name, limit in limits.items()
    }
    # A detector with only the protocol has its own words.
    lang = spoken_or_english(card.lang) if isinstance(detector, BaseDetector) else None
    ignores = find_ignores(document)
    passages: list[Passage] = []
    findings: list[PlacedFinding] = []
    silenced = left_out = 0
    if only is None:
        read: Iterable[Scored] = ((segment, {}, {}) for segment in document.segments)
    else:
        read = _scored(detector, document.segments, needed)
    for segment, scores, places in read:
        passage = Passage(
            _place(document, segment.start, segment.end),
            segment.text,
            segment.block,
            segment.number,
            {name: value for name, value in scores.items() if name in chosen}
            if all_scores
            else None,
            document.where(segment.start),
        )
        passages.append(passage)
        found = [name for name in found_ids(scores, needed) if name in chosen]
        if card.report_thresholds:
            found = likeliest(found, scores, own)
        quoted = _quoted(detector, segment, found, needed, places) if quotes != "check" else set()
        if quotes == "skip" and quoted:
            found = [name for name in found if name not in quoted]
            left_out += not found
        sure = {name: confidence(scores[name], limits[name]) for name in found}
        here: list[PlacedFinding] = []
        for place, names in _by_sentence(found, sure, places).items():
            loud = [
                name
                for name in names
                if not any(ignores.silences(segment, each) for each in (name, *_gates(name)))
            ]
            silenced += not loud
            if loud:
                wanted = {name: Seen(scores[name], sure[name], limits[name]) for name in loud}
                kinds = _kinds(detector, document, segment, wanted, places)
                placed = _placed(document, segment, passage, kinds, place, lang)
                here.append(replace(placed, quoted=quoted.issuperset(loud)))
        for term in () if terms is None else terms.findings(segment.text):
            name = term.finding.id
            if ignores.silences(segment, name):
                silenced += 1
                continue
            is_quoted = quotes != "check" and (term.quoted or segment.block == QUOTE)
            if is_quoted and quotes == "skip":
                left_out += 1
                continue
            seen = Seen(term.finding.probability, term.finding.probability, term.threshold)
            kind = _kind(document, segment, term.finding, seen, ())
            placed = _placed(document, segment, passage, (kind,), None)
            here.append(replace(placed, suggestions=term.suggestions, quoted=is_quoted))
        findings += sorted(here, key=lambda each: each.place.start)
    return DocumentReport(
        document.path if document.path is None else str(document.path),
        document.kind,
        card.model,
        document.source,
        tuple(findings),
        tuple(passages),
        tuple(ignores.problems),
        silenced,
        left_out,
    )


def without_explanations(report: DocumentReport) -> DocumentReport:
    """Return the report with what, how sure and where, and without why."""
    return replace(
        report,
        findings=tuple(
            replace(
                each,
                explanation="",
                kinds=tuple(replace(kind, explanation="") for kind in each.kinds),
            )
            for each in report.findings
        ),
    )


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
    framed = replace(finding, frame=frame)
    return replace(framed, explanation=explanation_of(framed))  # frames are in English


def rule_ids(card: Card, only: Sequence[str] = ()) -> list[str]:
    """Return the ids that a check looks for, in the order of the card."""
    chosen = choose_ids(only, card.ids)
    return [name for name in card.ids if name in chosen]


def name_of(name: str) -> str:
    """Return what people call an id; a custom detector may have ids that no taxonomy has."""
    return str(_entry(name).get("name", name))


def parent_of(name: str, found: Collection[str]) -> str | None:
    """Return the nearest of the ``found`` ids that ``name`` stands below, if any."""
    above: list[str] = []
    while parent := _entry(above[-1] if above else name).get("parent"):
        above.append(parent)
    above += _gates(name)
    return next((each for each in above if each in found), None)


def _gates(name: str) -> list[str]:
    return [gate for gate, below in GATES.items() if name.startswith(below) and name != gate]


def _entry(name: str) -> Mapping[str, Any]:
    # Read without the schema, as the explanations are: that would double a short check's time.
    return taxonomy_entries(name.partition(".")[0]).get(name, (0, {}))[1]


def _scored(
    detector: Detector, segments: Sequence[Segment], needed: Mapping[str, float]
) -> Iterator[Scored]:
    """Yield each segment with its scores, and for ids that one sentence carries, that sentence.

    A passage of several sentences is read as a whole. Where that raises any suspicion, its
    sentences are read as well, so that the others cannot drown a harmful one.
    """
    for at in range(0, len(segments), BATCH):
        batch = segments[at : at + BATCH]
        scores = detector.score([segment.text for segment in batch])
        parts = [
            (row, place)
            for row in _suspicious(scores, needed, detector.card)
            for place in _sentences(batch[row].text)
        ]
        texts = [batch[row].text[start:end] for row, (start, end) in parts]
        again = detector.score(texts) if texts else {}
        found: list[dict[str, float]] = [
            {name: float(column[row]) for name, column in scores.items()}
            for row in range(len(batch))
        ]
        places: list[dict[str, Range]] = [{} for _ in batch]
        for number, (row, place) in enumerate(parts):
            for name, column in again.items():
                if column[number] > found[row][name]:
                    found[row][name] = float(column[number])
                    places[row][name] = place
        yield from zip(batch, found, places, strict=True)


def likeliest(
    found: Sequence[str], scores: Mapping[str, float], kept: Collection[str]
) -> list[str]:
    """Return what is reported of a passage: of each family the root and its likeliest categories.

    Rare categories have low thresholds, and so a high confidence: by confidence they would push
    the common ones out.

    An id with a threshold of the user's own (``kept``) is always reported as well.
    """
    below: dict[str, list[str]] = {}
    for name in found:
        root, _, category = name.partition(".")
        if category and root != "frame" and name not in kept:
            below.setdefault(root, []).append(name)
    weakest = {
        name
        for names in below.values()
        for name in sorted(names, key=lambda each: -scores[each])[MOST_CATEGORIES:]
    }
    return [name for name in found if name not in weakest]


def _suspicious(scores: Scores, needed: Mapping[str, float], card: Card) -> list[int]:
    """Return the rows whose sentences are read as well.

    Only a detector with report thresholds, which keep ordinary text quiet, is asked that often:
    every reading is another chance of a false alarm.
    """
    if not card.report_thresholds:
        return []
    reached = [scores[name] >= SUSPICION * needed[name] for name in scores]
    return np.flatnonzero(np.logical_or.reduce(reached)).tolist()


def _sentences(text: str) -> list[Range]:
    """Return the sentences of a text that has several."""
    found = sentences(text)
    return found if len(found) > 1 else []


def _quoted(
    detector: Detector,
    segment: Segment,
    found: Sequence[str],
    needed: Mapping[str, float],
    places: Mapping[str, Range],
) -> set[str]:
    """Return the ids that only quotations carry: a text without these does not have them."""
    if not found:
        return set()
    if segment.block == QUOTE:
        return set(found)
    marked = quotations(segment.text)
    pieces: dict[Range, list[str]] = {}
    for name in found if marked else ():
        pieces.setdefault(places.get(name, (0, len(segment.text))), []).append(name)
    cut: dict[Range, str] = {}
    for start, end in pieces:
        within = [
            (max(first, start) - start, min(last, end) - start)
            for first, last in marked
            if first < end and start < last
        ]
        if within:
            cut[start, end] = without_quotations(segment.text[start:end], within)
    scores = detector.score(list(cut.values())) if cut else {}
    quoted = {
        name
        for row, piece in enumerate(cut)
        for name in pieces[piece]
        if scores[name][row] < needed[name]
    }
    return quoted | {name for name in found if not quoted.isdisjoint(_gates(name))}


class Seen(NamedTuple):
    """How a check sees an id in a passage."""

    probability: float
    confidence: float
    threshold: float


def _root(name: str, found: Collection[str]) -> str:
    """Return the one of the ``found`` ids that ``name`` belongs under and that stands alone."""
    while parent := parent_of(name, found):
        name = parent
    return name


def _by_sentence(
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


def _kinds(
    detector: Detector,
    document: Document,
    segment: Segment,
    wanted: Mapping[str, Seen],
    places: Mapping[str, Range],
) -> tuple[Kind, ...]:
    """Return the kinds of a finding, the surest first, with marks where each id was found."""
    text = segment.text
    pieces: dict[Range, list[str]] = {}
    for name in wanted:
        pieces.setdefault(places.get(_root(name, wanted), (0, len(text))), []).append(name)
    kinds = []
    for (start, end), names in pieces.items():
        scores = {name: wanted[name].probability for name in names}
        sure = {name: wanted[name].confidence for name in names}
        for finding in findings_of(detector, text[start:end], scores, sure):
            spans = tuple(
                replace(span, start=span.start + start, end=span.end + start)
                for span in finding.spans
            )
            moved = replace(finding, spans=spans)
            kinds.append(_kind(document, segment, moved, wanted[finding.id], wanted))
    order = list(wanted)
    return tuple(sorted(kinds, key=lambda kind: (-kind.confidence, order.index(kind.id))))


def _kind(
    document: Document, segment: Segment, finding: Finding, seen: Seen, found: Collection[str]
) -> Kind:
    return Kind(
        finding.id,
        name_of(finding.id),
        parent_of(finding.id, found),
        *seen,
        tuple(
            _placed_span(document, segment, span)
            for span in sorted(finding.spans, key=lambda each: (each.start, each.end))
        ),
        finding.explanation,
    )


def _placed(
    document: Document,
    segment: Segment,
    passage: Passage,
    kinds: tuple[Kind, ...],
    sentence: Range | None,
    lang: str | None = None,
) -> PlacedFinding:
    """Place a finding on its sentence: the one that was read, or that has all the marked words.

    It is explained in ``lang``; without one, by what is said of its main kind.
    """
    whole = (0, len(segment.text))
    if sentence is None:
        marks = [span for kind in kinds for span in kind.spans]
        first = min((mark.start for mark in marks), default=whole[0])
        last = max((mark.end for mark in marks), default=whole[1])
        each = (at for at in _sentences(segment.text) if at[0] <= first and last <= at[1])
        sentence = next(each, whole)
    place = passage.place
    if sentence != whole:
        place = _place(document, *segment.to_source(*sentence))
    placed = PlacedFinding(kinds, passage, place, sentence)
    own = placed.main.explanation if lang is None else explanation_of(placed, lang)
    return replace(placed, explanation=own)


def _placed_span(document: Document, segment: Segment, span: Span) -> PlacedSpan:
    place = _place(document, *segment.to_source(span.start, span.end))
    return PlacedSpan(place, span.cut(segment.text), span.start, span.end)


def _place(document: Document, start: int, end: int) -> Place:
    return Place(start, end, *document.line_column(start), *document.line_column(end))
