"""What ``tactful check`` checks, one document after the other, whatever happens to one of them."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.checking.findings import (
    check_document,
    check_thresholds,
    choose_ids,
    rule_ids,
    with_frames,
    without_explanations,
)
from tactful.checking.report import Outcome, Unread
from tactful.checking.reports.run import Run
from tactful.checking.reports.visible import visible
from tactful.cli.check.files import ENDINGS, find_files
from tactful.cli.output import echo_sentence
from tactful.detectors.card import Card
from tactful.detectors.load import DETECTORS, embedded_cards, load_detector
from tactful.detectors.protocol import Detector
from tactful.documents.document import Document, document_of, read_document
from tactful.documents.exclusion import Exclusion
from tactful.documents.language import LANGUAGE_NAMES, guess_language
from tactful.errors import InputError, TactfulError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from tactful.cli.check.command import Wishes
    from tactful.frames.embedded import EmbeddedFramer

Source = Path | Document | Unread

_EMPTY = "The text is empty: there is nothing to check."


def sources(paths: Sequence[Path], text: str | None, wishes: "Wishes") -> list[Source]:
    """Return all that is to be checked; files are not read yet."""
    if text is not None or not paths or list(map(str, paths)) == ["-"]:
        return [_given(text, wishes)]
    if any(str(path) == "-" for path in paths):
        raise UsageError("Give files or '-' for standard input, not both.")
    project = wishes.configuration
    base = project.path.parent if project.path is not None else Path.cwd()
    endings = (*ENDINGS, *project.include)
    excluded = Exclusion(wishes.exclude, base)
    found: list[Source] = list(find_files(paths, endings, excluded))
    if not found and not any(path.is_file() and excluded(path) for path in paths):
        shown = ", ".join(map(str, paths))
        raise InputError(
            f"{visible(shown)}: found no file to check; expected files that end in "
            f"{', '.join(endings)} and are not excluded; name a file to check it whatever its "
            "ending."
        )
    return found


def _given(text: str | None, wishes: "Wishes") -> Document:
    if text is None:
        if sys.stdin.isatty():
            echo_sentence("Reading from the terminal; end with Ctrl-D.", err=True)
        text = _decoded(sys.stdin.buffer.read())
    if not text.strip():
        raise UsageError(_EMPTY)
    return document_of(text, wishes.kind or "plain")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"Standard input: found the byte 0x{raw[error.start]:02X} at byte {error.start:,}, "
            "which is not UTF-8; expected text in UTF-8; convert it first."
        ) from None


class Checker:
    """Detectors with the wishes of the user: one, or with ``auto`` one for each language."""

    def __init__(self, wishes: "Wishes"):
        self.wishes = wishes
        self.detector = _load(wishes)
        self.others = _others(wishes, self.detector)
        self._opened: dict[str, Detector] = {}
        self._check_ids()
        self.framer = self._open_framer()
        if self.framer is not None:
            from tactful.checking.second_reading import with_second_reading

            self.detector = with_second_reading(self.detector, self.framer, wishes.thresholds)

    def run(self, to_file: bool) -> Run:
        """Return what the report says about the run, and how wide and colourful it may be."""
        cards = [self.detector.card, *self.others]
        ids = dict.fromkeys(
            name for card in cards for name in rule_ids(card, self._wanted(card.ids) or ())
        )
        run = Run(cards[0], tuple(ids), others=tuple(cards[1:]))
        if to_file or not sys.stdout.isatty():
            return run
        colour = not os.environ.get("NO_COLOR")
        return replace(run, width=shutil.get_terminal_size().columns, colour=colour)

    def outcomes(self, found: Iterable[Source]) -> Iterator[Outcome]:
        """Check one after the other; what cannot be checked is told and the others go on."""
        for source in found:
            outcome = source if isinstance(source, Unread) else self._outcome(source)
            if isinstance(outcome, Unread):
                echo_sentence(f"Not checked: {visible(str(outcome))}", err=True)
            yield outcome

    def _outcome(self, source: Path | Document) -> Outcome:
        path = str(source) if isinstance(source, Path) else "text"
        try:
            document = (
                read_document(source, self.wishes.kind) if isinstance(source, Path) else source
            )
            detector = self._detector_of(document)
            only = self._wanted(detector.card.ids)
            if only is None:
                raise InputError(
                    f"found {LANGUAGE_NAMES[detector.card.lang]} text; expected a language in "
                    f"which {', '.join(self.wishes.only)} can be found; leave --only out."
                )
        except OSError as error:
            return Unread(path, f"it cannot be read ({error.strerror or error}).")
        except TactfulError as error:
            # Errors begin with the path, and so does what is said about an unread document.
            return Unread(path, str(error).removeprefix(path).lstrip(":, "))
        ids = detector.card.ids
        report = check_document(
            detector,
            document,
            only=only,
            thresholds={n: value for n, value in self.wishes.thresholds.items() if n in ids},
            least=self.wishes.least,
            all_scores=self.wishes.all_scores,
        )
        if self.framer is not None:
            report = with_frames(report, self.framer.frame)
        return report if self.wishes.explanations else without_explanations(report)

    def _detector_of(self, document: Document) -> Detector:
        """Return the detector that reads the language of a document."""
        if self.wishes.lang != "auto":
            return self.detector
        found = guess_language(" ".join(segment.text for segment in document.segments[:100]))
        spoken = self.detector.card.lang
        if found is None or found == spoken:
            return self.detector
        if any(card.lang == found for card in self.others):
            return self._embedded(found)
        raise InputError(
            f"found {LANGUAGE_NAMES[found]} text; expected "
            f"{LANGUAGE_NAMES.get(spoken, spoken)}, which the detector reads; pass "
            f"--model FOLDER with one for it, or --lang {spoken} to check it all the same."
        )

    def _embedded(self, lang: str) -> Detector:
        # Opened when a text needs it: most runs see one language only.
        if lang not in self._opened:
            self._opened[lang] = load_detector("default", lang=lang)
        return self._opened[lang]

    def _wanted(self, ids: Sequence[str]) -> tuple[str, ...] | None:
        """Return what is wanted of these ids; None where that is nothing."""
        known = tuple(
            name
            for name in self.wishes.only
            if any(each == name or each.startswith(f"{name}.") for each in ids)
        )
        return known if known or not self.wishes.only else None

    def _open_framer(self) -> "EmbeddedFramer | None":
        """Open what reads a second time and says what may be implied; None if it has no task."""
        card = self.detector.card
        only = self._wanted(card.ids)
        ids = () if only is None else choose_ids(only, card.ids)
        if self.wishes.frames == "off" or not any(name.startswith("frame.") for name in ids):
            return None
        from tactful.frames.embedded import load_embedded_framer
        from tactful.frames.load import framer_folder

        folder = framer_folder(card.lang)
        if folder is None:
            return None
        framer = load_embedded_framer(folder)
        framer.statements = self.wishes.frames == "statements"
        return framer

    def _check_ids(self) -> None:
        """Refuse unknown ids at once; those of the project's file with their line."""
        project = self.wishes.configuration
        ids = tuple(
            dict.fromkeys(name for each in (self.detector.card, *self.others) for name in each.ids)
        )
        for name in self.wishes.only:
            try:
                choose_ids([name], ids)
            except UnknownNameError as error:
                if self.wishes.only == project.only:
                    raise UsageError(f"{project.place('only')}: {error}") from None
                raise
        for name, value in self.wishes.thresholds.items():
            try:
                check_thresholds({name: value}, ids)
            except UnknownNameError as error:
                if name in project.thresholds:
                    raise UsageError(f"{project.place(f'thresholds.{name}')}: {error}") from None
                raise


def _load(wishes: "Wishes") -> Detector:
    """Open the detector that reads the wanted language."""
    lang = "en" if wishes.lang == "auto" else wishes.lang
    if wishes.model in DETECTORS:
        return load_detector(wishes.model, lang=lang)
    detector = load_detector(wishes.model)
    if wishes.lang not in ("auto", detector.card.lang):
        raise UsageError(
            f"The detector '{wishes.model}' reads '{detector.card.lang}' and --lang is "
            f"'{wishes.lang}'; name a detector for that language."
        )
    return detector


def _others(wishes: "Wishes", detector: Detector) -> tuple[Card, ...]:
    """Return the cards of the other languages' detectors, where the language is to be told."""
    if wishes.lang != "auto" or wishes.model not in DETECTORS:
        return ()
    return tuple(card for card in embedded_cards() if card.lang != detector.card.lang)
