"""What the tests of the commands share: a detector to check by hand, and the embedded ones."""

import runpy
import sys
from pathlib import Path

import pytest

PHRASES = Path(__file__).parents[1] / "phrase_detector.py"


@pytest.fixture
def phrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command of this process find the detector of ``tests/phrase_detector.py``."""
    detector = runpy.run_path(str(PHRASES))["PhraseDetector"]
    monkeypatch.setattr("tactful.cli.check.documents.load_detector", lambda *_, **__: detector())


@pytest.fixture
def phrases_command(tmp_path: Path) -> list[str]:
    """Return the words that start ``tactful`` with that detector in a process of its own."""
    script = tmp_path / "tactful_with_phrases.py"
    script.write_text(
        "import runpy, sys\n"
        "import tactful.cli.check.documents as room\n"
        f"detector = runpy.run_path({str(PHRASES)!r})['PhraseDetector']\n"
        "room.load_detector = lambda *_, **__: detector()\n"
        "from tactful.cli.main import main\n"
        "main(sys.argv[1:])\n",
        encoding="utf-8",
    )
    return [sys.executable, str(script)]
