"""What is only quoted is not the writer's: it is left out, or reported as quoted on request."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tactful.checking.checker import Checker
from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.detectors.base import BaseDetector, Scores
from tactful.detectors.card import Card
from tactful.documents.document import document_of
from tactful.documents.segments import is_quoted, quotations, without_quotations
from tactful.errors import UnknownNameError

OWN = "You are a stupid fool and a liar."
REPORTED = f"He wrote back: “{OWN}”"
CALLED = "He called her a “fool”, she says."
BOTH = f"{REPORTED} The chair is a stupid fool and a liar."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('He said "stop" and left.', ['"stop"']),
        ("“Stop,” he said. “Now.”", ["“Stop,”", "“Now.”"]),
        ("“Nobody closes this one", ["“Nobody closes this one"]),
        ("\u2018It\u2019s over,\u2019 he said.", ["\u2018It\u2019s over,\u2019"]),
        ("'Don't go,' she said, 'it's late.'", ["'Don't go,'", "'it's late.'"]),
        ("«Basta», dijo.", ["«Basta»"]),
        ("The boys' coats and the girls' hats", []),
        ("He is 5'10\" and she is 6'2\" tall.", []),
        ("", []),
    ],
    ids=[
        "straight",
        "curly",
        "open",
        "single",
        "typewriter",
        "guillemets",
        "plural",
        "feet",
        "empty",
    ],
)
def test_quotations_are_found(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in quotations(text)] == found


def test_words_in_a_quotation_are_replaced() -> None:
    text = "He said “stop” twice, and “go"
    assert without_quotations(text, quotations(text)) == "He said “…” twice, and “…"
    assert is_quoted((9, 13), quotations(text))
    assert not is_quoted((0, 2), quotations(text))


@given(st.text("\"'“”\u2018\u2019«»„ab \n", max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    marks = quotations(text)
    assert all(one[1] <= two[0] for one, two in pairwise(marks))
    assert len(without_quotations(text, marks)) <= len(text) + len(marks)


class Fools(BaseDetector):
    """Finds the word, quoted or not."""

    card = Card("fools", "1", ("toxicity",), thresholds={"toxicity": 0.5})

    def score(self, texts: Sequence[str]) -> Scores:
        """Return 1 for a text with a fool."""
        return {"toxicity": np.array(["fool" in text for text in texts], dtype=np.float32)}


@pytest.fixture(scope="module")
def checkers() -> dict[str, Checker]:
    settings: dict[str, Any] = {"lang": "en", "frames": "off", "explanations": False}
    return {each: Checker(**settings, quotes=each) for each in ("skip", "label", "check")}


def fools(text: str, quotes: str) -> DocumentReport:
    return check_document(Fools(), document_of(text), quotes=quotes)


def test_what_is_only_quoted_is_left_out(checkers: dict[str, Checker]) -> None:
    report = fools(CALLED, "skip")
    assert report.findings == ()
    assert report.quoted == 1
    assert checkers["skip"].check(REPORTED).findings == ()
    assert checkers["skip"].check(OWN).findings


def test_it_can_be_reported_as_quoted(checkers: dict[str, Checker]) -> None:
    (finding,) = fools(CALLED, "label").findings
    assert finding.quoted
    (finding,) = fools("What a fool, he said: “No.”", "label").findings
    assert not finding.quoted
    (finding,) = checkers["label"].check(OWN).findings
    assert not finding.quoted


def test_it_can_be_reported_as_any_other() -> None:
    report = fools(CALLED, "check")
    assert [each.quoted for each in report.findings] == [False]
    assert report.quoted == 0


@pytest.mark.parametrize("quotes", ["skip", "label"])
def test_the_writers_own_words_beside_a_quotation_count(
    quotes: str, checkers: dict[str, Checker]
) -> None:
    findings = checkers[quotes].check(BOTH).findings
    assert any(not each.quoted and "The chair is" in each.text for each in findings)


def test_a_block_quote_is_quoted(checkers: dict[str, Checker]) -> None:
    document = document_of(f"They wrote:\n\n> {OWN}\n", "markdown", path=Path("a.md"))
    assert checkers["skip"].check_document(document).quoted == 1
    assert [each.quoted for each in checkers["label"].check_document(document).findings] == [True]


def test_terms_are_quoted_too(checkers: dict[str, Checker]) -> None:
    text = 'Style guides advise against "wheelchair-bound" and similar words.'
    assert checkers["skip"].check(text).quoted == 1
    assert [each.quoted for each in checkers["label"].check(text).findings] == [True]
    assert [each.quoted for each in checkers["check"].check(text).findings] == [False]


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="label"):
        Checker(quotes="labels")
