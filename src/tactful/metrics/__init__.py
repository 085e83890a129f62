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
    if name == "__all__":
        return __dir__()
    raise AttributeError(f"module 'tactful.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    public = vars(import_module("tactful.metrics.public"))
    own = {name for name, value in public.items() if _is_own(value)}
    return sorted(name for name in own if not name.startswith("_"))


def _is_own(value: object) -> bool:
    """Say whether a value is of this package; a table of measures names no module."""
    return str(getattr(value, "__module__", __name__)).startswith(__name__)
