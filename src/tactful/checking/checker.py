"""From a detector and a document to findings with a place in the document's source.

Passages are scored many at a time; only those in which something reaches its threshold are looked
at more closely, for the words that carry it and the explanation.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tactful.checking.explanation import taxonomy_entries
from tactful.checking.findings import findings_of
from tactful.detectors.base import GATES, found_ids
from tactful.detectors.card import Card
from tactful.detectors.protocol import Detector
from tactful.documents.document import Document
from tactful.documents.ignores import find_ignores
from tactful.documents.segments import Segment
from tactful.errors import Problem, UsageError
from tactful.registry import unknown_name
from tactful.types import Finding, Frame, Span
from tactful.words import shorten

BATCH = 256
"""So many passages are scored in one call."""
LIKELIHOODS = (
    (0.95, "almost certain"),
    (0.85, "very likely"),
    (0.70, "likely"),
    (0.50, "rather likely"),
    (0.25, "possible"),
    (0.00, "doubtful"),
)
"""The least probability for each wording; the steps are those of the explanations."""


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of the source: half-open code point offsets; lines and columns count from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    """The column behind the last character."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph or sentence as the detector read it."""

    place: Place
    text: str
    block: str
    """What it is a part of: paragraph, heading, list item, quote, cell, caption or title."""
    number: int
    """The place of its block in the document; the windows of a long block share it."""
    probabilities: Mapping[str, float] | None = None
    """All scores, where they were asked for."""


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """Words that carry a finding, in the source and in the text of the passage."""

    place: Place
    words: str
    start: int
    """In the text of the passage, which has no markup."""
    end: int


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """One thing found in one passage: what, how sure, where and why."""

    id: str
    name: str
    parent: str | None
    """The id of the finding of the same passage that this one belongs under."""
    probability: float
    threshold: float
    passage: Passage
    spans: tuple[PlacedSpan, ...]
    explanation: str
    frame: Frame | None = None
    """What the passage may imply, about whom; with the finding that a group is its target."""

    @property
    def place(self) -> Place:
        """Where the whole passage stands in the source."""
        return self.passage.place

    @property
    def likelihood(self) -> str:
        """The probability in words."""
        return likelihood(self.probability)

    @property
    def excerpt(self) -> str:
        """The text of the passage, shortened around the first carrying words."""
        return shorten(self.passage.text, self.spans[0].start if self.spans else 0)


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """All that was found in one document."""

    path: str | None
    kind: str
    model: str
    source: str
    findings: tuple[PlacedFinding, ...]
    passages: tuple[Passage, ...]
    problems: tuple[Problem, ...] = ()
    silenced: int = 0
    """How many findings a ``tactful: ignore`` kept out."""

    def __post_init__(self) -> None:
        """Refuse a finding whose parent is not found in its passage: no format could show it."""
        found = {(id(each.passage), each.id) for each in self.findings}
        for each in self.findings:
            if each.parent is not None and (id(each.passage), each.parent) not in found:
                raise ValueError(
                    f"The finding '{each.id}' belongs under '{each.parent}', which the report does "
                    "not have; leave out a finding only together with those below it."
                )

    def by_passage(self) -> Iterator[tuple[Passage, list[PlacedFinding]]]:
        """Yield every passage with what was found in it, in the order of the document."""
        found: dict[int, list[PlacedFinding]] = {}
        for finding in self.findings:
            found.setdefault(id(finding.passage), []).append(finding)
        for passage in self.passages:
            yield passage, found.get(id(passage), [])


@dataclass(frozen=True, slots=True)
class Unread:
    """A document that could not be checked, and why."""

    path: str
    message: str

    def __str__(self) -> str:
        """Say it in one sentence."""
        return f"{self.path}: {self.message}"


Outcome = DocumentReport | Unread
Framing = Callable[[Sequence[str]], Sequence[Frame]]
"""What turns texts into frames."""
GROUP = "frame.group"
"""The id whose findings have a frame."""


