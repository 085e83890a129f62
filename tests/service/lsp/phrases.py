"""Checked documents without a model: the detector of ``tests/phrase_detector.py``."""

from threading import Event
from typing import Any

from tests.phrase_detector import PhraseDetector

from tactful.checking.options import CheckOptions
from tactful.detectors.base import Detector
from tactful.service.lsp.diagnostics import Checked
from tactful.service.lsp.documents import Snapshot
from tactful.service.lsp.lines import UTF16, Places
from tactful.service.lsp.reader import Reader, Slice


def phrases(detector: Detector | None = None, **options: Any) -> CheckOptions:
    """Return options with this detector, or one that counts phrases."""
    given = {"lang": "en", "frames": "off", "quotes": "check", **options}
    return CheckOptions(detector or PhraseDetector(), **given)


def checked(
    text: str,
    language: str = "plaintext",
    *,
    encoding: str = UTF16,
    name: str = "letter.txt",
    options: CheckOptions | None = None,
) -> Checked:
    """Return a document as the server holds it after a check."""
    snapshot = Snapshot(f"file:///home/{name}", language, 1, text)
    document = snapshot.read()
    reading = Reader().read(document, options or phrases(), Slice(60, Event()))
    return Checked(snapshot, document, Places(text, encoding), reading)
