"""Marks in the text of a page: which words carry which findings, also where these overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tactful.checking.report import PlacedFinding
from tactful.checking.reports.run import GROUPS, group_of
from tactful.checking.wording import Wording
from tactful.pages.text import safe


@dataclass(frozen=True, slots=True)
class Card:
    """A finding with its number on the page."""

    number: int
    finding: PlacedFinding

    def groups_at(self, start: int, end: int) -> list[str]:
        """Return the groups of the kinds that a piece of the passage carries."""
        return [
            group_of(kind.id)
            for kind in self.finding.kinds
            if any(span.start < end and start < span.end for span in kind.spans)
        ]


def group_class(name: str, letter: str = "g") -> str:
    """Return the class that gives an id's group its colour."""
    group = group_of(name)
    return f"{letter}-{group if group in GROUPS else 'other'}"


def marked_text(text: str, cards: Sequence[Card], words: Wording, *, foreign: bool = False) -> str:
    """Return the escaped text with a mark around each carrying piece and a link to its finding.

    The label of the link names its language where the text around it is in a ``foreign`` one.
    """
    places = [(card, span.start, span.end) for card in cards for span in card.finding.spans]
    edges = sorted({0, len(text), *(edge for _, start, end in places for edge in (start, end))})
    parts = []
    for start, end in pairwise(edges):
        over = [card for card, left, right in places if left <= start and end <= right]
        piece = safe(text[start:end])
        parts.append(_mark(piece, over, start, end) if over else piece)
        parts += [_link(card, words, foreign) for card, _, right in places if right == end]
    return "".join(parts)


def _mark(piece: str, over: Sequence[Card], start: int, end: int) -> str:
    groups = [each.finding.id for each in over]
    groups += [group for card in over for group in card.groups_at(start, end)]
    classes = group_class(groups[0])
    others = [group_class(group, "d") for group in groups]
    second = next((name for name in others if name[2:] != classes[2:]), None)
    classes += f" two {second}" if second else ""
    names = safe(", ".join(card.finding.name for card in over))
    details = " ".join(f"f{card.number}" for card in over)
    return f'<mark class="{classes}" title="{names}" aria-details="{details}">{piece}</mark>'


def _link(card: Card, words: Wording, foreign: bool) -> str:
    lang = f' lang="{words.lang}"' if foreign else ""
    label = words.page.link.format(number=card.number, name=card.finding.name)
    return (
        f'<sup class="{group_class(card.finding.id)}"{lang}><a href="#f{card.number}" '
        f'aria-label="{safe(label)}">{card.number}</a></sup>'
    )
