"""What a check found in a document, and where: the records of a report."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tactful.documents.document import WITHOUT_LINES
from tactful.errors import Problem
from tactful.types import Frame
from tactful.words import shorten

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
    where: str | None = None
    """Where readers find it in a file that they do not see as lines, such as ``paragraph 7``."""


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
    suggestions: tuple[str, ...] = ()
    """What to write instead of the words, the best one first; only terms have suggestions."""

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
    known: int = 0
    """How many findings a baseline kept out."""
    unchanged: int = 0
    """How many findings were left out because the lines they touch did not change."""
    others: tuple[str, ...] = ()
    """The detectors of further languages that read passages."""
    unchecked: tuple[Passage, ...] = ()
    """Passages in a language that no detector reads."""

    def __post_init__(self) -> None:
        """Refuse a finding whose parent is not found in its passage: no format could show it."""
        found = {(id(each.passage), each.id) for each in self.findings}
        for each in self.findings:
            if each.parent is not None and (id(each.passage), each.parent) not in found:
                raise ValueError(
                    f"The finding '{each.id}' belongs under '{each.parent}', which the report does "
                    "not have; leave out a finding only together with those below it."
                )

    def keeping(self, kept: Callable[[PlacedFinding], bool]) -> "DocumentReport":
        """Return the report with some of its findings.

        A finding whose parent is left out belongs under the next finding above it, if any.
        """
        parents = {(id(each.passage), each.id): each.parent for each in self.findings}
        chosen = [each for each in self.findings if kept(each)]
        left = {(id(each.passage), each.id) for each in chosen}

        def above(finding: PlacedFinding) -> str | None:
            parent = finding.parent
            while parent is not None and (id(finding.passage), parent) not in left:
                parent = parents[id(finding.passage), parent]
            return parent

        return replace(self, findings=tuple(replace(each, parent=above(each)) for each in chosen))

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


def likelihood(probability: float) -> str:
    """Say a probability in words.

    >>> likelihood(0.83)
    'likely'
    """
    return next(words for least, words in LIKELIHOODS if probability >= least)
