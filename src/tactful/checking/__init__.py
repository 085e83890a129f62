"""The check: options, configuration, the checker, explanations and reports."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.checking.checker import Checker, check
    from tactful.checking.options import CheckOptions
    from tactful.checking.report import DocumentReport, PlacedFinding

_LAZY = {
    "CheckOptions": "tactful.checking.options",
    "Checker": "tactful.checking.checker",
    "DocumentReport": "tactful.checking.report",
    "PlacedFinding": "tactful.checking.report",
    "check": "tactful.checking.checker",
}

__all__ = ["CheckOptions", "Checker", "DocumentReport", "PlacedFinding", "check"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.checking' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
