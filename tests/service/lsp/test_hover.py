import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import MarkupContent, MarkupKind, Position
from markdown_it import MarkdownIt
from tests.service.lsp.phrases import checked, phrases
from tests.toxicity_detector import ToxicPhrases

from tactful.checking.options import CheckOptions
from tactful.service.lsp.hover import escaped, hover_of
from tactful.service.lsp.settings import DOCS
from tactful.words import visible

RENDER = MarkdownIt("gfm-like", {"linkify": False}).render


def said(
    text: str, character: int = 2, *, markdown: bool = True, options: CheckOptions | None = None
) -> str:
    found = hover_of(
        checked(text, options=options), Position(0, character), DOCS, markdown=markdown
    )
    assert found is not None
    assert isinstance(found.contents, MarkupContent)
    assert found.contents.kind is (MarkupKind.Markdown if markdown else MarkupKind.PlainText)
    return found.contents.value


def test_it_says_what_how_sure_why_and_where_from() -> None:
    value = said("Even they know.")
    assert value.startswith("**Patronizing or condescending** · very likely, 0.88")
    assert "The text talks about people in a vulnerable situation from above" in value
    assert "“Even they”" in value
    assert f"[`pcl`]({DOCS})" in value
    assert "Pérez-Almendros et al. 2020" in value


def test_nothing_is_said_beside_the_words() -> None:
    assert hover_of(checked("Even they know."), Position(0, 12), DOCS, markdown=True) is None
    assert hover_of(checked(""), Position(5, 5), DOCS, markdown=True) is None


def test_all_kinds_of_the_finding_are_explained() -> None:
    value = said("Poor souls know.")
    assert "`pcl`" in value
    assert "`pcl.compassion`" in value
    assert "unhealthy" not in value
    assert "Patronizing or condescending / Compassion" in value


def test_toxicity_is_told_alone_or_below_its_root() -> None:
    options = phrases(ToxicPhrases())
    value = said("You will not walk home.", 15, options=options)
    assert value.startswith("**Threat** · very likely, 0.85")
    assert "Toxic / Threat" in value
    assert "Borkan et al. 2019" in value
    both = said("Only a clown says so.", 10, options=options)
    assert "**Toxic**" in both
    assert "**Insult**" in both


def test_a_threat_is_explained_before_an_attack_on_identity() -> None:
    value = said("People over sixty will not vote again.", 10, options=phrases(ToxicPhrases()))
    assert value.index("**Threat**") < value.index("**Identity attack**")


def test_without_explanations_there_is_the_definition() -> None:
    options = phrases(explanations=False)
    value = said("Even they know.", options=options)
    assert "The text talks about people in a vulnerable situation from above" in value
    assert "Ask yourself" not in value


def test_editors_without_markdown_get_plain_text() -> None:
    value = said("Even they know.", markdown=False)
    assert value.startswith("Patronizing or condescending: very likely, 0.88\n")
    assert "*" not in value
    assert "](" not in value


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[click](https://x.example)",
        "![](https://x.example/a.png)",
        "**bold** _it_ `code` ~~x~~",
        "- a list",
        "1. a list",
        "2) a list",
        "# heading",
        "a | b",
        "&lt;b&gt;",
        "\\*",
        "--- ",
        "$(x)",
    ],
)
def test_markup_of_the_text_is_shown_and_does_nothing(text: str) -> None:
    _shows_itself(text)


@given(st.text(st.sampled_from("a1.-+=*_`[]()<>#|~&!\\$: \n\u202e"), min_size=1, max_size=40))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    if visible(text):
        _shows_itself(text)


def _shows_itself(text: str) -> None:
    page = RENDER(escaped(text))
    inside = re.fullmatch(r"<p>(.*)</p>\n", page, re.DOTALL)
    assert inside, page
    assert "<" not in inside[1], page
    plain = inside[1].replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    assert plain.replace("&amp;", "&") == visible(text)


def test_addresses_become_no_links() -> None:
    assert "://" not in escaped("https://x.example")
    assert "www." not in escaped("see www.x.example")
