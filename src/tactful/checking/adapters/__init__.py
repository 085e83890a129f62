"""Detectors inside the tools that people have already: spaCy, scikit-learn, ``pipeline``."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.checking.adapters.sklearn_transformer import TactfulTransformer
    from tactful.checking.adapters.spacy_component import TactfulComponent
    from tactful.checking.adapters.transformers_pipeline import pipeline

_LAZY = {
    "TactfulComponent": "tactful.checking.adapters.spacy_component",
    "TactfulTransformer": "tactful.checking.adapters.sklearn_transformer",
    "pipeline": "tactful.checking.adapters.transformers_pipeline",
}

__all__ = ["TactfulComponent", "TactfulTransformer", "pipeline"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.checking.adapters' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
