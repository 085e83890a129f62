"""Opening an ONNX model the way all detectors do, and giving back the memory it has taken."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from tactful.errors import FileFormatError

_SHRINK = ("memory.enable_memory_arena_shrinkage", "cpu:0")
_RELEASES = count(1)
_asked = 0
"""Which release was asked for last."""


class Session:
    """An onnxruntime session that can give back what large inputs made it take.

    onnxruntime keeps the memory of the largest input so far for the next ones, which makes it fast,
    and gives it back only at the end of a run that asks for it. After :func:`release_memory` the
    next run of every session does.
    """

    def __init__(self, session: Any):
        self._session = session
        self._released = _asked
        self.get_inputs, self.get_outputs = session.get_inputs, session.get_outputs

    def run(self, outputs: Sequence[str], inputs: dict[str, Any]) -> Any:
        """Return the wanted outputs."""
        if self._released == _asked:
            return self._session.run(outputs, inputs)
        import onnxruntime

        self._released = _asked
        options = onnxruntime.RunOptions()
        options.add_run_config_entry(*_SHRINK)
        return self._session.run(outputs, inputs, options)


def release_memory() -> None:
    """Let the next run of every open session give back the memory that it does not need."""
    global _asked  # noqa: PLW0603 (sessions are opened and closed anywhere)
    _asked = next(_RELEASES)


def open_session(path: Path, threads: int = 1) -> Session:
    """Return a session on the processor; it uses so many threads, and none spins."""
    import onnxruntime

    # Idle threads would spin and burn the time of others; a batch needs no second pool.
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        found = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # onnxruntime's own errors share no base class and name no file.
        raise FileFormatError(
            f"{path}: found no model that onnxruntime can open ({type(error).__name__}); expected "
            "the file that training wrote; restore it."
        ) from None
    return Session(found)
