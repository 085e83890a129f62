"""The framer that comes with Tactful: no torch, no corpus, all from texts to frames in two models.

It reads with the open encoder, whichever detector is used beside it. The categorical variables are
those of that encoder, corrected so that the mere mention of a group counts for little, and searched
for the most probable consistent assignment. The group comes from a head over a list, or from the
decoder where the list has none; the statement from the decoder, which reads the encoder's states,
the text's own words and the group. Of the statements that a beam search finds, the one that agrees
most with the others is taken; statements that fit the group without the text count less.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.detectors.base import Scores, sigmoid
from tactful.detectors.card import Card, read_card
from tactful.detectors.explain.words import carrying_spans, spread_over_words
from tactful.detectors.load import load_detector
from tactful.detectors.models.encoder import EncoderDetector, Reading
from tactful.detectors.weights import find_weights
from tactful.errors import FileFormatError
from tactful.frames.schema import CATEGORICAL, at_thresholds, most_probable_rows
from tactful.frames.statements import own_statement
from tactful.types import Frame, Implication

if TYPE_CHECKING:
    from tactful.frames.decoder import Candidate, Source, StatementDecoder, Vocabulary

EMBEDDED: dict[str, dict[str, str]] = {"en": {"default": "frames-en"}}
"""Language -> name -> folder of the weights."""
HEADS_FILE = "heads.npz"
GROUP = "frame.group"
MOST_GROUPS = 3
DECODER_SHARE = 0.15
"""How much the decoder's log-probability of a name counts beside the head's."""
MENTIONED = 3.0
"""What it adds to a group's log-odds that the text calls it by name: rare groups were taught by few
posts."""
GENERIC = 0.3
"""How much less a statement counts if it is likely for its group without the text."""
LEAST_SHARE = 0.25
"""A further group is named where the head gives it at least this share."""
CLEAR_SHARE = 0.65
"""A text that names groups is about another one only where the head gives that at least this share:
below it, such a guess was right in 9 of 33 held-out posts."""
FEW_SHARE = 0.3
"""Of a group that a text names and the head gives less than this, few statements were learnt: what
the text itself says of it in plain words is taken instead."""
_BATCH = 256
_UNSURE = {
    "frame.lewd": "maybe",
    "frame.offensive": "maybe",
    "frame.intent": "probably",
    "frame.in_group": "maybe",
}
"""The answers that count as a yes without being one (footnote 8)."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Named:
    """A group that a text may be about."""

    name: str
    share: float
    """How likely it is this one, if the text is about a group at all."""
    column: int
    """Its place in the head; groups that are not in the list share the last."""
    is_rare: bool = False
    """Whether the text names it, and little was learnt of it."""


