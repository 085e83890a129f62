"""A bidirectional LSTM over word vectors, run by onnxruntime: no torch.

The folder holds ``model.onnx`` (inputs ``tokens`` and ``mask``, output ``logits``),
``vocabulary.json`` (a list of words; their vectors are two rows further down, behind padding and
the unknown word) and ``card.json``.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import LogitsDetector
from tactful.detectors.card import Card, read_card
from tactful.detectors.models.linear import TOKEN
from tactful.detectors.models.onnx_session import open_session
from tactful.documents.normalise import normalise
from tactful.errors import FileFormatError

MODEL_FILE, VOCABULARY_FILE = "model.onnx", "vocabulary.json"
UNKNOWN = 1
FIRST_WORD = 2
"""Row 0 is padding, row 1 any unknown word."""
WINDOW = 256
OVERLAP = 32
"""A longer text is read through windows that share this many words; the strongest counts."""
_BATCH = 64


class BiLstmDetector(LogitsDetector):
    """Scores texts with an exported BiLSTM, in one thread."""

    def __init__(self, folder: Path, card: Card, words: Sequence[str]):
        self.folder, self.card = folder, card
        self._index = {word: at for at, word in enumerate(words, FIRST_WORD)}

    @cached_property
    def _session(self) -> Any:
        return open_session(self.folder / MODEL_FILE)

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the log-odds before calibration, one row per text and one column per id."""
        windows = [
            (at, window)
            for at, text in enumerate(texts)
            for window in windows_of(word_numbers(text, self._index))
        ]
        found = np.full((len(texts), len(self.card.ids)), -np.inf, dtype=np.float32)
        windows.sort(key=lambda pair: len(pair[1]))
        for start in range(0, len(windows), _BATCH):
            batch = windows[start : start + _BATCH]
            scores = self._run([window for _, window in batch])
            np.maximum.at(found, [owner for owner, _ in batch], scores)
        return found

    def _run(self, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        tokens = np.zeros((len(windows), max(map(len, windows))), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for at, window in enumerate(windows):
            tokens[at, : len(window)] = window
            mask[at, : len(window)] = 1
        answer: NDArray[np.float32] = self._session.run(
            ["logits"], {"tokens": tokens, "mask": mask}
        )[0]
        return answer


def words_of(text: str) -> list[str]:
    """Cut a text into words and marks, as written, after undoing disguises."""
    return TOKEN.findall(normalise(text).text)


def word_numbers(text: str, index: Mapping[str, int]) -> list[int]:
    """Return the row of each word: as written, else in lower case, else the unknown word's."""
    numbers = [index.get(word) or index.get(word.lower(), UNKNOWN) for word in words_of(text)]
    # A text without a word is one unknown word: there is no LSTM over nothing.
    return numbers or [UNKNOWN]


def windows_of(numbers: Sequence[int]) -> list[Sequence[int]]:
    """Cut a long text into overlapping windows."""
    last = max(len(numbers) - OVERLAP, 1)
    return [numbers[at : at + WINDOW] for at in range(0, last, WINDOW - OVERLAP)]


def load_bilstm_detector(folder: Path) -> BiLstmDetector:
    """Open the folder of a BiLSTM."""
    path = folder / VOCABULARY_FILE
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise FileFormatError(
            f"{path}: found no list of words; expected the vocabulary that training wrote; "
            "restore the file or train again."
        )
    return BiLstmDetector(folder, read_card(folder), words)
