"""Marks in the text of a page: which words carry which findings, also where these overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from tactful.checking.report import PlacedFinding
from tactful.checking.reports.run import GROUPS, as_tree, group_of
from tactful.checking.wording import Wording
from tactful.words import shown_text


@dataclass(frozen=True, slots=True)
class Card:
    """A finding and those below it, which share one number and one place on the page."""

    number: int
    tree: tuple[tuple[int, PlacedFinding], ...]

    @property
    def head(self) -> PlacedFinding:
        """The finding that the others stand below."""
        return self.tree[0][1]

    def places(self) -> list[tuple[int, int]]:
        """Return where its words stand in the passage; what overlaps or touches is one place."""
        merged: list[tuple[int, int]] = []
        spans = sorted((s.start, s.end) for _, finding in self.tree for s in finding.spans)
        for start, end in spans:
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def safe(text: str) -> str:
    """Escape text for HTML, and show what would be invisible or turn the page around."""
    return escape(shown_text(text))


def group_class(name: str, letter: str = "g") -> str:
    """Return the class that gives an id's group its colour."""
    group = group_of(name)
    return f"{letter}-{group if group in GROUPS else 'other'}"


def cards_of(findings: Sequence[PlacedFinding], numbers: Iterator[int]) -> list[Card]:
    """Put the findings of one passage together: each with those below it."""
    trees: list[list[tuple[int, PlacedFinding]]] = []
    for depth, finding in as_tree(findings):
        if depth == 0:
            trees.append([])
        trees[-1].append((depth, finding))
    return [Card(next(numbers), tuple(tree)) for tree in trees]


def marked_text(text: str, cards: Sequence[Card], words: Wording, *, foreign: bool = False) -> str:
    """Return the escaped text with a mark around each carrying piece and a link to its finding.

    The label of the link names its language where the text around it is in a ``foreign`` one.
    """
    places = [(card, start, end) for card in cards for start, end in card.places()]
    edges = sorted({0, len(text), *(edge for _, start, end in places for edge in (start, end))})
    parts = []
    for start, end in pairwise(edges):
        over = [card for card, left, right in places if left <= start and end <= right]
        piece = safe(text[start:end])
        parts.append(_mark(piece, over) if over else piece)
        parts += [_link(card, words, foreign) for card, _, right in places if right == end]
    return "".join(parts)


def _mark(
    piece: str,
    over: Sequence[Card],
) -> str:
    classes = group_class(over[0].head.id)
    others = [group_class(card.head.id, "d") for card in over[1:]]
    second = next((name for name in others if name[2:] != classes[2:]), None)
    classes += f" two {second}" if second else ""
    names = safe(", ".join(card.head.name for card in over))
    details = " ".join(f"f{card.number}" for card in over)
    return f'<mark class="{classes}" title="{names}" aria-details="{details}">{piece}</mark>'


def _link(card: Card, words: Wording, foreign: bool) -> str:
    lang = f' lang="{words.lang}"' if foreign else ""
    label = words.page.link.format(number=card.number, name=card.head.name)
    return (
        f'<sup class="{group_class(card.head.id)}"{lang}><a href="#f{card.number}" '
        f'aria-label="{safe(label)}">{card.number}</a></sup>'
    )
