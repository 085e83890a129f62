"""What the tests of training share: tiny encoders of random weights, and mild texts of ours."""

import json
from pathlib import Path

import numpy as np
import pytest

WORDS = [
    "these", "poor", "people", "need", "our", "help", "the", "bridge", "opens", "on", "monday",
    "council", "meets", "souls",
]  # fmt: skip
KIND = ["these poor people need our help", "poor souls need help", "help these poor souls"]
PLAIN = ["the bridge opens on monday", "the council meets on monday", "the bridge opens"]


@pytest.fixture
def texts() -> list[str]:
    return [text for pair in zip(KIND, PLAIN, strict=True) for text in pair] * 8


@pytest.fixture
def labels() -> np.ndarray:
    return np.array([1, 0] * 24)


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a BERT of one layer that knows fifteen words."""
    return encoder(tmp_path_factory.mktemp("encoder") / "tiny-bert", 16)


@pytest.fixture(scope="session")
def wide_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one that is wide enough to be quantised: narrower matrices are taken for heads."""
    return encoder(tmp_path_factory.mktemp("encoder") / "wide-bert", 48)


def encoder(folder: Path, width: int) -> Path:
    """Write a BERT of one layer with random weights."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    tokenizer = Tokenizer(
        models.WordPiece({word: at for at, word in enumerate(names)}, unk_token="[UNK]")  # noqa: S106
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(names),
        hidden_size=width,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=160,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"}),
        encoding="utf-8",
    )
    return folder
