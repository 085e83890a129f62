"""The nouns of Tactful: small frozen records that every room speaks.

Spans are half-open offsets in Unicode code points: ``text[span.start:span.end]``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True, repr=False)
class ByVariable(Mapping[str, T], Generic[T]):
    """Values of a frame's variables by id; ``group`` and ``frame.group`` find the same one."""

    values_by_id: Mapping[str, T] = field(default_factory=dict)

    def __getitem__(self, name: str) -> T:
        known = name in self.values_by_id
        return self.values_by_id[name if known else f"frame.{name}"]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_id)

    def __repr__(self) -> str:
        return repr(dict(self.values_by_id))

    def __len__(self) -> int:
        return len(self.values_by_id)


@dataclass(frozen=True, slots=True)
class Implication:
    """What a text may imply about one group, and what speaks for that."""

    group: str
    statement: str | None = None
    """Hearst-like: "women are less qualified"; None where a group is named and nothing more."""
    probability: float | None = None
    """How likely the text is about this group, where that is known."""
    likelihood: float | None = None
    """How likely the generator finds the statement, given the text and the group."""
    evidence: tuple[str, ...] = ()
    """What speaks for it: words of the text, or what neighbouring posts were said to imply."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A Social Bias Frame: what a text may imply, about whom (Sap et al. 2020, section 2).

    Keys are the ids ``frame.offensive``, ``frame.intent``, ``frame.lewd``, ``frame.group`` and
    ``frame.in_group``; ``offensive`` finds the first, too.
    """

    probabilities: Mapping[str, float] = field(default_factory=ByVariable)
    """Each between 0 and 1; of several annotators, the share that answered with a yes."""
    target_groups: tuple[str, ...] = ()
    implied_statements: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=ByVariable)
    """What is claimed: ``yes``, ``maybe`` or another answer of the variable; absent if none."""
    implications: tuple[Implication, ...] = ()
    """The groups and statements once more, told together and with how sure they are."""

    def __post_init__(self) -> None:
        for name in ("probabilities", "answers"):
            given = getattr(self, name)
            if not isinstance(given, ByVariable):
                object.__setattr__(self, name, ByVariable(dict(given)))


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
