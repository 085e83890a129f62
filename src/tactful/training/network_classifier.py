"""What classifiers with a neural network share: training with held-out texts, and prediction."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from tactful.detectors.base import sigmoid
from tactful.detectors.models.estimator import Numbers, TextClassifier, binary_table, list_of_texts
from tactful.errors import UsageError
from tactful.metrics.data_maps import DataMap, data_map
from tactful.training.devices import find_device
from tactful.training.epochs import Epoch, LabelledTokens, OnEpoch, Plan, predict_logits, run_epochs
from tactful.training.loop import OnStep, silent

Flags = NDArray[np.bool_]


class NetworkClassifier(TextClassifier):
    """A neural network behind ``fit`` and ``predict_proba``."""

    batch: int
    patience: int | None
    validation: float
    random_state: int
    device: str
    accumulate: int
    network_: nn.Module
    ids_: int
    history_: list[Epoch]
    learnt_: list[int]
    data_maps_: list[DataMap]

    clip: ClassVar[float | None] = None
    """The highest norm of the gradients."""

    def plan(self) -> Plan:
        """Return the settings of the run: those of a plan that the classifier has."""
        names = [each.name for each in fields(Plan) if hasattr(self, each.name)]
        return Plan(seed=self.random_state, **{name: getattr(self, name) for name in names})

    @abstractmethod
    def _windows(self, texts: Sequence[str]) -> Iterable[Sequence[Sequence[int]]]:
        """Return the windows of each text as token ids; short texts have one."""

    @abstractmethod
    def _prepared(self, texts: Sequence[str], table: Flags) -> tuple[nn.Module, Flags]:
        """Return the network to train, and the columns of ``table`` that it learns."""

    def _finished(self, network: nn.Module, texts: Sequence[str]) -> nn.Module:
        """Return the network as it predicts and is exported, after training on ``texts``."""
        return network

    def fit(
        self,
        X: Sequence[str],  # noqa: N803
        y: ArrayLike,
        *,
        folder: Path | None = None,
        on_epoch: OnEpoch = silent,
        on_step: OnStep = silent,
        map_data: bool = False,
    ) -> Self:
        """Learn from texts and their labels; ``folder`` keeps a checkpoint after each epoch.

        With ``map_data``, ``data_maps_`` has the data map of each label, and ``learnt_`` the rows
        of the texts on it; epochs before a resumption are not known.

        The network reads the first window of each text.
        """
        texts = list_of_texts(X)
        table, self.several_ = binary_table(y, len(texts))
        torch.manual_seed(self.random_state)
        network, labels = self._prepared(texts, table)
        tokens = [windows[0] for windows in self._windows(texts)]
        learnt, held_out = held_out_rows(
            table, self.validation if self.patience is not None else 0.0, self.random_state
        )
        targets = labels.astype(np.float32)

        def part(rows: list[int]) -> LabelledTokens:
            return LabelledTokens([tokens[row] for row in rows], targets[rows])

        seen: list[Numbers] = []
        self.history_ = run_epochs(
            network,
            part(learnt),
            part(held_out) if held_out else None,
            self.plan(),
            folder,
            on_epoch,
            on_step,
            (lambda logits: seen.append(sigmoid(logits.astype(np.float64)))) if map_data else None,
        )
        if map_data:
            if not seen:
                raise UsageError("Found no epoch left to map; start over with --fresh.")
            self.learnt_ = learnt
            answers = [np.stack([each[:, at] for each in seen]) for at in range(targets.shape[1])]
            self.data_maps_ = [
                data_map(labels[learnt, at].astype(int), each) for at, each in enumerate(answers)
            ]
        self.network_ = self._finished(network, [texts[row] for row in learnt])
        self.ids_ = table.shape[1]
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Sequence[str]) -> Numbers:  # noqa: N803
        """Return probabilities: of 0 and 1, or of 1 for each label if there are several."""
        yes = sigmoid(self._decisions(X))
        return yes if self.several_ else np.concatenate([1 - yes, yes], axis=1)

    def _decisions(self, texts: Sequence[str]) -> Numbers:
        """Return the log-odds; for a long text, those of its highest window."""
        self.require_fitted("ids_")
        windows: list[Sequence[int]] = []
        owners: list[int] = []
        for at, found in enumerate(self._windows(list_of_texts(texts))):
            windows += found
            owners += [at] * len(found)
        logits = np.full((len(texts), self.ids_), -np.inf)
        network = self.network_.to(find_device(self.device))
        np.maximum.at(logits, owners, predict_logits(network, windows, self.ids_, self.batch))
        network.cpu()  # where it is exported
        return logits


def held_out_rows(labels: Flags, share: float, seed: int) -> tuple[list[int], list[int]]:
    """Return the rows to train on and those to hold out, stratified by whether a text has a label.

    Both have at least one row where ``share`` is above 0.
    """
    if not 0 <= share < 1:
        raise UsageError(f"Found a validation share of {share:g}; expected 0 or more, below 1.")
    if share == 0:
        return list(range(len(labels))), []
    if len(labels) < 2:
        raise UsageError("Found one text; expected at least 2, one of them to hold out.")
    order = np.random.default_rng(seed).permutation(len(labels))
    held_out: list[int] = []
    for marked in (True, False):
        rows = [int(row) for row in order if bool(labels[row].any()) is marked]
        held_out += rows[: round(len(rows) * share)]
    held_out = held_out or [int(order[0])]
    taken = set(held_out)
    return [row for row in range(len(labels)) if row not in taken], sorted(held_out)
