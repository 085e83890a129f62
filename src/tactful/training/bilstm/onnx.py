"""A trained BiLSTM as an ONNX file, written node by node.

torch's exporter cannot write an LSTM over texts of several lengths, which the backward direction
needs: it starts at a text's last word, not at the padding. ONNX has an operator for just that.
"""

from pathlib import Path

import numpy as np

from tactful.errors import MissingExtraError
from tactful.files import atomic_path
from tactful.training.bilstm.network import BiLstmNetwork
from tactful.training.onnx_export import INPUTS, check_onnx

_OPSET = 18
_IR = 8
"""A version of the format that every onnxruntime of the last years reads."""


def export_bilstm(network: BiLstmNetwork, path: Path, force: bool = False) -> None:
    """Write ``tokens``, ``mask`` -> ``logits``; a file with other answers is not written."""
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError as error:
        raise MissingExtraError("train", "Writing a model as ONNX") from error
    units = network.lstm.hidden_size
    arrays = {
        "vectors": network.vectors.weight.detach().numpy(),
        **_lstm_arrays(network),
        "head.weight": network.head.weight.detach().numpy(),
        "head.bias": network.head.bias.detach().numpy(),
        "last axis": np.array([1], dtype=np.int64),
        "flat": np.array([-1, 2 * units], dtype=np.int64),
    }
    nodes = [
        helper.make_node("Gather", ["vectors", "tokens"], ["words"]),
        helper.make_node("Transpose", ["words"], ["by place"], perm=[1, 0, 2]),
        helper.make_node("ReduceSum", ["mask", "last axis"], ["counts"], keepdims=0),
        helper.make_node("Cast", ["counts"], ["lengths"], to=TensorProto.INT32),
        helper.make_node(
            "LSTM",
            ["by place", "input", "recurrent", "biases", "lengths"],
            ["", "last"],
            hidden_size=units,
            direction="bidirectional",
        ),
        helper.make_node("Transpose", ["last"], ["by text"], perm=[1, 0, 2]),
        helper.make_node("Reshape", ["by text", "flat"], ["states"]),
        helper.make_node("Gemm", ["states", "head.weight", "head.bias"], ["logits"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "bilstm",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in INPUTS
        ],
        [
            helper.make_tensor_value_info(
                "logits", TensorProto.FLOAT, ["batch", network.head.out_features]
            )
        ],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR
    )
    training = network.training
    network.eval()
    try:
        with atomic_path(path, force) as target:
            onnx.save(model, str(target))
            check_onnx(network, target, path)
    finally:
        network.train(training)


def _lstm_arrays(network: BiLstmNetwork) -> dict[str, np.ndarray]:
    """Return the weights of both directions in ONNX's order of gates."""
    directions = []
    for suffix in ("", "_reverse"):
        parts = {
            name: _reordered(getattr(network.lstm, f"{name}_l0{suffix}").detach().numpy())
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        }
        directions.append(parts)
    return {
        "input": np.stack([each["weight_ih"] for each in directions]),
        "recurrent": np.stack([each["weight_hh"] for each in directions]),
        "biases": np.stack(
            [np.concatenate([each["bias_ih"], each["bias_hh"]]) for each in directions]
        ),
    }


def _reordered(weights: np.ndarray) -> np.ndarray:
    """Turn torch's input, forget, cell, output into ONNX's input, output, forget, cell."""
    entry, forget, cell, output = np.split(weights, 4)
    return np.concatenate([entry, output, forget, cell])
