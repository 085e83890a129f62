"""An annotation protocol as records: steps, questions, and quality rules.

Protocols are YAML files (:mod:`tactful.annotation.protocol.load`); those of the papers are in
``protocols/``. Questions have the ids of the taxonomies where there is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

QuestionKind = Literal["choice", "choices", "scale", "spans", "text", "texts"]
"""``choice`` one option, ``choices`` any number, ``scale`` one of numbers, ``spans`` pieces of the
text, each with one of the options, ``text`` free text, ``texts`` a list of free texts."""
StepRole = Literal["annotator", "referee", "owner"]
"""Who judges the items of a step."""
Role = Literal["annotator", "referee", "lead", "reader", "owner"]
"""The roles of people; :mod:`tactful.annotation.state.roles` says what each may do."""
Combine = Literal["majority", "mean_threshold", "trust_weighted", "dpm_scale", "union", "referee"]

HALF = 0.5
"""For ``mean_threshold``: an answer with this score or more counts as 1, and so does the mean."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a field of a protocol file may have."""

    least: float
    most: float


_Share = Annotated[float | None, Range(0, 1)]


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that can be chosen."""

    value: str
    """The stored value."""
    name: str
    help: str = ""
    key: str = ""
    """The key that chooses it; the loader assigns one if the file names none."""
    score: Annotated[float | None, Range(-1e9, 1e9)] = None
    """Its number, where answers are added up or averaged."""
    heading: str = ""
    """The heading under which a long list shows it."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Asked only where an earlier question of the same step has one of these answers."""

    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about an item."""

    id: str
    kind: QuestionKind
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    required: bool = True
    when: tuple[Condition, ...] = ()
    """All must hold."""
    least: Annotated[int, Range(0, 100)] = 0
    """For ``texts``, ``choices`` and ``spans``: the minimum number of answers."""
    most: Annotated[int | None, Range(1, 500)] = None
    per: str | None = None
    """A ``choices`` or ``texts`` question: asked once for each of its answers (statements for each
    group); the answer is then a mapping from that answer to this one."""
    open: bool = False
    """For ``choice`` and ``choices``: whether free answers are allowed."""
    example: str = ""
    gaps: bool = True
    """For ``spans``: whether a span may leave words out."""
    begins: tuple[str, ...] = ()
    """For ``texts``: beginnings that a button writes; ``{answer}`` is the answer of ``per``."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Which items enter a step, by their answers in an earlier step."""

    step: str
    rule: Literal["label", "disputed"]
    """``label``: the combined label of ``question`` is one of ``values``; ``disputed``: the
    judgements differ as ``values`` say (pairs such as "0,2"), or at all where there are none."""
    question: str
    values: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """For ``disputed``: further questions; an item enters where judgements of one of them differ
    among those who were asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """Questions that are answered together, by a number of people of one role."""

    id: str
    title: str
    questions: tuple[Question, ...]
    role: StepRole = "annotator"
    judgements: Annotated[int, Range(1, 100)] = 3
    """How many people judge each item at first."""
    most: Annotated[int | None, Range(1, 100)] = None
    """The maximum, while the confidence is below ``confidence``."""
    confidence: _Share = None
    combine: Combine = "majority"
    """How judgements become a label: ``majority``, ``mean_threshold`` (the mean of answers as 0 and
    1), ``trust_weighted``, ``dpm_scale``, ``union`` (of spans), ``referee`` (the one judgement of
    a referee)."""
    entry: Entry | None = None
    """None for all items."""
    context: tuple[str, ...] = ()
    """Names of the context that is shown beside the text."""
    discussed: bool = False
    """For a referee's step: whether the people who disagree discuss the item before."""

    def question(self, name: str) -> Question:
        """Return a question by its id."""
        return next(each for each in self.questions if each.id == name)


@dataclass(frozen=True, slots=True)
class Quality:
    """Hidden tests and the trust rules (Price et al. 2020, section 3)."""

    page: Annotated[int, Range(1, 100)] = 1
    """Items per page."""
    tests: Annotated[int, Range(0, 99)] = 0
    """Hidden tests per page."""
    least_trust: _Share = None
    """People whose share of right tests is not above it are removed with all their judgements."""
    least_tests: Annotated[int, Range(1, 1000)] = 5
    """Number of tests before anybody is removed."""
    tests_each: Annotated[int | None, Range(1, 1000)] = None
    """Number of tests that everybody gets although others saw them, each with its decoys: ordinary
    items that are shown once more. None: only as many as can be shown without decoys."""
    draw: Literal["matched", "every_page"] = "matched"
    """``matched``: tests are shown to as many people as ordinary items; ``every_page``: each page
    has one while there are any, and two people who compare their pages can tell which they are."""
    rows_remain_finalized: bool = False
    """Whether finished items stay finished when one of their judgements stops counting."""


@dataclass(frozen=True, slots=True)
class WellBeing:
    """Settings that protect people who read harmful texts."""

    consent: str = ""
    """The text to agree to before the first item; empty for none."""
    blur: bool = True
    """Whether texts are blurred until they are revealed."""
    most_per_day: Annotated[int | None, Range(1, 1_000_000)] = None
    break_after: Annotated[int | None, Range(1, 24 * 60)] = None
    """Minutes of work after which a break is suggested."""
    help: str = ""
    """Where to find help, as Markdown written by the owner of a project."""
    harmful: tuple[str, ...] = ()
    """Answers by which a text counts as harmful, such as ``unhealthy=yes``, to measure how many
    harmful texts each person reads in a day."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a project is annotated."""

    id: str
    name: str
    version: str
    lang: str
    summary: str
    source: str
    """The paper and its section, or the author."""
    steps: tuple[Step, ...]
    guideline: str = ""
    """The guideline for annotators, as Markdown."""
    quality: Quality = field(default_factory=Quality)
    wellbeing: WellBeing = field(default_factory=WellBeing)
    traits: tuple[Question, ...] = ()
    """Optional questions about the annotators, asked once and stored apart."""
    lease_minutes: Annotated[float, Range(1, 7 * 24 * 60)] = 30.0
    """Minutes after which an unanswered page goes to others."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The file as it was read."""

    def step(self, name: str) -> Step:
        """Return a step by its id."""
        return next(each for each in self.steps if each.id == name)
