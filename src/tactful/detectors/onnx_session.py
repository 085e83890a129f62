"""Opening an ONNX model the way all detectors do."""

from pathlib import Path
from typing import Any

from tactful.errors import FileFormatError


def open_session(path: Path, threads: int = 1) -> Any:
    """Return an onnxruntime session on the processor; it uses so many threads, and none spins."""
    import onnxruntime

    # Idle threads would spin and burn the time of others; a batch needs no second pool.
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # onnxruntime's own errors share no base class and name no file.
        raise FileFormatError(
            f"{path}: found no model that onnxruntime can open ({type(error).__name__}); expected "
            "the file that training wrote; restore it."
        ) from None
