"""The nouns of Tactful: small frozen records that every room speaks.

Spans are half-open offsets in Unicode code points: ``text[span.start:span.end]``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, and the id of what it shows."""

    start: int
    end: int
    id: str | None = None
    annotators: int | None = None
    """How many annotators marked it, where that is known."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, not {self.start} and {self.end}")

    def cut(self, text: str) -> str:
        """Return the words of ``text`` that the span covers."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a text: what, how sure, where, and why."""

    id: str
    probability: float
    spans: tuple[Span, ...] = ()
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found in one text."""

    text: str
    findings: tuple[Finding, ...] = ()
    model: str | None = None
    """The name and version of the detector that wrote the report."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer of one annotator to one question about one item."""

    annotator: str
    question: str
    """The taxonomy id that was asked about, such as ``unhealthy.hostile``."""
    label: str | None
    """The answer as the corpus writes it; None where the annotator gave none."""
    value: float | None = None
    """The answer as a number in the corpus' own scale, where it has one."""
    trust: float | None = None
    row: int | None = None
    """Answers with the same row were given together (SBIC's post-group-statement rows)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A Social Bias Frame: what a text implies, about whom (Sap et al. 2020, section 2)."""

    probabilities: Mapping[str, float] = field(default_factory=dict)
    """``offensive``, ``intent``, ``lewd``, ``group``, ``in_group``: each between 0 and 1."""
    target_groups: tuple[str, ...] = ()
    implied_statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One text of a corpus with all that its authors recorded about it."""

    id: str
    text: str
    corpus: str
    lang: str
    group: str
    """Texts of one group (post, article, comment) never stand in two parts of a split."""
    release: str | None = None
    split: str | None = None
    labels: Mapping[str, float] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Free-text labels, such as the target groups of a Social Bias Frame."""
    spans: tuple[Span, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    traits: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What annotators said of themselves: annotator -> trait -> value."""
    meta: Mapping[str, str] = field(default_factory=dict)
    """Every other column of the source, as written."""
