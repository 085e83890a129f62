"""The check: options, configuration, the checker, explanations and reports."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.checking.checker import Checker, check
    from tactful.checking.options import CheckOptions
    from tactful.checking.report import DocumentReport, Kind, PlacedFinding

__all__ = ["CheckOptions", "Checker", "DocumentReport", "Kind", "PlacedFinding", "check"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "checker": ["Checker", "check"],
        "options": ["CheckOptions"],
        "report": ["DocumentReport", "Kind", "PlacedFinding"],
    },
)
