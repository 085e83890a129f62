"""Probes: what is asked of a model about whom, as data."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.audit.probes.load import load_probe

_LAZY = {
    "load_probe": "tactful.audit.probes.load",
}

__all__ = ["load_probe"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.audit.probes' has no attribute {name!r}")
