"""Explanations: plain words, always the same, safe to print, and cheap from a cold start."""

import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from tactful.checking.advice import advise
from tactful.checking.explanation import (
    MOST_QUOTES,
    QUOTE_LENGTH,
    explain,
    explain_finding,
    quoted,
)
from tactful.checking.wording import STEPS, wording
from tactful.errors import UsageError
from tactful.taxonomies import find_entry, load_taxonomy
from tactful.taxonomies.schema import GuidedEntry
from tactful.taxonomies.translations import load_translated
from tactful.types import Span

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanations.md"
TEXT = "We should let newcomers to our town enjoy a concert now and then, too."
SPANS = (Span(0, 13), Span(42, 51))

COLD = """
import json, sys
from tactful.checking.explanation import explain
for name in ("pcl", "unhealthy", "frame.offensive"):
    explain(name, "Hello there.", 0.8)
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize("taxonomy", ["pcl", "unhealthy", "frame", "stereotype", "toxicity"])
def test_each_entry_is_explained_with_the_words_of_its_taxonomy(taxonomy: str) -> None:
    for name in load_taxonomy(taxonomy).ids():
        entry = find_entry(name)
        assert isinstance(entry, GuidedEntry)
        paragraph = explain(name, TEXT, 0.78, SPANS)
        for part in (entry.definition, *entry.ask[:2], *entry.not_when):
            assert part in paragraph
        assert "“We should let” and “a concert”" in paragraph
        assert "fairly sure (78 %)" in paragraph.replace("Fairly", "fairly").replace(
            " of this (", " ("
        )
        assert "\n" not in paragraph
        assert "  " not in paragraph
        assert paragraph.endswith(".")


def test_the_same_finding_is_always_explained_alike() -> None:
    assert explain("pcl", TEXT, 0.6, SPANS) == explain("pcl", TEXT, 0.6, SPANS[::-1])


def shingles(paragraph: str, size: int = 6) -> set[tuple[str, ...]]:
    # The words of the scale are meant to be known again; quotations are the text's own.
    ours = re.sub(r"“.*?”( and |, )?|fairly sure|\(78 %\)", "", paragraph, flags=re.IGNORECASE)
    words = re.findall(r"\w+", ours.casefold())
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


@pytest.mark.parametrize("spans", [SPANS, ()])
@pytest.mark.parametrize("taxonomy", ["pcl", "unhealthy", "frame", "toxicity"])
def test_what_is_found_together_repeats_no_phrase(taxonomy: str, spans: tuple[Span, ...]) -> None:
    # No corpus holds the fallback of PCL, so no detector reports it.
    ids = [entry.id for entry in load_taxonomy(taxonomy).entries if entry.kind != "fallback"]
    paragraphs = {name: explain(name, TEXT, 0.78, spans) for name in ids}
    for one, other in combinations(ids, 2):
        common = shingles(paragraphs[one]) & shingles(paragraphs[other])
        assert not common, f"{one} and {other}: {common}"


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "almost certain"),
        (0.95, "almost certain"),
        (0.9499, "very sure"),
        (0.85, "very sure"),
        (0.7, "fairly sure"),
        (0.5, "more sure than not"),
        (0.4, "unsure"),
        (0.1, "far from sure"),
        (0.0, "far from sure"),
    ],
)
def test_how_sure_in_words(probability: float, words: str) -> None:
    assert wording().sureness(probability) == words


def test_the_scale_falls_and_covers_everything() -> None:
    assert list(STEPS) == sorted(STEPS, reverse=True)
    assert STEPS[-1] == 0


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(1.0, "over 99 %"), (0.9951, "over 99 %"), (0.99, "99 %"), (0.004, "under 1 %")],
)
def test_nothing_is_claimed_to_be_certain(probability: float, shown: str) -> None:
    assert f"({shown})" in explain("pcl", TEXT, probability)


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(UsageError, match="expected a number from 0 to 1"):
        explain("pcl", TEXT, probability)


def test_at_most_three_pieces_are_quoted_each_once_and_short() -> None:
    text = "again and again " + "word " * 30 + "x" * 200 + " a b c"
    spans = (
        *(Span(0, 5), Span(10, 15)),  # "again", twice
        Span(16, 16 + 149),
        Span(text.index("xx"), text.index("xx") + 200),
        *(Span(len(text) - at, len(text) - at + 1) for at in (5, 3, 1)),
    )
    pieces = quoted(text, spans)
    assert len(pieces) == MOST_QUOTES
    assert pieces[0] == "again"
    assert all(len(piece) <= QUOTE_LENGTH + 2 for piece in pieces)
    assert pieces[1].endswith("word …")
    assert pieces[2].endswith("x …")


def test_without_spans_the_whole_text_carries_it() -> None:
    paragraph = explain("pcl", TEXT, 0.8)
    assert "No single word carries it." in paragraph
    assert "“" not in paragraph


def test_a_quotation_cannot_drive_the_terminal_or_turn_the_line_around() -> None:
    text = "a\x1b[31mred\u202e\r\nnext\x00 \udc80end"
    assert quoted(text, [Span(0, len(text))]) == ["a [31mred next end"]
    paragraph = explain("pcl\x1b[2J", text, 0.8, [Span(0, len(text))])
    assert paragraph.isprintable()


def test_braces_in_a_text_are_quoted_as_they_are() -> None:
    assert "“{sure} {0}”" in explain("pcl", "{sure} {0}", 0.8, [Span(0, 10)])


def test_an_id_of_ones_own_is_explained_by_its_words() -> None:
    paragraph = explain("tone.cold", TEXT, 0.8, SPANS[:1])
    assert "'tone.cold'" in paragraph
    assert "“We should let”" in paragraph
    assert explain("pcl.unheard_of", TEXT, 0.8).startswith("The detector names this")


def test_a_cold_start_reads_no_schema() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLD], capture_output=True, text=True, check=True, timeout=600
    )
    modules = json.loads(done.stdout)
    assert {"pydantic", "tactful.taxonomies", "polars"}.isdisjoint(modules)
    assert "tactful.checking.explanation" in modules


SPANISH_TEXT = "Las ayudas son siempre para ellos, los inmigrantes."
SPANISH_SPANS = (Span(0, 10), Span(39, 50))


@pytest.mark.parametrize("taxonomy", ["pcl", "unhealthy", "frame", "stereotype", "toxicity"])
def test_each_entry_is_explained_in_spanish(taxonomy: str) -> None:
    for entry in load_translated(taxonomy, "es").entries:
        assert isinstance(entry, GuidedEntry)
        paragraph = explain(entry.id, SPANISH_TEXT, 0.78, SPANISH_SPANS, lang="es")
        for part in (entry.definition, *entry.ask[:2], *entry.not_when):
            assert part in paragraph
        assert "«Las ayudas» e «inmigrantes»" in paragraph
        assert "bastante alta (78 %)" in paragraph.replace("Bastante", "bastante")
        assert paragraph.endswith(".")
        assert "  " not in paragraph
        assert "“" not in paragraph


@pytest.mark.parametrize("spans", [SPANISH_SPANS, ()])
@pytest.mark.parametrize("taxonomy", ["pcl", "unhealthy", "frame", "toxicity"])
def test_spanish_repeats_no_phrase(taxonomy: str, spans: tuple[Span, ...]) -> None:
    ids = [entry.id for entry in load_taxonomy(taxonomy).entries if entry.kind != "fallback"]
    paragraphs = {}
    for name in ids:
        paragraph = explain(name, SPANISH_TEXT, 0.78, spans, lang="es")
        paragraphs[name] = re.sub("«.*?»( e | y )?|bastante alta", "", paragraph)
    for one, other in combinations(ids, 2):
        common = shingles(paragraphs[one]) & shingles(paragraphs[other])
        assert not common, f"{one} and {other}: {common}"


def test_stereotypes_repeat_no_phrase_of_their_own() -> None:
    # There are more of them than wordings around them. The two targets are each other's opposite.
    entries = {
        entry.id: shingles(" ".join((entry.definition, *entry.ask[:2], *entry.not_when)))
        for entry in load_translated("stereotype", "es").entries
        if isinstance(entry, GuidedEntry) and not entry.id.endswith("_target")
    }
    for one, other in combinations(entries, 2):
        assert not entries[one] & entries[other], f"{one} and {other}"


def test_spanish_of_what_no_taxonomy_knows_and_of_no_words() -> None:
    assert explain("tone.cold", SPANISH_TEXT, 0.999, lang="es") == (
        "El detector lo llama «tone.cold». Seguridad de Tactful: casi total (más del 99 %). "
        "Ninguna palabra sola lo explica."
    )


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="no language of reports named 'fr'"):
        explain("pcl", TEXT, 0.8, lang="fr")


def test_spans_are_quoted_in_their_order_whatever_came_first() -> None:
    spans = [Span(0, 10), Span(0, 2), Span(3, 10)]
    assert quoted(SPANISH_TEXT, spans) == quoted(SPANISH_TEXT, spans[::-1])


def test_the_page_shows_what_is_said_and_the_scale() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = [
        " ".join(line.removeprefix("> ") for line in block.splitlines())
        for block in re.findall(r"(?:^> .*\n)+", page, re.MULTILINE)
    ]
    name = "pcl.unbalanced_power_relations"
    poor = "These poor souls wait in the rain."
    assert shown == [
        explain_finding({"pcl": 0.93, name: 0.9}, TEXT, ["We should let newcomers"]),
        explain(name, TEXT, 0.78, SPANS[:1]),
        advise(["pcl", "pcl.compassion"], poor, ["poor souls"]),
    ]
    rows = re.findall(r"^\| ([\d.]+) \| (.+) \|$", page, re.MULTILINE)
    scale = zip(STEPS, wording().explaining.sureness, strict=True)
    assert [(float(least), words) for least, words in rows] == list(scale)
