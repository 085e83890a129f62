"""The network that every English model is: a pretrained body, a head for texts, one for tokens."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from tactful.files import atomic_path


class Network(nn.Module):
    """Mean and maximum of the body's last states feed one linear head per output."""

    def __init__(self, body: nn.Module, width: int, texts: int, tokens: int, dropout: float = 0.1):
        super().__init__()
        self.body = body
        self.dropout = nn.Dropout(dropout)
        self.text_head = nn.Linear(2 * width, texts)
        self.token_head = nn.Linear(width, tokens)
        for head in (self.text_head, self.token_head):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.constant_(head.bias, -1.5)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of each text and of each token."""
        pooled, states = self.pooled(tokens, mask)
        return self.text_head(self.dropout(pooled)), self.token_head(self.dropout(states))

    def pooled(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the input of the text head and of the token head."""
        states = self.body(input_ids=tokens, attention_mask=mask).last_hidden_state
        inside = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * inside).sum(1) / inside.sum(1)
        greatest = (states - 1e4 * (1 - inside)).amax(1)
        return torch.cat([mean, greatest], dim=-1), states


def open_network(folder: Path, texts: Sequence[str], tokens: Sequence[str], seed: int) -> Network:
    """Build the network on a pretrained body, with new heads."""
    torch.manual_seed(seed)
    body = open_body(folder)
    return Network(body, int(body.config.hidden_size), len(texts), len(tokens))


def open_body(folder: Path) -> Any:
    """Open a pretrained encoder without heads."""
    from transformers import AutoModel

    return AutoModel.from_pretrained(folder, attn_implementation="sdpa", local_files_only=True)


class TextTokensStates(nn.Module):
    """The network with the outputs of its ONNX file: ``texts`` of its text outputs."""

    OUTPUTS = ("logits", "token_logits", "states")

    def __init__(self, network: Network, texts: int):
        super().__init__()
        self.network = network
        self.texts = texts

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of the text, those of its tokens, and the tokens' states."""
        pooled, states = self.network.pooled(tokens, mask)
        logits = self.network.text_head(pooled)
        return logits[:, : self.texts], self.network.token_head(states), states


def parameter_groups(
    network: Network, rate: float, head_rate: float, layer_decay: float, weight_decay: float
) -> list[dict[str, object]]:
    """Give lower layers lower learning rates; word embeddings stay as they are."""
    groups: dict[tuple[float, float], list[Tensor]] = {}
    layers = int(network.body.config.num_hidden_layers)  # type: ignore[union-attr, arg-type]
    for name, parameter in network.named_parameters():
        if ".embeddings." in name or ".pooler." in name:
            parameter.requires_grad = False
            continue
        own = head_rate
        if name.startswith("body."):
            found = [part for part in name.split(".") if part.isdigit()]
            depth = int(found[0]) if found else 0
            own = rate * layer_decay ** (layers - 1 - depth)
        decay = 0.0 if parameter.ndim < 2 else weight_decay
        groups.setdefault((own, decay), []).append(parameter)
    return [
        {"params": found, "lr": own, "weight_decay": decay}
        for (own, decay), found in groups.items()
    ]


def save_weights(model: nn.Module, path: Path) -> None:
    """Write the weights of a model as safetensors."""
    with atomic_path(path, force=True) as target:
        save_file({name: value.contiguous() for name, value in model.state_dict().items()}, target)


def save_learnt(network: Network, path: Path) -> None:
    """Write what a network learnt as float16; word embeddings are those of the pretrained body."""
    learnt = {
        name: value.half().contiguous()
        for name, value in network.state_dict().items()
        if ".embeddings." not in name and ".pooler." not in name
    }
    with atomic_path(path, force=True) as target:
        save_file(learnt, target)


def load_learnt(network: Network, path: Path) -> None:
    """Continue from what :func:`save_learnt` wrote; outputs added since then keep new heads."""
    own = network.state_dict()
    for name, value in load_file(path).items():
        own[name][: len(value)] = value.float()
    network.load_state_dict(own)


def load_weights(model: nn.Module, path: Path) -> None:
    """Read weights that :func:`save_weights` wrote."""
    model.load_state_dict(load_file(path))
