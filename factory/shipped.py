"""Continue from a detector that ships: its int8 file becomes a network that can learn again."""

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from factory.network import Network
from tactful.errors import FileFormatError

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
    graph = onnx.load(path).graph
    arrays = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
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
