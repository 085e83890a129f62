"""A protocol of annotation as records: steps, questions, and the rules of quality.

Protocols are YAML files (:mod:`tactful.annotation.protocol.load`); those of the papers come with
Tactful, in ``protocols/``. Ids of questions are those of the taxonomies wherever there is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

QuestionKind = Literal["choice", "choices", "scale", "spans", "text", "texts"]
"""``choice`` one option, ``choices`` any number, ``scale`` one of numbers, ``spans`` pieces of the
text, each with one of the options, ``text`` free text, ``texts`` a list of free texts."""
Role = Literal["annotator", "referee", "owner"]


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that can be chosen."""

    value: str
    """What is stored."""
    name: str
    help: str = ""
    key: str = ""
    """The key that chooses it; given by the loader where the file names none, without clashes."""
    score: float | None = None
    """Its number, where answers are added up or averaged."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Asked only where an earlier question of the same step has one of these answers."""

    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that is asked about an item."""

    id: str
    kind: QuestionKind
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    required: bool = True
    when: tuple[Condition, ...] = ()
    """All must hold."""
    least: int = 0
    """For ``texts``, ``choices`` and ``spans``: at least so many."""
    most: int | None = None
    per: str | None = None
    """A ``choices`` or ``texts`` question: asked once for each of its answers (statements for each
    group); the answer is then a mapping from that answer to this one."""
    open: bool = False
    """For ``choice`` and ``choices``: an answer of one's own may be added."""
    example: str = ""
    gaps: bool = True
    """For ``spans``: whether a span may leave words out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Which items come into a step: those whose answers in an earlier step are such."""

    step: str
    rule: Literal["label", "disputed"]
    """``label``: the combined label of ``question`` is one of ``values``; ``disputed``: the
    judgements differ as ``values`` say (pairs such as "0,2"), or at all where there are none."""
    question: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """Some questions that are answered together, by so many people of one role."""

    id: str
    title: str
    questions: tuple[Question, ...]
    role: Role = "annotator"
    judgements: int = 3
    """So many people judge each item at first."""
    most: int | None = None
    """Up to so many, while the confidence is below ``confidence``."""
    confidence: float | None = None
    combine: str = "majority"
    """How judgements become a label: ``majority``, ``trust_weighted``, ``dpm_scale``, ``union`` (of
    spans), ``referee`` (the one judgement of a referee)."""
    entry: Entry | None = None
    """None: all items."""
    context: tuple[str, ...] = ()
    """Names of the context that is shown beside the text."""

    def question(self, name: str) -> Question:
        """Return a question by its id."""
        return next(each for each in self.questions if each.id == name)


@dataclass(frozen=True, slots=True)
class Quality:
    """Hidden tests and what follows from them (Price et al. 2020, section 3)."""

    page: int = 1
    """Items on a page."""
    tests: int = 0
    """Hidden tests among them."""
    least_trust: float | None = None
    """Below this share of right tests a person is removed, and all their judgements with them."""
    least_tests: int = 5
    """Not before so many tests."""
    rows_remain_finalized: bool = False
    """Whether items that are done stay done when a judgement behind them stops counting."""


@dataclass(frozen=True, slots=True)
class WellBeing:
    """What protects people who read what may hurt."""

    consent: str = ""
    """What is agreed to before the first item; empty: nothing is asked."""
    blur: bool = True
    """Texts are blurred until they are revealed."""
    most_per_day: int | None = None
    break_after: int | None = None
    """Minutes of work after which a break is proposed."""
    help: str = ""
    """Where help can be found, as Markdown; the owner of a project writes it."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a project is annotated."""

    id: str
    name: str
    version: str
    lang: str
    summary: str
    source: str
    """The paper and its section, or whoever wrote it."""
    steps: tuple[Step, ...]
    guideline: str = ""
    """What annotators read, as Markdown."""
    quality: Quality = field(default_factory=Quality)
    wellbeing: WellBeing = field(default_factory=WellBeing)
    traits: tuple[Question, ...] = ()
    """What people may say of themselves, asked once, never required, stored apart."""
    lease_minutes: float = 30.0
    """A page that is not answered for so long goes to others."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The file as it was read."""

    def step(self, name: str) -> Step:
        """Return a step by its id."""
        return next(each for each in self.steps if each.id == name)
