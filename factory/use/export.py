"""A trained multilingual encoder as the folder that the detector of encoders opens.

Word vectors and convolutions are kept in int8: the ones are nearly all of the size, the others more
than half of the work. What is left is kept as halves and read as whole numbers: in int8 it would
cost more exactness (word vectors and what is made of them have far-off numbers, and all numbers
share one scale) than it saves.
"""

import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor, nn

from factory.use.classifier import STATES, UseClassifier
from factory.use.network import ORDERS
from tactful.detectors.models.encoder import HEADS_FILE, MODEL_FILE, TOKENIZER_FILE
from tactful.errors import OutputError
from tactful.files import atomic_path
from tactful.training.fixed_scales import fix_scales
from tactful.training.onnx_export import export_onnx, shrink_word_vectors

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto
    from tokenizers import Tokenizer

CONVOLUTIONS = 2 * len(ORDERS)
_CONVOLUTION = "/convolutions."
"""What the exporter writes into the name of a node for the layer of that name."""
_NARROW = 32
"""Narrower matrices than this are heads: tiny, and nothing behind them evens an error out."""


class LogitsStates(nn.Module):
    """The classifier with the outputs of its ONNX file."""

    def __init__(self, model: UseClassifier):
        super().__init__()
        self.model = model
        marks = ("token_logits",) if model.token_head is not None else ()
        states = ("states",) if model.needs_states else ()
        self.outputs = ("logits", *marks, *states)
        # A new module is in training, and the exporter would leave the model in that state.
        self.train(model.training)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Return the logits of the text, and those of its tokens and their states where needed."""
        return tuple(each for each in self.model(tokens, mask) if each is not None)


def write_use(
    model: UseClassifier,
    tokenizer: "Tokenizer",
    folder: Path,
    texts: Sequence[str],
    force: bool = False,
) -> dict[str, Any]:
    """Write ``model.onnx``, made small, ``tokenizer.json`` and, where they explain, the heads.

    ``texts`` are what the model learnt from: the file's scales are measured on some of them. The
    card is the caller's: only who trained the model knows what to say in it. Returns what it says
    about the scales.
    """
    outputs = LogitsStates(model)
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / MODEL_FILE
        export_onnx(outputs, whole, outputs.outputs)
        shrink_use(whole, folder / MODEL_FILE, force)
    with atomic_path(folder / TOKENIZER_FILE, force) as target:
        _plain(tokenizer).save(str(target), pretty=False)
    scales = fix_scales(folder, texts)
    if model.reads != STATES:
        # Those of a model that was here before would explain this one wrongly.
        (folder / HEADS_FILE).unlink(missing_ok=True)
    else:
        weight, bias = (
            each.detach().numpy() for each in (model.text_head.weight, model.text_head.bias)
        )
        with atomic_path(folder / HEADS_FILE, force) as target, target.open("wb") as file:
            np.savez_compressed(file, text_weight=weight, text_bias=bias)
    return scales


def shrink_use(source: Path, target: Path, force: bool = False) -> None:
    """Write a smaller ONNX file: int8 where it is exact enough, halves elsewhere."""
    import onnx

    model = onnx.load(str(source))
    shrink_word_vectors(model)
    convolutions = [
        node.name
        for node in model.graph.node
        if node.op_type == "MatMul" and _CONVOLUTION in node.name
    ]
    if len(convolutions) != CONVOLUTIONS:
        raise OutputError(
            f"{target}: found {len(convolutions)} convolutions in the exported model; expected "
            f"{CONVOLUTIONS}; this version of torch names them otherwise, take another."
        )
    _halve(model, convolutions)
    with atomic_path(target, force) as part:
        _quantise(model, part, convolutions)


def _quantise(model: "ModelProto", path: Path, nodes: list[str]) -> None:
    from onnxruntime import quantization

    before = logging.root.manager.disable
    # It would talk to the user about steps that this file does not need.
    logging.disable(logging.WARNING)
    try:
        quantization.quantize_dynamic(
            model,
            str(path),
            op_types_to_quantize=["MatMul"],
            nodes_to_quantize=nodes,
            per_channel=True,
            # 7 bits, so that products cannot overflow on processors without VNNI.
            reduce_range=True,
            weight_type=quantization.QuantType.QInt8,
        )
    finally:
        logging.disable(before)


def _halve(model: "ModelProto", spared: Sequence[str]) -> None:
    """Keep the matrices of all other products in 16 bits; they are made whole when opened."""
    from onnx import TensorProto, helper, numpy_helper

    tables = {each.name: each for each in model.graph.initializer}
    whole: list[NodeProto] = []
    for node in model.graph.node:
        table = tables.get(node.input[1]) if node.op_type in ("MatMul", "Gemm") else None
        if table is None or node.name in spared or min(table.dims) < _NARROW:
            continue
        halves = numpy_helper.to_array(table).astype(np.float16)
        model.graph.initializer.remove(table)
        model.graph.initializer.append(numpy_helper.from_array(halves, f"{table.name}.half"))
        whole.append(
            helper.make_node("Cast", [f"{table.name}.half"], [table.name], to=TensorProto.FLOAT)
        )
    nodes = [*whole, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _plain(tokenizer: "Tokenizer") -> "Tokenizer":
    """Return a copy without the padding and the truncation of training."""
    from tokenizers import Tokenizer

    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.no_padding()
    copy.no_truncation()
    return copy
