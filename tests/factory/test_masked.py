"""A masked language model that the factory makes for the audit."""

from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("transformers")

import torch
from factory.masked import MaskedSettings, guesses, make_masked, open_masked
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModelForMaskedLM, AutoTokenizer, MPNetConfig, MPNetModel

from tactful.errors import UsageError

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"]
ANIMALS = {"cat": "milk", "dog": "bones", "cow": "grass", "hen": "corn"}
TEXTS = [
    f"{start} the {animal} eats {food} {end}"
    for (animal, food), start, end in product(
        ANIMALS.items(), ("today", "now", "often"), ("here", "there", "again")
    )
]
SETTINGS = MaskedSettings(steps=150, batch=12, layers=2, rate=3e-3, hidden=0.3)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    words = sorted({word for text in TEXTS for word in text.split()})
    vocabulary = {word: at for at, word in enumerate([*SPECIAL, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=SPECIAL[4]))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=40,
    )  # fmt: skip
    MPNetModel(config).save_pretrained(folder)
    return folder


def test_it_learns_resumes_and_opens_again(base: Path, tmp_path: Path) -> None:
    said: list[str] = []
    texts = (TEXTS[::2], TEXTS[1::2])
    found = make_masked(base, texts, tmp_path / "w", tmp_path / "made", SETTINGS, said.append, 0.3)
    assert found.words > 0.3
    assert any(line.startswith("step 150 of 150") for line in said)
    again = make_masked(base, texts, tmp_path / "w", tmp_path / "b", SETTINGS, said.append, 0.3)
    assert again == found  # from the checkpoint: nothing was learnt a second time
    assert len([line for line in said if line.startswith("step 150")]) == 1
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "made").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "made")
    assert guesses(model, texts[1], tokenizer.backend_tokenizer) == found
    encoded = tokenizer("often the cow eats <mask> here", return_tensors="pt")
    logits = model(**{k: encoded[k] for k in ("input_ids", "attention_mask")}).logits
    place = (encoded["input_ids"][0] == tokenizer.mask_token_id).nonzero().item()
    foods = tokenizer.convert_tokens_to_ids(list(ANIMALS.values()))
    assert logits[0, place].argmax().item() in foods


def test_the_word_vectors_and_the_lower_layers_stay(base: Path) -> None:
    model = open_masked(base, 1, layers=1)
    learns = {name.split(".layer.")[-1][0] for name, weight in model.named_parameters()
              if weight.requires_grad and ".layer." in name}  # fmt: skip
    assert learns == {"1"}
    assert not model.base_model.embeddings.word_embeddings.weight.requires_grad
    assert model.lm_head.dense.weight.requires_grad


def test_a_model_that_guesses_too_little_is_not_written(base: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected 100% or more; train with more --steps"):
        make_masked(base, (TEXTS, TEXTS), tmp_path / "w", tmp_path / "made",
                    MaskedSettings(steps=1), lambda _: None, 1.0)  # fmt: skip
    assert not (tmp_path / "made").exists()
