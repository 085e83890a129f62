"""Stereotypes by an encoder: adapters (DaMinCi), a head for each category (MALNIS).

With ``heads`` each category has layers of its own on the shared encoder, learnt by point-wise
cross-entropy, and the binary label is a yes where any category is (DETESTS 2022, section 5.2): its
log-odds are the highest of theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tactful.errors import InputError, UsageError
from tactful.training.finetune import Classifier, FineTuned
from tactful.training.network_classifier import Flags
from tactful_lab.training.adapters import with_adapters, with_bottlenecks


class CategoryHeads(nn.Module):
    """A shared encoder, and for each category two layers of its own on the first token."""

    def __init__(self, encoder: nn.Module, width: int, categories: int, dropout: float = 0.1):
        super().__init__()
        self.encoder = encoder
        self.heads = nn.ModuleList(
            nn.Sequential(
                nn.Linear(width, width), nn.Tanh(), nn.Dropout(dropout), nn.Linear(width, 1)
            )
            for _ in range(categories)
        )

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of each text and category."""
        states = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state[:, 0]
        return torch.cat([head(states) for head in self.heads], dim=1)


class AnyCategory(nn.Module):
    """Puts the binary label before the categories: a yes exactly where one of them is."""

    def __init__(self, body: nn.Module):
        super().__init__()
        self.body = body

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of the binary label and of the categories."""
        logits = self.body(tokens, mask)
        return torch.cat([logits.amax(dim=1, keepdim=True), logits], dim=1)


@dataclass(eq=False, repr=False)
class StereotypeEncoder(FineTuned):
    """A fine-tuned encoder with the switches ``adapters``, ``lora`` and ``heads``.

    adapters: bottlenecks of ``size`` numbers behind each layer of the encoder, which is frozen.
    With ``heads`` the first column of the labels is the binary one, and is not learnt: it follows
    from the others. Low-rank adapters are merged into the weights at the end, so that the exported
    detector is an encoder like any other.
    """

    adapters: bool = False
    size: int = 48
    lora: bool = False
    rank: int = 8
    heads: bool = False

    def _learnt_labels(self, table: Flags) -> Flags:
        if self.adapters and self.lora:
            raise UsageError("Found adapters and lora; expected one kind of adapters.")
        if self.rank < 1:
            raise UsageError(f"Found the rank {self.rank} of adapters; expected at least 1.")
        if not self.heads:
            return table
        _check_hierarchy(table)
        return table[:, 1:]

    def _network(self, classifier: Classifier, labels: int) -> nn.Module:
        body: Any = classifier.body
        name = body.base_model_prefix
        if self.adapters:
            with_bottlenecks(getattr(body, name), self.size, "--switch adapters")
        if self.lora:
            setattr(body, name, with_adapters(getattr(body, name), self.rank, "--switch lora"))
        if not self.heads:
            return classifier
        encoder = getattr(body, name)
        return CategoryHeads(encoder, int(body.config.hidden_size), labels)

    def _finished(self, network: nn.Module, texts: Sequence[str]) -> nn.Module:
        super()._finished(network, texts)
        if self.lora:
            # Without category heads the encoder is an attribute of the classifier's body.
            owner: Any = network if self.heads else network.body
            name = "encoder" if self.heads else owner.base_model_prefix
            setattr(owner, name, getattr(owner, name).merge_and_unload())
        return AnyCategory(network) if self.heads else network


def _check_hierarchy(table: Flags) -> None:
    if table.shape[1] < 3:
        raise InputError(
            f"Found {table.shape[1]} columns of labels; expected the binary label and at least two "
            "categories for a head each."
        )
    wrong = int((table[:, 0] != table[:, 1:].any(axis=1)).sum())
    if wrong:
        raise InputError(
            f"Found {wrong:,} of {len(table):,} texts whose binary label is not that of any "
            "category; expected a yes exactly where a category has one (section 4.1.1)."
        )
