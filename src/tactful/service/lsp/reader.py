"""Reading a document bit by bit: what is known is not read again, what is stale is given up.

A long document takes many seconds the first time. It is read in slices of a fraction of a second;
after each one the reader tells what it has found so far.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tactful.checking.findings import (
    check_document,
    check_thresholds,
    choose_ids,
    with_frames,
    without_explanations,
)
from tactful.checking.report import DocumentReport
from tactful.checking.reports.language import in_language
from tactful.checking.wording.wording import AUTO, spoken_or_english
from tactful.detectors.base import BaseDetector, Spans
from tactful.detectors.card import Card
from tactful.detectors.explain.occlusion import occlusion_spans
from tactful.detectors.load import DETECTORS, embedded_cards, load_detector
from tactful.detectors.protocol import Detector, Scores
from tactful.documents.document import Document
from tactful.documents.language import LANGUAGE_NAMES, guess_language
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.service.lsp.memory import Memory, fingerprint
from tactful.service.lsp.wishes import Wishes
from tactful.types import Frame

if TYPE_CHECKING:
    from tactful.frames.embedded import EmbeddedFramer

FIRST_SLICE = 0.4
"""How many seconds pass until a long document shows its first findings."""
LATER_SLICE = 1.0
_SEGMENTS_FOR_LANGUAGE = 100
_NOT_YET = -1.0
"""Reaches no threshold, not even 0: a passage that was not read yet shows nothing."""
AT_ONCE = 8
"""How many passages are scored in one call: more would hold up the slice, fewer are slower."""
_MOST_FRAMES = 5_000


class Stale(Exception):  # noqa: N818 (no error: the text has changed, and nobody wants the answer)
    """The document has changed since."""


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
    """Detectors and framers, opened when a text first needs them, and what they said."""

    def __init__(self, open_detector: Callable[[str, str], Detector] | None = None) -> None:
        self._open = open_detector or open_named
        self._detectors: dict[tuple[str, str], Detector] = {}
        self._corrected: dict[tuple[int, tuple[tuple[str, float], ...]], Detector] = {}
        self._framers: dict[str, EmbeddedFramer | None] = {}
        self.scores: Memory[NDArray[np.float32]] = Memory()
        self.spans: Memory[Spans] = Memory()
        self.frames: Memory[Frame] = Memory(_MOST_FRAMES)

    def warm_up(self, wishes: Wishes) -> None:
        """Open the main detector and let it read something, before the first document needs it."""
        self._reading(self._main(wishes), wishes).score(["Good morning to all of you."])

    def read(self, document: Document, wishes: Wishes, part: Slice) -> Reading:
        """Find what there is in a document, as ``tactful check`` does, within a slice of time."""
        main = self._main(wishes)
        self._check_ids(wishes, main.card)
        detector = self._detector_for(document, wishes, main)
        ids = detector.card.ids
        report = check_document(
            Remembering(self, self._reading(detector, wishes), part),
            document,
            only=_wanted(wishes.only, detector.card),
            thresholds={name: value for name, value in wishes.thresholds.items() if name in ids},
            least=wishes.least,
        )
        if wishes.frames != "off":
            report = self._framed(report, detector.card.lang, wishes.frames == "statements", part)
        if not wishes.explanations:
            report = without_explanations(report)
        own = spoken_or_english(detector.card.lang)
        lang = own if wishes.report_lang == AUTO else wishes.report_lang
        return Reading(in_language(report, lang), lang, part.is_enough)

    def _main(self, wishes: Wishes) -> Detector:
        return self._opened(wishes.model, "en" if wishes.lang == AUTO else wishes.lang)

    def _opened(self, model: str, lang: str) -> Detector:
        found = self._detectors.get((model, lang))
        if found is None:
            found = self._detectors[model, lang] = self._open(model, lang)
        return found

    def _detector_for(self, document: Document, wishes: Wishes, main: Detector) -> Detector:
        """Return the detector that reads the language of a document, as ``tactful check`` does."""
        spoken = main.card.lang
        if wishes.lang != AUTO:
            if wishes.lang != spoken:
                raise UsageError(
                    f"The detector '{wishes.model}' reads '{spoken}' and 'lang' is "
                    f"'{wishes.lang}'; name a detector for that language."
                )
            return main
        start = document.segments[:_SEGMENTS_FOR_LANGUAGE]
        found = guess_language(" ".join(segment.text for segment in start))
        if found is None or found == spoken:
            return main
        if wishes.model in DETECTORS and any(card.lang == found for card in embedded_cards()):
            return self._opened("default", found)
        raise InputError(
            f"It is {LANGUAGE_NAMES[found]}; expected {LANGUAGE_NAMES.get(spoken, spoken)}, which "
            f"the detector reads; set 'lang' to '{spoken}' to check it all the same."
        )

    def _check_ids(self, wishes: Wishes, card: Card) -> None:
        """Refuse unknown ids; those of the project's file with their line."""
        others = embedded_cards() if wishes.lang == AUTO and wishes.model in DETECTORS else ()
        known = list(dict.fromkeys(name for each in (card, *others) for name in each.ids))
        project = wishes.project
        try:
            choose_ids(wishes.only, known)
        except UnknownNameError as error:
            where = f"{project.place('only')}: " if wishes.only == project.only else ""
            raise UsageError(f"{where}{error}") from None
        for name, value in wishes.thresholds.items():
            try:
                check_thresholds({name: value}, known)
            except UnknownNameError as error:
                of_project = project.thresholds.get(name) == value
                where = f"{project.place(f'thresholds.{name}')}: " if of_project else ""
                raise UsageError(f"{where}{error}") from None

    def _reading(self, detector: Detector, wishes: Wishes) -> Detector:
        """Return the detector with the second reading, unless that is not wanted."""
        framer = None if wishes.frames == "off" else self._framer(detector.card.lang)
        if framer is None:
            return detector
        key = (id(detector), tuple(sorted(wishes.thresholds.items())))
        if key not in self._corrected:
            from tactful.checking.second_reading import with_second_reading

            self._corrected[key] = with_second_reading(detector, framer, wishes.thresholds)
        return self._corrected[key]

    def _framed(
        self, report: DocumentReport, lang: str, statements: bool, part: Slice
    ) -> DocumentReport:
        def framing(texts: Sequence[str]) -> list[Frame]:
            return [self._frame(text, lang, statements, part) for text in texts]

        return with_frames(report, framing)

    def _frame(self, text: str, lang: str, statements: bool, part: Slice) -> Frame:
        """Return the frame of a passage; an empty one until it is known."""
        key = (lang, statements, fingerprint(text))
        known = self.frames.get(key)
        framer = self._framer(lang)
        if known is not None or framer is None or not part.allows():
            return known or Frame()
        framer.statements = statements
        known = framer.frame([text])[0]
        self.frames.put(key, known)
        return known

    def _framer(self, lang: str) -> "EmbeddedFramer | None":
        if lang not in self._framers:
            from tactful.frames.embedded import load_embedded_framer
            from tactful.frames.load import framer_folder

            folder = framer_folder(lang)
            self._framers[lang] = None if folder is None else load_embedded_framer(folder)
        return self._framers[lang]


def open_named(model: str, lang: str) -> Detector:
    """Open an embedded detector of a language, or the folder of one's own, which has its own."""
    return load_detector(model, lang=lang) if model in DETECTORS else load_detector(model)


class Remembering(BaseDetector):
    """A detector that reads only what it has not read before, and only as long as it may."""

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


def _wanted(only: Sequence[str], card: Card) -> tuple[str, ...]:
    """Return what is wanted of a detector's ids; wanting none of them is an error."""
    wanted = tuple(
        name
        for name in only
        if any(each == name or each.startswith(f"{name}.") for each in card.ids)
    )
    if only and not wanted:
        raise InputError(
            f"It is {LANGUAGE_NAMES.get(card.lang, card.lang)}, in which {', '.join(only)} cannot "
            "be found; set 'only' to other ids, or leave it out."
        )
    return wanted
