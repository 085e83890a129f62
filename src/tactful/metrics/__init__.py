"""Measures of how good predictions are: arrays and label sets in, an explained number out.

The names are those of :mod:`tactful.metrics.public`, which is imported with the first of them: a
module that needs one measure imports the file of that measure instead.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.metrics.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    public = vars(import_module("tactful.metrics.public"))
    if name in public:
        return public[name]
    raise AttributeError(f"module 'tactful.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(vars(import_module("tactful.metrics.public")))
