"""The prose of Markdown, and only that; each character leads to its place in the source."""

import html

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counted_work import steps

from tactful.documents.document import Document, document_of
from tactful.documents.markdown import MOST_NESTING, markdown_blocks


def read(source: str) -> list[tuple[str, str]]:
    return [(each.block, each.text) for each in document_of(source, "markdown").segments]


def words(source: str) -> list[str]:
    return [text for _, text in read(source)]


def test_blocks_have_their_kinds() -> None:
    source = (
        "# A title ##\n\nA paragraph\nof two lines.\n\n> A quote\n> goes on\nlazily\n\n"
        "- one\n- two\n\n  more\n\n| head | x |\n|---|---|\n| cell | |\n\nUnder\n=====\n"
    )
    assert read(source) == [
        ("heading", "A title"),
        ("paragraph", "A paragraph of two lines."),
        ("quote", "A quote goes on lazily"),
        ("list item", "one"),
        ("list item", "two"),
        ("list item", "more"),
        ("cell", "head"),
        ("cell", "x"),
        ("cell", "cell"),
        ("heading", "Under"),
    ]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("un**believ**able *and* __so__ ~~on~~", "unbelievable and so on"),
        ("snake_case and 2 * 3 and lone *star", "snake_case and 2 * 3 and lone *star"),
        ('[the link](http://x.org/y "title") then', "the link then"),
        ("[x](<a b> 'b') b and [y][r] and [r]\n\n[r]: http://z 'gone'", "x b and y and r"),
        ("![the *alt* text](p.png) seen", "the alt text seen"),
        ("[![in](a.png) both](b)", "in both"),
        ("see <https://x.org/poor> now", "see now"),
        ("run `rm -rf` now, ``a`b``", "run now,"),
        ("a lone ` tick", "a lone ` tick"),
        ("Tom &amp; Ann &#233; &notanentity; &lt;", "Tom & Ann é &notanentity; <"),
        (r"\*not bold\* \a \\ end", r"*not bold* \a \ end"),
        ("a <b>bold</b> word<br/>next <!-- gone -->", "a bold word next"),
        ("hard  \nbreak\\\nhere", "hard break here"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ("a [b] (c) !d", "a [b] (c) !d"),
        ("a ~~~odd~~ b", "a ~odd b"),
    ],
)
def test_inline_markup_is_taken_off(source: str, text: str) -> None:
    assert words(source)[:1] == [text]


@pytest.mark.parametrize(
    "source",
    [
        "---\ntitle: gone\n---\nkept",
        "+++\ntitle = 'gone'\n+++\nkept",
        "```\ngone\n```\nkept",
        "~~~ python\ngone\n~~~\nkept",
        "    gone\n\nkept",
        "<!-- gone\n\ngone -->\nkept",
        "<script>\ngone\n</script>\n\nkept",
        "<style>gone</style>\n\nkept",
        "[gone]: http://gone.org 'gone'\n\nkept",
        "***\n\nkept\n\n---",
        "<div hidden>gone</div>\n\nkept",
    ],
)
def test_what_is_not_prose_is_left_out(source: str) -> None:
    assert words(source) == ["kept"]


def test_a_line_at_the_start_is_not_front_matter() -> None:
    assert words("---\nno keys here\n---\nkept") == ["no keys here", "kept"]
    assert words("---\ntitle: never closed\n\nkept") == ["title: never closed", "kept"]


def test_html_in_markdown_is_read_as_html() -> None:
    source = "> <p>one &amp;\n> <b>two</b></p>\n\n<details>\n<summary>More</summary>\n\n*three*\n"
    document = document_of(source, "markdown")
    assert [each.text for each in document.segments] == ["one & two", "More", "three"]
    first = document.segments[0]
    assert source[slice(*first.to_source(4, 5))] == "&amp;"
    assert source[slice(*first.to_source(6, 9))] == "two"


