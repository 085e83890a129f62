"""The participants' ideas of DETESTS 2022 (section 5.2) and what section 6 asks for, as switches.

One trainer, and a switch for each idea: what an idea is worth is the difference that its switch
makes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tactful.errors import UsageError
from tactful.registry import unknown_name


@dataclass(frozen=True, slots=True)
class Switch:
    """One idea: whose it is, what it does, and whether a saved detector can have it."""

    name: str
    source: str
    says: str
    saved: bool = False
    """A folder of words and weights can hold it; otherwise it is for experiments only."""
    encoder: bool = False
    """It is about an encoder, not about the features of the linear trainer."""


SWITCHES: dict[str, Switch] = {
    each.name: each
    for each in (
        Switch("characters", "base", "character n-grams of 2 to 5 beside the words"),
        Switch("vectors", "UMUTeam", "a sentence vector from any function of texts"),
        Switch("under-bagging", "I2C", "bags with all of the rarer and few of the rest", True),
        Switch("over-sampling", "I2C", "the rarer drawn again until both are equal", True),
        Switch("back-translation", "I2C", "the rarer once more, by way of English", True),
        Switch("ensemble", "I2C", "three learners, their log-odds averaged", True),
        Switch("linguistic", "UMUTeam", "counts of our own, in one model with the words"),
        Switch("negation", "UMUTeam", "negation cues and what they reach"),
        Switch("by-ensemble", "UMUTeam", "a model for each kind of feature, averaged"),
        Switch("meta", "Lak_NLP", "predicted implicitness and target as features"),
        Switch("soft-labels", "section 6", "the annotators' shares as targets", True),
        Switch("context", "section 6", "neighbouring sentences and what is replied to"),
        Switch("adapters", "DaMinCi", "bottlenecks behind an encoder's layers", True, True),
        Switch("lora", "later", "low-rank adapters in an encoder", True, True),
        Switch("heads", "MALNIS", "a head for each category; any of them is a yes", True, True),
    )
}
_APART = {
    ("under-bagging", "over-sampling"): "both balance the same labels",
    ("adapters", "lora"): "both are adapters",
}
_NEEDS = {"by-ensemble": ("linguistic", "negation", "vectors")}


@dataclass(frozen=True, slots=True)
class Switches:
    """Which ideas are on."""

    on: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> "Switches":
        """Turn names on; an unknown name, or two that exclude each other, is a UsageError."""
        found = list(names)
        for name in found:
            if name not in SWITCHES:
                raise unknown_name("switch", name, list(SWITCHES))
        chosen = frozenset(found)
        for pair, why in _APART.items():
            if chosen.issuperset(pair):
                raise UsageError(
                    f"Found the switches {' and '.join(pair)}; expected one of them: {why}."
                )
        for name, needed in _NEEDS.items():
            if name in chosen and not chosen.intersection(needed):
                raise UsageError(
                    f"Found the switch {name} alone; expected at least one of "
                    f"{', '.join(needed)} beside it, for a model of its own."
                )
        mixed = {SWITCHES[name].encoder for name in chosen}
        if len(mixed) > 1:
            raise UsageError(
                "Found switches of the encoder (adapters, lora, heads) beside those of the linear "
                "trainer; expected one kind; train twice."
            )
        return cls(chosen)

    def __contains__(self, name: object) -> bool:
        return name in self.on

    def names(self) -> list[str]:
        """Return the names that are on, in the order of the table."""
        return [name for name in SWITCHES if name in self.on]

    def encoder(self) -> bool:
        """Say whether an encoder is asked for."""
        return any(SWITCHES[name].encoder for name in self.on)

    def experimental(self) -> list[str]:
        """Return those that no saved detector can have."""
        return [name for name in self.names() if not SWITCHES[name].saved]
