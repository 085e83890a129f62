"""Writing statements with the embedded decoder: beam search over its two ONNX graphs.

``memory.onnx`` prepares the encoder's states of a text once; ``step.onnx`` gives the next piece of
every line, and what the text's own words add to it. Lines look like ``[STR] group [SEP] statement
[END]``, so the same decoder also names a group that is not in the list.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.models.onnx_session import open_session
from tactful.errors import FileFormatError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY_FILE = "vocabulary.json"
START, SEPARATOR, END, FREE_START = 0, 1, 2, 3
SPECIAL = ("[STR]", "[SEP]", "[END]", "[FREE]")
"""Lines that were learnt from freer statements than those of the corpus begin with the last."""
_TIGHT = frozenset("-/'\u2019")
"""Marks that are written without spaces around them, as the corpus' own group names are."""


@dataclass(frozen=True)
class Vocabulary:
    """Numbers for pieces: a few special ones, then pieces of words ("women", "##s")."""

    pieces: tuple[str, ...]
    """Without the special ones."""

    def __len__(self) -> int:
        return len(SPECIAL) + len(self.pieces)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {piece: number for number, piece in enumerate(self.pieces, len(SPECIAL))}

    def numbers(self, text: str, tokenizer: "Tokenizer") -> list[int]:
        """Return the numbers of a text's pieces; pieces that are not known are left out."""
        cut = tokenizer.encode(text.lower(), add_special_tokens=False).tokens
        return [self._numbers[piece] for piece in cut if piece in self._numbers]

    def places(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the number of each token of a text; 0 is one that cannot be written."""
        return np.array([self._numbers.get(token, 0) for token in tokens], dtype=np.int64)

    def text(self, numbers: Sequence[int]) -> str:
        """Write numbers as words again.

        >>> Vocabulary(("latin", "##o", "/", "folk", "##s")).text([4, 5, 6, 7, 8])
        'latino/folks'
        """
        words: list[str] = []
        tight = True
        for number in numbers:
            if number < len(SPECIAL):
                continue
            piece = self.pieces[number - len(SPECIAL)]
            if piece.startswith("##") and words:
                words[-1] += piece[2:]
                continue
            mark = piece in _TIGHT
            if words and (tight or mark):
                words[-1] += piece
            else:
                words.append(piece)
            tight = mark
        return " ".join(words).replace(" ,", ",").replace(" .", ".")


def read_vocabulary(folder: Path) -> Vocabulary:
    """Read the pieces from a folder with weights."""
    path = folder / VOCABULARY_FILE
    try:
        pieces = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pieces = None
    if not isinstance(pieces, list) or not all(isinstance(each, str) for each in pieces):
        raise FileFormatError(
            f"{path}: found no list of pieces; expected the file that training wrote; restore it."
        )
    return Vocabulary(tuple(pieces))


MEMORY_FILE, STEP_FILE = "memory.onnx", "step.onnx"
BEAMS = 6
MOST_STEPS, MOST_GROUP_STEPS = 16, 8
"""As many pieces a statement and a group may have; the list has the longer names of groups."""
LEAST_PIECES = 3
"""The least number of pieces in a statement, such as "they are lazy"."""
_BLIND_LINES = 64
_TEXTS = 12
"""The number of texts decoded at a time; more would not be faster."""
_NEVER = -1e9

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Source:
    """A text as the decoder reads it."""

    states: Numbers
    """The encoder's, one row for each token."""
    places: NDArray[np.int64]
    """The number of each token in the decoder's vocabulary; 0 where it has none."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A continuation, and its log-probability."""

    pieces: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Ending:
    """Which piece ends a line, not before and not after how many pieces."""

    stop: int
    least: int
    most: int


class StatementDecoder:
    """Writes lines about texts whose encoder states are given."""

    def __init__(self, folder: Path, threads: int = 1):
        self.folder, self.threads = folder, threads

    @cached_property
    def memory(self) -> Any:
        """The graph that prepares states."""
        return open_session(self.folder / MEMORY_FILE, self.threads)

    @cached_property
    def step(self) -> Any:
        """The graph that gives the next piece."""
        return open_session(self.folder / STEP_FILE, self.threads)

    def statements(
        self, sources: Sequence[Source], groups: Sequence[Sequence[int]], beams: int = BEAMS
    ) -> list[list[Candidate]]:
        """Return likely statements about each text's group (its pieces are given), best first."""
        prefixes = [[START, *group, SEPARATOR] for group in groups]
        return self._search(sources, prefixes, _Ending(END, LEAST_PIECES, MOST_STEPS), beams)

    def groups(self, sources: Sequence[Source], beams: int = BEAMS) -> list[list[Candidate]]:
        """Return likely names of the group that each text is about, best first."""
        ending = _Ending(SEPARATOR, 1, MOST_GROUP_STEPS)
        return self._search(sources, [[START]] * len(sources), ending, beams)

    def blind_scores(
        self, groups: Sequence[Sequence[int]], statements: Sequence[Sequence[int]]
    ) -> list[float]:
        """Return the log-probability of each statement about its group, if no text is read.

        A statement that is likely for a group without a text is generic.
        """
        asked = list(zip(map(tuple, groups), map(tuple, statements), strict=True))
        known: dict[tuple[tuple[int, ...], tuple[int, ...]], float] = {}
        # Equally long lines are scored together.
        listed = sorted(set(asked), key=lambda each: (len(each[0]) + len(each[1]), each))
        for start in range(0, len(listed), _BLIND_LINES):
            part = listed[start : start + _BLIND_LINES]
            known |= zip(part, self._blind(part), strict=True)
        return [known[each] for each in asked]

    def _blind(self, pairs: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> list[float]:
        written = [(START, *group, SEPARATOR, *statement, END) for group, statement in pairs]
        nothing = Source(np.zeros((1, self.width), np.float32), np.zeros(1, np.int64))
        lines = _Lines(self, [nothing] * len(pairs), [[START]] * len(pairs))
        found = np.zeros(len(pairs))
        for at in range(1, max(map(len, written))):
            pieces = np.array([line[at] if at < len(line) else END for line in written])
            counted = [
                len(group) + 1 < at < len(line)
                for (group, _), line in zip(pairs, written, strict=True)
            ]
            chances = _log_softmax(lines.logits)[np.arange(len(pairs)), pieces]
            found += np.where(counted, chances, 0.0)
            lines.logits = lines.write(pieces)
        return found.tolist()

    @cached_property
    def width(self) -> int:
        """The width of the encoder's states."""
        return int(self.memory.get_inputs()[0].shape[2])

    def _search(
        self,
        sources: Sequence[Source],
        prefixes: Sequence[Sequence[int]],
        ending: "_Ending",
        beams: int,
    ) -> list[list[Candidate]]:
        found: list[list[Candidate]] = [[] for _ in sources]
        # Texts of about the same length waste little on padding.
        order = sorted(range(len(sources)), key=lambda row: len(sources[row].places))
        for start in range(0, len(order), _TEXTS):
            rows = order[start : start + _TEXTS]
            lines = _Lines(self, [sources[row] for row in rows], [prefixes[row] for row in rows])
            ended = _beam_search(lines, beams, ending)
            for row, candidates in zip(rows, ended, strict=True):
                found[row] = candidates
        return found


class _Lines:
    """The open lines of some texts: what they look back at, and where they are."""

    def __init__(
        self,
        decoder: StatementDecoder,
        sources: Sequence[Source],
        prefixes: Sequence[Sequence[int]],
    ):
        self.step = decoder.step
        self.texts = len(sources)
        length = max(len(each.places) for each in sources)
        self.states = np.zeros((self.texts, length, decoder.width), dtype=np.float32)
        self.mask = np.zeros((self.texts, length), dtype=np.int64)
        self.source = np.zeros((self.texts, length), dtype=np.int64)
        for row, each in enumerate(sources):
            self.states[row, : len(each.places)] = each.states
            self.source[row, : len(each.places)] = each.places
            self.mask[row, : len(each.places)] = 1
        self.cross: Numbers = decoder.memory.run(["cross"], {"states": self.states})[0]
        layers, both, _, heads, _, width = self.cross.shape
        self.kept: Numbers = np.zeros((layers, both, self.texts, heads, 0, width), dtype=np.float32)
        self.kept_mask = np.zeros((self.texts, 0), dtype=np.int64)
        self.places = np.zeros(self.texts, dtype=np.int64)
        longest = max(map(len, prefixes))
        for at in range(longest):
            # Shorter prefixes begin later, so that all of them end together.
            late = [at - (longest - len(prefix)) for prefix in prefixes]
            pieces = [p[max(start, 0)] for p, start in zip(prefixes, late, strict=True)]
            self.logits = self.write(np.array(pieces), np.array(late) >= 0)

    def write(self, pieces: NDArray[np.int64], real: NDArray[np.bool_] | None = None) -> Numbers:
        """Add one piece to every line; return the log-odds of what follows."""
        there = np.ones(len(pieces), dtype=np.int64) if real is None else real.astype(np.int64)
        self.kept_mask = np.concatenate([self.kept_mask, there[:, None]], axis=1)
        # A line that has not started attends to its padding; the result is never used.
        mask = self.kept_mask.copy()
        mask[there == 0, -1] = 1
        logits: Numbers
        logits, copied, self.kept = self.step.run(
            ["logits", "copied", "kept"],
            {
                "pieces": pieces.astype(np.int64),
                "place": self.places,
                "own": self.kept,
                "own_mask": mask,
                "cross": self.cross,
                "mask": self.mask,
                "states": self.states,
            },
        )
        rows = np.arange(len(pieces))[:, None]
        np.add.at(logits, (rows, self.source), np.where(self.source > 0, copied, 0.0))
        self.places = self.places + there
        return logits

    def spread(self, beams: int) -> None:
        """Make several lines of each."""
        self.cross = np.repeat(self.cross, beams, axis=2)
        self.mask = np.repeat(self.mask, beams, axis=0)
        self.source = np.repeat(self.source, beams, axis=0)
        self.states = np.repeat(self.states, beams, axis=0)
        self.logits = np.repeat(self.logits, beams, axis=0)
        self.follow(np.repeat(np.arange(self.texts), beams))

    def follow(self, parents: NDArray[np.int64]) -> None:
        """Go on from these lines only."""
        self.kept = self.kept[:, :, parents]
        self.kept_mask = self.kept_mask[parents]
        self.places = self.places[parents]


def _beam_search(lines: _Lines, beams: int, ending: _Ending) -> list[list[Candidate]]:
    """Keep the best lines of each text until they end.

    Of twice as many ways to go on as lines are kept, at most one for each line is its end: so
    there are always enough that go on.
    """
    texts = lines.texts
    lines.spread(beams)
    ended: list[list[Candidate]] = [[] for _ in range(texts)]
    written: list[list[tuple[int, ...]]] = [[()] * beams for _ in range(texts)]
    scores = np.full((texts, beams), _NEVER)
    scores[:, 0] = 0.0
    for step in range(ending.most):
        chances = _log_softmax(lines.logits).reshape(texts, beams, -1)
        may_end = step >= ending.least
        barred = [p for p in range(len(SPECIAL)) if p != ending.stop or not may_end]
        chances[:, :, barred] = _NEVER
        totals = (scores[:, :, None] + chances).reshape(texts, -1)
        size = chances.shape[2]
        best = np.argpartition(-totals, 2 * beams, axis=1)[:, : 2 * beams]
        parents = np.zeros((texts, beams), dtype=np.int64)
        pieces = np.zeros((texts, beams), dtype=np.int64)
        for text in range(texts):
            ordered = best[text][np.argsort(-totals[text, best[text]], kind="stable")]
            going: list[tuple[int, ...]] = []
            for place in map(int, ordered):
                beam, piece = divmod(place, size)
                score = float(totals[text, place])
                if piece == ending.stop:
                    ended[text].append(Candidate(written[text][beam], score))
                elif len(going) < beams:
                    parents[text, len(going)] = text * beams + beam
                    pieces[text, len(going)] = piece
                    scores[text, len(going)] = score
                    going.append((*written[text][beam], piece))
            written[text] = going
        if all(map(_settled, ended, scores)):
            break
        lines.follow(parents.ravel())
        lines.logits = lines.write(pieces.ravel())
    for text, found in enumerate(ended):
        found.sort(key=lambda each: -each.score)
        if not found:
            # No line is complete: use the best incomplete one.
            found.append(Candidate(written[text][0], float(scores[text, 0])))
    return ended


def _settled(ended: list[Candidate], scores: NDArray[np.float64]) -> bool:
    """Say whether enough lines have ended, each likelier than all unfinished ones."""
    better = sum(each.score > scores[0] for each in ended)
    return bool(better >= len(scores))


def _log_softmax(logits: Numbers) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    found: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
