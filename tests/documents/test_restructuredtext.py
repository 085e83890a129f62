"""reStructuredText: what is prose, on which line it is, and documents that want to do harm."""

from pathlib import Path
from typing import Any

import pytest

from tactful.documents.document import Document, document_of
from tactful.documents.ignores import find_ignores
from tactful.documents.restructuredtext import LONGEST_LINE, MOST_LINES, SHORT_LINES

PAGE = """\
Our *village*
=============

The choir meets **on Monday**, says `the page <https://example.org>`_,
and ``code()`` is left out. See :func:`open` and :ref:`the hall <hall>`.

.. note:: Bring a friend
   and a song.

.. code-block:: python

   print("not prose")

.. A comment is not read.

* One item
  wraps.

  Its second paragraph.
* Another item

Word
  Its meaning.

+-------+-----------+
| Day   | Who       |
+=======+===========+
| Mon   | Everybody |
| night | who sings |
+-------+-----------+

    A quotation.

    -- A neighbour

:param song: What to sing.

.. figure:: choir.png
   :alt: not read

   The choir in June.

Like this::

   not prose

.. |x| replace:: not read

.. [1] A footnote.

.. versionadded:: 2.0
   Harmonies.

.. deprecated:: 1.0 No more shouting.

.. seealso:: The other
   choir.

.. unknown-thing:: not read

   not read

| A verse
| and another
"""


def read(text: str) -> list[tuple[int, str, str]]:
    document = document_of(text, "rst")
    return [
        (document.line_column(each.start)[0], each.block, each.text) for each in document.segments
    ]


def texts(document: Document) -> list[str]:
    return [each.text for each in document.segments]


def test_prose_and_its_lines() -> None:
    assert read(PAGE) == [
        (1, "heading", "Our village"),
        (
            4,
            "paragraph",
            "The choir meets on Monday, says the page, and is left out. See and the hall.",
        ),
        (7, "paragraph", "Bring a friend and a song."),
        (16, "list item", "One item wraps."),
        (19, "list item", "Its second paragraph."),
        (20, "list item", "Another item"),
        (22, "list item", "Word"),
        (23, "list item", "Its meaning."),
        (26, "cell", "Day"),
        (26, "cell", "Who"),
        (28, "cell", "Mon night"),
        (28, "cell", "Everybody who sings"),
        (32, "quote", "A quotation."),
        (34, "quote", "A neighbour"),
        (36, "list item", "What to sing."),
        (41, "caption", "The choir in June."),
        (43, "paragraph", "Like this:"),
        (49, "paragraph", "A footnote."),
        (52, "paragraph", "Harmonies."),
        (54, "paragraph", "No more shouting."),
        (56, "paragraph", "The other choir."),
        (63, "paragraph", "A verse"),
        (64, "paragraph", "and another"),
    ]


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["windows", "mac"])
def test_line_ends(end: str) -> None:
    assert read(PAGE.replace("\n", end)) == read(PAGE)


def test_marks_in_terms_and_targets_are_parsed() -> None:
    page = "A term : kind\n  Its meaning.\n\n``code`` term\n  More.\n\n.. _a `b`: c_\n"
    assert [text for *_, text in read(page)] == ["A term", "Its meaning.", "term", "More."]


def test_marks_lead_back_to_the_source() -> None:
    source = "Title\n=====\n\n* We **help** \\*them\\* all,\n  every_ day [1]_ and `a _song_`__.\n"
    document = document_of(source, "rst")
    segment = document.segments[1]
    assert segment.text == "We help *them* all, every day and a _song_."
    for word in ("help", "them", "day", "song"):
        at = segment.text.index(word)
        start, end = segment.to_source(at, at + len(word))
        assert source[start:end] == word


def test_tabs_keep_the_line() -> None:
    document = document_of("One.\n\n- two\tand three\n", "rst")
    assert texts(document) == ["One.", "two and three"]
    assert document.line_column(document.segments[1].start)[0] == 3


