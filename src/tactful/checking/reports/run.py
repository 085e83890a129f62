"""What a report says besides its findings: detectors, ids, and the count at the end."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Kind, Outcome, PlacedFinding, PlacedSpan, Unread
from tactful.checking.reports import RENDERERS, STREAMED, Renderer
from tactful.checking.wording import WORDINGS, Count, Wording, spoken_or_english, wording
from tactful.detectors.card import Card
from tactful.types import Frame, Implication
from tactful.words import shorten, visible

CAVEAT = wording("en").reporting.caveat
IN_GROUP = "frame.in_group"
WARNING_FROM = 0.85
"""Findings from this confidence on ("very likely") are warnings, the others and terms are notes."""
_QUOTED = 3
_LONGEST_WORDS = 60
_NEEDS_FAMILY = ("pcl", "stereotype", "term")
"""Families whose categories say nothing without the name of the family, such as "metaphor"."""


def implied_sentences(frame: Frame, lang: str = "en") -> list[str]:
    """Return a sentence for each group that a text may be about.

    >>> implied_sentences(Frame(implications=(Implication("women", "women are weak", 0.62),)))
    ['May imply, about women: “women are weak” (0.62).']
    """
    from tactful.frames.statements import shown_implication  # most documents need none

    words = wording(lang)
    return [_sentence(shown_implication(each), words) for each in frame.implications]


def is_warning(finding: PlacedFinding) -> bool:
    """Say whether a finding is sure enough for a warning; a term is a matter of style."""
    return finding.highest_confidence >= WARNING_FROM and group_of(finding.id) != "term"


def quotes_of(spans: Iterable[PlacedSpan], words: Wording, most: int | None = None) -> str:
    """Quote marked words, each once, shortened and safe to print."""
    pieces = dict.fromkeys(shorten(visible(span.words), longest=_LONGEST_WORDS) for span in spans)
    return words.quoted(list(pieces)[:most])


def what_is_found(finding: PlacedFinding, words: Wording) -> str:
    """Name the kinds of a finding: the main one with its categories, then the others."""
    from tactful.checking.explanation import name_in  # most documents need none

    heads: list[str] = []
    for number, (kind, below) in enumerate(_branches(finding)):
        named = [words.short(each.id, each.name) for each in below]
        head = words.short(kind.id, kind.name)
        family = group_of(kind.id)
        if kind.id != family and family in _NEEDS_FAMILY:
            named.insert(0, head)
            head = words.short(family, name_in(family, words.lang))
        listed = ", ".join(named)
        if listed:
            head = f"{head} ({listed})" if number else f"{head}: {listed}"
        heads.append(visible(head))
    main, *others = heads
    return main + (words.reporting.also.format(kinds=", ".join(others)) if others else "")


def _branches(finding: PlacedFinding) -> list[tuple[Kind, list[Kind]]]:
    """Return the kinds that belong under no other, that of the main kind first, and those below."""
    branches: list[tuple[Kind, list[Kind]]] = []
    for depth, kind in as_tree(finding):
        if depth:
            branches[-1][1].append(kind)
        else:
            branches.append((kind, []))
    return branches


def line_of(finding: PlacedFinding, words: Wording, *, quoting: bool = True) -> str:
    """Say a finding in one line: the words, what it is, how sure, and what to do about it."""
    quotes = quotes_of(finding.spans, words, _QUOTED) if quoting else ""
    label = f"{words.reporting.in_quotation}; " if finding.quoted else ""
    said = f"{what_is_found(finding, words)} ({label}{words.how_sure(finding.confidence)})."
    lead = f"{quotes} — " if quotes else ""
    return " ".join(filter(None, [lead + said, advice_on(finding, words)]))


def advice_on(finding: PlacedFinding, words: Wording) -> str:
    """Return what to write instead of a term, or else one short question or suggestion."""
    if finding.suggestions:
        quotes = ", ".join(map(visible, finding.suggestions))
        return words.reporting.instead.format(quotes=quotes)
    from tactful.checking.advice import advise  # most documents need none

    marked = [span.words for span in finding.spans]
    ids = [kind.id for kind in finding.kinds]
    return visible(advise(ids, finding.text, marked, words.lang))


def said_of(finding: PlacedFinding, words: Wording) -> str:
    """Say in one line what was found, how sure that is, what may be implied, and why."""
    frame = finding.frame
    implied = [] if frame is None else map(visible, implied_sentences(frame, words.lang))
    return " ".join([line_of(finding, words), *implied, finding.explanation]).strip()


def in_group_sentence(frame: Frame, lang: str = "en") -> str | None:
    """Say that the author may belong to the group, where the frame claims it: as a guess."""
    if frame.answers.get(IN_GROUP, "no") == "no":
        return None
    words = wording(lang)
    return words.reporting.in_group.format(sure=_sure(frame.probabilities.get(IN_GROUP), words))


def evidence_sentence(evidence: Sequence[str], lang: str = "en") -> str | None:
    """Name the evidence for a group."""
    words = wording(lang)
    quotes = words.quoted(list(dict.fromkeys(evidence))[:_QUOTED])
    return words.reporting.evidence.format(quotes=quotes) if quotes else None


def _sentence(each: Implication, words: Wording) -> str:
    said, sure = words.reporting, _sure(each.probability, words)
    if each.statement is None:
        return said.about.format(group=each.group, sure=sure)
    return said.implies.format(group=each.group, statement=words.quote(each.statement), sure=sure)


def _sure(probability: float | None, words: Wording) -> str:
    return "" if probability is None else f" ({words.likely(probability)})"


def common_language(langs: Collection[str]) -> str:
    """Return the one language of all texts where there are sentences in it, else English.

    >>> common_language(["es", "es"]), common_language(["es", "en"]), common_language([])
    ('es', 'en', 'en')
    """
    first = next(iter(langs), "en")
    return first if first in WORDINGS and set(langs) == {first} else "en"


GROUPS = ("pcl", "unhealthy", "frame", "stereotype", "toxicity", "term")
"""The families of ids, each with one colour, in this order."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a check."""

    card: Card
    ids: tuple[str, ...]
    """What was looked for."""
    width: int | None = None
    """Where explanations are wrapped; None in a pipe, where carets mark the words."""
    colour: bool = False
    explain: bool = False
    """Whether ``text`` explains each finding."""
    lang: str = "en"
    """The language of the report, or ``auto``."""
    others: tuple[Card, ...] = ()
    """The cards of further detectors, where texts in another language were given to them."""

    def language_of(self, report: DocumentReport) -> str:
        """Return the language of a document: the one that its detector reads."""
        card = next((each for each in self.others if each.model == report.model), self.card)
        return card.lang

    def language_for(self, report: DocumentReport) -> str:
        """Return the language in which a document is reported on."""
        return spoken_or_english(self.language_of(report)) if self.lang == AUTO else self.lang

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards of all detectors."""
        return (self.card, *self.others)

    def used(self, models: Collection[str]) -> "Run":
        """Return the run with the detectors that read something, and their ids."""
        cards = [card for card in self.cards if card.model in models] or [self.card]
        unused = {name for card in self.cards if card not in cards for name in card.ids}
        gone = unused - {name for card in cards for name in card.ids}
        ids = tuple(name for name in self.ids if name not in gone)
        return replace(self, card=cards[0], others=tuple(cards[1:]), ids=ids)


@dataclass(slots=True)
class Tally:
    """Counts outcomes while they pass."""

    documents: int = 0
    passages: int = 0
    silenced: int = 0
    quoted: int = 0
    known: int = 0
    unchanged: int = 0
    unsure: int = 0
    unchecked: int = 0
    unread: int = 0
    with_findings: int = 0
    findings: int = 0
    by_id: Counter[str] = field(default_factory=Counter)
    """How many findings have each kind."""
    by_family: Counter[str] = field(default_factory=Counter)
    """How many findings have their main kind in each family; ids of other taxonomies are alone."""
    models: set[str] = field(default_factory=set)
    """The detectors that read something."""

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes, and count them."""
        for outcome in outcomes:
            if isinstance(outcome, Unread):
                self.unread += 1
            else:
                self.documents += 1
                self.models.update((outcome.model, *outcome.others))
                self.passages += len(outcome.passages)
                self.silenced += outcome.silenced
                self.quoted += outcome.quoted
                self.known += outcome.known
                self.unchanged += outcome.unchanged
                self.unsure += outcome.unsure
                self.unchecked += len(outcome.unchecked)
                self.with_findings += bool(outcome.findings)
                self.findings += len(outcome.findings)
                for finding in outcome.findings:
                    self.by_id.update(kind.id for kind in finding.kinds)
                    family = group_of(finding.id)
                    self.by_family[family if family in GROUPS else finding.id] += 1
            yield outcome

    def sentence(self, lang: str = "en") -> str:
        """Return the summary, in one line."""
        words = wording(lang)
        said = words.reporting
        findings = words.count(said.finding, self.findings)
        passages = words.count(said.passage, self.passages)
        parts = [said.found_in.format(findings=findings, passages=passages)]
        if self.documents > 1:
            some, every = words.number(self.with_findings), words.number(self.documents)
            parts[0] += " " + said.of_documents.format(some=some, all=every)
        if self.findings:
            parts[0] += f": {', '.join(self._families(words))}"
        parts += left_out(self, words, said.silenced, self.unchecked)
        if self.unread:
            parts.append(words.count(said.unread, self.unread))
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}."

    def _families(self, words: Wording) -> Iterator[str]:
        """Say how many findings each family has, the most frequent one first."""
        for family, number in sorted(self.by_family.items(), key=lambda each: (-each[1], each[0])):
            count = words.reporting.families.get(family)
            yield (
                f"{words.number(number)} {family}" if count is None else words.count(count, number)
            )


