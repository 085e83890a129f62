"""Modules that had another name in version 0.1: the old one still works, with a warning.

Python asks for them only where nothing else finds a name. They will go in version 0.3.
"""

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "annotation.load": "annotation.protocol.load",
    "annotation.overview": "annotation.analysis.overview",
    "annotation.simulate": "annotation.simulation.simulate",
    "audit.render": "audit.probes.render",
    "detectors.adapters": "checking.adapters",
    "detectors.baselines": "detectors.models.baselines",
    "detectors.bulk": "checking.bulk",
    "detectors.checker": "checking.findings",
    "detectors.documents": "documents.document",
    "detectors.explanation": "checking.explanation",
    "detectors.faithfulness": "detectors.explain.faithfulness",
    "detectors.language": "documents.language",
    "detectors.neutral": "detectors.identity_bias",
    "detectors.occlusion": "detectors.explain.words",
    "detectors.protocol": "detectors.base",
    "detectors.tfidf": "detectors.models.tfidf",
    "detectors.vectors": "detectors.models.vectors",
    "training.stereotype_corpora": "training.stereotypes.corpora",
    "training.stereotype_switches": "training.stereotypes.switches",
    "training.stereotype_trainer": "training.stereotypes.trainer",
}
"""Old name -> new name, below ``tactful``: what the documentation of 0.1 named."""


class _Alias(Loader):
    def __init__(self, old: str, new: str):
        self._old, self._new = old, new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(
            f"'{self._old}' is now '{self._new}'; the old name will go in Tactful 0.3.",
            DeprecationWarning,
            stacklevel=2,
        )
        return import_module(self._new)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module was imported under its new name."""


def find_moved(fullname: str) -> ModuleSpec | None:
    """Return the module that a name of 0.1 stands for."""
    new = MOVED.get(fullname.removeprefix("tactful."))
    return None if new is None else ModuleSpec(fullname, _Alias(fullname, f"tactful.{new}"))
