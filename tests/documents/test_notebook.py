"""Notebooks: Markdown cells, with the line of the file and the line of the cell."""

import json

import pytest

from tactful.documents.document import document_of
from tactful.documents.ignores import find_ignores
from tactful.errors import FileFormatError


def notebook(*cells: dict[str, object], indent: int | None = 1, **more: object) -> str:
    content = {"cells": list(cells), "metadata": {"cells": ["x"]}, "nbformat": 4, **more}
    return json.dumps(content, indent=indent)


def cell(kind: str, *lines: str) -> dict[str, object]:
    return {"cell_type": kind, "metadata": {"source": ["not read"]}, "source": list(lines)}


NOTEBOOK = notebook(
    cell("code", "# not read\n", "print('not read')"),
    cell("markdown", "# A título\n", "\n", 'We *help* "them" \U0001f642\n', "every day.\n"),
    cell("raw", "not read"),
    {"cell_type": "markdown", "source": "One string\n\nwith two \\paragraphs.", "outputs": [[1]]},
)


def test_markdown_cells_are_read() -> None:
    document = document_of(NOTEBOOK, "notebook")
    assert [(each.block, each.text) for each in document.segments] == [
        ("heading", "A título"),
        ("paragraph", 'We help "them" 🙂 every day.'),
        ("paragraph", "One string"),
        ("paragraph", "with two \\paragraphs."),
    ]


def test_places_are_those_of_the_file_and_of_the_cell() -> None:
    document = document_of(NOTEBOOK, "notebook")
    lines = NOTEBOOK.splitlines()
    for segment, where in zip(
        document.segments,
        ["cell 2, line 1", "cell 2, line 3", "cell 4, line 1", "cell 4, line 3"],
        strict=True,
    ):
        assert document.where(segment.start) == where
        line, column = document.line_column(segment.start)
        assert lines[line - 1][column - 1 :].startswith(json.dumps(segment.text[:2])[1:-1])
    segment = document.segments[1]
    at = segment.text.index("help")
    start, end = segment.to_source(at, at + 4)
    assert NOTEBOOK[start:end] == "help"
    at = segment.text.index("🙂")
    start, end = segment.to_source(at, at + 1)
    assert NOTEBOOK[start:end] == "\\ud83d\\ude42"


def test_one_line_and_other_orders_of_keys() -> None:
    text = '{"nbformat": 4, "cells": [{"source": ["a \\"b\\" c"], "": 1, "cell_type": "markdown"}]}'
    document = document_of(text, "notebook")
    assert [each.text for each in document.segments] == ['a "b" c']
    assert document.where(document.segments[0].start) == "cell 1, line 1"


def test_directives() -> None:
    text = notebook(
        cell("markdown", "One.\n", "\n", "Two. <!-- tactful: ignore pcl -->"),
        cell("markdown", "<!-- tactful: ignore-next -->\n", "\n", "Three."),
    )
    document = document_of(text, "notebook")
    ignores = find_ignores(document)
    assert [ignores.silences(each, "pcl") for each in document.segments] == [False, True, True]


def test_half_a_surrogate_pair_is_read() -> None:
    document = document_of(notebook(cell("markdown", "a \ud83d b")), "notebook")
    assert document.segments[0].text == "a \ud83d b"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no readable JSON"),
        ('{"cells": [', "no readable JSON"),
        ("[" * 100_000, "no readable JSON"),
        ("[]", "no list of cells"),
        ('{"cells": {}}', "no list of cells"),
        ('{"nbformat": 3, "worksheets": []}', "nbformat 3"),
    ],
    ids=["empty", "cut", "deep", "list", "object", "old"],
)
def test_what_is_no_notebook_is_refused(text: str, found: str) -> None:
    with pytest.raises(FileFormatError, match=f"text: found {found}.*expected a Jupyter notebook"):
        document_of(text, "notebook")


@pytest.mark.parametrize(
    "cells",
    ["[]", "[1, null]", '["a"]', "[[]]", '[{"source": {"source": "a"}}]', '[{"cell_type": 1}]'],
)
def test_odd_cells_are_left_out(cells: str) -> None:
    assert document_of(f'{{"cells": {cells}}}', "notebook").segments == ()
