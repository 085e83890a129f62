"""What a report says besides its findings: who looked, for what; and the count at the end."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tactful.checking.explanation import explain, taxonomy_entries
from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome, PlacedFinding, Unread
from tactful.checking.reports import RENDERERS, STREAMED, Renderer
from tactful.checking.wording import WORDINGS, Wording, spoken_or_english, wording
from tactful.checking.wording.english import ENGLISH
from tactful.detectors.card import Card
from tactful.types import Frame, Implication, Span
from tactful.words import shorten, visible

CAVEAT = ENGLISH.reporting.caveat
IN_GROUP = "frame.in_group"
WARNING_FROM = 0.7
"""Findings from this probability on ("likely") are warnings, the others notes."""
_QUOTED = 3
_LONGEST_WORDS = 80


def implied_sentences(frame: Frame, lang: str = "en") -> list[str]:
    """Return a sentence for each group that a text may be about.

    >>> implied_sentences(Frame(implications=(Implication("women", "women are weak", 0.62),)))
    ['May imply, about women: “women are weak” (0.62).']
    """
    words = wording(lang)
    return [_sentence(each, words) for each in frame.implications]


def said_of(finding: PlacedFinding, words: Wording) -> str:
    """Say in one line what was found, how sure that is, which words carry it, and why."""
    shortened = (shorten(visible(span.words), longest=_LONGEST_WORDS) for span in finding.spans)
    quotes = words.quoted(dict.fromkeys(shortened))
    head = f"{finding.name}: {words.how_sure(finding.probability)}"
    said = f"{head} ({quotes})." if quotes else f"{head}."
    frame = finding.frame
    implied = [] if frame is None else map(visible, implied_sentences(frame, words.lang))
    instead = instead_sentence(finding, words.lang)
    return " ".join([said, *implied, *filter(None, [instead]), finding.explanation]).strip()


def in_group_sentence(frame: Frame, lang: str = "en") -> str | None:
    """Say that the author may belong to the group, where the frame claims it: as a guess."""
    if frame.answers.get(IN_GROUP, "no") == "no":
        return None
    words = wording(lang)
    return words.reporting.in_group.format(sure=_sure(frame.probabilities.get(IN_GROUP), words))


def evidence_sentence(evidence: Sequence[str], lang: str = "en") -> str | None:
    """Name what speaks for a group."""
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


def instead_sentence(finding: PlacedFinding, lang: str = "en") -> str | None:
    """Say what to write instead of a term; None for a finding without suggestions."""
    if not finding.suggestions:
        return None
    words = wording(lang)
    given = ", ".join(words.quote(span.words) for span in finding.spans)
    quotes = ", ".join(words.quote(each) for each in finding.suggestions)
    return words.reporting.instead.format(words=given, quotes=quotes)


def in_language(report: DocumentReport, lang: str) -> DocumentReport:
    """Return the report with names and explanations in ``lang``.

    The wording of a custom detector stays as it is.
    """
    return replace(report, findings=tuple(_in(each, lang) for each in report.findings))


def common_language(langs: Collection[str]) -> str:
    """Return the one language of all texts where there are sentences in it, else English.

    >>> common_language(["es", "es"]), common_language(["es", "en"]), common_language([])
    ('es', 'en', 'en')
    """
    first = next(iter(langs), "en")
    return first if first in WORDINGS and set(langs) == {first} else "en"


def _in(finding: PlacedFinding, lang: str) -> PlacedFinding:
    spans = [Span(span.start, span.end) for span in finding.spans]

    def explained(language: str, experimental: bool) -> str:
        passage, chance = finding.passage.text, finding.probability
        return explain(finding.id, passage, chance, spans, language, experimental=experimental)

    name = _said(finding.name, lang, lambda language: _name(finding.id, language))
    explanation = finding.explanation
    # A finding does not say whether it is an experiment; what was said of it does.
    for experimental in (False, True) if explanation else ():
        explanation = _said(explanation, lang, partial(explained, experimental=experimental))
    return replace(finding, name=name, explanation=explanation)


def _said(given: str, lang: str, ours: Callable[[str], str]) -> str:
    """Return what we say in ``lang``, if what is given is ours in any language.

    We say the same of the same finding, so that our words can be told from others'.
    """
    wanted = ours(lang)
    # Most reports are in the language of their findings: the other files need not be opened.
    known = given == wanted or any(given == ours(each) for each in WORDINGS if each != lang)
    return wanted if known else given


def _name(name: str, lang: str) -> str:
    entries = taxonomy_entries(name.partition(".")[0], lang)
    return str(entries.get(name, (0, {}))[1].get("name", name))


GROUPS = ("pcl", "unhealthy", "frame", "stereotype", "toxicity", "term")
"""What stands before the first dot of an id has one colour, in this order."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a check."""

    card: Card
    ids: tuple[str, ...]
    """What was looked for."""
    width: int | None = None
    """Where lines of ``text`` are wrapped; None in a pipe, where carets mark the words."""
    colour: bool = False
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
        """Return the run with the detectors that read something, and what these look for."""
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
    known: int = 0
    unchanged: int = 0
    unchecked: int = 0
    unread: int = 0
    with_findings: int = 0
    by_id: Counter[str] = field(default_factory=Counter)
    models: set[str] = field(default_factory=set)
    """The detectors that read something."""
    highest: float | None = None
    """The highest probability of all findings."""

    def watch(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """Hand the outcomes on, and count them."""
        for outcome in outcomes:
            if isinstance(outcome, Unread):
                self.unread += 1
            else:
                self.documents += 1
                self.models.update((outcome.model, *outcome.others))
                self.passages += len(outcome.passages)
                self.silenced += outcome.silenced
                self.known += outcome.known
                self.unchanged += outcome.unchanged
                self.unchecked += len(outcome.unchecked)
                self.with_findings += bool(outcome.findings)
                for finding in outcome.findings:
                    self.by_id[finding.id] += 1
                    self.highest = max(self.highest or 0.0, finding.probability)
            yield outcome

    @property
    def findings(self) -> int:
        """How many things were found."""
        return self.by_id.total()

    def sentence(self, lang: str = "en") -> str:
        """Say what came out, in one line."""
        words = wording(lang)
        said = words.reporting
        findings = words.count(said.finding, self.findings)
        passages = words.count(said.passage, self.passages)
        parts = [said.found_in.format(findings=findings, passages=passages)]
        if self.documents > 1:
            some, every = words.number(self.with_findings), words.number(self.documents)
            parts[0] += " " + said.of_documents.format(some=some, all=every)
        for count, number in (
            (said.silenced, self.silenced),
            (said.known, self.known),
            (said.unchanged, self.unchanged),
            (said.unchecked, self.unchecked),
            (said.unread, self.unread),
        ):
            if number:
                parts.append(words.count(count, number))
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}."


def group_of(name: str) -> str:
    """Return the group of an id, which has one colour."""
    return name.split(".", maxsplit=1)[0]


def as_tree(findings: Iterable[PlacedFinding]) -> list[tuple[int, PlacedFinding]]:
    """Return the findings of one passage with their depth, each below the one it belongs to."""
    listed = list(findings)

    def below(parent: str | None, depth: int) -> Iterator[tuple[int, PlacedFinding]]:
        for finding in listed:
            if finding.parent == parent:
                yield depth, finding
                yield from below(finding.id, depth + 1)

    return list(below(None, 0))


def each_in_language(outcomes: Iterable[Outcome], run: Run) -> Iterator[Outcome]:
    """Yield the outcomes with their names and explanations in the language of the report."""
    for outcome in outcomes:
        if not isinstance(outcome, DocumentReport):
            yield outcome
        elif (lang := run.language_for(outcome)) == "en" == run.language_of(outcome):
            yield outcome  # in English already
        else:
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
