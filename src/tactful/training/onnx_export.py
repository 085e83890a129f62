"""Trained torch modules as ONNX files, which run without torch; and as small ones, in int8.

The TorchScript exporter is used, not torch's newer one (``dynamo=True``): it needs no further
library, takes a tenth of the time, and onnxruntime can quantise what it writes (the newer one
writes the transposed weights of a linear layer under shapes that onnxruntime's quantiser refuses).
What a trace can get wrong is checked: every export is run beside the module, on other shapes than
those it was traced with, before the file is put in its place.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from tactful.detectors.models.onnx_session import open_session
from tactful.errors import MissingExtraError, OutputError
from tactful.files import atomic_path

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

INPUTS = ("tokens", "mask")
TOLERANCE = 1e-4
_OPSET = 18
_TRACED = (2, 9)
_TRIED = ((1, 1), (3, 24))
"""Batch and length of what the module is traced with, and of what the file is tried with."""
_LEAST_ROWS = 256
"""Smaller tables than this are no word vectors, and not worth shrinking."""
_NARROW = 32
"""Narrower matrices than this are heads."""


def export_onnx(
    module: nn.Module, path: Path, outputs: Sequence[str] = ("logits",), force: bool = False
) -> None:
    """Write a module of ``tokens`` and ``mask`` as ONNX; batch and length stay free.

    The module returns one tensor, or as many as ``outputs`` has names. A file that does not give
    the module's answers to 0.0001 is an :class:`OutputError`, and is not written.
    """
    example = _example(*_TRACED)
    axes = {name: {0: "batch", 1: "length"} for name in INPUTS}
    for name, value in zip(outputs, _answers(module, example), strict=True):
        axes[name] = {0: "batch"} if value.ndim < 3 else {0: "batch", 1: "length"}
    tried = [_example(*shape) for shape in _TRIED]
    export_graph(module, path, INPUTS, outputs, axes, [example, *tried], force)


def export_graph(
    module: nn.Module,
    path: Path,
    inputs: Sequence[str],
    outputs: Sequence[str],
    axes: dict[str, dict[int, str]],
    examples: Sequence[tuple[Tensor, ...]],
    force: bool = False,
) -> None:
    """Write any module as ONNX: traced with the first example, and tried with the others."""
    training = module.training
    module.eval()
    try:
        with atomic_path(path, force) as target:
            with _hushed():
                torch.onnx.export(
                    module,
                    examples[0],
                    str(target),
                    input_names=list(inputs),
                    output_names=list(outputs),
                    dynamic_axes=axes,
                    opset_version=_OPSET,
                    dynamo=False,
                )
            check_onnx(module, target, path, inputs, examples[1:])
    finally:
        module.train(training)


def quantise_onnx(source: Path, target: Path, force: bool = False) -> None:
    """Write an ONNX file with weights in int8: about a quarter of the size.

    Matrices are quantised per channel with 7 bits, so that the products cannot overflow on
    processors without VNNI; activations as they come. Word vectors get one scale each. Heads stay
    as they are: they are tiny, and nothing behind them evens an error out.
    """
    try:
        import onnx
        from onnxruntime import quantization
    except ImportError as error:
        raise MissingExtraError("train", "Writing a model as ONNX") from error
    model = onnx.load(str(source))
    shrink_word_vectors(model)
    with atomic_path(target, force) as part, _hushed():
        quantization.quantize_dynamic(
            model,
            str(part),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=quantization.QuantType.QInt8,
            nodes_to_exclude=_heads(model),
        )


def _heads(model: "ModelProto") -> list[str]:
    """Return the names of the products with narrow matrices, as the quantiser will call them."""
    narrow = {each.name for each in model.graph.initializer if min(each.dims, default=0) < _NARROW}
    nodes = [
        node
        for node in model.graph.node
        if node.op_type in ("MatMul", "Gemm") and node.input[1] in narrow
    ]
    # It makes a MatMul of every Gemm first, and names it so.
    return [name for node in nodes for name in (node.name, f"{node.name}_MatMul")]


def shrink_word_vectors(model: "ModelProto") -> None:
    """Keep the tables that words are looked up in as int8 with one scale for each row.

    onnxruntime's own quantiser has one scale for a whole table, and rare words are far out.
    """
    from onnx import numpy_helper

    tables = {each.name: each for each in model.graph.initializer}
    uses = [name for node in model.graph.node for name in node.input]
    nodes: list[NodeProto] = []
    for node in model.graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        if table is None or len(table.dims) != 2 or table.dims[0] < _LEAST_ROWS:
            nodes.append(node)
            continue
        values = numpy_helper.to_array(table)
        if values.dtype != np.float32 or uses.count(table.name) > 1:
            nodes.append(node)
            continue
        model.graph.initializer.remove(table)
        nodes += _looked_up(model, node, values)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _looked_up(model: "ModelProto", node: "NodeProto", values: np.ndarray) -> "list[NodeProto]":
    """Return the nodes that look rows up in int8 and give them their scale back."""
    from onnx import TensorProto, helper, numpy_helper

    name = node.input[0]
    scales = np.maximum(np.abs(values).max(axis=1, keepdims=True) / 127, 1e-12)
    for suffix, array in (
        ("int8", np.rint(values / scales).astype(np.int8)),
        ("scale", scales.astype(np.float32)),
    ):
        model.graph.initializer.append(numpy_helper.from_array(array, f"{name}.{suffix}"))
    rows, scale, numbers = (f"{name}.{each}" for each in ("rows", "row_scale", "numbers"))
    return [
        helper.make_node("Gather", [f"{name}.int8", node.input[1]], [rows], axis=0),
        helper.make_node("Gather", [f"{name}.scale", node.input[1]], [scale], axis=0),
        helper.make_node("Cast", [rows], [numbers], to=TensorProto.FLOAT),
        helper.make_node("Mul", [numbers, scale], list(node.output)),
    ]


def check_onnx(
    module: nn.Module,
    file: Path,
    named: Path,
    inputs: Sequence[str] = INPUTS,
    examples: Sequence[tuple[Tensor, ...]] = (),
) -> None:
    """Run the file beside the module; other answers are an :class:`OutputError`."""
    session = open_session(file)
    names = [each.name for each in session.get_outputs()]
    for example in examples or [_example(*shape) for shape in _TRIED]:
        expected = _answers(module, example)
        feed = {name: value.numpy() for name, value in zip(inputs, example, strict=True)}
        for name, ours, theirs in zip(names, expected, session.run(names, feed), strict=True):
            gap = float(np.abs(ours.numpy() - theirs).max())
            # "not <=" also refuses NaN.
            if not gap <= TOLERANCE:
                raise OutputError(
                    f"{named}: the ONNX file gives '{name}' {gap:.2g} away from the trained model; "
                    f"expected at most {TOLERANCE}; this kind of encoder cannot be exported, take "
                    "another."
                )


def _answers(module: nn.Module, example: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    training = module.training
    module.eval()
    with torch.no_grad():
        found = module(*example)
    module.train(training)
    return (found,) if isinstance(found, Tensor) else tuple(found)


def _example(batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Return tokens that any vocabulary has, with padding in the last of several texts."""
    generator = torch.Generator().manual_seed(batch * 1000 + length)
    tokens = torch.randint(0, 2, (batch, length), generator=generator)
    mask = torch.ones_like(tokens)
    if batch > 1:
        mask[-1, length // 2 :] = 0
    return tokens, mask


@contextmanager
def _hushed() -> Iterator[None]:
    """Keep the exporter and the quantiser from talking to the user about themselves."""
    import logging

    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
