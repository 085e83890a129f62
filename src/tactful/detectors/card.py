"""Model cards: what a detector finds, how well, its training data, and which uses are excluded.

A card is the file ``card.json`` in the folder of the weights. Training writes it and the detector
reads it, so it has what the detector needs (ids, thresholds, calibration) and what people need.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tactful.errors import FileFormatError

CARD_FILE = "card.json"
DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Card:
    """What is known about a detector."""

    name: str
    version: str
    ids: tuple[str, ...]
    """The taxonomy ids it scores, in the order of its outputs."""
    kind: str = ""
    """What opens its folder: a name of :data:`tactful.detectors.load.KINDS`."""
    lang: str = "en"
    summary: str = ""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability from which an id counts as found; chosen on data not trained on."""
    report_thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability from which ``tactful check`` reports an id, where it is higher: chosen so
    that ordinary text has next to no findings."""
    calibration: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """id -> slope and intercept: probability = sigmoid(slope * logit + intercept)."""
    span_thresholds: Mapping[str, float] = field(default_factory=dict)
    """The probability from which a token belongs to a span of the id, in the token head's order."""
    bands: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """id -> the probabilities between which a cascade asks its second detector."""
    licence: str = "Apache-2.0"
    corpora: tuple[Mapping[str, Any], ...] = ()
    """The corpora it was trained on: name, terms, part, number of texts."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Command, seed, data hash, base model and recipe."""
    figures: tuple[Mapping[str, Any], ...] = ()
    """What was measured: id, metric, value, low, high, items, part."""
    bias: Mapping[str, Any] = field(default_factory=dict)
    """Scores on neutral sentences by identity term."""
    audit: Mapping[str, Any] = field(default_factory=dict)
    """What the audit of the project says about it: probe, prompts, smallest effect, measures."""
    limits: tuple[str, ...] = ()
    experimental: tuple[str, ...] = ()
    """The ids without training texts in this language; explanations say so."""
    not_for: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The name and version, as reports give it."""
        return f"{self.name} {self.version}"

    def marked_as(self, name: str) -> str | None:
        """Return the token output that marks the words of an id: its own, or its root's."""
        root = name.partition(".")[0]
        return next((each for each in (name, root) if each in self.span_thresholds), None)

    def scaling(self, name: str) -> tuple[float, float]:
        """Return the slope and the intercept that calibrate the log-odds of ``name``."""
        return self.calibration.get(name, (1.0, 0.0))

    def threshold(self, name: str) -> float:
        """Return the probability from which ``name`` counts as found."""
        return self.thresholds.get(name, DEFAULT_THRESHOLD)

    def report_threshold(self, name: str) -> float:
        """Return the probability from which a check reports ``name``."""
        return max(self.threshold(name), self.report_thresholds.get(name, 0.0))


def part_folder(folder: Path, name: str) -> Path:
    """Return the folder of a part that a card names: beside its own, or within it (``./``)."""
    return folder / name if name.startswith("./") else folder.parent / name


def read_card(folder: Path) -> Card:
    """Read the card of a folder with weights.

    Parameters
    ----------
    folder
        The folder that contains ``card.json``.

    Returns
    -------
    Card
        The card.

    Raises
    ------
    FileFormatError
        If the file is missing or is not a model card.

    """
    path = folder / CARD_FILE
    if not path.is_file():
        raise FileFormatError(
            f"{folder}: found no {CARD_FILE}; expected the folder of a detector that "
            "'tactful train' wrote; check the path."
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileFormatError(
            f"{path}: found no readable JSON ({error}); expected a model card; restore the file."
        ) from None
    if not isinstance(found, dict):
        raise FileFormatError(f"{path}: found no mapping; expected a model card; restore the file.")
    known = {each.name for each in fields(Card)}
    missing = [name for name in ("name", "version", "ids") if name not in found]
    if missing:
        raise FileFormatError(
            f"{path}: found no '{missing[0]}'; expected a whole model card; restore the file."
        )
    values = {name: value for name, value in found.items() if name in known}
    for name in (
        "calibration",
        "bands",
        "ids",
        "corpora",
        "figures",
        "limits",
        "experimental",
        "not_for",
    ):
        read = _pairs if name in ("calibration", "bands") else tuple
        try:
            values[name] = read(found.get(name, {}))
        except (TypeError, ValueError, IndexError, AttributeError):
            raise FileFormatError(
                f"{path}: found '{name}' in another shape than a model card's; expected the file "
                "that training wrote; restore it."
            ) from None
    return Card(**values)


def _pairs(found: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {name: (float(pair[0]), float(pair[1])) for name, pair in found.items()}


def write_card(card: Card, folder: Path) -> None:
    """Write a card into a folder with weights.

    Parameters
    ----------
    card
        The card to write.
    folder
        The folder; it is created if needed, and an existing card is replaced.

    """
    from tactful.files import atomic_path

    folder.mkdir(parents=True, exist_ok=True)
    with atomic_path(folder / CARD_FILE, force=True) as target:
        target.write_text(
            json.dumps(asdict(card), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
        )
