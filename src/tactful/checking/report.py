"""What a check found in a document, and where: the records of a report."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tactful.checking.wording import wording
from tactful.detectors.base import GATES
from tactful.documents.document import WITHOUT_LINES, Document
from tactful.documents.segments import Segment
from tactful.errors import Problem
from tactful.types import Frame
from tactful.words import shorten

FRAMED = "frame.group"
"""The kind with which a finding has a frame."""


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
    where: str | None = None
    """Where readers find it in a file that they do not see as lines, such as ``paragraph 7``."""
    lang: str = ""
    """The language of the detector that read it; empty where none did."""


def place_in(document: Document, start: int, end: int) -> Place:
    """Return a piece of the source of a document as a place."""
    return Place(start, end, *document.line_column(start), *document.line_column(end))


def passage_of(
    document: Document,
    segment: Segment,
    probabilities: Mapping[str, float] | None = None,
    lang: str = "",
) -> Passage:
    """Return a segment of a document as a passage of its report."""
    return Passage(
        place_in(document, segment.start, segment.end),
        segment.text,
        segment.block,
        segment.number,
        probabilities,
        document.where(segment.start),
        lang,
    )


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """Words that carry a finding, in the source and in the text of the passage."""

    place: Place
    words: str
    start: int
    """In the text of the passage, which has no markup."""
    end: int


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem that a finding has: what, how sure, which words, and why.

    Parameters
    ----------
    id, name
        The taxonomy id and its name.
    parent
        The id of the kind of the same finding that this one belongs under.
    probability
        The calibrated probability.
    confidence
        How sure the check is; 0.5 is where it reports by default.
    threshold
        The probability at which the confidence is 0.5.
    spans
        The words that carry this kind; none where no word stands out.
    explanation
        What this kind means, and when it is a false alarm, in one paragraph.

    """

    id: str
    name: str
    parent: str | None
    probability: float
    confidence: float
    threshold: float
    spans: tuple[PlacedSpan, ...] = ()
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """What was found in one place: its kinds, how sure, and which words carry it.

    ``id``, ``name``, ``probability``, ``confidence`` and ``threshold`` are those of the main kind.

    Parameters
    ----------
    kinds
        All kinds of problems of this place: a threat first, then severe toxicity where no other
        kind of toxicity is surer, then an identity attack, then the others, the surest first.
    passage
        The passage that the detector read.
    place
        The sentence that carries the finding; the passage where no single sentence does.
    within
        Where ``place`` is in the text of the passage.
    frame
        What the passage may imply, about whom; where a group is its target.
    suggestions
        What to write instead of the words, the best one first; only terms have suggestions.
    explanation
        What the text does, in at most 40 words: with which words, to whom, and to what effect.
    quoted
        Whether only a quotation carries the finding.

    """

    kinds: tuple[Kind, ...]
    passage: Passage
    place: Place
    within: tuple[int, int]
    frame: Frame | None = None
    suggestions: tuple[str, ...] = ()
    explanation: str = ""
    quoted: bool = False

    def __post_init__(self) -> None:
        """Refuse a kind whose parent is not there: no format could show it."""
        found = {kind.id for kind in self.kinds}
        for kind in self.kinds:
            if kind.parent is not None and kind.parent not in found:
                raise ValueError(
                    f"The kind '{kind.id}' belongs under '{kind.parent}', which the finding does "
                    "not have; use keeping() to leave out some kinds."
                )
        if not self.kinds:
            raise ValueError("A finding needs at least one kind.")

    @property
    def main(self) -> Kind:
        """The first kind that can be reported alone: a category of PCL is not, an insult is."""
        return next(kind for kind in self.kinds if kind.parent not in GATES)

    @property
    def highest_confidence(self) -> float:
        """How sure the check is of the surest kind that can be reported alone.

        The main kind is the gravest, and another one can be surer.
        """
        return max(kind.confidence for kind in self.kinds if kind.parent not in GATES)

    @property
    def id(self) -> str:
        """The id of the main kind."""
        return self.main.id

    @property
    def name(self) -> str:
        """The name of the main kind."""
        return self.main.name

    @property
    def probability(self) -> float:
        """The calibrated probability of the main kind."""
        return self.main.probability

    @property
    def confidence(self) -> float:
        """How sure the check is of the main kind; 0.5 is where it reports by default."""
        return self.main.confidence

    @property
    def threshold(self) -> float:
        """The probability at which the confidence of the main kind is 0.5."""
        return self.main.threshold

    @property
    def spans(self) -> tuple[PlacedSpan, ...]:
        """The words that carry any of the kinds, in order; neighbouring words are one mark."""
        marks = sorted(
            (span for kind in self.kinds for span in kind.spans),
            key=lambda span: (span.start, span.end),
        )
        merged: list[PlacedSpan] = []
        for mark in marks:
            between = self.passage.text[merged[-1].end : mark.start] if merged else ""
            if merged and (not between or between.isspace()):
                merged[-1] = self._joined(merged[-1], mark)
            else:
                merged.append(mark)
        return tuple(merged)

    @property
    def text(self) -> str:
        """The sentence without markup; the passage where no single sentence carries the finding."""
        return self.passage.text[slice(*self.within)]

    @property
    def likelihood(self) -> str:
        """The confidence in words."""
        return likelihood(self.confidence)

    @property
    def excerpt(self) -> str:
        """The text, shortened around the first carrying words."""
        first = self.spans[0].start - self.within[0] if self.spans else 0
        return shorten(self.text, max(first, 0))

    def keeping(self, kept: Callable[[Kind], bool]) -> "PlacedFinding | None":
        """Return the finding with some of its kinds; None where none is left.

        A kind whose parent is left out belongs under the next kind above it, if any.
        """
        chosen = [kind for kind in self.kinds if kept(kind)]
        if len(chosen) == len(self.kinds):
            return self
        if not chosen:
            return None
        parents = {kind.id: kind.parent for kind in self.kinds}
        left = {kind.id for kind in chosen}

        def above(kind: Kind) -> str | None:
            parent = kind.parent
            while parent is not None and parent not in left:
                parent = parents[parent]
            return parent

        kinds = tuple(replace(kind, parent=above(kind)) for kind in chosen)
        return replace(self, kinds=kinds, frame=self.frame if FRAMED in left else None)

    def _joined(self, one: PlacedSpan, other: PlacedSpan) -> PlacedSpan:
        if other.end <= one.end:
            return one
        place = replace(
            one.place,
            end=other.place.end,
            end_line=other.place.end_line,
            end_column=other.place.end_column,
        )
        words = self.passage.text[one.start : other.end]
        return PlacedSpan(place, words, one.start, other.end)


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
    """How many findings a ``tactful: ignore`` suppressed."""
    quoted: int = 0
    """How many findings were left out because only a quotation carries them."""
    known: int = 0
    """How many findings were left out because a baseline has them."""
    unchanged: int = 0
    """How many findings were left out because the lines they touch did not change."""
    unsure: int = 0
    """How many findings ``--abstain`` left out as too unsure."""
    others: tuple[str, ...] = ()
    """The detectors of further languages that read passages."""
    unchecked: tuple[Passage, ...] = ()
    """Passages in a language that no detector reads."""

    def keeping(self, kept: Callable[[PlacedFinding, Kind], bool]) -> "DocumentReport":
        """Return the report with some kinds of its findings; findings without any are removed."""
        left = (
            finding.keeping(lambda kind, finding=finding: kept(finding, kind))  # type: ignore[misc]
            for finding in self.findings
        )
        return replace(self, findings=tuple(each for each in left if each is not None))

    @property
    def has_lines(self) -> bool:
        """Whether lines and columns are those of the file, and not of the text taken from it."""
        return self.kind not in WITHOUT_LINES

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


def likelihood(confidence: float) -> str:
    """Say a confidence in words.

    >>> likelihood(0.83)
    'likely'
    """
    return wording("en").likelihood(confidence)
