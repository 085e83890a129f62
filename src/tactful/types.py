"""The records that all parts of Tactful take and return; they are small and frozen.

Spans are half-open offsets in Unicode code points: ``text[span.start:span.end]``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, and the id of what it shows.

    Parameters
    ----------
    start, end
        Half-open offsets in code points: the span covers ``text[start:end]``.
    id
        The taxonomy id that the span shows.
    annotators
        How many annotators marked it, if known.

    """

    start: int
    end: int
    id: str | None = None
    annotators: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, not {self.start} and {self.end}")

    def cut(self, text: str) -> str:
        """Return the words of ``text`` that the span covers."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a text.

    Parameters
    ----------
    id
        The taxonomy id, such as ``pcl.compassion``.
    probability
        The calibrated probability.
    spans
        The parts of the text that carry the finding.
    explanation
        Why it was found, in plain words.
    confidence
        How sure a check is; None where no check was made.
    kinds
        All kinds of a finding of a check, the gravest first, then the surest; each is a finding
        without kinds.

    """

    id: str
    probability: float
    spans: tuple[Span, ...] = ()
    explanation: str = ""
    confidence: float | None = None
    kinds: "tuple[Finding, ...]" = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one text.

    Parameters
    ----------
    text
        The text that was checked.
    findings
        What was found.
    model
        The name and version of the detector.

    """

    text: str
    findings: tuple[Finding, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer of one annotator to one question about one item.

    Parameters
    ----------
    annotator
        The id of the annotator.
    question
        The taxonomy id that was asked about, such as ``unhealthy.hostile``.
    label
        The answer as the corpus writes it; None if the annotator gave none.
    value
        The answer as a number on the corpus' own scale, if it has one.
    trust
        The trust in the annotator, from 0 to 1, if known.
    row
        Answers with the same row were given together (SBIC's post-group-statement rows).

    """

    annotator: str
    question: str
    label: str | None
    value: float | None = None
    trust: float | None = None
    row: int | None = None


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
    """What a text may imply about one group, with the evidence.

    Parameters
    ----------
    group
        The group, such as ``women``.
    statement
        A Hearst-like statement, such as "women are less qualified"; None if only a group is named.
    probability
        The probability that the text is about this group, if known.
    likelihood
        The generator's probability of the statement, given the text and the group.
    evidence
        Words of the text, or the implied statements of similar posts.

    """

    group: str
    statement: str | None = None
    probability: float | None = None
    likelihood: float | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A Social Bias Frame: what a text may imply, about whom (Sap et al. 2020, section 2).

    The keys are ``frame.offensive``, ``frame.intent``, ``frame.lewd``, ``frame.group`` and
    ``frame.in_group``; short names such as ``offensive`` work, too.

    Parameters
    ----------
    probabilities
        The probability of a yes for each variable; for several annotators, the share of yes.
    target_groups
        The groups that the text is about.
    implied_statements
        What the text may imply about them.
    answers
        The answer for each variable, such as ``yes`` or ``maybe``; absent if there is none.
    implications
        The groups with their statements and probabilities.

    """

    probabilities: Mapping[str, float] = field(default_factory=ByVariable)
    target_groups: tuple[str, ...] = ()
    implied_statements: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=ByVariable)
    implications: tuple[Implication, ...] = ()

    def __post_init__(self) -> None:
        for name in ("probabilities", "answers"):
            given = getattr(self, name)
            if not isinstance(given, ByVariable):
                object.__setattr__(self, name, ByVariable(dict(given)))


@dataclass(frozen=True, slots=True)
class Example:
    """One text of a corpus with everything that its authors recorded about it.

    Parameters
    ----------
    id
        The id; unique in the corpus.
    text
        The text, exactly as in the file.
    corpus, lang
        The name of the corpus and the language of the text.
    group
        The post, article or comment; texts of one group are never in two parts of a split.
    release, split
        The published release and the official part, if known.
    labels, confidences
        The value and the confidence of each taxonomy id; an unknown label is absent.
    texts
        Free-text labels, such as the target groups of a Social Bias Frame.
    spans
        The spans that annotators marked.
    judgements
        The answers of single annotators.
    traits
        What annotators said about themselves: annotator -> trait -> value.
    meta
        Every other column of the source, as written.

    """

    id: str
    text: str
    corpus: str
    lang: str
    group: str
    release: str | None = None
    split: str | None = None
    labels: Mapping[str, float] = field(default_factory=dict)
    confidences: Mapping[str, float] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    traits: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)
