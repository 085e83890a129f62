"""A bidirectional LSTM over word vectors: the baseline of Pérez-Almendros et al. 2020, section 5.

From the paper: word2vec vectors, 20 units, a dropout of 0.25 before the LSTM and before the
classification, Adam, 300 epochs with early stopping and a patience of 10, a tenth of the training
texts held out for it. Ours, as the paper says nothing: batches of 32, Adam's usual rate of 0.001,
vectors that stay as they are, and the last states of both directions as what is classified.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tactful.detectors.card import Card, write_card
from tactful.detectors.models.bilstm import (
    FIRST_WORD,
    MODEL_FILE,
    VOCABULARY_FILE,
    windows_of,
    word_numbers,
    words_of,
)
from tactful.detectors.models.vectors import read_vectors
from tactful.errors import InputError
from tactful.files import atomic_folder
from tactful.metrics.word_vectors import WordVectors
from tactful.training.bilstm.network import BiLstmNetwork
from tactful.training.bilstm.onnx import export_bilstm
from tactful.training.network_classifier import Flags, NetworkClassifier

VERSION = "1"


@dataclass(eq=False, repr=False)
class BiLstm(NetworkClassifier):
    """The BiLSTM behind ``fit`` and ``predict_proba``.

    vectors: a file (word2vec, GloVe, fastText), or vectors already read; without any, random ones
    of ``dimension`` numbers are learnt. least, most: how often a word must occur to be known then,
    and how many are. validation: the share of the texts held out for early stopping.
    """

    vectors: WordVectors | Path | str | None = None
    units: int = 20
    dropout: float = 0.25
    epochs: int = 300
    patience: int | None = 10
    validation: float = 0.1
    batch: int = 32
    rate: float = 1e-3
    tune_vectors: bool = False
    dimension: int = 100
    least: int = 2
    most: int = 20_000
    class_weight: str | None = None
    sampling: str | None = None
    random_state: int = 1
    device: str = "auto"
    accumulate: int = 1

    def _prepared(self, texts: Sequence[str], table: Flags) -> tuple[nn.Module, Flags]:
        self.words_, matrix = self._vocabulary(texts)
        network = BiLstmNetwork(
            torch.from_numpy(matrix),
            self.units,
            table.shape[1],
            self.dropout,
            self.vectors is None or self.tune_vectors,
        )
        return network, table

    def _vocabulary(self, texts: Sequence[str]) -> tuple[list[str], NDArray[np.float32]]:
        """Return the known words and the rows of padding, the unknown word and these words."""
        rng = np.random.default_rng(self.random_state)
        given = self._given_vectors(texts)
        if given is None:
            counts = Counter(word.lower() for text in texts for word in words_of(text))
            words = [word for word, n in counts.most_common(self.most) if n >= self.least]
            rows = rng.normal(scale=0.1, size=(len(words), self.dimension))
        else:
            words = list(given.index)
            if not words:
                raise InputError(
                    "Found no vector for any word of the texts; expected vectors of their language."
                )
            rows = given.rows(words)
        first = np.zeros((FIRST_WORD, rows.shape[1]))
        if given is not None:
            first[1] = rows.mean(axis=0)
        return words, np.concatenate([first, rows]).astype(np.float32)

    def _given_vectors(self, texts: Sequence[str]) -> WordVectors | None:
        if self.vectors is None or isinstance(self.vectors, WordVectors):
            return self.vectors
        return read_vectors(Path(self.vectors), texts)

    def _windows(self, texts: Sequence[str]) -> Iterator[list[Sequence[int]]]:
        index = {word: at for at, word in enumerate(self.words_, FIRST_WORD)}
        return (windows_of(word_numbers(text, index)) for text in texts)

    def export(
        self,
        folder: Path,
        ids: Sequence[str],
        *,
        force: bool = False,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a folder that ``load_detector`` opens; ``about`` are further fields of its card."""
        self.require_fitted("ids_")
        about = about or {}
        given = self.vectors
        settings = self.get_params() | {
            "vectors": Path(given).name if isinstance(given, str | Path) else None
        }
        card = Card(
            **{
                "name": "bilstm",
                "version": VERSION,
                "summary": "A bidirectional LSTM over word vectors.",
                "limits": ("Words that were not in its training texts are all the same to it.",),
                **about,
                "ids": tuple(ids),
                "kind": "bilstm",
                "training": {
                    "settings": settings,
                    "epochs run": len(self.history_),
                    **about.get("training", {}),
                },
            }
        )
        with atomic_folder(folder, force) as target:
            export_bilstm(self.network_, target / MODEL_FILE)
            (target / VOCABULARY_FILE).write_text(
                json.dumps(self.words_, ensure_ascii=False), encoding="utf-8"
            )
            write_card(card, target)
