"""An encoder as an ONNX file: scores, spans and contributions, without torch.

The folder holds ``model.onnx`` (inputs ``tokens`` and ``mask``; outputs ``logits`` and, where the
model can mark words, ``token_logits`` and ``states``), ``tokenizer.json``, ``card.json`` and, for
contributions, ``heads.npz`` with the weights of the linear heads. A detector
that was refitted on feedback also has ``correction.npz``: rows of the logits, and the weights that
are added to their heads.

What a text gets depends on no other text, to the last bit, in any batch and any order: the file's
scales are fixed (:mod:`tactful.training.fixed_scales`), and so is the width of a window
(:mod:`tactful.detectors.models.encoder`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Contribution, LogitsDetector, Spans
from tactful.detectors.card import Card, read_card
from tactful.detectors.models.onnx_session import open_session
from tactful.documents.normalise import Normalised, normalise
from tactful.errors import FileFormatError
from tactful.types import Span

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Ids = Sequence[int]
Integers = NDArray[np.int64]

STEP = 8
BATCH_TOKENS = 2048


def cut(tokenizer: "Tokenizer", texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
    """Return the windows of texts, and of which text each one is."""
    windows: list[list[int]] = []
    owners: list[int] = []
    clean = [normalise(text).text for text in texts]
    for at, encoding in enumerate(tokenizer.encode_batch_fast(clean)):
        for window in (encoding, *encoding.overflowing):
            windows.append(window.ids)
            owners.append(at)
    return windows, owners


def most_tokens(tokenizer: "Tokenizer") -> int:
    """Return how long the windows are that a tokenizer cuts."""
    return int((tokenizer.truncation or {})["max_length"])


def width_of(window: Ids, most: int) -> int:
    """Return how wide a window is laid out, at most ``most`` tokens."""
    return min(max(-(-len(window) // STEP), 1) * STEP, most)


def batches(windows: Sequence[Ids], most: int) -> list[list[int]]:
    """Cut the rows of the windows into batches of one width and about equally many tokens."""
    found: list[list[int]] = []
    last = 0
    for row in sorted(range(len(windows)), key=lambda row: len(windows[row])):
        width = width_of(windows[row], most)
        if width != last or (len(found[-1]) + 1) * width > BATCH_TOKENS:
            found.append([])
        last = width
        found[-1].append(row)
    return found


def padded(windows: Sequence[Ids], most: int) -> tuple[Integers, Integers]:
    """Return tokens and mask of one batch."""
    width = max(width_of(window, most) for window in windows)
    tokens = np.zeros((len(windows), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for at, window in enumerate(windows):
        tokens[at, : len(window)] = window
        mask[at, : len(window)] = 1
    return tokens, mask


Numbers = NDArray[np.float32]

_STEP_UP = 0.05
"""How much a token needs more where too much of a text would be marked."""
MODEL_FILE, TOKENIZER_FILE, HEADS_FILE = "model.onnx", "tokenizer.json", "heads.npz"
CORRECTION_FILE = "correction.npz"
MAX_TOKENS = 128
OVERLAP = 16
"""A longer text is read through windows that share this many tokens; the strongest counts."""
_POOL = 2048
"""So many texts are sorted by length at a time, so that little of a batch is padding."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the encoder makes of a text; of a long one, the states are those of one window."""

    clean: Normalised
    offsets: Sequence[tuple[int, int]]
    """Where each token is in the clean text."""
    logits: Numbers
    states: Numbers
    tokens: Sequence[str] = ()
    """The tokens as the tokenizer writes them."""


class _Window(NamedTuple):
    """All that the encoder says of one window of a text."""

    offsets: Sequence[tuple[int, int]]
    outputs: dict[str, Numbers]
    """By name; those of tokens have one row per token."""


