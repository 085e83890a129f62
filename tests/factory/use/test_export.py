"""The folder that is written answers through the detector as the model does."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("tokenizers")

from factory.use.classifier import READS, SEEN, STATES, UseClassifier  # noqa: E402
from factory.use.export import LogitsStates, write_use  # noqa: E402
from factory.use.network import SEEN_WIDTH  # noqa: E402

from factory.use import export as use_export  # noqa: E402
from tactful.detectors.card import Card  # noqa: E402
from tactful.detectors.models.encoder import HEADS_FILE, MODEL_FILE, EncoderDetector  # noqa: E402
from tactful.errors import OutputError, UsageError  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[2] / "tiny_use.py"))
TEXTS = ["la casa es grande", "el tren llega tarde hoy, vecino", "the market opens on monday"]
CARD = Card("tiny", "1", ("one", "two"), lang="es", span_thresholds={"one": 0.01})


def classifier(reads: tuple[str, ...], marked: int = 1) -> tuple[UseClassifier, Any]:
    network, tokenizer = TINY["tiny_use"]()
    torch.manual_seed(2)
    return UseClassifier(network, 2, marked, reads).eval(), tokenizer


@pytest.mark.parametrize("reads", [("sentence",), STATES, READS], ids="+".join)
def test_the_detector_answers_as_the_model(reads: tuple[str, ...], tmp_path: Path) -> None:
    model, tokenizer = classifier(reads)
    tokenizer.enable_padding()
    tokenizer.enable_truncation(5)
    write_use(model, tokenizer, tmp_path, TEXTS)
    assert not model.training
    detector = EncoderDetector(tmp_path, CARD)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with torch.no_grad():
        logits = model(*TINY["padded"](tokenizer, TEXTS))[0].numpy()
    assert np.abs(detector.logits(TEXTS) - logits).max() < 0.02
    assert detector.spans(TEXTS[0], ["one"])["one"]
    assert (tmp_path / HEADS_FILE).exists() is (reads == STATES)


def test_contributions_add_up(tmp_path: Path) -> None:
    model, tokenizer = classifier(STATES)
    write_use(model, tokenizer, tmp_path, TEXTS)
    detector = EncoderDetector(tmp_path, CARD)
    parts = detector.contributions(TEXTS[1], ["two"])["two"]
    total = sum(each.value for each in parts) + float(model.text_head.bias.detach()[1])
    assert total == pytest.approx(float(detector.logits([TEXTS[1]])[0, 1]), abs=1e-3)


def test_only_convolutions_and_vectors_are_in_int8(tmp_path: Path) -> None:
    model, tokenizer = classifier(("sentence",))
    write_use(model, tokenizer, tmp_path, TEXTS)
    graph = onnx.load(str(tmp_path / MODEL_FILE)).graph
    kinds = [
        (tuple(each.dims), each.data_type) for each in graph.initializer if len(each.dims) == 2
    ]
    int8 = {dims for dims, kind in kinds if kind == onnx.TensorProto.INT8}
    halves = {dims for dims, kind in kinds if kind == onnx.TensorProto.FLOAT16}
    pieces = model.network.vectors.weight.shape[0]
    assert int8 == {(512, 256), (768, 256), (1280, 256), (pieces, 512)}
    assert halves == {(512, 256), (1280, 512), (512, 320), (320, 320), (320, 512), (512, 512)}


def test_without_marks_there_is_no_output_for_them(tmp_path: Path) -> None:
    model, tokenizer = classifier(("sentence",), marked=0)
    assert LogitsStates(model).outputs == ("logits",)
    write_use(model, tokenizer, tmp_path, TEXTS)
    with torch.no_grad():
        logits = model(*TINY["padded"](tokenizer, TEXTS))[0].numpy()
    assert np.abs(EncoderDetector(tmp_path, CARD).logits(TEXTS) - logits).max() < 0.02
    whole = [
        each
        for each in onnx.load(str(tmp_path / MODEL_FILE)).graph.initializer
        if each.data_type == onnx.TensorProto.FLOAT and min(each.dims, default=0) > 2
    ]
    assert all(len(each.dims) == 1 for each in whole)


def test_heads_of_another_model_do_not_stay(tmp_path: Path) -> None:
    model, tokenizer = classifier(STATES)
    write_use(model, tokenizer, tmp_path, TEXTS)
    with pytest.raises(UsageError, match="exists already"):
        write_use(model, tokenizer, tmp_path, TEXTS)
    model, tokenizer = classifier(("sentence",))
    write_use(model, tokenizer, tmp_path, TEXTS, force=True)
    assert not (tmp_path / HEADS_FILE).exists()


def test_an_export_with_other_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tokenizer = classifier(("sentence",))
    monkeypatch.setattr(use_export, "_CONVOLUTION", "/elsewhere.")
    with pytest.raises(OutputError, match="found 0 convolutions"):
        write_use(model, tokenizer, tmp_path, TEXTS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("reads", [READS, READS[:3]], ids="+".join)
def test_heads_read_what_the_network_says(reads: tuple[str, ...]) -> None:
    model, tokenizer = classifier(reads, marked=0)
    read: list[Any] = []
    model.text_head.register_forward_pre_hook(lambda _, given: read.append(given[0]))
    tokens, mask = TINY["padded"](tokenizer, TEXTS)
    with torch.no_grad():
        sentence, states = model.network(tokens, mask)
        model(tokens, mask)
    inside = mask.bool().unsqueeze(2)
    expected = (
        sentence,
        model.network.pooled(states, mask),
        states.sum(dim=1) / mask.sum(dim=1, keepdim=True),
        states.masked_fill(~inside, -np.inf).amax(dim=1),
    )
    seen = SEEN_WIDTH if SEEN in reads else 0
    assert read[0].shape[1] == 512 * len([each for each in reads if each != SEEN]) + seen
    for ours, theirs in zip(expected, read[0].split(512, dim=1), strict=False):
        assert torch.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("reads", [(), ("sentence", "tail")], ids=["nothing", "unknown"])
def test_heads_read_what_there_is(reads: tuple[str, ...]) -> None:
    network, _ = TINY["tiny_use"]()
    with pytest.raises(UsageError, match="expected at least one id"):
        UseClassifier(network, 2, reads=reads)
