"""Stereotypes by an encoder: low-rank adapters (DaMinCi), a head for each category (MALNIS).

With ``heads`` each category has layers of its own on the shared encoder, learnt by point-wise
cross-entropy, and the binary label is a yes where any category is (DETESTS 2022, section 5.2): its
log-odds are the highest of theirs.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from tactful.detectors.models.encoder import MAX_TOKENS
from tactful.detectors.models.estimator import binary_table, list_of_texts
from tactful.errors import InputError, UsageError
from tactful.training.epochs import Encoded, OnEpoch, OnStep, run_epochs, silent
from tactful.training.finetune import Classifier, FineTuned, load_classifier
from tactful.training.fixed_scales import examples
from tactful.training.held_out import held_out_rows


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


class StereotypeEncoder(FineTuned):
    """A fine-tuned encoder with the switches ``lora`` and ``heads``.

    With ``heads`` the first column of the labels is the binary one, and is not learnt: it follows
    from the others. Adapters are merged into the weights at the end, so that the exported detector
    is an encoder like any other.
    """

    def __init__(
        self,
        encoder: str | Path,
        epochs: int = 10,
        batch: int = 32,
        rate: float = 2e-5,
        warm_up: float | None = 0.06,
        weight_decay: float = 0.01,
        max_tokens: int = MAX_TOKENS,
        patience: int | None = None,
        validation: float = 0.1,
        class_weight: str | None = None,
        sampling: str | None = None,
        download: bool = False,
        random_state: int = 1,
        lora: bool = False,
        rank: int = 8,
        heads: bool = False,
    ):
        super().__init__(
            encoder, epochs, batch, rate, warm_up, weight_decay, max_tokens, patience, validation,
            class_weight, sampling, download, random_state,
        )  # fmt: skip
        self.lora, self.rank, self.heads = lora, rank, heads

    def fit(
        self,
        X: Sequence[str],  # noqa: N803
        y: ArrayLike,
        *,
        folder: Path | None = None,
        on_epoch: OnEpoch = silent,
        on_step: OnStep = silent,
    ) -> Self:
        """Learn from texts and their labels; ``folder`` keeps a checkpoint after each epoch."""
        texts = list_of_texts(X)
        table, self.several_ = binary_table(y, len(texts))
        if self.heads:
            _check_hierarchy(table)
        if self.rank < 1:
            raise UsageError(f"Found the rank {self.rank} of adapters; expected at least 1.")
        learnt_labels = (table[:, 1:] if self.heads else table).astype(np.float32)
        torch.manual_seed(self.random_state)
        classifier, self.tokenizer_ = load_classifier(
            self.encoder, learnt_labels.shape[1], self.max_tokens, self.download
        )
        prefix = str(getattr(classifier.body, "base_model_prefix", ""))
        network = self._network(classifier, prefix, learnt_labels.shape[1])
        tokens = [each.ids for each in self._encoded(texts)]
        learnt, held_out = held_out_rows(
            table, self.validation if self.patience is not None else 0.0, self.random_state
        )
        self.history_ = run_epochs(
            network,
            Encoded([tokens[row] for row in learnt], learnt_labels[learnt]),
            Encoded([tokens[row] for row in held_out], learnt_labels[held_out])
            if held_out
            else None,
            self.plan(),
            folder,
            on_epoch,
            on_step,
        )
        if self.lora:
            _merge(network, prefix)
        self.network_ = AnyCategory(network) if self.heads else network
        self.examples_ = examples([texts[row] for row in learnt], self.random_state)
        self.ids_ = table.shape[1]
        self.classes_ = np.array([0, 1])
        return self

    def _network(self, classifier: Classifier, prefix: str, labels: int) -> Any:
        body: Any = classifier.body
        if self.lora:
            setattr(body, prefix, with_adapters(getattr(body, prefix), self.rank))
        if not self.heads:
            return classifier
        return CategoryHeads(getattr(body, prefix), int(body.config.hidden_size), labels)


def with_adapters(encoder: Any, rank: int) -> Any:
    """Freeze an encoder and put low-rank adapters beside all of its linear layers."""
    try:
        peft: Any = import_module("peft")
    except ImportError:
        raise UsageError(
            "Training with --switch lora needs peft; install it with: pip install peft"
        ) from None
    config = peft.LoraConfig(
        r=rank, lora_alpha=2 * rank, lora_dropout=0.0, target_modules="all-linear"
    )
    return peft.get_peft_model(encoder, config)


def _merge(network: Any, prefix: str) -> None:
    if isinstance(network, CategoryHeads):
        network.encoder = network.encoder.merge_and_unload()  # type: ignore[operator]
    else:
        setattr(network.body, prefix, getattr(network.body, prefix).merge_and_unload())


def _check_hierarchy(table: np.ndarray) -> None:
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
