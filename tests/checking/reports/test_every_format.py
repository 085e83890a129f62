"""Each format shows each finding once, for any findings."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.checking.explanation import gravest_first
from tactful.checking.findings import check_document
from tactful.checking.placing import with_frames
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
    """Scores a paragraph by its number."""

    def __init__(self, rows: Sequence[dict[str, float]]):
        self.card, self.rows = CARD, rows

    def score(self, texts: Sequence[str]) -> Scores:
        rows = [self.rows[int(text.split()[1])] for text in texts]
        return {name: np.array([row[name] for row in rows], np.float32) for name in rows[0]}

    def spans(self, text: str, ids: Sequence[str]) -> Spans:
        return {name: (Span(0, 9, name),) for name in ids[::2]}


Ids = list[list[str]]
"""The ids of each finding, the main one first where a format shows it."""


def in_json(page: str) -> Ids:
    return [
        ids_in(each) for document in json.loads(page)["documents"] for each in document["findings"]
    ]


def ids_in(finding: dict[str, Any]) -> list[str]:
    others = [kind["id"] for kind in finding["kinds"] if kind["id"] != finding["id"]]
    return [finding["id"], *others]


def in_lines(page: str) -> Ids:
    lines = map(json.loads, page.splitlines())
    return [ids_in(each) for each in lines if each["type"] == "finding"]


def in_sarif(page: str) -> Ids:
    results = json.loads(page)["runs"][0]["results"]
    return [ids_in({"id": each["ruleId"], **each["properties"]}) for each in results]


def in_html(page: str) -> Ids:
    cards = page.split('<li class="finding')[1:]
    return [re.findall(r"</b> <code>([\w.]+)</code></p>", card) for card in cards]


def in_text(page: str) -> Ids:
    blocks = re.split(r"^texto?:\d+:1: (?=.* \()", page, flags=re.MULTILINE)[1:]
    return [re.findall(r"^ +[^\n]*?\[([\w.]+)\] \(", block, re.MULTILINE) for block in blocks]


def in_github(page: str) -> Ids:
    found = re.findall(r"^::(?:warning|notice) .*title=[^:]*\[([\w.]+)\]::", page, re.MULTILINE)
    return [[name] for name in found]


SHOWN: dict[str, Callable[[str], Ids]] = {
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
    page = "".join(render(name, [report, report], Run(CARD, IDS, lang=lang, explain=True)))
    expected = [[kind.id for kind in each.kinds] for each in report.findings] * 2
    found = SHOWN[name](page)
    if name != "text":  # shows the kinds as a tree
        assert [each[0] for each in found] == [each.id for each in report.findings] * 2
    if name != "github":  # names the others without their ids
        assert [sorted(each) for each in found] == [sorted(each) for each in expected]


@given(report=reports(), explain=st.booleans())
@settings(max_examples=60)
def test_a_terminal_shows_each_finding_once(report: DocumentReport, explain: bool) -> None:
    page = "".join(render("text", [report], Run(CARD, IDS, width=NARROW, explain=explain)))
    heads = re.findall(r"^text:\d+:1: (?!all scores)", page, re.MULTILINE)
    assert len(heads) == len(report.findings)
    if not explain and not any(each.probabilities for each in report.passages):
        assert len(page.splitlines()) == len(heads) + (2 if heads else 1)


@given(report=reports())
@settings(max_examples=60)
def test_nothing_is_found_without_what_it_belongs_under(report: DocumentReport) -> None:
    for passage, findings in report.by_passage():
        assert len(findings) <= 1
        for finding in findings:
            found = {kind.id for kind in finding.kinds}
            assert len(found) == len(finding.kinds)
            assert all(kind.parent is None or kind.parent in found for kind in finding.kinds)
            assert [kind.id for kind in finding.kinds] == gravest_first(
                {kind.id: kind.confidence for kind in finding.kinds}
            )
            assert finding.passage is passage


def test_a_finding_with_a_kind_that_belongs_nowhere_cannot_be_made() -> None:
    told = Told([dict.fromkeys(IDS, 0.9)])
    report = check_document(told, document_of("Paragraph 0 of the letter."), only=["frame"])
    (finding,) = report.findings
    left = tuple(kind for kind in finding.kinds if kind.id != "frame.offensive")
    with pytest.raises(ValueError, match=r"belongs under 'frame\.offensive'"):
        replace(finding, kinds=left)
    with pytest.raises(ValueError, match="at least one kind"):
        replace(finding, kinds=())
    kept = finding.keeping(lambda kind: kind.id != "frame.offensive")
    assert kept is not None
    assert {kind.parent for kind in kept.kinds} == {None}
