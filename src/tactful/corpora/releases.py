"""Comparing what is in the files with what is known of the releases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tactful.words import counted


@dataclass(frozen=True, slots=True)
class Release:
    """One published state of a corpus and its counts."""

    name: str
    counts: Mapping[str, int]
    source: str
    """Where the counts were published; empty for what comes with Tactful."""
    counted: bool = False
    """Whether we counted a file of the authors' ourselves, because nobody published the numbers.

    Such a release shows whether a file is still the same, not whether it is complete.
    """

    def basis(self) -> str:
        """Say in words what the counts rest on."""
        if not self.source:
            return ""
        return f"as counted in {self.source}" if self.counted else f"as published ({self.source})"


@dataclass(frozen=True, slots=True)
class Verification:
    """What the files hold beside what the nearest release holds."""

    found: Mapping[str, int]
    release: Release | None
    matches: bool

    def lines(self) -> list[str]:
        """Return the result in sentences."""
        if self.release is None:
            return [f"Found {_listed(self.found)}; no counts are published for these files."]
        if self.matches:
            stated = {name: n for name, n in self.found.items() if name in self.release.counts}
            others = {name: n for name, n in self.found.items() if name not in stated}
            basis = self.release.basis()
            source = f", {basis}" if basis else ""
            also = f"; also {_listed(others)}" if others else ""
            return [f"This is {self.release.name}: {_listed(stated)}{source}{also}."]
        lines = [f"These counts are of no known release; the nearest is {self.release.name}:"]
        known = "counted" if self.release.counted else "published"
        for name, expected in self.release.counts.items():
            if name in self.found:
                sign = "the same" if self.found[name] == expected else "differs"
                lines.append(f"  {name}: found {self.found[name]:,}, {known} {expected:,} ({sign})")
        return lines


def _listed(counts: Mapping[str, int]) -> str:
    """Write counts, whose names are plural: '1 post', '2 posts'."""
    return ", ".join(
        counted(number, name.removesuffix("s"), name) for name, number in counts.items()
    )


def verify(found: Mapping[str, int], releases: Sequence[Release]) -> Verification:
    """Choose the release whose counts the files have, or else the nearest one."""

    def distance(release: Release) -> tuple[float, int]:
        shared = [name for name in release.counts if name in found]
        off = sum(
            abs(found[name] - release.counts[name]) / max(release.counts[name], 1)
            for name in shared
        )
        return off / max(len(shared), 1), -len(shared)

    candidates = [release for release in releases if set(release.counts) & set(found)]
    if not candidates:
        return Verification(found, None, False)
    nearest = min(candidates, key=distance)
    return Verification(found, nearest, distance(nearest)[0] == 0)
