"""The terminal view: marks below or in the words, explanations, and nothing that escapes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len

from tactful.checking.findings import check_document
from tactful.checking.report import DocumentReport
from tactful.checking.reports.text import quote_lines
from tactful.detectors.base import BaseDetector
from tactful.documents.document import document_of

Rendered = Callable[..., str]


def test_the_golden_example(
    rendered: Rendered, plain_letter: Any, golden: Callable[[str], str]
) -> None:
    assert rendered("text", plain_letter) == golden("letter.txt")
    assert rendered("text", plain_letter, explain=True) == golden("letter-explained.txt")


def test_one_line_a_finding(rendered: Rendered, letter: Any) -> None:
    assert rendered("text", letter).splitlines() == [
        "letter.txt:3:1: “even they”, “Poor souls” — patronizing: compassion (very likely, 0.88). "
        "Say “people who …” and name the situation instead of “Poor souls”.",
        "letter.txt:5:1: “Nobody asked”, “log off” — unhealthy: dismissive (almost certain, "
        "0.97). Say what you disagree with instead of “Nobody asked you”.",
        "",
        "2 findings in 3 passages: 1 patronizing, 1 unhealthy.",
    ]


def test_at_most_three_places_are_quoted(rendered: Rendered, phrases: BaseDetector) -> None:
    text = "Poor souls, even they: log off, nobody asked. A very slow queue, " + "even they. " * 3
    first = rendered("text", check_document(phrases, document_of(text))).splitlines()[0]
    assert first.partition(" — ")[0] == "text:1:1: “Poor souls”, “even they”, “log off”"


def test_further_kinds_are_named_behind_the_main_one(
    rendered: Rendered, phrases: BaseDetector
) -> None:
    report = check_document(phrases, document_of("Poor souls, log off in a very slow queue."))
    assert (
        "unhealthy: dismissive; also patronizing (compassion), offensive (intent to offend) (almost"
    ) in rendered("text", report)


@pytest.mark.parametrize(
    ("only", "said"),
    [("pcl.compassion", "patronizing: compassion (r"), ("unhealthy.dismissive", " — dismissive (")],
)
def test_a_category_alone_says_what_it_is(
    rendered: Rendered, phrases: BaseDetector, only: str, said: str
) -> None:
    report = check_document(phrases, document_of("Poor souls, log off."), only=[only])
    assert said in rendered("text", report)


def test_a_line_is_coloured_in_a_terminal_and_not_wrapped(rendered: Rendered, letter: Any) -> None:
    text = rendered("text", letter, width=40, colour=True)
    assert "\x1b[36m“even they”, “Poor souls”\x1b[0m" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert plain == rendered("text", letter)


def test_an_id_is_explained_once(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("Even they one.\n\nAgain even they."))
    text = rendered("text", report, explain=True)
    assert text.count(report.findings[0].explanation.split(".")[0]) == 1
    assert "[pcl] (very likely, 0.88): Carried by “even they”." in text
    assert report.findings[0].explanation.split(".")[0] not in rendered("text", report)


def test_carets_stand_below_the_words(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("日本 🙂 even they e\u0301 poor souls"))
    quote, carets = re.findall(r"  \| (.*)", rendered("text", report, explain=True))
    assert carets.count("^") == len("even they") + len("poor souls")
    assert carets.index("^") == cell_len(quote[: quote.index("even they")])
    assert carets.rindex("^") == cell_len(quote) - 1


def test_a_terminal_gets_underlines_and_no_carets(rendered: Rendered, letter: Any) -> None:
    text = rendered("text", letter, width=60, colour=True, explain=True)
    assert re.search(r"\x1b\[[0-9;]*4[0-9;]*meven they\x1b\[0m", text)
    assert "^" not in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    indented = [line for line in plain.splitlines() if line.startswith(" ")]
    assert max(map(cell_len, indented)) < 60
    assert "  Patronizing or condescending [pcl] (very likely, 0.88):\n" in plain
    assert "\n    Dismissive [unhealthy.dismissive] (almost" in plain


def test_hostile_text_cannot_reach_the_terminal(
    rendered: Rendered, hostile: Any, unread: Any
) -> None:
    for options in ({"explain": True}, {"width": 70, "colour": True, "explain": True}):
        text = rendered("text", hostile, unread, **options)
        # What is left of escapes are rich's own colours.
        left = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", left)
        assert "\\x1b[31m" in left
        assert "\\u202e" in left
        assert text.encode("utf-8")
    assert "\x1b" not in rendered("text", hostile)


def test_what_could_not_be_read_is_counted(rendered: Rendered, letter: Any, unread: Any) -> None:
    last = rendered("text", letter, unread).splitlines()[-1]
    assert last == (
        "2 findings in 3 passages: 1 patronizing, 1 unhealthy; 1 document could not be checked."
    )


def test_several_documents_are_counted(rendered: Rendered, letter: Any) -> None:
    last = rendered("text", letter, letter).splitlines()[-1]
    assert last == "4 findings in 6 passages (2 of 2 documents): 2 patronizing, 2 unhealthy."


def test_nothing_found_is_said(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("Hello."))
    assert rendered("text", report) == "No findings in 1 passage.\n"


def test_all_scores_are_listed(rendered: Rendered, phrases: BaseDetector) -> None:
    report = check_document(phrases, document_of("Hello."), only=["pcl"], all_scores=True)
    text = rendered("text", report)
    assert "text:1:1: all scores\n  0.0100  pcl\n  0.0100  pcl.compassion\n" in text


@pytest.mark.parametrize("width", [10, 33, 200])
@pytest.mark.parametrize(
    "text",
    ["x" * 5_000 + " even they " + "y" * 5_000, "a " * 3_000 + "even they", "even they " * 900],
)
def test_long_passages_are_cut_and_wrapped(phrases: BaseDetector, text: str, width: int) -> None:
    report: DocumentReport = check_document(phrases, document_of(text))
    assert report.findings
    for finding in report.findings:
        lines = list(quote_lines(finding, width))
        drawn = ["".join(piece for piece, _ in line) for line in lines]
        assert max(map(cell_len, drawn)) <= width
        assert sum(map(len, drawn)) < 1_500
        marked = "".join(piece for line in lines for piece, mark in line if mark)
        assert marked.replace(" ", "").startswith("eventhey")
