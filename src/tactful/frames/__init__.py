"""Social Bias Frames: what a text may imply, about whom, and how sure that is (Sap et al. 2020)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tactful.frames.frame_json import frame_as_json, frame_from_json
    from tactful.frames.load import FRAMERS, Framer, load_framer
    from tactful.frames.schema import (
        aggregate_frames,
        binarised,
        frame_problems,
        make_frame,
        validate_frame,
    )

_LAZY = {
    "FRAMERS": "tactful.frames.load",
    "Framer": "tactful.frames.load",
    "aggregate_frames": "tactful.frames.schema",
    "binarised": "tactful.frames.schema",
    "frame_as_json": "tactful.frames.frame_json",
    "frame_from_json": "tactful.frames.frame_json",
    "frame_problems": "tactful.frames.schema",
    "load_framer": "tactful.frames.load",
    "make_frame": "tactful.frames.schema",
    "validate_frame": "tactful.frames.schema",
}

__all__ = [
    "FRAMERS",
    "Framer",
    "aggregate_frames",
    "binarised",
    "frame_as_json",
    "frame_from_json",
    "frame_problems",
    "load_framer",
    "make_frame",
    "validate_frame",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'tactful.frames' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
