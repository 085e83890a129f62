"""Detectors inside the tools that people have already: spaCy, scikit-learn, ``pipeline``."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.checking.adapters.sklearn_transformer import TactfulTransformer
    from tactful.checking.adapters.spacy_component import TactfulComponent
    from tactful.checking.adapters.transformers_pipeline import pipeline

__all__ = ["TactfulComponent", "TactfulTransformer", "pipeline"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "sklearn_transformer": ["TactfulTransformer"],
        "spacy_component": ["TactfulComponent"],
        "transformers_pipeline": ["pipeline"],
    },
)
