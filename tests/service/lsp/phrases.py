"""Checked documents without a model: the detector of ``tests/phrase_detector.py``."""

from threading import Event

from tests.phrase_detector import PhraseDetector

from tactful.detectors.protocol import Detector
from tactful.service.lsp.diagnostics import Checked
from tactful.service.lsp.documents import Snapshot
from tactful.service.lsp.lines import UTF16, Places
from tactful.service.lsp.reader import Reader, Slice
from tactful.service.lsp.wishes import Wishes


def phrase_reader(detector: Detector | None = None) -> Reader:
    found = detector or PhraseDetector()
    return Reader(lambda model, lang: found)


def checked(
    text: str,
    language: str = "plaintext",
    *,
    encoding: str = UTF16,
    name: str = "letter.txt",
    wishes: Wishes | None = None,
) -> Checked:
    """Return a document as the server holds it after a check."""
    snapshot = Snapshot(f"file:///home/{name}", language, 1, text)
    document = snapshot.read()
    wanted = wishes or Wishes(lang="en", frames="off")
    reading = phrase_reader().read(document, wanted, Slice(60, Event()))
    return Checked(snapshot, document, Places(text, encoding), reading)
