"""Tactful's own detectors as classifiers: negative where a check reports something, else neutral.

``tactful:default``, ``tactful:fast``, ``tactful:cascade`` or ``tactful:FOLDER``; with ``#ID`` at
the end, such as ``tactful:fast#frame.offensive``, only that finding counts.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from tactful.audit.classifiers.labels import Classifier, answer, fingerprint
from tactful.audit.protocol import Answer
from tactful.detectors.base import Detector, found_ids
from tactful.detectors.card import read_card
from tactful.detectors.load import DETECTORS, EMBEDDED, detector_names, load_detector, own_folder
from tactful.detectors.weights import weights_folder
from tactful.files import sha256
from tactful.registry import unknown_name

PREFIX = "tactful:"
_PAGE = "README.md"


class DetectorClassifier(Classifier):
    """A detector; ``score`` is the probability that decided, ``said`` names its id."""

    batch = 256

    def __init__(
        self,
        name: str,
        folder: Path,
        detector: Detector,
        only: str | None = None,
        chosen: str | None = None,
    ):
        card = detector.card
        if only is not None and only not in card.ids:
            raise unknown_name("id to find", only, list(card.ids))
        self.name, self.folder, self.only = name, folder, only
        self.language: str | None = card.lang
        self._chosen = chosen
        self._detector = detector
        self._ids = card.ids if only is None else (only,)
        self._thresholds = {each: card.report_threshold(each) for each in card.ids}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the card, the weights and the id."""
        return fingerprint(
            "detector", self._detector.card.model, *_hashes(self.folder), f"#{self.only or ''}"
        )

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the results should know."""
        what = "anything it can find" if self.only is None else f"'{self.only}'"
        return (
            *(() if self._chosen is None else (self._chosen,)),
            f"{self._detector.card.model} finds harmful language: here a text is negative where "
            f"a check reports {what}, and else neutral; none is positive.",
        )

    def answers(self, texts: list[str]) -> list[Answer]:
        """Return one answer for each text of a batch."""
        scores = self._detector.score(texts)
        return [
            self._answer({name: float(values[row]) for name, values in scores.items()})
            for row in range(len(texts))
        ]

    def _answer(self, probabilities: Mapping[str, float]) -> Answer:
        found = [each for each in found_ids(probabilities, self._thresholds) if each in self._ids]
        below = [each for each in self._ids if probabilities[each] < self._thresholds[each]]
        # An id may reach its threshold and still not be found, because its gate is closed.
        deciding = max(
            found or below or self._ids,
            key=lambda each: probabilities[each] - self._thresholds[each],
        )
        value = probabilities[deciding]
        said = f"{deciding} {value:.4f} (reported from {self._thresholds[deciding]:.4f})"
        return answer("negative" if found else "neutral", value, said)


def load_detector_classifier(name: str, language: str = "en") -> DetectorClassifier:
    """Open a detector by its name or folder behind ``tactful:``, with an optional ``#ID``.

    An embedded one is that of the language of the texts, where there is one.
    """
    place, only = name.removeprefix(PREFIX), None
    if "#" in place and not Path(place).expanduser().is_dir():
        place, _, only = place.rpartition("#")
    if not place:
        raise unknown_name("detector", place, detector_names())
    built_in = place in DETECTORS
    detector = load_detector(place, lang=language) if built_in else load_detector(place)
    embedded = EMBEDDED[language][place] if built_in else None
    folder = weights_folder(embedded) if embedded else own_folder(place)
    short, chosen = (place if embedded else folder.resolve().name), None
    if embedded and language != "en":
        short = embedded
        chosen = (
            f"The probe is in '{language}', so the detector for that language reads it: {embedded}."
        )
    label = f"{PREFIX}{short}" + (f"#{only}" if only is not None else "")
    return DetectorClassifier(label, folder, detector, only, chosen)


def _hashes(folder: Path) -> list[str]:
    """Hash the files of a detector's folder and of the folders that its card names."""
    found = [
        f"{folder.name}/{file.name} {sha256(file)}"
        for file in sorted(folder.iterdir())
        if file.is_file() and file.name != _PAGE
    ]
    training = read_card(folder).training
    for member in [*training.get("detectors", ()), *training.get("members", {})]:
        found += _hashes(folder.parent / member)
    return found
