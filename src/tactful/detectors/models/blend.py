"""Several detectors whose log-odds are averaged: what one misses, another may see.

The card names the folders beside its own, or within it (``./encoder``), and how much each of them
counts, for all ids or for each taxonomy (``{"pcl": 0.7, "unhealthy": 0.6}``). Probabilities are
calibrated after the mean. Spans come from the first detector that marks them itself; for other ids,
what each word adds is the same mean of what it adds in each.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import AdditiveDetector, Contribution, LogitsDetector, Spans
from tactful.detectors.card import Card, part_folder, read_card
from tactful.errors import FileFormatError
from tactful.types import Span

Share = float | Mapping[str, float]
"""What a member counts: for all ids, or by the first part of the id."""


@runtime_checkable
class Member(Protocol):
    """What a detector needs to be part of a blend."""

    card: Card

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the log-odds before calibration."""
        ...

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the calibrated log-odds."""
        ...

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id."""
        ...


class BlendDetector(LogitsDetector, AdditiveDetector):
    """A weighted mean of detectors with the same ids."""

    def __init__(
        self,
        card: Card,
        members: Sequence[Member],
        shares: Sequence[Share],
        folder: Path | None = None,
    ):
        self.card, self.members, self.folder = card, tuple(members), folder
        self.shares = [
            np.array([_share_of(share, name) for name in card.ids], dtype=np.float32)
            for share in shares
        ]

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean log-odds before calibration."""
        return self.mixed([member.logits(texts) for member in self.members])

    def mixed(self, each: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the mean of the members' log-odds, given in their order."""
        mean = np.zeros((len(each[0]), len(self.card.ids)), dtype=np.float32)
        for logits, share in zip(each, self.shares, strict=True):
            mean += share * logits
        return mean

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return what a member marks itself, and for other ids the words that add most."""
        found: dict[str, tuple[Span, ...]] = {}
        for member in self.members:
            marked = [name for name in ids if member.card.marked_as(name)]
            if marked:
                found = {**member.spans(text, marked), **found}
        others = [name for name in ids if not found.get(name)]
        return {**found, **(super().spans(text, others) if others else {})}

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds to the calibrated log-odds, over all members."""
        each = [member.contributions(text, ids) for member in self.members]
        found = {}
        for name in ids:
            at = self.card.ids.index(name)
            slope = self.card.scaling(name)[0]
            scales = [
                float(share[at]) * slope / member.card.scaling(name)[0]
                for member, share in zip(self.members, self.shares, strict=True)
            ]
            found[name] = _added([parts[name] for parts in each], scales)
        return found


def _share_of(share: Share, name: str) -> float:
    return float(share if isinstance(share, int | float) else share[name.partition(".")[0]])


def _added(lists: Sequence[Sequence[Contribution]], scales: Sequence[float]) -> list[Contribution]:
    """Add lists of contributions up over the words of the first; what overlaps none stays alone."""
    values = {(part.start, part.end): scales[0] * part.value for part in lists[0]}
    words = sorted(values)
    for parts, scale in zip(lists[1:], scales[1:], strict=True):
        at = 0
        for part in sorted(parts, key=lambda each: each.start):
            while at < len(words) and words[at][1] <= part.start:
                at += 1
            inside = at < len(words) and words[at][0] < part.end
            place = words[at] if inside else (part.start, part.end)
            values[place] = values.get(place, 0.0) + scale * part.value
    return [Contribution(*place, value) for place, value in sorted(values.items())]


def load_blend_detector(folder: Path) -> BlendDetector:
    """Open the folder of a blend; its members lie in the folders that its card names."""
    return load_members(folder, read_card(folder))


def load_members(folder: Path, card: Card) -> BlendDetector:
    """Open the members that a card in ``folder`` names, and mix them as it says."""
    from tactful.detectors.load import load_detector

    shares = card.training.get("members")
    if not isinstance(shares, dict) or not shares:
        raise FileFormatError(
            f"{folder}: found no members in the card of a blend; expected their folders and "
            "shares under 'training'; restore the file."
        )
    members = [load_detector(part_folder(folder, name)) for name in shares]
    able: list[Member] = [member for member in members if isinstance(member, Member)]
    if len(able) < len(members):
        raise FileFormatError(
            f"{folder}: found a member without log-odds; expected encoders and linear "
            "detectors; check the folders that the card names."
        )
    try:
        return BlendDetector(card, able, list(shares.values()), folder)
    except (KeyError, TypeError, ValueError):
        raise FileFormatError(
            f"{folder}: found shares of members that do not fit the card's ids; expected a number, "
            "or a number for the first part of each id; restore the file."
        ) from None
