"""Social Bias Frames: what a text may imply, about whom, and how sure that is (Sap et al. 2020)."""

from typing import TYPE_CHECKING

from tactful.registry import lazy_names

if TYPE_CHECKING:
    from tactful.frames.frame_json import frame_as_json as frame_as_json
    from tactful.frames.frame_json import frame_from_json as frame_from_json
    from tactful.frames.load import FRAMERS as FRAMERS
    from tactful.frames.load import Framer as Framer
    from tactful.frames.load import load_framer as load_framer
    from tactful.frames.schema import aggregate_frames as aggregate_frames
    from tactful.frames.schema import binarised as binarised
    from tactful.frames.schema import frame_problems as frame_problems
    from tactful.frames.schema import make_frame as make_frame
    from tactful.frames.schema import validate_frame as validate_frame

_NAMES = {
    "frame_json": ["frame_as_json", "frame_from_json"],
    "load": ["FRAMERS", "Framer", "load_framer"],
    "schema": ["aggregate_frames", "binarised", "frame_problems", "make_frame", "validate_frame"],
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__, __dir__ = lazy_names(__name__, _NAMES)
