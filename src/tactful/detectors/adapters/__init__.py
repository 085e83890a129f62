"""Detectors inside the tools that people have already: spaCy, scikit-learn, ``pipeline``."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.detectors.adapters.sklearn_transformer import TactfulTransformer
    from tactful.detectors.adapters.spacy_component import TactfulComponent
    from tactful.detectors.adapters.transformers_pipeline import pipeline

_LAZY = {
    "TactfulComponent": "tactful.detectors.adapters.spacy_component",
    "TactfulTransformer": "tactful.detectors.adapters.sklearn_transformer",
    "pipeline": "tactful.detectors.adapters.transformers_pipeline",
}

__all__ = ["TactfulComponent", "TactfulTransformer", "pipeline"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.detectors.adapters' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
