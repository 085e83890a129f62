"""Encoders that ship keep their word vectors in one file."""

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("torch")

from factory.shipped import WORDS, share_words  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from tactful.detectors.models.onnx_session import open_session  # noqa: E402
from tactful.errors import FileFormatError  # noqa: E402

VECTORS = "network.body.embeddings.word_embeddings.weight.int8"


def write_encoder(folder: Path, table: np.ndarray, name: str = VECTORS) -> Path:
    """Write a model that looks rows of a table up."""
    graph = helper.make_graph(
        [helper.make_node("Gather", [name, "tokens"], ["rows"], axis=0)],
        "look up",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n"])],
        [helper.make_tensor_value_info("rows", TensorProto.INT8, ["n", table.shape[1]])],
        [numpy_helper.from_array(table, name)],
    )
    folder.mkdir(parents=True)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(
        helper.make_model(graph, opset_imports=opset, ir_version=10), str(folder / "model.onnx")
    )
    return folder


def looked_up(folder: Path) -> list[list[int]]:
    found = open_session(folder / "model.onnx").run(["rows"], {"tokens": np.array([2, 0])})[0]
    return [list(row) for row in found]


def test_encoders_share_one_file(tmp_path: Path) -> None:
    table = np.arange(40, dtype=np.int8).reshape(4, 10)
    folders = [write_encoder(tmp_path / name, table) for name in ("one", "two")]
    before = looked_up(folders[0])
    for folder in folders:
        share_words(folder)
        assert looked_up(folder) == before == table[[2, 0]].tolist()
        assert table.tobytes() not in (folder / "model.onnx").read_bytes()
    np.testing.assert_array_equal(np.load(tmp_path / WORDS), table)


def test_other_word_vectors_are_refused(tmp_path: Path) -> None:
    share_words(write_encoder(tmp_path / "one", np.zeros((4, 10), dtype=np.int8)))
    other = write_encoder(tmp_path / "two", np.ones((4, 10), dtype=np.int8))
    with pytest.raises(FileFormatError, match="differ from those of two"):
        share_words(other)


def test_a_model_without_such_vectors_stays_as_it_is(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "one", np.zeros((4, 10), dtype=np.int8), "small")
    before = (folder / "model.onnx").read_bytes()
    share_words(folder)
    assert (folder / "model.onnx").read_bytes() == before
    assert not (tmp_path / WORDS).exists()
