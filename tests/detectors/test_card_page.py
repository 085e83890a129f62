"""The page of a model card, read back: its tables hold the card's numbers, its words stay words."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tactful.detectors.card import Card, read_card, write_card
from tactful.detectors.card_page import NOT_FOR, card_page, write_card_page

SECTIONS = [
    "What it finds",
    "How well",
    "Thresholds and calibration",
    "What it learnt from",
    "Licence",
    "How it was trained",
    "Identity terms",
    "Limits",
    "What it must not be used for",
]
CARD = Card(
    name="default-en",
    version="1.0",
    ids=("pcl", "unhealthy.hostile"),
    kind="encoder",
    summary="A small encoder for two ids.",
    thresholds={"pcl": 0.37},
    calibration={"pcl": (1.25, -0.5)},
    licence="research, non-commercial",
    corpora=(
        {"name": "Don't Patronize Me!", "terms": "research use only", "part": "train", "texts": 70},
        {"name": "UCC", "terms": "CC BY-NC-SA 4.0", "part": "train", "texts": 4000},
    ),
    training={
        "seed": 1,
        "recipe": {"epochs": 2, "lr": 8e-5},
        "command": "tactful train multitask --seed 1",
        "data_hash": "ab12",
    },
    figures=(
        {
            **{"id": "pcl", "metric": "F1", "value": 0.581, "low": 0.532, "high": 0.63},
            **{"items": 1047, "part": "validation"},
        },
        {"id": "unhealthy.hostile", "metric": "AUC", "value": 0.84, "part": "validation"},
    ),
    bias={
        "templates": "1.0",
        "ids": {
            "pcl": {
                **{"mean": 0.08, "highest_term": "homeless", "highest_difference": 0.21},
                **{"lowest_term": "rich", "lowest_difference": -0.05},
                **{"false_positive_rate": 0.02, "most_flagged_term": "homeless"},
                **{"most_flagged_rate": 0.11, "lowest_bpsn_auc": 0.91},
                "lowest_bpsn_auc_term": "homeless",
            }
        },
    },
    limits=("It has seen news and comments only.",),
    not_for=("Exams.",),
)


class Page(HTMLParser):
    """The headings, list items and tables of a page, and the names of all its tags."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: set[str] = set()
        self.headings: list[str] = []
        self.items: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.words = ""
        self._open: list[str] = []
        self.feed(MarkdownIt("commonmark").enable("table").render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag in ("h1", "h2"):
            self.headings.append("")
        elif tag == "li":
            self.items.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        self.words += data
        if "td" in self._open or "th" in self._open:
            self.tables[-1][-1][-1] += data
        elif "h1" in self._open or "h2" in self._open:
            self.headings[-1] += data
        elif "li" in self._open:
            self.items[-1] += data


def test_every_section_is_there_in_order() -> None:
    assert Page(card_page(CARD)).headings == ["default-en 1.0", *SECTIONS]


def test_the_tables_hold_the_numbers_of_the_card() -> None:
    figures, thresholds, corpora, training, bias = Page(card_page(CARD)).tables
    assert figures[1:] == [
        ["pcl", "F1", "0.581", "0.532 to 0.630", "1047", "validation"],
        ["unhealthy.hostile", "AUC", "0.840", "not measured", "", "validation"],
    ]
    assert thresholds[1:] == [
        ["pcl", "0.370", "1.25", "-0.5"],
        ["unhealthy.hostile", "0.500", "as scored", ""],
    ]
    assert corpora[1:] == [
        ["Don't Patronize Me!", "research use only", "train", "70"],
        ["UCC", "CC BY-NC-SA 4.0", "train", "4000"],
    ]
    assert training[1:] == [
        ["command", "tactful train multitask --seed 1"],
        ["seed", "1"],
        ["data hash", "ab12"],
        ["recipe", "epochs 2; lr 8e-05"],
    ]
    assert bias[1] == [
        *("pcl", "0.080", "+0.210 (homeless)", "-0.050 (rich)", "0.020", "0.110 (homeless)"),
        *("-", "0.910 (homeless)", "-"),
    ]


def test_the_weights_have_terms_of_their_own() -> None:
    words = Page(card_page(CARD)).words
    assert "Weights: research, non-commercial. Code of Tactful: Apache-2.0." in words
    assert "for research, not for commercial use" in words
    assert "not for commercial use" not in card_page(Card("coin", "1", ("pcl",)))


def test_it_says_what_it_must_not_be_used_for_and_the_limits() -> None:
    items = Page(card_page(CARD)).items
    assert "It has seen news and comments only." in items
    assert [item for item in items if item in (*NOT_FOR, "Exams.")] == [*NOT_FOR, "Exams."]
    assert "without a person" in NOT_FOR[0]


def test_the_dialect_caveat_cites_its_source() -> None:
    """Sap et al. 2020, section 3.3: 78 % White-aligned, under 10 % African-American English."""
    [caveat] = [item for item in Page(card_page(CARD)).items if item.startswith("Dialect")]
    assert "78 %" in caveat
    assert "fewer than 10 %" in caveat
    assert "Sap et al. 2019" in caveat
    spanish = card_page(Card("default-es", "1.0", ("stereotype",), lang="es"))
    assert "African-American" not in spanish


def test_a_bare_card_says_what_is_missing() -> None:
    page = Page(card_page(Card("coin", "1", ("pcl",), lang="es")))
    for sentence in (
        "Nothing has been measured",
        "It learnt from no corpus.",
        "It was not trained.",
        "has not been measured",
    ):
        assert sentence in page.words
    assert page.headings[1:] == [title for title in SECTIONS if title != "Limits"]


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](http://example.org/x.png)",
        "a | b\n| c | d |\n\n# Title",
        "`code` *bold* __under__ ~~gone~~",
        "&lt;b&gt; &amp;",
        "\x1b[31mred",
        "back\\slash \\| pipe",
        "https://example.org",
    ],
)
def test_what_a_card_says_is_never_markup(evil: str) -> None:
    harmless, hostile = "plain", evil
    pages = [
        Page(
            card_page(
                Card(
                    name=word,
                    version=word,
                    ids=("pcl",),
                    kind=word,
                    summary=word,
                    licence=word,
                    corpora=({"name": word, "terms": word, "part": word, "texts": word},),
                    training={word: word, "recipe": {word: [word]}},
                    figures=({"id": word, "metric": word, "value": 0.5, "items": word},),
                    bias={"templates": word, "ids": {word: {"mean": 0.1, "highest_term": word}}},
                    limits=(word,),
                    not_for=(word,),
                )
            )
        )
        for word in (harmless, hostile)
    ]
    assert pages[0].tags == pages[1].tags
    shapes = [[[len(row) for row in table] for table in page.tables] for page in pages]
    assert shapes[0] == shapes[1]
    assert pages[1].headings[1:] == pages[0].headings[1:]
    shown = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in evil)).strip()
    assert shown in pages[1].items
    assert "\x1b" not in pages[1].words


def test_the_page_is_written_beside_the_weights(tmp_path: Path) -> None:
    write_card(CARD, tmp_path)
    write_card_page(read_card(tmp_path), tmp_path)
    write_card_page(CARD, tmp_path)  # again, over the first
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == card_page(CARD)
    assert card_page(read_card(tmp_path)) == card_page(CARD)


def test_numbers_that_are_missing_are_said_to_be() -> None:
    figure: dict[str, Any] = {"id": "pcl", "metric": "F1", "value": None}
    [row] = Page(card_page(Card("x", "1", ("pcl",), figures=(figure,)))).tables[0][1:]
    assert row == ["pcl", "F1", "not measured", "not measured", "", ""]
