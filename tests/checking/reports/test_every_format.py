"""Whatever is found: each format shows each finding once."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.checking.findings import check_document, with_frames
from tactful.checking.report import DocumentReport
from tactful.checking.reports import RENDERERS
from tactful.checking.reports.run import Run, render
from tactful.detectors.base import BaseDetector, Scores, Spans
from tactful.detectors.card import Card
from tactful.detectors.load import embedded_cards
from tactful.documents.document import document_of
from tactful.types import Frame, Implication, Span

IDS = tuple(dict.fromkeys(name for card in embedded_cards() for name in card.ids))
CARD = Card("told", "1", IDS)
NARROW = 40


class Told(BaseDetector):
    """Scores a paragraph by its number, as it was told."""

    def __init__(self, rows: Sequence[dict[str, float]]):
        self.card, self.rows = CARD, rows

    def score(self, texts: Sequence[str]) -> Scores:
        rows = [self.rows[int(text.split()[1])] for text in texts]
        return {name: np.array([row[name] for row in rows], np.float32) for name in rows[0]}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        return {name: (Span(0, 9, name),) for name in ids[::2]}


def in_json(page: str) -> list[str]:
    return [
        each["id"] for document in json.loads(page)["documents"] for each in document["findings"]
    ]


def in_lines(page: str) -> list[str]:
    lines = map(json.loads, page.splitlines())
    return [each["id"] for each in lines if each["type"] == "finding"]


def in_sarif(page: str) -> list[str]:
    return [each["ruleId"] for each in json.loads(page)["runs"][0]["results"]]


def in_html(page: str) -> list[str]:
    return re.findall(r"</b> <code>([\w.]+)</code></p>", page)


def in_text(page: str) -> list[str]:
    return re.findall(r"^texto?:\d+:1: .*\[([\w.]+)\]: ", page, re.MULTILINE)


def in_github(page: str) -> list[str]:
    return re.findall(r"^::(?:warning|notice) .*title=[^:]*\[([\w.]+)\]::", page, re.MULTILINE)


SHOWN: dict[str, Callable[[str], list[str]]] = {
    "text": in_text,
    "json": in_json,
    "jsonl": in_lines,
    "sarif": in_sarif,
    "html": in_html,
    "github": in_github,
}

chances = st.floats(0, 1, width=32)
rows = st.fixed_dictionaries(dict.fromkeys(IDS, chances))
limits = st.dictionaries(st.sampled_from(IDS), chances, max_size=5)
wanted = st.lists(st.sampled_from(["pcl", "frame", "frame.lewd", "stereotype", *IDS]), max_size=2)
FRAME = Frame(implications=(Implication("women", "women are many", 0.5),))


@st.composite
def reports(draw: st.DrawFn) -> DocumentReport:
    """Return what is found in a document with some paragraphs."""
    first = draw(st.lists(rows, min_size=1, max_size=3))
    thresholds = draw(limits)
    text = "\n\n".join(f"Paragraph {at} of the letter." for at in range(len(first)))
    report = check_document(
        Told(first),
        document_of(text),
        only=draw(wanted),
        thresholds=thresholds,
        least=draw(st.sampled_from([0.0, 0.2, 0.9])),
        all_scores=draw(st.booleans()),
    )
    named = draw(st.booleans())
    return with_frames(report, lambda texts: [FRAME if named else Frame()] * len(texts))


def test_every_format_is_tried() -> None:
    assert set(SHOWN) == set(RENDERERS.built_in)


@pytest.mark.parametrize("name", SHOWN)
@given(report=reports(), lang=st.sampled_from(["en", "es", "auto"]))
@settings(max_examples=60)
def test_each_finding_is_shown_once(name: str, report: DocumentReport, lang: str) -> None:
    page = "".join(render(name, [report, report], Run(CARD, IDS, lang=lang)))
    expected = sorted(each.id for each in report.findings) * 2
    assert sorted(SHOWN[name](page)) == sorted(expected)


@given(report=reports())
@settings(max_examples=60)
def test_a_terminal_shows_each_finding_once(report: DocumentReport) -> None:
    page = "".join(render("text", [report], Run(CARD, IDS, width=NARROW)))
    heads = re.findall(r"^ +[●○] ", page, re.MULTILINE)
    assert len(heads) == len(report.findings)


@given(report=reports())
@settings(max_examples=60)
def test_nothing_is_found_without_what_it_belongs_under(report: DocumentReport) -> None:
    for passage, findings in report.by_passage():
        found = {each.id for each in findings}
        assert len(found) == len(findings)
        assert all(each.parent is None or each.parent in found for each in findings)
        assert all(each.passage is passage for each in findings)


def test_a_report_with_a_finding_that_belongs_nowhere_cannot_be_made() -> None:
    told = Told([dict.fromkeys(IDS, 0.9)])
    report = check_document(told, document_of("Paragraph 0 of the letter."), only=["frame"])
    left = tuple(each for each in report.findings if each.id != "frame.offensive")
    with pytest.raises(ValueError, match=r"belongs under 'frame\.offensive'"):
        replace(report, findings=left)