class EmbeddedFramer:
    """Turns texts into frames; ``statements=False`` leaves the decoder alone."""

    def __init__(self, folder: Path, card: Card, *, threads: int = 1, statements: bool = True):
        self.folder, self.card, self.threads = folder, card, threads
        self.statements = statements

    @property
    def encoder_folder(self) -> Path:
        """The folder of the encoder that this reads with; it is beside this one."""
        return self.folder.parent / str(self.card.training.get("encoder"))

    @cached_property
    def encoder(self) -> EncoderDetector:
        """The encoder that this reads with."""
        named = "encoder" in self.card.training
        found = load_detector(self.encoder_folder) if named else None
        if not isinstance(found, EncoderDetector):
            raise FileFormatError(
                f"{self.folder}: found no encoder beside it; expected the folder that its card "
                "names under 'training'; restore it."
            )
        found.threads = self.threads
        return found

    @cached_property
    def decoder(self) -> "StatementDecoder":
        """What writes statements; most texts need none."""
        from tactful.frames.decoder import StatementDecoder

        return StatementDecoder(self.folder, self.threads)

    @cached_property
    def vocabulary(self) -> "Vocabulary":
        """The pieces that the decoder writes."""
        from tactful.frames.decoder import read_vocabulary

        return read_vocabulary(self.folder)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of the list, in the order of the head; the last class is any other group."""
        return tuple(self.card.training.get("groups", ()))

    @cached_property
    def _heads(self) -> dict[str, Floats]:
        path = self.folder / HEADS_FILE
        try:
            with np.load(path) as found:
                heads = {name: found[name].astype(np.float64) for name in ("groups", "correction")}
        except (OSError, ValueError, KeyError):
            raise FileFormatError(
                f"{path}: found no heads; expected the file that training wrote; restore it."
            ) from None
        if heads["groups"].shape[1] != len(self.groups) + 1:
            raise FileFormatError(
                f"{path}: found {heads['groups'].shape[1]} groups; expected the "
                f"{len(self.groups)} of the card and one more; restore both files."
            )
        return heads

    def frame(self, texts: Sequence[str]) -> list[Frame]:
        """Return one frame per text, in the order of ``texts``; each holds the constraints."""
        starts = range(0, len(texts), _BATCH)
        return [each for at in starts for each in self._frames(texts[at : at + _BATCH])]

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the probabilities of the categorical variables, as a detector does."""
        found = np.empty((len(texts), len(CATEGORICAL)))
        for start in range(0, len(texts), _BATCH):
            part = texts[start : start + _BATCH]
            readings = self.encoder.readings(part, GROUP)
            found[start : start + len(part)] = self.probabilities(readings, pool(readings))
        return {name: found[:, at].astype(np.float32) for at, name in enumerate(CATEGORICAL)}

    def _frames(self, texts: Sequence[str]) -> list[Frame]:
        readings = self.encoder.readings(texts, GROUP)
        pooled = pool(readings)
        chances = self.probabilities(readings, pooled)
        answers = self.answers(chances)
        frames = [_plain(row, said) for row, said in zip(chances, answers, strict=True)]
        wanted = [row for row, said in enumerate(answers) if said[CATEGORICAL.index(GROUP)]]
        if wanted:
            told = self.implications(
                [texts[row] for row in wanted],
                [readings[row] for row in wanted],
                pooled[wanted],
                [float(chances[row, CATEGORICAL.index(GROUP)]) for row in wanted],
            )
            for row, implications in zip(wanted, told, strict=True):
                frames[row] = _with_texts(frames[row], implications)
        return frames

    def probabilities(self, readings: Sequence[Reading], pooled: Floats) -> Floats:
        """Return the probabilities of the categorical variables, in the order of equation 1."""
        odds = frame_logits(self.encoder, readings) + with_bias(pooled, self._heads["correction"])
        columns = [
            sigmoid(scaled(odds[:, at], self.card, name)) for at, name in enumerate(CATEGORICAL)
        ]
        return np.stack(columns, axis=1)

    def answers(self, chances: Floats) -> NDArray[np.int8]:
        """Return the most probable consistent assignments, weighed at the card's thresholds."""
        limits = np.array([self.card.threshold(name) for name in CATEGORICAL])
        return most_probable_rows(at_thresholds(chances, limits))

    def group_shares(self, pooled: Floats) -> Floats:
        """Return how the head divides each text among the groups of the list and any other."""
        odds = with_bias(pooled, self._heads["groups"])
        odds -= odds.max(axis=1, keepdims=True)
        shares = np.exp(odds)
        found: Floats = shares / shares.sum(axis=1, keepdims=True)
        return found

    def named_groups(self, readings: Sequence[Reading], pooled: Floats) -> list[list[Named]]:
        """Return the likely groups of texts, best first, from the head and the decoder.

        The decoder's own names take the place of "any other group", as far as it thinks of them.
        """
        from tactful.frames.groups import mentioned_groups

        written = self.decoder.groups([self.source(each) for each in readings])
        return [
            self._ranked(np.log(shares + 1e-9), candidates, mentioned_groups(reading.clean.text))
            for shares, candidates, reading in zip(
                self.group_shares(pooled), written, readings, strict=True
            )
        ]

    def _ranked(
        self, odds: Floats, candidates: "Sequence[Candidate]", mentioned: set[str]
    ) -> list[Named]:
        decoded = {self.vocabulary.text(each.pieces): each.score for each in candidates}
        floor = min(decoded.values()) - 1.0
        own = {name: score for name, score in decoded.items() if name not in self.groups and name}
        total = np.logaddexp.reduce(list(own.values())) if own else 0.0
        names = [*self.groups, *own]
        scores = np.array(
            [
                *(
                    odds[at]
                    + DECODER_SHARE * decoded.get(name, floor)
                    + (MENTIONED if name in mentioned else 0.0)
                    for at, name in enumerate(self.groups)
                ),
                *(odds[-1] + score - total + DECODER_SHARE * score for score in own.values()),
            ]
        )
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        order = np.argsort(-shares, kind="stable")
        ranked = [
            Named(names[at], float(shares[at]), min(int(at), len(self.groups))) for at in order
        ]
        if mentioned.isdisjoint(names):
            return ranked
        kept = [each for each in ranked if each.name in mentioned or each.share >= CLEAR_SHARE]
        total = sum(each.share for each in kept)
        return [
            replace(each, share=each.share / total, is_rare=each.share < FEW_SHARE) for each in kept
        ]

    def implications(
        self,
        texts: Sequence[str],
        readings: Sequence[Reading],
        pooled: Floats,
        chances: Sequence[float],
    ) -> list[tuple[Implication, ...]]:
        """Return the likely groups of texts, each with a statement about it."""
        asked = [
            (row, named)
            for row, names in enumerate(self.named_groups(readings, pooled))
            for named in _chosen(names)
        ]
        statements = self._statements(readings, asked)
        found: list[list[Implication]] = [[] for _ in texts]
        for (row, named), (statement, likelihood) in zip(asked, statements, strict=True):
            plain = self.statements and named.is_rare and own_statement(texts[row], named.name)
            found[row].append(
                Implication(
                    named.name,
                    plain or statement,
                    round(chances[row] * named.share, 4),
                    likelihood,
                    self._evidence(texts[row], readings[row], named.column),
                )
            )
        return [tuple(each) for each in found]

    def _statements(
        self, readings: Sequence[Reading], asked: "Sequence[tuple[int, Named]]"
    ) -> list[tuple[str | None, float | None]]:
        if not self.statements:
            return [(None, None)] * len(asked)
        tokenizer = self.encoder.tokenizer
        pieces = [self.vocabulary.numbers(named.name, tokenizer) for _, named in asked]
        sources = [self.source(readings[row]) for row, _ in asked]
        found = self.decoder.statements(sources, pieces)
        blind = iter(
            self.decoder.blind_scores(
                [group for group, listed in zip(pieces, found, strict=True) for _ in listed],
                [each.pieces for listed in found for each in listed],
            )
        )
        return [self._agreed(listed, [next(blind) for _ in listed]) for listed in found]

    def source(self, reading: Reading) -> "Source":
        """Return a text as the decoder reads it."""
        from tactful.frames.decoder import Source

        return Source(reading.states, self.vocabulary.places(reading.tokens))

    def _agreed(
        self, candidates: "Sequence[Candidate]", blind: Sequence[float]
    ) -> tuple[str | None, float | None]:
        """Choose the statement that agrees most with all that the search found.

        Candidates count by how likely they are, less how likely they are without this text.
        """
        from tactful.frames.consensus import most_agreed

        chances: dict[str, float] = {}
        worth: dict[str, float] = {}
        for each, without in zip(candidates, blind, strict=True):
            # With and without a full stop it is the same statement.
            text = self.vocabulary.text(each.pieces).rstrip(" .") or "…"
            chances[text] = chances.get(text, 0.0) + float(np.exp(each.score))
            worth[text] = worth.get(text, 0.0) + float(np.exp(each.score - GENERIC * without))
        # A statement that says a word twice ("women are not women") is a slip of the decoder.
        texts = [text for text in chances if not _repeats(text)] or list(chances)
        total = sum(worth[text] for text in texts)
        best = texts[most_agreed(texts, [worth[text] / total for text in texts])]
        return best, round(chances[best], 6)

    def _evidence(self, text: str, reading: Reading, at: int) -> tuple[str, ...]:
        """Return the words that speak most for a group rather than for the others."""
        weights = self._heads["groups"][:-1]
        own = weights[:, at] - weights.mean(axis=1)
        width = reading.states.shape[1]
        parts = reading.states @ own[:width] / len(reading.states)
        winners = reading.states.argmax(axis=0)
        np.add.at(parts, winners, reading.states[winners, np.arange(width)] * own[width:])
        words = spread_over_words(reading.clean, reading.offsets, parts)
        return tuple(span.cut(text) for span in carrying_spans(text, words, None))


