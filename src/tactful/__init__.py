"""Tactful reads what language implies.

It finds patronizing, stereotyping, unhealthy and biased language, says where and why, and builds
the data that teaches this. Names are loaded when first used: ``import tactful`` is fast.
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
_ROOMS = ("corpora", "taxonomies")

__all__ = [
    "Example",
    "Finding",
    "Frame",
    "Judgement",
    "Report",
    "Span",
    "TactfulError",
    "__version__",
    "corpora",
    "load_corpus",
    "load_taxonomy",
    "taxonomies",
]

if TYPE_CHECKING:
    from tactful import corpora, taxonomies
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
