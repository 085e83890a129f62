"""The one check: library, command, service and editor all report what this finds."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tactful.checking.findings import (
    Framing,
    check_document,
    check_thresholds,
    choose_ids,
    ids_below,
    rule_ids,
    term_reader,
    without_explanations,
)
from tactful.checking.languages import (
    detected_in,
    merged,
    options_for_parts,
    part_of,
    parts_by_language,
)
from tactful.checking.models import LOCK, opened_detector, opened_framer
from tactful.checking.options import (
    AUTO,
    DEFAULT_MODEL,
    FRAMES,
    QUOTES,
    TERMS,
    CheckOptions,
)
from tactful.checking.report import DocumentReport
from tactful.checking.reports.run import Run
from tactful.checking.wording import REPORT_LANGUAGES, spoken_or_english
from tactful.detectors.base import Detector
from tactful.detectors.card import Card
from tactful.detectors.load import DETECTORS, embedded_cards
from tactful.documents.document import Document, Kind, document_of, read_document
from tactful.documents.language import LANGUAGE_NAMES
from tactful.errors import InputError, UnknownNameError, UsageError
from tactful.registry import unknown_name
from tactful.terms.lexicon import IDS, ROOT
from tactful.types import Frame


class Checker:
    """Checks any number of texts and documents with the same options.

    Parameters
    ----------
    options
        The options; without them the defaults.
    **changes
        Options to replace, by the names of :class:`CheckOptions`.

    Examples
    --------
    >>> checker = Checker(model="fast", only=["pcl"])
    >>> [finding.id for finding in checker.check("The bridge opens on Monday.").findings]
    []

    """

    def __init__(self, options: CheckOptions | None = None, **changes: Any):
        self.options = _valid(options or CheckOptions(), changes)
        self.detector = self._open_main()
        """The detector of the given language, or of English."""
        if self.options.configuration is not None and self.options.configuration.preset:
            from tactful.checking.presets import fitting

            self.options = fitting(self.options, self.cards)
        check_ids(self.options, self.cards)

    @property
    def cards(self) -> list[Card]:
        """The cards of all detectors that may be used, the main one first."""
        return [self.detector.card, *self._other_cards]

    def check(self, text: str, kind: Kind = "plain") -> DocumentReport:
        """Check a text.

        Parameters
        ----------
        text
            The text.
        kind
            What it is: ``plain``, ``markdown`` or ``html``.

        Returns
        -------
        DocumentReport
            Its ``findings`` have ``id``, ``confidence``, ``spans``, ``kinds`` and ``explanation``.

        """
        return self.check_document(document_of(text, kind))

    def check_file(self, path: Path | str, kind: Kind | None = None) -> DocumentReport:
        """Check a file; its ending says what it is, unless ``kind`` does."""
        return self.check_document(read_document(Path(path), kind))

    def check_document(
        self,
        document: Document,
        *,
        read_by: Callable[[Detector], Detector] | None = None,
        framing: Framing | None = None,
    ) -> DocumentReport:
        """Check a document that was read already.

        Parameters
        ----------
        document
            The document.
        read_by
            Wraps the detector, for one that remembers scores or reads only for some time.
        framing
            Replaces the framer, for the same reason.

        """
        with LOCK:
            main = self.detector_for(document)
            parts = None
            if self.options.lang == AUTO:
                others = [card.lang for card in self.cards if is_wanted(self.options, card)]
                known = [main.card.lang, *others]
                parts = parts_by_language(document, main.card.lang, known)
            if parts is None:
                return self._report(main, document, self.options, read_by, framing)
            options = options_for_parts(self.options, parts.main)
            reports = [
                self._report(
                    main if lang == parts.main else opened_detector(DEFAULT_MODEL, lang),
                    part_of(document, segments),
                    options,
                    read_by,
                    framing if lang == parts.main else None,
                )
                for lang, segments in parts.by_lang.items()
            ]
            return merged(document, reports, parts.unchecked)

    def _report(
        self,
        detector: Detector,
        document: Document,
        options: CheckOptions,
        read_by: Callable[[Detector], Detector] | None,
        framing: Framing | None,
    ) -> DocumentReport:
        if framing is None and options.frames != "off":
            framing = self._framing(detector)
        if read_by is not None:
            detector = read_by(detector)
        return report_on(detector, document, options, framing)

    def detector_for(self, document: Document) -> Detector:
        """Return the detector that reads the language of a document."""
        spoken = self.detector.card.lang
        if self.options.lang != AUTO:
            return self.detector
        found = language_of(document)
        if found is None or found == spoken:
            return self.detector
        if any(card.lang == found for card in self._other_cards):
            # Opened when a text needs it: most runs see one language only.
            return opened_detector("default", found)
        raise InputError(
            f"found {LANGUAGE_NAMES[found]} text; expected {LANGUAGE_NAMES.get(spoken, spoken)}, "
            f"which the detector reads; choose a model for {LANGUAGE_NAMES[found]}, or set the "
            f"language to '{spoken}' to check it anyway."
        )

    def run(self) -> Run:
        """Return what a rendered report says about this check."""
        return run_of(self.cards, self.options.only, self.options.report_lang)

    def _open_main(self) -> Detector:
        model, lang = self.options.model, self.options.lang
        detector = opened_detector(model, "en" if lang == AUTO else lang)
        if lang not in (AUTO, detector.card.lang):
            raise UsageError(
                f"The detector '{model}' reads '{detector.card.lang}' and the language is "
                f"'{lang}'; name a detector for that language."
            )
        return detector

    @cached_property
    def _other_cards(self) -> list[Card]:
        if self.options.lang != AUTO or self.options.model not in DETECTORS:
            return []
        return [
            card
            for card in embedded_cards(self.options.model)
            if card.lang != self.detector.card.lang
        ]

    def _framing(self, detector: Detector) -> Framing:
        def framing(texts: Sequence[str]) -> Sequence[Frame]:
            framer = opened_framer(detector)  # when a passage needs it: most do not
            if framer is None:
                return [Frame()] * len(texts)
            framer.statements = self.options.frames == "statements"
            return framer.frame(texts)

        return framing


def check(text: str, kind: Kind = "plain", **options: Any) -> DocumentReport:
    """Check a text, as ``tactful check`` does.

    Parameters
    ----------
    text
        The text.
    kind
        What it is: ``plain``, ``markdown`` or ``html``.
    **options
        The options of :class:`CheckOptions`, such as ``only=["pcl"]``.

    Returns
    -------
    DocumentReport
        Its ``findings`` have ``id``, ``confidence``, ``spans``, ``kinds`` and ``explanation``.

    Examples
    --------
    >>> import tactful
    >>> tactful.check("The bridge opens on Monday.", model="fast").findings
    ()

    """
    global _last  # noqa: PLW0603 (one call after the other has the same options)
    wanted = _valid(CheckOptions(), options)
    if _last is None or _last.options != wanted:
        _last = Checker(wanted)
    return _last.check(text, kind)


_last: Checker | None = None


def report_on(
    detector: Detector, document: Document, options: CheckOptions, framing: Framing | None
) -> DocumentReport:
    """Put the report on a document together."""
    card = detector.card
    only = wanted_ids(options.only, card)
    terms = term_reader(options, card.lang)
    if only is None and terms is None:
        raise InputError(
            f"found {LANGUAGE_NAMES.get(card.lang, card.lang)} text; expected a language in which "
            f"{', '.join(options.only)} can be found; look for other ids, or for all of them."
        )
    report = check_document(
        detector,
        document,
        only=only,
        thresholds={name: each for name, each in options.thresholds.items() if name in card.ids},
        least=options.least,
        all_scores=options.all_scores,
        terms=terms,
        quotes=options.quotes,
        explanations=options.explanations,
    )
    if framing is not None and report.findings:
        from tactful.checking.placing import with_frames

        report = with_frames(report, framing)
    if not options.explanations:
        report = without_explanations(report)
    own = spoken_or_english(card.lang)
    lang = own if options.report_lang == AUTO else options.report_lang
    # Names are English until now, explanations are in the detector's language.
    if lang == own == "en" or not report.findings:
        return report
    from tactful.checking.explanation import in_language

    return in_language(report, lang)


def language_of(document: Document) -> str | None:
    """Return the language that a document seems to be in; None if it cannot be detected."""
    found = detected_in(document)
    return found.lang or found.leaning


def wanted_ids(only: Sequence[str], card: Card) -> tuple[str, ...] | None:
    """Return the wanted ids of a detector: empty means all of them, None means none of them."""
    known = tuple(name for name in only if ids_below(name, card.ids))
    return known if known or not only else None


def run_of(cards: Sequence[Card], only: Sequence[str], report_lang: str) -> Run:
    """Return what a rendered report says about a check by these detectors."""
    ids = dict.fromkeys(
        name
        for card in cards
        if (wanted := wanted_ids(only, card)) is not None
        for name in rule_ids(card, wanted)
    )
    return Run(cards[0], tuple(ids), lang=report_lang, others=tuple(cards[1:]))


def is_wanted(options: CheckOptions, card: Card) -> bool:
    """Say whether anything that is looked for can be found in the language of a detector."""
    return wanted_ids(options.only, card) is not None or term_reader(options, card.lang) is not None


def check_ids(options: CheckOptions, cards: Sequence[Card]) -> None:
    """Refuse ids that no detector knows; where the project's file has them, with its line."""
    project = options.configuration
    known = list(dict.fromkeys(name for card in cards for name in card.ids))
    if options.terms != "off":
        known += [ROOT, *IDS]
    try:
        choose_ids(options.only, known)
    except UnknownNameError as error:
        if project is not None and options.only == project.only:
            raise UsageError(f"{project.place('only')}: {error}") from None
        raise
    for name, value in options.thresholds.items():
        try:
            check_thresholds({name: value}, known)
        except UnknownNameError as error:
            if project is not None and project.thresholds.get(name) == value:
                raise UsageError(f"{project.place(f'thresholds.{name}')}: {error}") from None
            raise


def _valid(options: CheckOptions, changes: dict[str, Any]) -> CheckOptions:
    """Return the options with changes; refuse what no option can be."""
    names = CheckOptions.__dataclass_fields__
    for name in changes:
        if name not in names:
            raise unknown_name("option", name, list(names))
    if changes.get("model", "") is None:
        changes = {**changes, "model": DEFAULT_MODEL}
    only = changes.get("only", options.only)
    changes = {**changes, "only": (only,) if isinstance(only, str) else tuple(only)}
    found = replace(options, **changes)
    for name, allowed in (
        ("frames", FRAMES),
        ("terms", TERMS),
        ("quotes", QUOTES),
        ("report_lang", REPORT_LANGUAGES),
    ):
        if getattr(found, name) not in allowed:
            raise unknown_name(f"value of '{name}'", str(getattr(found, name)), list(allowed))
    if not 0 <= found.least <= 1:
        raise UsageError(f"Found {found.least:g} as 'least'; expected 0 to 1.")
    return found