def likelihood(probability: float) -> str:
    """Say a probability in words.

    >>> likelihood(0.83)
    'likely'
    """
    return next(words for least, words in LIKELIHOODS if probability >= least)


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
    only: Sequence[str] = (),
    thresholds: Mapping[str, float] | None = None,
    least: float = 0.0,
    all_scores: bool = False,
) -> DocumentReport:
    """Find what there is in a document; ``thresholds`` replace those of the detector's card.

    What is less likely than ``least`` is left out, unless ``thresholds`` names its id.

    ``only`` takes ids and what they begin with: ``pcl`` is ``pcl`` and its categories. A category
    is still judged together with its parent when only the category is wanted.
    """
    card = detector.card
    chosen = choose_ids(only, card.ids)
    check_thresholds(thresholds or {}, card.ids)
    own = {name: max(card.threshold(name), least) for name in card.ids}
    needed = {**own, **(thresholds or {})}
    ignores = find_ignores(document)
    passages: list[Passage] = []
    findings: list[PlacedFinding] = []
    silenced = 0
    for segment, scores in _scored(detector, document.segments):
        passage = Passage(
            _place(document, segment.start, segment.end),
            segment.text,
            segment.block,
            segment.number,
            {name: value for name, value in scores.items() if name in chosen}
            if all_scores
            else None,
        )
        passages.append(passage)
        found = [name for name in found_ids(scores, needed) if name in chosen]
        loud = [
            name
            for name in found
            if not any(ignores.silences(segment, each) for each in (name, *_gates(name)))
        ]
        silenced += len(found) - len(loud)
        if loud:
            wanted = {name: scores[name] for name in loud}
            for finding in findings_of(detector, segment.text, wanted):
                findings.append(_placed(document, segment, passage, finding, loud, needed))
    return DocumentReport(
        document.path if document.path is None else str(document.path),
        document.kind,
        card.model,
        document.source,
        tuple(findings),
        tuple(passages),
        tuple(ignores.problems),
        silenced,
    )


def without_explanations(report: DocumentReport) -> DocumentReport:
    """Return the report with what, how sure and where, and without why."""
    return replace(
        report, findings=tuple(replace(finding, explanation="") for finding in report.findings)
    )


def with_frames(report: DocumentReport, framing: Framing) -> DocumentReport:
    """Return the report with a frame at each finding that a group is the target.

    A frame that names no group adds nothing.
    """
    asked = [finding.passage.text for finding in report.findings if finding.id == GROUP]
    if not asked:
        return report
    frames = iter(framing(asked))
    return replace(
        report,
        findings=tuple(
            _framed(finding, next(frames)) if finding.id == GROUP else finding
            for finding in report.findings
        ),
    )


def _framed(finding: PlacedFinding, frame: Frame) -> PlacedFinding:
    return replace(finding, frame=frame) if frame.implications else finding


def rule_ids(card: Card, only: Sequence[str] = ()) -> list[str]:
    """Return the ids that a check looks for, in the order of the card."""
    chosen = choose_ids(only, card.ids)
    return [name for name in card.ids if name in chosen]


def name_of(name: str) -> str:
    """Return what people call an id; a detector of one's own may have ids that no taxonomy has."""
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
    detector: Detector, segments: Sequence[Segment]
) -> Iterator[tuple[Segment, dict[str, float]]]:
    for at in range(0, len(segments), BATCH):
        batch = segments[at : at + BATCH]
        scores = detector.score([segment.text for segment in batch])
        for row, segment in enumerate(batch):
            yield segment, {name: float(column[row]) for name, column in scores.items()}


def _placed(
    document: Document,
    segment: Segment,
    passage: Passage,
    finding: Finding,
    found: Collection[str],
    thresholds: Mapping[str, float],
) -> PlacedFinding:
    return PlacedFinding(
        finding.id,
        name_of(finding.id),
        parent_of(finding.id, found),
        finding.probability,
        thresholds[finding.id],
        passage,
        tuple(
            _placed_span(document, segment, span)
            for span in sorted(finding.spans, key=lambda each: (each.start, each.end))
        ),
        finding.explanation,
    )


def _placed_span(document: Document, segment: Segment, span: Span) -> PlacedSpan:
    place = _place(document, *segment.to_source(span.start, span.end))
    return PlacedSpan(place, span.cut(segment.text), span.start, span.end)


def _place(document: Document, start: int, end: int) -> Place:
    return Place(start, end, *document.line_column(start), *document.line_column(end))