def frame_logits(encoder: EncoderDetector, readings: Sequence[Reading]) -> Floats:
    """Return the encoder's log-odds before calibration, in the order of equation 1."""
    logits = np.stack([each.logits for each in readings]).astype(np.float64)
    return logits[:, [encoder.card.ids.index(name) for name in CATEGORICAL]]


def scaled(odds: Floats, card: Card, name: str) -> Floats:
    """Return log-odds as a card calibrates them."""
    slope, level = card.calibration.get(name, (1.0, 0.0))
    return slope * odds + level


def pool(readings: Sequence[Reading]) -> Floats:
    """Return the mean and the greatest states of texts: what the heads read."""
    return np.stack(
        [np.concatenate([each.states.mean(axis=0), each.states.max(axis=0)]) for each in readings]
    ).astype(np.float64)


def with_bias(pooled: Floats, weights: Floats) -> Floats:
    """Apply linear weights whose last row is the bias.

    Each row by itself: the last digits of a product of matrices depend on how many rows there are,
    and the result for a text must not depend on the others (docs/decisions/0006).
    """
    rows = [row @ weights[:-1] for row in pooled]
    found: Floats = np.array(rows).reshape(len(pooled), weights.shape[1]) + weights[-1]
    return found


def _repeats(text: str) -> bool:
    """Say whether a statement has a word twice, apart from short and usual ones.

    >>> _repeats("women are inferior to women"), _repeats("black folks act like white folks")
    (True, False)
    """
    words = [word for word in text.split() if len(word) > 3 and word not in ("folks", "people")]
    return len(set(words)) < len(words)


