"""Reading a document in slices: known passages are not read again, stale work is cancelled.

A long document takes many seconds the first time. It is read in slices of a fraction of a second;
after each one the reader tells what it has found so far.
"""

import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Event
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tactful.checking.checker import Checker
from tactful.checking.models import opened_framer
from tactful.checking.options import AUTO, CheckOptions
from tactful.checking.report import DocumentReport
from tactful.checking.wording import spoken_or_english
from tactful.detectors.base import BaseDetector, Detector, Scores, Spans
from tactful.detectors.explain.words import occlusion_spans
from tactful.documents.document import Document
from tactful.types import Frame

FIRST_SLICE = 0.4
"""How many seconds pass until a long document shows its first findings."""
LATER_SLICE = 1.0
_NOT_YET = -1.0
"""Reaches no threshold, not even 0: a passage that was not read yet shows nothing."""
AT_ONCE = 8
"""The passages that are scored in one call: more would exceed the slice, fewer are slower."""
_MOST_PASSAGES, _MOST_FRAMES = 50_000, 5_000

V = TypeVar("V")


class Stale(Exception):  # noqa: N818 (not an error: the text has changed, so the answer is not needed)
    """The document has changed since."""


def fingerprint(text: str) -> bytes:
    """Return the key of a text in the cache; the text itself is not kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Memory(Generic[V]):
    """A cache with a limited number of answers, so that only changed passages are read again."""

    def __init__(self, most: int = _MOST_PASSAGES):
        self._most = most
        self._known: OrderedDict[Hashable, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Hashable) -> V | None:
        """Return an answer from the cache, and mark it as recently used."""
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def put(self, key: Hashable, value: V) -> None:
        """Add an answer; the least recently used ones are dropped."""
        self._known[key] = value
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)


class Slice:
    """Some time for work, at least for one piece of it."""

    def __init__(self, seconds: float, stale: Event):
        self._end = time.monotonic() + seconds
        self._stale = stale
        self._has_begun = False
        self.is_enough = True
        """Whether all that was asked for could be done."""

    def allows(self) -> bool:
        """Say whether one more piece of work may be done; raise if nobody wants it any more."""
        if self._stale.is_set():
            raise Stale
        if self._has_begun and time.monotonic() > self._end:
            self.is_enough = False
            return False
        self._has_begun = True
        return True


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a document so far."""

    report: DocumentReport
    lang: str
    """The language of names and explanations."""
    is_whole: bool
    """Whether all of the document was read."""


class Reader:
    """Checks documents, and remembers what was found in their passages."""

    def __init__(self) -> None:
        self._checkers: list[Checker] = []
        """All that were needed: the memories know scores by the detector's place in memory."""
        self.scores: Memory[NDArray[np.float32]] = Memory()
        self.spans: Memory[Spans] = Memory()
        self.frames: Memory[Frame] = Memory(_MOST_FRAMES)

    def warm_up(self, options: CheckOptions) -> None:
        """Open the main detector and let it read something, before the first document needs it."""
        checker = self._checker(options)
        checker.detector.score(["Good morning to all of you."])

    def read(self, document: Document, options: CheckOptions, part: Slice) -> Reading:
        """Check a document within a slice of time."""
        checker = self._checker(options)
        detector = checker.detector_for(document)

        def framing(texts: Sequence[str]) -> list[Frame]:
            statements = options.frames == "statements"
            return [self._frame(text, detector, statements, part) for text in texts]

        report = checker.check_document(
            document,
            read_by=lambda detector: Remembering(self, detector, part),
            framing=None if options.frames == "off" else framing,
        )
        own = spoken_or_english(detector.card.lang)
        return Reading(
            report, own if options.report_lang == AUTO else options.report_lang, part.is_enough
        )

    def check(self, text: str, options: CheckOptions) -> DocumentReport:
        """Check a text of its own, which is not remembered."""
        return self._checker(options).check(text)

    def _checker(self, options: CheckOptions) -> Checker:
        found = next((each for each in self._checkers if each.options == options), None)
        if found is None:
            found = Checker(options)
            self._checkers.append(found)
        return found

    def _frame(self, text: str, detector: Detector, statements: bool, part: Slice) -> Frame:
        """Return the frame of a passage; an empty one until it is known."""
        key = (detector.card.lang, statements, fingerprint(text))
        known = self.frames.get(key)
        framer = opened_framer(detector)
        if known is not None or framer is None or not part.allows():
            return known or Frame()
        framer.statements = statements
        known = framer.frame([text])[0]
        self.frames.put(key, known)
        return known


class Remembering(BaseDetector):
    """A detector that scores only new passages, and only within its slice of time."""

    def __init__(self, reader: Reader, detector: Detector, part: Slice):
        self.card = detector.card
        self._reader, self._detector, self._part = reader, detector, part
        self._model = id(detector)  # the reader keeps detectors, so no other one gets this number

    def score(self, texts: Sequence[str]) -> Scores:
        """Return the scores of what is known or can be read in time; others reach no threshold."""
        keys = [(self._model, fingerprint(text)) for text in texts]
        rows = [self._reader.scores.get(key) for key in keys]
        missing = list({keys[at]: at for at, row in enumerate(rows) if row is None}.values())
        found: dict[tuple[int, bytes], NDArray[np.float32]] = {}
        for start in range(0, len(missing), AT_ONCE):
            if not self._part.allows():
                break
            chosen = missing[start : start + AT_ONCE]
            scores = self._detector.score([texts[at] for at in chosen])
            table = np.stack([scores[name] for name in self.card.ids], axis=1)
            for at, numbers in zip(chosen, table, strict=True):
                found[keys[at]] = numbers
                self._reader.scores.put(keys[at], numbers)
        nothing = np.full(len(self.card.ids), _NOT_YET, dtype=np.float32)
        known = [
            found.get(key, nothing) if row is None else row
            for key, row in zip(keys, rows, strict=True)
        ]
        return {
            name: np.array([row[at] for row in known], dtype=np.float32)
            for at, name in enumerate(self.card.ids)
        }

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        """Return the words that carry each id; nothing, that is the whole passage, until known."""
        key = (self._model, fingerprint(text), tuple(ids))
        known = self._reader.spans.get(key)
        if known is None:
            if not self._part.allows():
                return {}
            known = (
                self._detector.spans(text, ids)
                if isinstance(self._detector, BaseDetector)
                else occlusion_spans(self._detector, text, ids)
            )
            self._reader.spans.put(key, known)
        return known