class EncoderDetector(LogitsDetector):
    """Scores texts with an ONNX encoder in one thread, or as many as asked for."""

    def __init__(self, folder: Path, card: Card, threads: int = 1):
        self.folder, self.card, self.threads = folder, card, threads
        self._read_last: tuple[str, list[_Window]] | None = None

    @cached_property
    def _session(self) -> Any:
        return open_session(self.folder / MODEL_FILE, self.threads)

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """What cuts texts into tokens, in windows of at most ``MAX_TOKENS``."""
        return open_tokenizer(self.folder)

    @property
    def _most(self) -> int:
        """How many tokens the encoder reads at most."""
        return most_tokens(self.tokenizer)

    @cached_property
    def _heads(self) -> dict[str, Numbers] | None:
        path = self.folder / HEADS_FILE
        if not path.is_file():
            return None
        with np.load(path) as found:
            return {name: found[name] for name in found.files}

    @cached_property
    def _correction(self) -> tuple[Integers, Numbers] | None:
        path = self.folder / CORRECTION_FILE
        if not path.is_file():
            return None
        with np.load(path) as found:
            return found["rows"], found["weight"]

    @property
    def marks_words(self) -> bool:
        """Whether one reading gives what each word adds; else each word is left out once."""
        return (self.folder / HEADS_FILE).is_file()

    def logits(self, texts: Sequence[str]) -> Numbers:
        """Return the log-odds before calibration, one row per text and one column per id."""
        found = np.empty((len(texts), len(self.card.ids)), dtype=np.float32)
        for start in range(0, len(texts), _POOL):
            pool = texts[start : start + _POOL]
            found[start : start + len(pool)] = self._pool_logits(pool)
        return found

    def readings(self, texts: Sequence[str], name: str) -> list[Reading]:
        """Return logits and states of texts; a long text is read where ``name`` is strongest."""
        column = self.card.ids.index(name)
        clean = [normalise(text) for text in texts]
        windows: list[tuple[int, Encoding]] = []
        for at, encoding in enumerate(self.tokenizer.encode_batch([each.text for each in clean])):
            windows += [(at, window) for window in (encoding, *encoding.overflowing)]
        answers: list[tuple[Numbers, Numbers] | None] = [None] * len(windows)
        for rows in batches([window.ids for _, window in windows], self._most):
            logits, states = self._run(["logits", "states"], [windows[row][1].ids for row in rows])
            for at, row in enumerate(rows):
                answers[row] = (logits[at], states[at, : len(windows[row][1].ids)].copy())
        found: dict[int, Reading] = {}
        for (at, window), answer in zip(windows, answers, strict=True):
            if answer is None:
                continue
            known, new = found.get(at), Reading(clean[at], window.offsets, *answer, window.tokens)
            if known is not None:
                strongest = new if new.logits[column] > known.logits[column] else known
                new = replace(strongest, logits=np.maximum(known.logits, new.logits))
            found[at] = new
        return [found[at] for at in range(len(texts))]

    def _pool_logits(self, texts: Sequence[str]) -> Numbers:
        windows, owners = cut(self.tokenizer, texts)
        scores = np.empty((len(windows), len(self.card.ids)), dtype=np.float32)
        for rows in batches(windows, self._most):
            scores[rows] = self._window_logits([windows[row] for row in rows])
        found = np.full((len(texts), len(self.card.ids)), -np.inf, dtype=np.float32)
        np.maximum.at(found, owners, scores)
        return found

    def vectors(self, texts: Sequence[str]) -> tuple[Numbers, list[int], Numbers]:
        """Return the vector that the heads read of each window, whose text it is, and its logits.

        A vector has the mean and the greatest states of the window's tokens.
        """
        windows, owners = cut(self.tokenizer, texts)
        logits = np.empty((len(windows), len(self.card.ids)), dtype=np.float32)
        found: list[Numbers] = [np.empty(0, dtype=np.float32)] * len(windows)
        for rows in batches(windows, self._most):
            part = [windows[row] for row in rows]
            logits[rows], states = self._run(["logits", "states"], part)
            for row, each in zip(rows, states, strict=True):
                found[row] = _pooled(each[: len(windows[row])])
        return np.array(found), owners, logits

    def _window_logits(self, windows: list[list[int]]) -> Numbers:
        if self._correction is None:
            return self._run(["logits"], windows)[0]
        rows, weight = self._correction
        logits, states = self._run(["logits", "states"], windows)
        for at, window in enumerate(windows):
            # One window at a time, so that its sums do not depend on the others.
            logits[at, rows] += (weight * _pooled(states[at, : len(window)])).sum(axis=1)
        return logits

    def _run(self, outputs: list[str], windows: list[list[int]]) -> list[Numbers]:
        tokens, mask = padded(windows, self._most)
        answer: list[Numbers] = self._session.run(outputs, {"tokens": tokens, "mask": mask})
        return answer

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return what the token head marks, and for other ids the words that carry most."""
        from tactful.detectors.explain.words import carrying_spans

        marked = {name: head for name in ids if (head := self.card.marked_as(name))}
        found = dict(self._marked(text, marked)) if marked else {}
        others = [name for name in ids if not found.get(name)]
        if others and self._heads is not None:
            parts = self.contributions(text, others)
            found |= {name: carrying_spans(text, parts[name], name) for name in others}
        elif others:
            found |= super().spans(text, others)
        return found

    def _marked(self, text: str, heads: Mapping[str, str]) -> Spans:
        """Mark words of ids with the outputs of ``heads``; of a long text at most a third."""
        from tactful.detectors.explain.words import is_too_much, narrowed, token_spans

        clean = normalise(text)
        columns = list(self.card.span_thresholds)
        windows = self.marks(clean)
        found: dict[str, tuple[Span, ...]] = {}
        for name, head in heads.items():
            column = columns.index(head)
            threshold = self.card.span_thresholds[head]
            while is_too_much([logits[:, column] for _, logits in windows], threshold):
                threshold += _STEP_UP
            spans = dict.fromkeys(
                span
                for offsets, logits in windows
                for span in token_spans(text, clean, offsets, logits[:, column], name, threshold)
            )
            weights = [
                Contribution(*clean.to_source(*place), float(logit))
                for offsets, logits in windows
                for place, logit in zip(offsets, logits[:, column], strict=True)
                if place[0] < place[1]
            ]
            found[name] = narrowed(text, list(spans), weights)
        return found

    def marks(self, clean: Normalised) -> list[tuple[Sequence[tuple[int, int]], Numbers]]:
        """Return, for each window of a text, where its tokens are and the token head's logits."""
        return [(each.offsets, each.outputs["token_logits"]) for each in self._windows(clean)]

    def contributions(self, text: str, ids: Sequence[str]) -> dict[str, list[Contribution]]:
        """Split each id's log-odds over the words, exactly, at the encoder's last layer.

        The heads are linear in the mean and the greatest states of the tokens: each token's part
        of both is its own. The parts add up to the logit without the bias. In a longer text they
        are those of the strongest window.
        """
        from tactful.detectors.explain.words import spread_over_words, word_contributions

        if self._heads is None:
            return word_contributions(self, text, ids)
        clean = normalise(text)
        windows = self._windows(clean)
        found = {}
        for name in ids:
            column = self.card.ids.index(name)
            best = max(windows, key=lambda each: float(each.outputs["logits"][column]))
            parts = self._token_parts(best.outputs["states"], column)
            found[name] = spread_over_words(clean, best.offsets, parts)
        return found

    def _token_parts(self, states: Numbers, column: int) -> Numbers:
        heads = self._heads or {}
        weights = heads["text_weight"][column]
        width = states.shape[1]
        parts = states @ weights[:width] / len(states)
        winners = states.argmax(axis=0)
        np.add.at(parts, winners, states[winners, np.arange(width)] * weights[width:])
        slope = self.card.scaling(self.card.ids[column])[0]
        scaled: Numbers = (parts * slope).astype(np.float32)
        return scaled

    def _windows(self, clean: Normalised) -> list[_Window]:
        """Read the windows of a text; marks and contributions of one text share the reading."""
        if self._read_last is None or self._read_last[0] != clean.text:
            encoding = self.tokenizer.encode(clean.text)
            names = [output.name for output in self._session.get_outputs()]
            found = []
            for window in (encoding, *encoding.overflowing):
                answers = dict(zip(names, self._run(names, [window.ids]), strict=True))
                outputs = {
                    name: answer[0] if name == "logits" else answer[0, : len(window.ids)]
                    for name, answer in answers.items()
                }
                found.append(_Window(window.offsets, outputs))
            self._read_last = clean.text, found
        return self._read_last[1]


def _pooled(states: Numbers) -> Numbers:
    found: Numbers = np.concatenate([states.mean(axis=0), states.max(axis=0)])
    return found


def open_tokenizer(folder: Path) -> "Tokenizer":
    """Open what cuts texts into windows of tokens for the encoder in a folder."""
    from tokenizers import Tokenizer

    path = folder / TOKENIZER_FILE
    if not path.is_file():
        raise FileFormatError(
            f"{folder}: found no {TOKENIZER_FILE}; expected the folder of an encoder; "
            "check the path."
        )
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    # An encoder that learnt from shorter windows may know no places beyond them.
    learnt = (tokenizer.truncation or {}).get("max_length", MAX_TOKENS)
    most = learnt if OVERLAP < learnt < MAX_TOKENS else MAX_TOKENS
    tokenizer.enable_truncation(most, stride=OVERLAP)
    return tokenizer


def load_encoder_detector(folder: Path) -> EncoderDetector:
    """Open the folder of an encoder."""
    return EncoderDetector(folder, read_card(folder))
