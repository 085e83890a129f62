"""The weights of a service, laid out once for all of its workers."""

from pathlib import Path

from tactful.detectors.load import DETECTORS
from tactful.detectors.shared_weights import lay_out
from tactful.frames.load import EMBEDDED, framer_folder
from tactful.service.engine.loading import detector_folders
from tactful.service.settings import ServiceSettings


def lay_out_weights(settings: ServiceSettings, target: Path) -> Path | None:
    """Write the layout of all detectors that are served; None for a custom folder."""
    if settings.model not in DETECTORS:
        return None
    framers = [folder for lang in EMBEDDED if (folder := framer_folder(lang))]
    lay_out([*detector_folders(settings).values(), *framers], target)
    return target