def _chosen(names: "Sequence[Named]") -> "list[Named]":
    """Return the groups to report: the best one, and further clear ones."""
    further = [named for named in names[1:MOST_GROUPS] if named.share >= LEAST_SHARE]
    return [names[0], *further]


def _plain(chances: Floats, said: NDArray[np.int8]) -> Frame:
    values = {name: round(float(p), 4) for name, p in zip(CATEGORICAL, chances, strict=True)}
    answers = {
        name: _answer(name, values[name], bool(value))
        for name, value in zip(CATEGORICAL, said, strict=True)
    }
    if answers[GROUP] == "no":
        answers.pop("frame.in_group")
    return Frame(values, answers=answers)


def _answer(name: str, chance: float, said: bool) -> str:
    """Return the questionnaire's answer: a yes with a probability below 0.5 is a maybe."""
    if not said:
        return "no"
    unsure = _UNSURE.get(name)
    # Whether the author is one of the group is never more than a maybe.
    sure = unsure is None or (chance >= 0.5 and name != "frame.in_group")
    return "yes" if sure or unsure is None else unsure


def _with_texts(frame: Frame, implications: tuple[Implication, ...]) -> Frame:
    return Frame(
        frame.probabilities,
        tuple(dict.fromkeys(each.group for each in implications)),
        tuple(dict.fromkeys(each.statement for each in implications if each.statement)),
        frame.answers,
        implications,
    )


def load_embedded_framer(folder: Path, threads: int = 1) -> EmbeddedFramer:
    """Open the folder of an embedded framer."""
    return EmbeddedFramer(folder, read_card(folder), threads=threads)


def framer_folder(lang: str) -> Path | None:
    """Return the folder of the embedded framer of a language; None if none is installed."""
    return find_weights(EMBEDDED[lang]["default"]) if lang in EMBEDDED else None