def test_other_ends_of_lines_are_spaces() -> None:
    assert read("a\x0bb\u2028c\x85d\n\nEnd.\n") == [
        (1, "paragraph", "a b c d"),
        (3, "paragraph", "End."),
    ]


@pytest.mark.parametrize(
    "comment",
    [".. tactful: ignore-next pcl", "..\n   tactful: ignore-next pcl -- a quotation"],
    ids=["one line", "two lines"],
)
def test_directives_are_comments(comment: str) -> None:
    document = document_of(f"One.\n\n{comment}\n\nTwo.\n\nThree.\n", "rst")
    assert texts(document) == ["One.", "Two.", "Three."]
    ignores = find_ignores(document)
    assert [ignores.silences(each, "pcl.metaphor") for each in document.segments] == [
        False,
        True,
        False,
    ]
    assert not ignores.problems


def test_nothing_is_included_or_run(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("A secret word.\n", encoding="utf-8")
    page = (
        f".. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\n"
        f".. csv-table::\n   :file: {secret}\n\n.. literalinclude:: {secret}\n\nEnd.\n"
    )
    assert texts(document_of(page, "rst")) == ["End."]


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    document_of("Title\n==\n\n.. nothing::\n\n* a\nb\n\n=== ===\na\n", "rst")
    assert capfd.readouterr() == ("", "")


def test_a_long_document_is_read_in_parts() -> None:
    count = 3 * MOST_LINES
    page = "\n".join(f"Paragraph {at}.\n" for at in range(count))
    found = read(page)
    assert len(found) == count
    assert [line for line, _, _ in found] == list(range(1, 2 * count, 2))


@pytest.mark.parametrize(
    "text",
    [
        "word " * LONGEST_LINE,
        "".join(" " * at + "a\n\n" for at in range(400)),
        "* " * 500 + "a",
        "`" * 5000,
        "*a " * 3000,
        "+-+\n|" * 500,
        "== ==\n" * 300,
        ".. note::\n" * 300,
        "a\n=\n\nb\n-\n\nc\n=\n-\n",
    ],
    ids=["line", "deep", "bullets", "quotes", "stars", "grid", "simple", "notes", "titles"],
)
def test_hostile_documents_are_read(text: str) -> None:
    document = document_of(text, "rst")
    for segment in document.segments:
        assert 0 <= segment.start < segment.end <= len(text)


def test_what_cannot_be_parsed_is_plain_text() -> None:
    long = "word " * LONGEST_LINE
    assert texts(document_of(f"Start.\n\n{long}", "rst"))[:2] == ["Start.", ("word " * 90).strip()]


def test_many_lines_of_almost_nothing_are_plain_text() -> None:
    # Docutils would make a list of each of them.
    lists = "+ a\n- b\n" * (SHORT_LINES // 2)
    assert texts(document_of(lists, "rst"))[:2] == ["+ a", "b + a"]
    few = "+ a\n\n- b\n\n" * (SHORT_LINES // 4 - 1)
    assert set(texts(document_of(few, "rst"))) == {"a", "b"}
    longer = "+ apples and pears\n\n- bread\n\n" * SHORT_LINES
    assert set(texts(document_of(longer, "rst"))) == {"apples and pears", "bread"}


def test_a_list_makes_only_the_states_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    from docutils.parsers.rst import states

    made: list[str] = []
    make = states.StateWS.__init__

    def counted(self: Any, *arguments: Any) -> None:
        made.append(type(self).__name__)
        make(self, *arguments)

    monkeypatch.setattr(states.StateWS, "__init__", counted)
    found = texts(document_of("+ apples\n\n- pears\n\n  1. plums\n\n" * 50, "rst"))
    assert found == ["apples", "pears", "plums"] * 50
    assert made.count("FieldList") <= 1
    assert len(made) < 150 * 4