def test_table_cells_lead_to_their_place() -> None:
    source = "> | x \\| y | x |\n> |---|---|\n> |  | *x* y |\n> | x |\n"
    document = document_of(source, "markdown")
    assert [each.text for each in document.segments] == ["x | y", "x", "x y", "x"]
    places = [each.start for each in document.segments]
    assert places == sorted(places)
    assert [source[each.start : each.end] for each in document.segments] == [
        "x \\| y", "x", "x* y", "x",
    ]  # fmt: skip


def test_the_right_one_of_equal_words_is_found() -> None:
    source = "[poor](poor poor) poor *poor* `poor` poor\n\n- > # poor # poor #\n"
    first, second = document_of("[poor](/poor-poor) *poor* `poor` poor", "markdown"), source
    (segment,) = first.segments
    assert segment.text == "poor poor poor"
    starts = [segment.to_source(at, at + 4)[0] for at in (0, 5, 10)]
    assert starts == [1, 20, 33]
    heading = document_of(second, "markdown").segments[-1]
    assert heading.text == "poor # poor"
    assert second[heading.start : heading.end] == "poor # poor"


def test_deep_nesting_is_read_as_plain_text() -> None:
    source = "> " * (MOST_NESTING + 20) + "They also *have* the right"
    assert "They also *have* the right" in words(source)[0]
    assert words(">" * 50_000 + " deep")[0].endswith("deep")
    assert words("![" * 2_000 + "in" + "](x)" * 2_000)


@pytest.mark.parametrize(
    "source", ["![" * 30_000, "[a](" * 9_000, "*a " * 20_000, "`a``" * 10_000, "<!--" * 20_000]
)
def test_repeated_marks_take_bounded_time(source: str) -> None:
    markdown_blocks(source)


MOST_STEPS = 2_600
"""Bytecode instructions for each character; ordinary Markdown takes about 170."""


@pytest.mark.parametrize(
    "source",
    [
        ("[" * 39 + "]" * 39) * 25,
        ("[" * 39 + "a" + "](b)" * 39) * 10,
        "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "a\n" * 800,
        "[](" * 700,
        "* a\n" * 500,
        "".join("e" + "`" * size for size in range(1, 60)),
    ],
)
def test_no_markup_takes_much_work_for_a_character(source: str) -> None:
    markdown_blocks("# Read the rules once.")
    assert steps(lambda: markdown_blocks(source)) < MOST_STEPS * len(source)


def test_deep_brackets_are_read_as_they_are() -> None:
    source = "[" * 9 + "help *us*" + "]" * 9
    assert words(source) == [source]
    assert words("[" * 3 + "help *us*" + "](/a)]]") == ["[[help us]]"]


_PIECES = st.sampled_from(
    ["poor", "help us", "*", "**", "_", "~~", "`", "``", "[", "](/x)", '](u "t")', "![", "](p)",
     "|", "&amp;",
     "&eacute;", "&#33;", "&x;", "\\*", "\\a", "\\", "\\|", "<b>", "</b>", "<br>", "<div>",
     "</div>", "<!-- c -->", "<https://x.y>", "\n", "\n\n", "\r\n", "\r", "  \n", "\t", "\n    ",
     "\n> ", "\n- ", "\n1. ", "\n# ", " #\n", "\n---\n", "\n```\n", "\n|a|b|\n|-|-|\n|",
     "é", "👩\u200d👧", "\x00", "\u200b", "\xa0", ":"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_each_character_leads_to_what_stands_for_it(source: str) -> None:
    check_characters(document_of(source, "markdown"))


def check_characters(document: Document) -> None:
    for segment in document.segments:
        before = 0
        for place, character in enumerate(segment.text):
            start, end = segment.to_source(place, place + 1)
            written = document.source[start:end]
            assert start >= before
            # A space may replace code, an address, a line break or a tag that breaks the line.
            assert character == " " or character in written or character in html.unescape(written)
            before = start
