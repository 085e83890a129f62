"""The visible text of HTML by block; nothing malformed or nested stops the scanner."""

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tactful.documents.document import document_of
from tactful.documents.html import html_blocks


def read(source: str) -> list[tuple[str, str]]:
    return [(each.block, each.text) for each in document_of(source, "html").segments]


def words(source: str) -> list[str]:
    return [text for _, text in read(source)]


def test_blocks_have_their_kinds() -> None:
    source = """<!DOCTYPE html><html><head><title>The page</title></head><body>
    <h2>A <em>title</em></h2><p>A paragraph<p>and another
    <ul><li>one<li><p>two</p></ul><blockquote><p>quoted</p></blockquote>
    <table><caption>cap</caption><tr><th>head<td>cell</table><div>loose</div>tail</body></html>"""
    assert read(source) == [
        ("title", "The page"),
        ("heading", "A title"),
        ("paragraph", "A paragraph"),
        ("paragraph", "and another"),
        ("list item", "one"),
        ("list item", "two"),
        ("quote", "quoted"),
        ("caption", "cap"),
        ("cell", "head"),
        ("cell", "cell"),
        ("paragraph", "loose"),
        ("paragraph", "tail"),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("un<b>believ</b>able", "unbelievable"),
        ("line<br>break<BR/>again", "line break again"),
        ("a  \n\t b", "a b"),
        ("Tom &amp; Ann &eacute;&#233;&#xE9; &copy 1 &xyz; &", "Tom & Ann ééé © 1 &xyz; &"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<img alt='gone' title=\"gone\">kept", "kept"),
        ("<a href='x>y' title=\"a>b\">kept</a>", "kept"),
        ("kept <!-- gone > gone -->too", "kept too"),
        ("kept<!doctype gone><?gone?> too", "kept too"),
        ("use <code>gone()</code> it", "use it"),
        ("a <b", "a <b"),
        ("a&#32;&#10; b", "a b"),
    ],
)
def test_inline_markup_is_taken_off(source: str, text: str) -> None:
    assert words(source) == [text]


@pytest.mark.parametrize(
    "source",
    [
        "<script>if (a < b) gone('</p>')</script><p>kept",
        "<SCRIPT>gone</SCRIPT >kept",
        "<style>gone</style>kept",
        "<template><p>gone</p></template>kept",
        "<noscript>gone</noscript>kept",
        "<textarea>gone</textarea>kept",
        "<div hidden><p>gone</p><p>gone</p></div>kept",
        "<p hidden>gone<p>kept",
        "<p HIDDEN=''>gone</p>kept",
        "<div><span hidden>gone</div>kept",
        "<span style='color:red; display: none'>gone</span>kept",
        "<svg><text>gone</text></svg>kept",
        "<svg/>kept",
        "kept<!-- gone",
        "kept<script>gone",
    ],
)
def test_what_is_not_seen_is_left_out(source: str) -> None:
    assert words(source) == ["kept"]


@pytest.mark.parametrize("attribute", ["data-hidden", "aria-hidden=false", "title='hidden from'"])
def test_what_only_speaks_of_hiding_is_read(attribute: str) -> None:
    assert words(f"<p {attribute}>kept") == ["kept"]


@pytest.mark.parametrize(
    "source",
    [
        "</p></div>kept",
        "<p><b>kept</i></p>",
        "<![CDATA[>kept",
        "<!>kept",
        "<a b='>kept",
        "<p <b>kept",
        "<p/>kept",
        "<>kept",
    ],
)
def test_malformed_html_is_read(source: str) -> None:
    assert words(source)[-1].endswith("kept")


@pytest.mark.parametrize(
    "piece",
    ["<div>", "<b>", "<div>a", "</div>", "<a ", "<a '>", '<a b="', "<!--", "<![", "<?", "<", "&",
     "&a", "<p hidden>", "<script>", "<script></script"],
)  # fmt: skip
def test_a_hundred_thousand_of_anything_are_read(piece: str) -> None:
    html_blocks(piece * 100_000)


def test_each_directive_knows_its_block() -> None:
    source = "<!-- tactful: ignore-file --><p>one</p><p>two <!-- tactful: ignore pcl --></p>"
    first, second = document_of(source, "html").directives
    assert (first.verb, first.ids, first.block) == ("ignore-file", (), None)
    assert (second.verb, second.ids, second.block) == ("ignore", ("pcl",), 1)


_PIECES = st.sampled_from(
    ["poor", " ", "\n", "<p>", "</p>", "<b>", "</b>", "<br>", "<li>", "<div hidden>", "</div>",
     "<script>", "</script>", "<!-- c -->", "<!--", "&amp;", "&eacute;", "&#33;", "&x;", "&", "<",
     ">", "'", '"', "<a b='", "é", "👩\u200d👧", "\x00", "&nbsp;", "&#x20;", "<td>", "</table>"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_each_character_leads_to_what_stands_for_it(source: str) -> None:
    for segment in document_of(source, "html").segments:
        for place, character in enumerate(segment.text):
            written = source[slice(*segment.to_source(place, place + 1))]
            assert character == " " or character in written or character in html.unescape(written)
