"""Tactful reads what language implies.

Rooms and names are loaded when they are first used: ``import tactful`` loads no library.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tactful.registry import find_moved_names as _find_moved_names

__version__ = "0.2.0"

# Since 1.29 onnxruntime notes how it is used in a file, to send it to its maker, unless this is
# said before it is loaded. Nothing here uses the network unless it is asked to.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
_find_moved_names()

_TYPES = ("Example", "Finding", "Frame", "Implication", "Judgement", "Report", "Span")
_LAZY = dict.fromkeys(_TYPES, "tactful.types") | {
    "CheckOptions": "tactful.checking",
    "Checker": "tactful.checking",
    "TactfulError": "tactful.errors",
    "check": "tactful.checking",
    "load_corpus": "tactful.corpora",
    "load_detector": "tactful.detectors",
    "load_framer": "tactful.frames",
    "load_taxonomy": "tactful.taxonomies",
}
# fmt: off
_ROOMS = (
    "aggregation", "agreement", "annotation", "audit", "checking", "corpora", "detectors",
    "documents", "frames", "metrics", "scale", "taxonomies", "terms",
)

__all__ = [
    "CheckOptions", "Checker", "Example", "Finding", "Frame", "Implication", "Judgement", "Report",
    "Span", "TactfulError", "__version__", "aggregation", "agreement", "annotation", "audit",
    "check", "checking", "corpora", "detectors", "documents", "frames", "load_corpus",
    "load_detector", "load_framer", "load_taxonomy", "metrics", "scale", "taxonomies", "terms",
]
# fmt: on

if TYPE_CHECKING:
    from tactful import (
        aggregation,
        agreement,
        annotation,
        audit,
        checking,
        corpora,
        detectors,
        documents,
        frames,
        metrics,
        scale,
        taxonomies,
        terms,
    )
    from tactful.checking import Checker, CheckOptions, check
    from tactful.corpora import load_corpus
    from tactful.detectors import load_detector
    from tactful.errors import TactfulError
    from tactful.frames import load_framer
    from tactful.taxonomies import load_taxonomy
    from tactful.types import Example, Finding, Frame, Implication, Judgement, Report, Span


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name in _ROOMS or name == "evaluation":  # which is in tactful_lab now, with a warning
        return import_module(f"tactful.{name}")
    raise AttributeError(f"module 'tactful' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
