"""Encoders that ship: their word vectors in one file, and how one can learn again."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from factory.network import Network
from tactful.detectors.models.encoder import MODEL_FILE
from tactful.detectors.models.onnx_session import SHARED_FILE
from tactful.errors import FileFormatError
from tactful.files import atomic_path

WORDS = "embeddings-en/words.npy"
_VECTORS = "network.body.embeddings.word_embeddings.weight.int8"
_PREFIX = "network."
_PRODUCTS = ("MatMulInteger", "MatMul")


def load_shipped(network: Network, path: Path) -> None:
    """Fill a network with the weights of an ONNX file that the factory wrote.

    Embeddings stay those of the pretrained body, which no training changes. Matrices come back
    rounded to 7 bits; the next training removes that noise. Outputs added since keep new heads.

    Parameters
    ----------
    network
        A network with the same body.
    path
        The ``model.onnx`` of an encoder.

    """
    own, found = network.state_dict(), _weights(path)
    for name, value in own.items():
        if ".embeddings." in name or ".pooler." in name:
            continue
        given = found.get(name)
        if given is None or given.shape[1:] != tuple(value.shape[1:]) or len(given) > len(value):
            raise FileFormatError(
                f"{path}: found no weights of '{name}' of the shape {tuple(value.shape)}; expected "
                "an encoder that the factory made with outputs that this network has."
            )
        own[name][: len(given)] = torch.from_numpy(given.copy())
    network.load_state_dict(own)


def _weights(path: Path) -> dict[str, np.ndarray]:
    """Return the weights by the names that the network gives them."""
    graph = onnx.load(path, load_external_data=False).graph
    arrays = {
        each.name: numpy_helper.to_array(each)
        for each in graph.initializer
        if each.data_location != onnx.TensorProto.EXTERNAL
    }
    found = {
        name.removeprefix(_PREFIX): value
        for name, value in arrays.items()
        if name.startswith(_PREFIX) and value.dtype == np.float32
    }
    for node in graph.node:
        matrix = _matrix(node.input[1], arrays) if node.op_type in _PRODUCTS else None
        if matrix is not None:
            layer = re.split("/MatMul|/Gemm", node.output[0])[0]
            found[f"{layer.strip('/').replace('/', '.')}.weight"] = np.ascontiguousarray(matrix.T)
    return found


def _matrix(name: str, arrays: dict[str, np.ndarray]) -> np.ndarray | None:
    """Return a matrix in floating-point numbers; None where the name is no weight."""
    value = arrays.get(name)
    if value is None or value.dtype == np.float32:
        return value
    base = name.removesuffix("_quantized")
    zero, scale = arrays[f"{base}_zero_point"], arrays[f"{base}_scale"]
    matrix: np.ndarray = (value.astype(np.float32) - zero.astype(np.float32)) * scale
    return matrix


def share_words(folder: Path) -> None:
    """Move the word vectors of an encoder to the file that all encoders share.

    No training changes them, so they are the same in all. The file is in a folder beside the
    encoder's; where it exists, it must hold the same vectors. Small tables, which are not int8,
    stay in the model.

    Parameters
    ----------
    folder
        The folder of an encoder that the factory wrote.

    """
    model = onnx.load(folder / MODEL_FILE)
    vectors = next((each for each in model.graph.initializer if each.name == _VECTORS), None)
    if vectors is None:
        return
    array = numpy_helper.to_array(vectors)
    shared = folder.parent / WORDS
    if not shared.is_file():
        shared.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(shared) as target, target.open("wb") as file:
            np.save(file, array)
    elif not np.array_equal(np.load(shared), array):
        raise FileFormatError(
            f"{shared}: found word vectors that differ from those of {folder.name}; expected "
            "encoders that began from the same pretrained one."
        )
    vectors.ClearField("raw_data")
    vectors.data_location = onnx.TensorProto.EXTERNAL
    vectors.external_data.add(key="location", value=shared.name)
    with atomic_path(folder / MODEL_FILE, force=True) as target:
        target.write_bytes(model.SerializeToString(deterministic=True))
    with atomic_path(folder / SHARED_FILE, force=True) as target:
        target.write_text(json.dumps({_VECTORS: WORDS}, indent=1) + "\n", encoding="utf-8")
