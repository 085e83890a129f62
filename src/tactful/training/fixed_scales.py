"""Make the scores of an encoder's ONNX file independent of the other texts in a batch.

onnxruntime's quantiser writes int8 files that measure the range of the numbers in every call, over
all texts of the call: the score of a text then depends on its neighbours. Here these ranges are
measured once, on example texts, and written into the file. Sums that are taken in another order
when there is only one row (the pooling, the heads) get each row twice.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tactful.detectors.models.encoder import (
    MODEL_FILE,
    batches,
    cut,
    most_tokens,
    open_tokenizer,
    padded,
)
from tactful.errors import InputError, MissingExtraError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

EXAMPLES = 3_000
SEED = 1
_DYNAMIC = "DynamicQuantizeLinear"
_REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceL2")
_PRODUCTS = ("MatMul", "Gemm")
_LEVELS = 255
"""Steps from the least to the greatest number of eight bits."""


def fix_scales(folder: Path, texts: Sequence[str], seed: int = SEED) -> dict[str, Any]:
    """Rewrite the ``model.onnx`` of a folder that has its ``tokenizer.json`` already.

    At most :data:`EXAMPLES` of the texts are read. Returns what a card says under ``training``:
    nothing where the file computes in floating-point numbers alone.
    """
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("train", "Writing a model as ONNX") from error
    path = folder / MODEL_FILE
    model = onnx.load(str(path))
    about: dict[str, Any] = {}
    if any(node.op_type == _DYNAMIC for node in model.graph.node):
        chosen = examples(texts, seed)
        if not chosen:
            raise InputError(
                f"{path}: found no text to measure the ranges of the numbers with; expected the "
                "texts that the encoder was trained on; name them."
            )
        _write_ranges(model, _ranges(model, folder, chosen))
        rule = "mean of the ranges of batches"
        about = {"scales": {"texts": len(chosen), "seed": seed, "rule": rule}}
    _lay_out_twice(model)
    onnx.checker.check_model(model)
    with atomic_path(path, force=True) as target:
        onnx.save(model, str(target))
    return about


def examples(texts: Sequence[str], seed: int = SEED) -> list[str]:
    """Draw texts to measure on; all of them where there are few."""
    if len(texts) <= EXAMPLES:
        return list(texts)
    rows = np.random.default_rng(seed).choice(len(texts), EXAMPLES, replace=False)
    return [texts[row] for row in sorted(rows.tolist())]


def _ranges(
    model: "ModelProto", folder: Path, texts: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Return the least and the greatest number at each place, in the mean of all batches."""
    import onnxruntime
    from onnx import ModelProto, TensorProto, helper

    watched = ModelProto()
    watched.CopyFrom(model)
    places = [node for node in watched.graph.node if node.op_type == _DYNAMIC]
    names = []
    for node in places:
        for name, kind in zip(node.output[1:], (TensorProto.FLOAT, TensorProto.UINT8), strict=True):
            watched.graph.output.append(helper.make_tensor_value_info(name, kind, None))
            names.append(name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        watched.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = open_tokenizer(folder)
    most = most_tokens(tokenizer)
    windows, _ = cut(tokenizer, texts)
    found = []
    for rows in batches(windows, most):
        tokens, mask = padded([windows[row] for row in rows], most)
        found.append(session.run(names, {"tokens": tokens, "mask": mask}))
    values = np.array(found, dtype=np.float64).reshape(len(found), len(places), 2)
    scales, zeros = values[..., 0], values[..., 1]
    low, high = (-scales * zeros).mean(axis=0), (scales * (_LEVELS - zeros)).mean(axis=0)
    return {node.output[0]: (float(low[at]), float(high[at])) for at, node in enumerate(places)}


def _write_ranges(model: "ModelProto", ranges: dict[str, tuple[float, float]]) -> None:
    """Put fixed scales in the place of those that are measured in every call."""
    from onnx import helper, numpy_helper

    nodes: list[NodeProto] = []
    for node in model.graph.node:
        if node.op_type != _DYNAMIC:
            nodes.append(node)
            continue
        numbers, scale, zero = node.output
        low, high = ranges[numbers]
        step = np.float32((high - low) / _LEVELS)
        middle = np.uint8(np.clip(np.rint(-low / step), 0, _LEVELS))
        for name, value in ((scale, step), (zero, middle)):
            model.graph.initializer.append(numpy_helper.from_array(np.array(value), name))
        nodes.append(
            helper.make_node(
                "QuantizeLinear", [node.input[0], scale, zero], [numbers], name=node.name
            )
        )
    _replace(model, nodes)


def _lay_out_twice(model: "ModelProto") -> None:
    """Give the sums over pooled rows every row twice: one row alone is summed in another order."""
    from onnx import helper

    alone = _sums_of_rows(model)
    laid: set[str] = set()
    nodes: list[NodeProto] = []
    for at, node in enumerate(model.graph.node):
        if at not in alone:
            nodes.append(node)
            continue
        rows, answer = node.input[0], node.output[0]
        twice, answers = f"{rows}_twice", f"{answer}_twice"
        if rows not in laid:
            nodes.append(helper.make_node("Concat", [rows, rows], [twice], axis=0))
            laid.add(rows)
        node.input[0], node.output[0] = twice, answers
        halves = [answer, f"{answer}_again"]
        nodes += [node, helper.make_node("Split", [answers], halves, axis=0, num_outputs=2)]
    _replace(model, nodes)


def _sums_of_rows(model: "ModelProto") -> set[int]:
    """Return the places of the nodes that sum floating-point numbers with one row for each text.

    Products of tokens have at least eight rows, and whole numbers add up exactly in any order.
    """
    from onnx import TensorProto, shape_inference

    inferred = shape_inference.infer_shapes(model).graph
    known = {
        each.name: each.type.tensor_type
        for each in (*inferred.value_info, *inferred.input, *inferred.output)
    }
    fixed = _fixed(model)
    found = set()
    for at, node in enumerate(model.graph.node):
        kind = known.get(node.input[0]) if node.input else None
        if kind is None or kind.elem_type != TensorProto.FLOAT or not kind.HasField("shape"):
            continue
        rank = len(kind.shape.dim)
        if node.op_type in _PRODUCTS and rank == 2 and node.input[1] in fixed:
            found.add(at)
        elif node.op_type in _REDUCTIONS and len(node.input) > 1:
            axes = fixed.get(node.input[1])
            # The axis behind that of the texts: tokens, or the numbers of a pooled row.
            if axes is not None and [int(axis) % rank for axis in axes.reshape(-1)] == [1]:
                found.add(at)
    return found


def _fixed(model: "ModelProto") -> "dict[str, np.ndarray | None]":
    """Return what depends on no text; None where it is computed when the file is opened."""
    from onnx import numpy_helper

    found: dict[str, np.ndarray | None] = {
        each.name: numpy_helper.to_array(each) for each in model.graph.initializer
    }
    for node in model.graph.node:
        if node.op_type == "Constant":
            value = next((each.t for each in node.attribute if each.name == "value"), None)
            found[node.output[0]] = None if value is None else numpy_helper.to_array(value)
        elif node.input and all(name in found for name in node.input):
            found |= dict.fromkeys(node.output)
    return found


def _replace(model: "ModelProto", nodes: "Sequence[NodeProto]") -> None:
    kept = list(nodes)
    del model.graph.node[:]
    model.graph.node.extend(kept)
