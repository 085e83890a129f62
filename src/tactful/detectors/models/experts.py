"""A blend with two experts for one id, each for a register, and what depends on that id.

How a stereotype sounds in a comment on the news says little about how it sounds in parliament. So
the members learn both apart, and a gate says how much a text is of the second register. The card
tells under ``training`` what the members' columns are:

``columns``
    their ids, which are not those of a taxonomy: one for each expert, the gate, and the rest.
``experts``
    the id; ``first`` and ``second``, each a column with the slope and the intercept that calibrate
    it; and ``gate``, another such column, whose probability is the share of the second expert.
``rest``
    the id that stands for whatever no other id below names.

Ids below the one with experts (``stereotype.health`` below ``stereotype``) are answered by the
members for texts that have it: first whether, then which (two stages). Their intercepts put the
answers on the scale of the whole, so that one threshold serves all, and none exceeds the whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import AdditiveDetector, Contribution, Scores, sigmoid
from tactful.detectors.card import Card, read_card
from tactful.detectors.models.blend import BlendDetector, load_members
from tactful.errors import FileFormatError

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Expert:
    """A column of the members, and how it is calibrated."""

    column: str
    slope: float
    intercept: float


@dataclass(frozen=True, slots=True)
class Experts:
    """Which id has two experts, and what says how much the second one counts."""

    id: str
    gate: Expert
    first: Expert
    second: Expert
    rest: str | None = None


def mixed_scores(
    logits: NDArray[np.floating], columns: Sequence[str], experts: Experts, card: Card
) -> Scores:
    """Turn the members' mean log-odds into one probability per text for each id of the card."""
    at = {name: column for column, name in enumerate(columns)}
    values = logits.astype(np.float64)
    gate, first, second = (
        each.slope * values[:, at[each.column]] + each.intercept
        for each in (experts.gate, experts.first, experts.second)
    )
    share = sigmoid(gate)
    whole = sigmoid((1 - share) * first + share * second)
    found: dict[str, Numbers] = {}
    for name in card.ids:
        if name == experts.id:
            found[name] = whole
            continue
        slope, intercept = card.scaling(name)
        answer = sigmoid(slope * values[:, at[name]] + intercept)
        below = name.startswith(f"{experts.id}.")
        found[name] = np.minimum(answer, whole) if below else answer
    if experts.rest is not None:
        named = [
            values
            for name, values in found.items()
            if name.startswith(f"{experts.id}.") and name != experts.rest
        ]
        # What is like none that has a name is of another kind: the less the nearest one is found.
        near = np.minimum(np.max(named, axis=0) / card.threshold(experts.rest), 1.0)
        found[experts.rest] = np.maximum(found[experts.rest], whole * (1 - near))
    return {name: values.astype(np.float32) for name, values in found.items()}


class ExpertsDetector(AdditiveDetector):
    """Members whose columns are mixed by register."""

    def __init__(self, card: Card, members: BlendDetector, experts: Experts):
        self.card, self.members, self.experts = card, members, experts

    def score(self, texts: Sequence[str]) -> Scores:
        """Return one probability per text for each id of the card."""
        logits = self.members.logits(texts)
        return mixed_scores(logits, self.members.card.ids, self.experts, self.card)

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Return what each word adds: for the id with experts to both, by the register of the text.

        For an id below, it is what speaks for this one among those of its kind.
        """
        experts = self.experts
        columns = [name for name in ids if name != experts.id]
        if experts.id in ids:
            columns += [experts.first.column, experts.second.column]
        found = self.members.contributions(text, columns)
        answers = {}
        for name in ids:
            if name == experts.id:
                share = self._share(text)
                answers[name] = [
                    Contribution(
                        one.start,
                        one.end,
                        (1 - share) * experts.first.slope * one.value
                        + share * experts.second.slope * two.value,
                    )
                    for one, two in zip(
                        found[experts.first.column], found[experts.second.column], strict=True
                    )
                ]
            else:
                slope = self.card.scaling(name)[0]
                answers[name] = [replace(each, value=slope * each.value) for each in found[name]]
        return answers

    def _share(self, text: str) -> float:
        """Return how much of a text is of the second expert's register."""
        gate = self.experts.gate
        found = self.members.logits([text]).astype(np.float64)
        logit = found[:, self.members.card.ids.index(gate.column)]
        return float(sigmoid(gate.slope * logit + gate.intercept)[0])


def load_experts_detector(folder: Path) -> ExpertsDetector:
    """Open the folder of a blend with experts; its members lie in the folders that it names."""
    card = read_card(folder)
    try:
        columns = tuple(map(str, card.training["columns"]))
        experts = _experts(card.training)
        asked = {each.column for each in (experts.gate, experts.first, experts.second)}
        needed = asked | set(card.ids)
        absent = needed - {*columns, experts.id}
        if absent or experts.id not in card.ids or experts.rest not in (None, *card.ids):
            raise ValueError(f"columns without {', '.join(sorted(absent)) or experts.id}")
    except (KeyError, TypeError, ValueError) as error:
        raise FileFormatError(
            f"{folder}: found a card of experts that does not say who answers what ({error}); "
            "expected 'columns' and 'experts' under 'training'; restore the file."
        ) from None
    inner = replace(card, ids=columns, calibration={}, thresholds={})
    return ExpertsDetector(card, load_members(folder, inner), experts)


def _experts(training: Mapping[str, Any]) -> Experts:
    found = training["experts"]
    rest = training.get("rest")
    return Experts(
        str(found["id"]),
        _expert(found["gate"]),
        _expert(found["first"]),
        _expert(found["second"]),
        None if rest is None else str(rest),
    )


def _expert(found: Sequence[Any]) -> Expert:
    column, slope, intercept = found
    return Expert(str(column), float(slope), float(intercept))
