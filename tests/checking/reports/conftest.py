"""Reports about documents of ours, mild and hostile ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tactful.checking.findings import check_document, without_explanations
from tactful.checking.report import Outcome, Unread
from tactful.checking.reports.run import Run, render
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

LETTER = """\
Dear friends,

With a little help even they can hope again. 🙂 Poor souls!

Nobody asked you: log off.
"""
HOSTILE = (
    "</script></style><img src=x onerror=alert(1)> even they \x1b[31m\x1b]8;;http://x\x07 "
    "\u202etxt\u202c \x00 \udc80 [link](1) \u2028 poor souls"
)


@pytest.fixture
def letter(phrases: BaseDetector) -> Outcome:
    """Return what is found in the letter, as if it were in a file."""
    return check_document(phrases, document_of(LETTER, path=Path("letter.txt")))


@pytest.fixture
def plain_letter(letter: Any) -> Outcome:
    """Return the same without the explanations, whose wording is not of this room."""
    return without_explanations(letter)


@pytest.fixture
def hostile(phrases: BaseDetector) -> Outcome:
    """Return what is found in a text that would like to be more than a text."""
    name = Path("a\x1b[2Jb<i>.txt")
    return check_document(phrases, document_of(HOSTILE, path=name))


@pytest.fixture
def unread() -> Unread:
    return Unread("broken\x1b.md", "it cannot be read (Permission denied).")


@pytest.fixture
def rendered(phrases: BaseDetector) -> Callable[..., str]:
    """Return a function that renders outcomes in a format."""

    def draw(name: str, *outcomes: Outcome, **options: Any) -> str:
        return "".join(render(name, outcomes, Run(phrases.card, phrases.card.ids, **options)))

    return draw


@pytest.fixture
def golden() -> Callable[[str], str]:
    """Return the text of a file in ``golden/`` beside the tests."""
    return lambda name: (Path(__file__).parent / "golden" / name).read_text(encoding="utf-8")
