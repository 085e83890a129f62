"""Modules that had another name before: the old one still works, with a warning.

Python asks for them only where nothing else finds a name. They will go in version 0.3.
"""

import warnings
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

MOVED = {
    "annotation.load": "annotation.protocol.load",
    "annotation.overview": "annotation.analysis.overview",
    "audit.render": "audit.probes.render",
    "detectors.adapters": "checking.adapters",
    "detectors.baselines": "detectors.models.baselines",
    "detectors.bulk": "checking.bulk",
    "detectors.checker": "checking.findings",
    "detectors.documents": "documents.document",
    "detectors.explanation": "checking.explanation",
    "detectors.language": "documents.language",
    "detectors.occlusion": "detectors.explain.words",
    "detectors.protocol": "detectors.base",
    "detectors.tfidf": "detectors.models.tfidf",
    "detectors.vectors": "detectors.models.vectors",
}
"""Old name -> new name, below ``tactful``: what the documentation of 0.1 named."""
MOVED_TO_LAB = {
    "annotation.simulate": "simulation.simulate",
    "annotation.simulation": "simulation",
    "audit.runs.replay": "evaluation.reproduce.stigma_outputs",
    "detectors.explain.faithfulness": "evaluation.faithfulness",
    "detectors.faithfulness": "evaluation.faithfulness",
    "detectors.identity_bias": "evaluation.identity_bias",
    "detectors.neutral": "evaluation.identity_bias",
    "evaluation": "evaluation",
    "frames.causal": "frames.causal",
    "frames.causal_decoding": "frames.causal_decoding",
    "frames.causal_tokens": "frames.causal_tokens",
    "frames.evaluation": "evaluation.frame_measures",
    "frames.linearise": "frames.linearise",
    # Functions of taxonomies.prompts, which has kept the others.
    "taxonomies.stigma_prompts": "evaluation.reproduce.stigma_prompts",
    "training.causal": "training.causal",
    "training.stereotype_corpora": "training.stereotypes.corpora",
    "training.stereotype_switches": "training.stereotypes.switches",
    "training.stereotype_trainer": "training.stereotypes.trainer",
    "training.stereotypes": "training.stereotypes",
}
"""Old name below ``tactful`` -> new name below ``tactful_lab``, of modules and whole packages."""


class _Alias(Loader):
    def __init__(self, old: str, new: str):
        self._old, self._new = old, new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        if self._new.startswith("tactful_lab") and find_spec("tactful_lab") is None:
            raise ModuleNotFoundError(
                f"'{self._old}' is now '{self._new}'; install it with: "
                'pip install "tactful[lab]"',
                name=self._old,
            )
        warnings.warn(
            f"'{self._old}' is now '{self._new}'; the old name will go in Tactful 0.3.",
            DeprecationWarning,
            stacklevel=2,
        )
        module = import_module(self._new)
        if not self._new.startswith("tactful_lab") or not hasattr(module, "__path__"):
            return module
        # A package without a path: Python asks here for the modules in it, too, and loads none of
        # them a second time under its old name.
        package = ModuleType(self._old, module.__doc__)
        vars(package).update(__path__=[], __getattr__=lambda name: getattr(module, name))
        return package

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module was imported under its new name."""


def find_moved(fullname: str) -> ModuleSpec | None:
    """Return the module that an old name stands for."""
    name = fullname.removeprefix("tactful.")
    if name in MOVED:
        return ModuleSpec(fullname, _Alias(fullname, f"tactful.{MOVED[name]}"))
    old = next((each for each in MOVED_TO_LAB if f"{name}.".startswith(f"{each}.")), None)
    if old is None:
        return None
    new = f"tactful_lab.{MOVED_TO_LAB[old]}{name.removeprefix(old)}"
    return ModuleSpec(fullname, _Alias(fullname, new))
