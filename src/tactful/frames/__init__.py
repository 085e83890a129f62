"""Social Bias Frames: what a text may imply, about whom, and how sure that is (Sap et al. 2020)."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "frame_json": ["frame_as_json", "frame_from_json"],
        "load": ["FRAMERS", "Framer", "load_framer"],
        "schema": [
            "aggregate_frames",
            "binarised",
            "frame_problems",
            "make_frame",
            "validate_frame",
        ],
    },
)
