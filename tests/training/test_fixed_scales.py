"""Files whose answer to a text is the same beside any others, and nearly what it was before."""

from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from factory.network import Network, TextTokensStates  # noqa: E402
from transformers import AutoModel, BertConfig  # noqa: E402

from tactful.detectors.card import Card  # noqa: E402
from tactful.detectors.models.encoder import (  # noqa: E402
    MODEL_FILE,
    TOKENIZER_FILE,
    EncoderDetector,
)
from tactful.errors import InputError  # noqa: E402
from tactful.training.fixed_scales import EXAMPLES, examples, fix_scales  # noqa: E402
from tactful.training.onnx_export import (  # noqa: E402
    export_onnx,
    quantise_onnx,
)
from tactful.training.task_data import FRAME_IDS, PCL_IDS, UNHEALTHY_IDS  # noqa: E402

WORDS = ["these", "poor", "people", "need", "our", "help", "the", "bridge", "opens", "unknown"]
IDS = PCL_IDS + UNHEALTHY_IDS + FRAME_IDS
CARD = Card("tiny", "1", IDS, kind="encoder")


def written(folder: Path, tokenizer: Path, quantised: bool = True) -> Path:
    """Write the folder of a small random encoder, its scales not fixed yet."""
    folder.mkdir()
    copyfile(tokenizer, folder / TOKENIZER_FILE)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=400, hidden_size=48, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=96,
    )  # fmt: skip
    module = TextTokensStates(
        Network(AutoModel.from_config(config), 48, len(IDS) + 1, len(PCL_IDS)), len(IDS)
    )
    with torch.no_grad():
        # A fresh head says nearly nothing, and differences would drown.
        module.network.text_head.weight.normal_(std=0.5)
    export_onnx(module, folder / MODEL_FILE, TextTokensStates.OUTPUTS)
    if quantised:
        quantise_onnx(folder / MODEL_FILE, folder / MODEL_FILE, force=True)
    return folder


@pytest.fixture
def texts() -> list[str]:
    """Return texts of all widths, some of them of several windows."""
    rng = np.random.default_rng(3)
    return ["", *(" ".join(rng.choice(WORDS, size)) for size in (*range(1, 60, 2), 150, 300))]


@pytest.fixture
def folder(tmp_path: Path, tiny_encoder: Path) -> Path:
    return written(tmp_path / "model", tiny_encoder / TOKENIZER_FILE)


def operations(folder: Path) -> set[str]:
    return {node.op_type for node in onnx.load(str(folder / MODEL_FILE)).graph.node}


def alone(folder: Path, texts: list[str]) -> np.ndarray:
    detector = EncoderDetector(folder, CARD)
    return np.concatenate([detector.logits([text]) for text in texts])


@pytest.mark.parametrize("quantised", [True, False], ids=["int8", "fp32"])
def test_a_text_gets_the_same_bits_alone_and_beside_others(
    tmp_path: Path, tiny_encoder: Path, texts: list[str], quantised: bool
) -> None:
    folder = written(tmp_path / "model", tiny_encoder / TOKENIZER_FILE, quantised)
    before = EncoderDetector(folder, CARD).logits(texts)
    fix_scales(folder, texts)
    after = EncoderDetector(folder, CARD).logits(texts)
    np.testing.assert_array_equal(alone(folder, texts), after)
    order = np.random.default_rng(1).permutation(len(texts))
    shuffled = EncoderDetector(folder, CARD).logits([texts[row] for row in order])
    np.testing.assert_array_equal(shuffled, after[order])
    np.testing.assert_allclose(after, before, atol=0.3 if quantised else 1e-5)
    assert np.corrcoef(after.ravel(), before.ravel())[0, 1] > 0.99


def test_without_it_neighbours_count(folder: Path, texts: list[str]) -> None:
    """What the step is for: were it not so, the other tests would prove nothing."""
    assert "DynamicQuantizeLinear" in operations(folder)
    assert (alone(folder, texts) != EncoderDetector(folder, CARD).logits(texts)).any()


def test_weights_stay_and_nothing_is_measured_any_more(folder: Path, texts: list[str]) -> None:
    before = onnx.load(str(folder / MODEL_FILE)).graph.initializer
    about = fix_scales(folder, texts)
    assert "DynamicQuantizeLinear" not in operations(folder)
    after = {each.name: each for each in onnx.load(str(folder / MODEL_FILE)).graph.initializer}
    assert all(after[each.name] == each for each in before)
    rule = "mean of the ranges of batches"
    assert about == {"scales": {"texts": len(texts), "seed": 1, "rule": rule}}
    assert sorted(path.name for path in folder.iterdir()) == [MODEL_FILE, TOKENIZER_FILE]


def test_it_is_the_same_each_time(folder: Path, texts: list[str], tiny_encoder: Path) -> None:
    again = written(folder.with_name("again"), tiny_encoder / TOKENIZER_FILE)
    for each in (folder, again):
        fix_scales(each, texts)
    assert (folder / MODEL_FILE).read_bytes() == (again / MODEL_FILE).read_bytes()


def test_a_file_that_is_fixed_already_keeps_its_answers(folder: Path, texts: list[str]) -> None:
    fix_scales(folder, texts)
    once = alone(folder, texts)
    assert fix_scales(folder, texts[:1]) == {}
    np.testing.assert_array_equal(alone(folder, texts), once)


def test_without_texts_it_says_so_and_leaves_the_file(folder: Path) -> None:
    before = (folder / MODEL_FILE).read_bytes()
    with pytest.raises(InputError, match="found no text to measure"):
        fix_scales(folder, [])
    assert (folder / MODEL_FILE).read_bytes() == before


def test_examples_are_drawn_by_seed() -> None:
    many = [str(number) for number in range(EXAMPLES + 500)]
    chosen = examples(many)
    assert len(set(chosen)) == EXAMPLES
    assert chosen == examples(many)
    assert chosen != examples(many, seed=2)
    assert examples(many[:7]) == many[:7]


class Pooled(torch.nn.Module):  # type: ignore[name-defined, misc]
    """Sums over all axes and over the texts, which must not be laid out twice."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = torch.nn.Embedding(400, 24)

    def forward(self, tokens: Any, mask: Any) -> Any:
        states = self.vectors(tokens) * mask.unsqueeze(2)
        return states.sum(dim=1) / (1 + states.abs().sum(dim=(0, 1)) + states.abs().sum())


def test_sums_over_texts_are_left_alone(
    tmp_path: Path, tiny_encoder: Path, texts: list[str]
) -> None:
    copyfile(tiny_encoder / TOKENIZER_FILE, tmp_path / TOKENIZER_FILE)
    export_onnx(Pooled(), tmp_path / MODEL_FILE)
    card = Card("tiny", "1", tuple(f"c{number}" for number in range(24)), kind="encoder")
    before = EncoderDetector(tmp_path, card).logits(texts[:5])
    fix_scales(tmp_path, texts)
    np.testing.assert_allclose(EncoderDetector(tmp_path, card).logits(texts[:5]), before, atol=1e-6)
