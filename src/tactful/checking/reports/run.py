"""What a report says besides its findings: who looked, for what; and the count at the end."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome, PlacedFinding, Unread
from tactful.checking.wording.wording import spoken_or_english, wording
from tactful.detectors.card import Card

GROUPS = ("pcl", "unhealthy", "frame", "stereotype")
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
                self.models.add(outcome.model)
                self.passages += len(outcome.passages)
                self.silenced += outcome.silenced
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
        if self.silenced:
            parts.append(words.count(said.silenced, self.silenced))
        if self.unread:
            parts.append(words.count(said.unread, self.unread))
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
