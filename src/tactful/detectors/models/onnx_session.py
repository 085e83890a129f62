"""Opening an ONNX model the way all detectors do, and giving back the memory it has taken.

Embedded encoders that begin from the same pretrained one have the same word vectors. These are
installed once, in a folder beside the models; ``shared.json`` in the folder of a model says where
each array that its ``model.onnx`` leaves out is, such as ``embeddings-en/words.npy``.
"""

import json
import mmap
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from tactful.detectors.weights import weights_roots
from tactful.errors import FileFormatError

SHARED_FILE = "shared.json"
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

    def __init__(self, session: Any, arrays: Sequence[Any] = ()):
        self._session = session
        self._arrays = arrays  # the session reads their memory and does not keep it alive
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
    """Return a session on the processor that uses ``threads``; none of them spins."""
    import onnxruntime

    # Idle threads would spin and burn the time of others; a batch needs no second pool.
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    arrays = share_arrays(path.parent, options)
    try:
        found = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # onnxruntime's own errors share no base class and name no file.
        raise FileFormatError(
            f"{path}: found no model that onnxruntime can open ({type(error).__name__}); expected "
            "the file that training wrote; restore it."
        ) from None
    _give_back_pages(arrays)
    return Session(found, arrays)


def _give_back_pages(arrays: Sequence[Any]) -> None:
    """Give back the memory of mapped files: opening a session reads all of it, a text little."""
    for array in arrays:
        pages = getattr(array, "base", None)
        if isinstance(pages, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            pages.madvise(mmap.MADV_DONTNEED)


def share_arrays(folder: Path, options: Any) -> list[Any]:
    """Give a session the arrays that the model of a folder leaves out, mapped into memory.

    Parameters
    ----------
    folder
        The folder of the model.
    options
        The ``SessionOptions`` of onnxruntime that the session is opened with.

    Returns
    -------
    list
        What the caller must keep as long as the session: onnxruntime reads this memory.

    """
    file = folder / SHARED_FILE
    if not file.is_file():
        return []
    from onnxruntime import OrtValue

    places = _places(file)
    arrays = [_shared_array(folder, place) for place in places.values()]
    values = [OrtValue.ortvalue_from_numpy(array) for array in arrays]
    options.add_external_initializers(list(places), values)
    return [*arrays, *values]


def _places(file: Path) -> Mapping[str, str]:
    try:
        found = json.loads(file.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(_is_place(place) for place in found.values()):
        raise FileFormatError(
            f"{file}: expected a JSON object of arrays and their files, such as "
            '"embeddings-en/words.npy"; restore it.'
        )
    return found


def _is_place(place: object) -> bool:
    """Say whether a place is a file in a folder: nothing else on the disk may be read."""
    parts = place.split("/") if isinstance(place, str) else []
    return len(parts) == 2 and not {"", ".", ".."} & set(parts) and "\\" not in parts[0] + parts[1]


def _shared_array(folder: Path, place: str) -> Any:
    roots = (folder.parent, *weights_roots())
    path = next((root / place for root in roots if (root / place).is_file()), None)
    if path is None:
        raise FileFormatError(
            f"{folder}: the model needs the file '{place}', which comes with Tactful; reinstall "
            "tactful, or copy the file's folder beside the model's."
        )
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError) as error:
        raise FileFormatError(f"{path}: found no array ({error}); restore the file.") from None
