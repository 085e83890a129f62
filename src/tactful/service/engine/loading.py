"""Opening the detectors of a service: one for each language, with its share of the cores."""

from collections.abc import Sequence
from pathlib import Path

from tactful.detectors.base import Detector
from tactful.detectors.card import Card, read_card
from tactful.detectors.cost import encoders_in, parts_in
from tactful.detectors.load import DETECTORS, embedded_folders, load_detector, own_folder
from tactful.detectors.models.linear import LinearDetector
from tactful.detectors.shared_weights import lay_out
from tactful.errors import UsageError
from tactful.frames.embedded import EMBEDDED as FRAMERS
from tactful.frames.embedded import framer_folder
from tactful.service.settings import ServiceSettings


def detector_folders(settings: ServiceSettings) -> dict[str, Path]:
    """Return the folder of the detector of each language, in the order of the languages.

    As with ``tactful check``, a language without a detector of the wanted name has its default,
    and a custom folder serves only its own language.
    """
    return _folders(settings.model, settings.langs, settings.weights)


def _folders(model: str, langs: Sequence[str] = (), weights: Path | None = None) -> dict[str, Path]:
    if model in DETECTORS:
        return embedded_folders(model, langs, weights)
    folder = own_folder(model)
    if not folder.is_dir():
        load_detector(model)  # says what is wrong with the name
    return {read_card(folder).lang: folder}


def shadow_folders(settings: ServiceSettings) -> dict[str, Path]:
    """Return the folders of the shadow model in the languages that it shares with the service."""
    name = settings.shadow or settings.model
    found = _folders(name)
    served = detector_folders(settings)
    shared = {lang: folder for lang, folder in found.items() if lang in served}
    if not shared:
        raise UsageError(
            f"The shadow model '{name}' reads {' and '.join(found) or 'no language'}; this service "
            f"serves {' and '.join(served)}. Name one that reads the same language."
        )
    return shared


def read_cards(settings: ServiceSettings) -> dict[str, Card]:
    """Return the cards of the detectors by language, without opening these."""
    return {lang: read_card(folder) for lang, folder in detector_folders(settings).items()}


def lay_out_weights(settings: ServiceSettings, target: Path) -> Path | None:
    """Write the weights once for all workers of a service; None for a custom folder."""
    if settings.model not in DETECTORS:
        return None
    framers = [folder for lang in FRAMERS if (folder := framer_folder(lang))]
    lay_out([*detector_folders(settings).values(), *framers], target)
    return target


def open_detector(folder: Path, threads: int) -> Detector:
    """Open a detector that uses this many threads."""
    detector = load_detector(folder)
    for encoder in encoders_in(detector):
        encoder.threads = threads
    return detector


def forget_words(detector: Detector) -> None:
    """Clear the words that a detector caches."""
    for part in parts_in(detector):
        if isinstance(part, LinearDetector):
            part.forget()
