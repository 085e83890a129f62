"""Detectors for whole tables: texts in, columns out, for the engines of ``tactful.scale``.

With ``auto`` each text is read by the detector of its language. The languages share the columns of
the ids that they have in common; what a detector does not look for is missing, not 0.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tactful.checking.findings import choose_ids
from tactful.detectors.base import BaseDetector, Detector, found_ids
from tactful.detectors.card import Card, read_card
from tactful.detectors.load import (
    DETECTORS,
    EMBEDDED,
    embedded_folders,
    load_detector,
    own_folder,
)
from tactful.detectors.models.encoder import MODEL_FILE
from tactful.detectors.shared_weights import lay_out, with_parts
from tactful.detectors.weights import weights_folder
from tactful.documents.language import LANGUAGE_NAMES, possible_languages
from tactful.errors import UsageError
from tactful.files import sha256 as file_sha256
from tactful.registry import unknown_name
from tactful.scale.scorer import ERROR, MODEL, PART_ROWS, Columns, ScoreBatch, Scorer

AUTO = "auto"
LANG, SPANS = "lang", "spans"
_SLOW_ROWS = 1_000
"""The number of texts that an encoder reads in about ten seconds."""


def bulk_scorer(
    model: str = "default",
    lang: str = AUTO,
    only: Sequence[str] = (),
    spans: bool = False,
    thresholds: Mapping[str, float] | None = None,
) -> Scorer:
    """Return a scorer of tables for an embedded detector, or for the folder of your own.

    ``spans`` adds where in a text each id was found, as JSON. Nothing is opened yet.
    """
    folders = _folders(model, lang)
    cards = {spoken: read_card(folder) for spoken, folder in folders.items()}
    known = list(dict.fromkeys(name for card in cards.values() for name in card.ids))
    chosen = choose_ids(only, known)
    ids = tuple(name for name in known if name in chosen)
    limits = {name: _threshold(name, cards) for name in ids} | dict(thresholds or {})
    words = (*((LANG,) if len(folders) > 1 else ()), *((SPANS,) if spans else ()))
    settings = [ids, words, sorted(limits.items()) if spans else []]
    what = BulkSettings(ids, spans, limits)
    return Scorer(
        load=partial(open_bulk, folders, what),
        lay_out=partial(lay_out_bulk, folders, what),
        ids=ids,
        model=", ".join(card.model for card in cards.values()),
        fingerprint=_fingerprint(folders, settings),
        thresholds=limits,
        words=words,
        part_rows=_SLOW_ROWS if _is_slow(next(iter(folders.values()))) else PART_ROWS,
    )


@dataclass(frozen=True, slots=True)
class BulkSettings:
    """What is asked of the detectors."""

    ids: tuple[str, ...]
    spans: bool
    thresholds: Mapping[str, float]


def open_bulk(folders: Mapping[str, Path], settings: BulkSettings) -> ScoreBatch:
    """Open the detectors of a :class:`Scorer` in the process that will use them."""
    detectors = {lang: load_detector(folder) for lang, folder in folders.items()}
    return BulkDetector(detectors, settings)


def lay_out_bulk(
    folders: Mapping[str, Path], settings: BulkSettings, target: Path
) -> "partial[ScoreBatch]":
    """Store the weights where processes share them; return a function that opens them there."""
    every = list(folders.values())
    # Those that lie side by side belong together; a folder of your own may have any name.
    places = {
        parent: target / str(at)
        for at, parent in enumerate(dict.fromkeys(each.parent for each in every))
    }
    for parent, place in places.items():
        lay_out([each for each in every if each.parent == parent], place)
    shared = {lang: places[folder.parent] / folder.name for lang, folder in folders.items()}
    return partial(open_bulk, shared, settings)


class BulkDetector:
    """Scores texts as columns; each by the detector of its language, if there are several."""

    def __init__(self, detectors: Mapping[str, Detector], settings: BulkSettings):
        self.detectors, self.ids, self.spans = dict(detectors), settings.ids, settings.spans
        self.thresholds = settings.thresholds

    def __call__(self, texts: list[str]) -> Columns:
        """Return the columns of these texts."""
        if len(self.detectors) == 1:
            (detector,) = self.detectors.values()
            rows = np.arange(len(texts))
            found = self._numbers(texts, rows, detector)
            columns: dict[str, NDArray[np.float32] | list[str | None]] = dict(
                zip(self.ids, found.T, strict=True)
            )
            return columns | self._spans(texts, found, [detector] * len(texts))
        return self._by_language(texts)

    def _by_language(self, texts: list[str]) -> Columns:
        read_in = [self._language_of(text) for text in texts]
        numbers = np.full((len(texts), len(self.ids)), np.nan, dtype=np.float32)
        for lang, detector in self.detectors.items():
            rows = np.flatnonzero([each == lang for each in read_in])
            if rows.size:
                numbers[rows] = self._numbers(texts, rows, detector)
        by = [None if lang is None else self.detectors[lang] for lang in read_in]
        return {
            **dict(zip(self.ids, numbers.T, strict=True)),
            LANG: read_in,
            MODEL: [None if each is None else each.card.model for each in by],
            ERROR: [self._problem(lang) for lang in read_in],
            **self._spans(texts, numbers, by),
        }

    def _problem(self, lang: str | None) -> str | None:
        """Return why a text of a language has no number, if it has none."""
        if lang is None:
            return _foreign(list(self.detectors))
        if not set(self.ids) & set(self.detectors[lang].card.ids):
            return f"none of these ids is scored in {LANGUAGE_NAMES[lang]}"
        return None

    def _language_of(self, text: str) -> str | None:
        langs = possible_languages(text, list(self.detectors))
        return langs[0] if langs and langs[0] in self.detectors else None

    def _numbers(
        self, texts: list[str], rows: NDArray[np.int_], detector: Detector
    ) -> NDArray[np.float32]:
        scores = detector.score([texts[row] for row in rows.tolist()])
        missing = np.full(len(rows), np.nan, dtype=np.float32)
        return np.stack([scores.get(name, missing) for name in self.ids], axis=1)

    def _spans(
        self,
        texts: Sequence[str],
        numbers: NDArray[np.float32],
        detectors: Sequence[Detector | None],
    ) -> dict[str, list[str | None]]:
        if not self.spans:
            return {}
        return {
            SPANS: [
                None if detector is None else self._places(text, row, detector)
                for text, row, detector in zip(texts, numbers.tolist(), detectors, strict=True)
            ]
        }

    def _places(self, text: str, row: Sequence[float], detector: Detector) -> str:
        """Return where in a text the ids are that reach their threshold, as JSON."""
        scores = {
            name: value
            for name, value in zip(self.ids, row, strict=True)
            if name in detector.card.ids
        }
        found = found_ids(scores, self.thresholds)
        if not found or not isinstance(detector, BaseDetector):
            return "[]"
        places = detector.spans(text, found)
        return json.dumps(
            [
                {"id": name, "start": span.start, "end": span.end}
                for name in found
                for span in places.get(name, ())
            ]
        )


def _folders(model: str, lang: str) -> dict[str, Path]:
    """Return the folder of the detector of each language; the first reads what has no clear one.

    A language without a detector of the wanted name has its default.
    """
    if model not in DETECTORS:
        folder = own_folder(model)
        card = load_detector(model).card  # says what is wrong with the name
        if lang not in (AUTO, card.lang):
            raise UsageError(
                f"The detector '{model}' reads '{card.lang}' and --lang is '{lang}'; name a "
                "detector for that language."
            )
        return {card.lang: folder.resolve()}
    if lang != AUTO and lang not in EMBEDDED:
        raise unknown_name("language", lang, [AUTO, *EMBEDDED])
    if lang != AUTO:
        load_detector(model, lang=lang)  # says if there is none of that name
        return {lang: weights_folder(EMBEDDED[lang][model])}
    load_detector(model)  # says if none is installed
    return embedded_folders(model)


def _threshold(name: str, cards: Mapping[str, Card]) -> float:
    """Return the threshold of the first language that has the id."""
    return next(card.threshold(name) for card in cards.values() if name in card.ids)


def _is_slow(folder: Path) -> bool:
    """Say whether the detector of the first language, which most texts have, has an encoder."""
    return any((part / MODEL_FILE).exists() for part in with_parts(folder))


def _foreign(langs: Sequence[str]) -> str:
    named = " or ".join(LANGUAGE_NAMES[each] for each in langs)
    return f"another language than {named}"


def _fingerprint(folders: Mapping[str, Path], settings: Sequence[object]) -> str:
    """Return a key that changes if the scores may change: the weights and the options."""
    digest = sha256(json.dumps(settings).encode())
    for lang, folder in folders.items():
        for part in dict.fromkeys(with_parts(folder)):
            # A custom folder may also hold what an editor or version control keeps there.
            for file in sorted(each for each in part.glob("[!.]*") if each.is_file()):
                digest.update(f"{lang} {part.name}/{file.name} {file_sha256(file)}\n".encode())
    return digest.hexdigest()
