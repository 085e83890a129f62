"""Low-rank adapters, which learn in place of a pretrained model's own weights."""

from importlib import import_module
from typing import Any

from tactful.errors import UsageError


def with_adapters(model: Any, rank: int, option: str, **more: Any) -> Any:
    """Freeze a model and put low-rank adapters beside all of its linear layers."""
    try:
        peft: Any = import_module("peft")
    except ImportError:
        raise UsageError(
            f"Training with {option} needs peft; install it with: pip install peft"
        ) from None
    config = peft.LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear", **more
    )
    return peft.get_peft_model(model, config)
