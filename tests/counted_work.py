"""Work that is counted, not timed: the same on every machine, however busy it is."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(call: Callable[[], object]) -> int:
    """Return how many bytecode instructions of Python a call takes, in all that it calls."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def growth(call: Callable[[str], object], small: str, large: str) -> float:
    """Return how much faster work grows than its text: 1 is linear, 2 or more is not."""
    call(small)  # what is read once and remembered is no work of the text
    return (steps(lambda: call(large)) / steps(lambda: call(small))) / (len(large) / len(small))
