"""Adapters, which learn in place of a pretrained model's own weights."""

from importlib import import_module
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import gelu

from tactful.errors import UsageError


class Bottleneck(nn.Module):
    """A layer of a transformer, and a narrow pair of linear layers behind it.

    It begins as the layer itself: what goes up starts with zeros.
    """

    def __init__(self, layer: nn.Module, width: int, size: int):
        super().__init__()
        self.layer = layer
        self.down, self.up = nn.Linear(width, size), nn.Linear(size, width)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, *given: Any, **more: Any) -> Any:
        """Add what the pair finds to what the layer found."""
        found = self.layer(*given, **more)
        states: Tensor = found[0] if isinstance(found, tuple) else found
        states = states + self.up(gelu(self.down(states)))
        return (states, *found[1:]) if isinstance(found, tuple) else states


def with_bottlenecks(model: Any, size: int, option: str) -> Any:
    """Freeze a model and put a bottleneck behind each of its layers (Houlsby et al. 2019)."""
    lists = [each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each)]
    if not lists:
        raise UsageError(f"Found no layers in the encoder for {option}; use another encoder.")
    for name, each in model.named_parameters():
        # What makes one vector of the states belongs to the head.
        each.requires_grad = name.startswith("pooler")
    layers = lists[0]
    for at, layer in enumerate(layers):
        layers[at] = Bottleneck(layer, int(model.config.hidden_size), size)
    return model


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
