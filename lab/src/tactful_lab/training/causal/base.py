"""The pretrained causal language model that learns frames, opened."""

from importlib.util import find_spec
from typing import Any

import torch

from tactful.audit.base_model import Base
from tactful.errors import MissingExtraError, UsageError
from tactful.training.pretrained import quiet
from tactful_lab.frames.linearise import special_tokens


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