def left_out(
    counts: Tally | DocumentReport, words: Wording, silenced: Count, unchecked: int
) -> Iterator[str]:
    """Say how many findings were left out for each reason, and how many passages."""
    said = words.reporting
    for count, number in (
        (silenced, counts.silenced),
        (said.quoted, counts.quoted),
        (said.known, counts.known),
        (said.unchanged, counts.unchanged),
        (said.unsure, counts.unsure),
        (said.unchecked, unchecked),
    ):
        if number:
            yield words.count(count, number)


def group_of(name: str) -> str:
    """Return the group of an id, which has one colour."""
    return name.split(".", maxsplit=1)[0]


def as_tree(finding: PlacedFinding) -> list[tuple[int, Kind]]:
    """Return the kinds of a finding with their depth, each below the one it belongs to.

    The branch of the main kind comes first.
    """

    def branch(root: Kind, depth: int) -> Iterator[tuple[int, Kind]]:
        yield depth, root
        for kind in finding.kinds:
            if kind.parent == root.id:
                yield from branch(kind, depth + 1)

    branches = [list(branch(kind, 0)) for kind in finding.kinds if kind.parent is None]
    branches.sort(key=lambda each: all(kind is not finding.main for _, kind in each))
    return [pair for each in branches for pair in each]


def each_in_language(outcomes: Iterable[Outcome], run: Run) -> Iterator[Outcome]:
    """Yield the outcomes with their names and explanations in the language of the report."""
    for outcome in outcomes:
        if not isinstance(outcome, DocumentReport):
            yield outcome
        elif (lang := run.language_for(outcome)) == "en" == run.language_of(outcome):
            yield outcome  # in English already
        else:
            from tactful.checking.explanation import in_language

            yield in_language(outcome, lang)


def render(name: str, outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the pieces of a report; each ends where a line ends.

    It is in the language of ``run``. With ``auto`` that is the language of all documents, or
    English where they differ; what is written document by document takes that of each.
    """
    return _rendered(RENDERERS.get(name), outcomes, run, streamed=name in STREAMED)


def _rendered(
    renderer: Renderer, outcomes: Iterable[Outcome], run: Run, *, streamed: bool
) -> Iterator[str]:
    if run.lang == AUTO and not streamed:
        outcomes = list(outcomes)
        reports = [each for each in outcomes if isinstance(each, DocumentReport)]
        run = replace(run, lang=common_language([run.language_of(each) for each in reports]))
    yield from renderer(each_in_language(outcomes, run), run)
