"""The page about a run: whole in itself, escaped, honest about what is not known."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from tests.scale.made import IDS, THRESHOLDS, Row, counted

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.html import report_html
from tactful.scale.report.share import Share
from tactful.scale.summary import OTHERS, Group, Summary

VOID = {"meta", "br"}
HOSTILE = "<script>alert(1)</script>\"'&\u202eabc\x00\x1b[31m🙂 " + "w" * 1000
ABOUT = ReportAbout(
    inputs=("comments/*.jsonl",),
    model="numbers 1",
    date="3 May 2025",
    thresholds=THRESHOLDS,
    names={"kind": "A kind", "kind.fine": "A finer kind"},
)


class Page(HTMLParser):
    """Reads a page, and refuses tags that are left open or closed twice."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page.replace("<wbr>", ""))  # where a word may be broken, which readers do not see
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).replace("\N{NO-BREAK SPACE}", " ").split())


def rows() -> list[Row]:
    made: list[Row] = [
        (f"0.{at % 10} 0.{at % 7} 0.{at % 3} text", f"s{at % 4}") for at in range(200)
    ]
    return [*made, ("", "s1"), (None, None)]


def months() -> Summary:
    dated: list[Row] = [
        (f"0.{at % 10} 0 0", f"2024-{1 + at % 12:02d}") for at in range(300) if at % 12 != 5
    ]
    return counted([*dated, ("0.9 0 0", None)])


def hostile() -> Summary:
    return counted([(f"0.9 0.9 0.9 {HOSTILE}", HOSTILE)] * 40, source=HOSTILE)


SUMMARIES: dict[str, Callable[[], Summary]] = {
    "ordinary": lambda: counted(rows(), source="comments.jsonl"),
    "months": months,
    "hostile": hostile,
    "empty": Summary,
    "no rows": lambda: counted([]),
    "nothing scored": lambda: counted([("", "a"), (None, "b")]),
    "nothing found": lambda: counted([("0 0 0", "a")] * 3),
    "plain": lambda: counted(rows(), extremes=0, by=()),
}


@pytest.fixture(params=list(SUMMARIES))
def page(request: pytest.FixtureRequest) -> str:
    summary = SUMMARIES[request.param]()
    if request.param != "hostile":
        return report_html(summary, ABOUT)
    about = ReportAbout(
        inputs=(HOSTILE, "caf\udce9.csv"),
        model=HOSTILE,
        date=HOSTILE,
        thresholds=THRESHOLDS,
        names=dict.fromkeys(IDS, HOSTILE),
        title=HOSTILE,
        where=HOSTILE,
        engine=HOSTILE,
        dedupe=True,
    )
    return report_html(summary, about)


def test_the_page_is_balanced_and_its_ids_are_unique(page: str) -> None:
    tags = Page(page).tags
    ids = Counter(a["id"] for _, a in tags if "id" in a)
    assert [name for name, number in ids.items() if number > 1] == []
    for _, attributes in tags:
        for target in (attributes.get("href"), attributes.get("data-in")):
            assert target is None or target.removeprefix("#") in ids
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids


def test_the_page_asks_for_nothing_and_runs_only_its_own_script(page: str) -> None:
    tags = Page(page).tags
    names = Counter(tag for tag, _ in tags)
    assert names["script"] == names["style"] == 1
    assert not {"link", "img", "image", "use", "iframe", "object", "form", "base"} & set(names)
    for _, attributes in tags:
        assert not [n for n in attributes if n.startswith("on") or n in ("style", "src")]
    policy = next(a["content"] for _, a in tags if a.get("http-equiv"))
    assert policy is not None
    assert "default-src 'none'" in policy
    for tag in ("style", "script"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert inner
        digest = base64.b64encode(hashlib.sha256(inner[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "url(" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_nothing_of_the_input_is_markup_or_invisible(page: str) -> None:
    assert "<script>alert" not in page
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", page)
    page.encode("utf-8")


def test_tables_and_drawings_have_words(page: str) -> None:
    for tag, attributes in Page(page).tags:
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
        if tag == "svg":
            assert attributes.get("aria-hidden") == "true" or attributes["aria-label"]
    assert page.count("<table") == page.count("<caption")


def test_every_text_is_hidden_until_it_is_asked_for(page: str) -> None:
    assert "<details open" not in page
    before = page.partition('<section id="passages"')[0]
    assert "<blockquote" not in before
    marked = (
        r"As a machine reads it, this (may be|is probably not): <bdi>[^<]*</bdi></p><blockquote"
    )
    assert len(re.findall(marked, page)) == page.count("<blockquote")


def test_the_same_run_gives_the_same_page() -> None:
    assert report_html(months(), ABOUT) == report_html(months(), ABOUT)


def test_the_numbers_of_the_summary_are_on_the_page() -> None:
    summary = counted(rows(), source="comments.jsonl")
    text = Page(report_html(summary, ABOUT)).text
    share = Share(summary.rows_with_any, summary.scored)
    counts = f"{summary.rows_with_any} ({share})"
    assert f"Of 200 scored texts, {counts} may contain at least one" in text
    assert "A kind kind 100 50.0 % 43.1 % to 56.9 % 0.50" in text
    assert "other no threshold, so not counted" in text
    assert "empty text 1 0.50 %" in text
    assert f"{summary.both('kind', 'kind.fine')}" in text
    assert "comments/*.jsonl" in text
    assert "3 May 2025" in text


def test_values_stand_by_their_rows_and_months_in_time() -> None:
    found = counted([("0.9 0 0", "rare")] * 2 + [("0 0 0", "often")] * 3)
    page = report_html(found, ABOUT)
    assert page.index("<bdi>often</bdi>") < page.index("<bdi>rare</bdi>")
    dated = report_html(months(), ABOUT)
    places = [dated.index(f"<bdi>2024-{month:02d}</bdi>") for month in (1, 2, 5, 7, 12)]
    assert places == sorted(places)
    # A month without texts parts the line.
    drawn = dated[dated.index('id="by-1"') :].partition("</svg>")[0]
    assert drawn.count("<polyline") == 2
    assert "A kind from 2024-01" in drawn


def test_a_column_of_a_period_has_its_name_in_words() -> None:
    summary = Summary(
        rows=2, scored=2, fresh=2, found={"kind": 1}, histogram={"kind": [1] + [0] * 18 + [1]},
        by={"created:month": {"2024-01": Group(1, {"kind": 1}), "n/a": Group(1)}},
    )  # fmt: skip
    page = report_html(summary, ABOUT)
    assert "By month (created)" in page
    assert "<bdi>n/a</bdi>" in page
    assert re.findall(r"0\.\d+ to \d\.\d+: [^<]*", page) == [
        "0.00 to 0.05: 1 text", "0.95 to 1.00: 1 text"
    ]  # fmt: skip


def test_words_that_only_look_like_a_year_are_no_time() -> None:
    found = counted([("0.9 0 0", "2024"), ("0.9 0 0", "1999")])
    assert "<polyline" not in report_html(found, ABOUT)


def test_impossible_dates_are_words() -> None:
    found = counted([("0.9 0 0", "2024-02-30"), ("0.9 0 0", "2024-13")])
    assert "<polyline" not in report_html(found, ABOUT)


def test_many_values_are_folded_and_the_rest_is_said() -> None:
    found = counted([("0.9 0 0", f"v{at}") for at in range(230)])
    found.by["source"][OTHERS] = Group(7, {"kind": 1})
    text = Page(report_html(found, ABOUT)).text
    assert "175 more" in text
    assert "31 values with fewer rows are not listed here." in text
    assert "7 rows with other values are counted as (others)." in text


def test_shares_of_few_texts_have_no_colour() -> None:
    few, many = counted([("0.9 0.9 0", "a")] * 29), counted([("0.9 0.9 0", "a")] * 30)
    assert '<td class="heat-10"' not in report_html(few, ABOUT)
    assert report_html(many, ABOUT).count('<td class="heat-10"') == 4


def test_equal_texts_are_one_that_was_found_often() -> None:
    text = Page(report_html(counted([("0.9 0 0 copy", None)] * 2), ABOUT)).text
    assert "Text 1 probability 0.900 · found 2 times" in text
    assert "Text 2" not in text


def test_a_text_below_the_threshold_is_marked_as_such() -> None:
    text = Page(report_html(counted([("0.2 0 0 text", None)]), ABOUT)).text
    assert "A kind 1 text, 0.20, below the threshold" in text
    assert "this is probably not: A kind" in text


def test_a_kind_with_a_text_above_its_threshold_is_not_said_to_be_below() -> None:
    rows: list[Row] = [("0.9 0 0 text", None), ("0.2 0 0 text", None)]
    assert "A kind 2 texts, 0.90 to 0.20 Show" in Page(report_html(counted(rows), ABOUT)).text


def test_wilson_s_interval() -> None:
    # Newcombe (1998), table I: 81 of 263.
    low, high = Share(81, 263).interval or (0, 0)
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert Share(0, 20).interval == pytest.approx((0, 0.1611), abs=5e-5)
    assert Share(5, 5).interval == pytest.approx((0.5655, 1), abs=5e-5)
    assert Share(0, 0).interval is None
    assert Share(0, 0).bounds == "not known"
