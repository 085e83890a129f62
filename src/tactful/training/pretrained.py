"""What all pretrained models need to be opened: a quiet library, and low-rank adapters."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from typing import Any

from tactful.errors import UsageError


@contextmanager
def quiet() -> Iterator[None]:
    """Keep bars and news of the library from the user's screen."""
    from transformers import logging

    loud = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # The bar of unpacking a gguf file has no switch.
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(loud)
        logging.enable_progress_bar()


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
