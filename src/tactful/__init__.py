"""Tactful reads what language implies.

Rooms and names are loaded when they are first used: ``import tactful`` loads no library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_LAZY = {
    "Example": "tactful.types",
    "Finding": "tactful.types",
    "Frame": "tactful.types",
    "Judgement": "tactful.types",
    "Report": "tactful.types",
    "Span": "tactful.types",
    "TactfulError": "tactful.errors",
    "load_corpus": "tactful.corpora",
    "load_taxonomy": "tactful.taxonomies",
}
_ROOMS = ("aggregation", "agreement", "corpora", "metrics", "taxonomies")

__all__ = [
    "Example",
    "Finding",
    "Frame",
    "Judgement",
    "Report",
    "Span",
    "TactfulError",
    "__version__",
    "aggregation",
    "agreement",
    "corpora",
    "load_corpus",
    "load_taxonomy",
    "metrics",
    "taxonomies",
]

if TYPE_CHECKING:
    from tactful import aggregation, agreement, corpora, metrics, taxonomies
    from tactful.corpora import load_corpus
    from tactful.errors import TactfulError
    from tactful.taxonomies import load_taxonomy
    from tactful.types import Example, Finding, Frame, Judgement, Report, Span


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in _ROOMS:
        return import_module(f"tactful.{name}")
    raise AttributeError(f"module 'tactful' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
