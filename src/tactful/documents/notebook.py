"""The Markdown cells of a Jupyter notebook (nbformat 4), with their place in the file.

The reader notes where each string of the JSON is, so that a finding has the line of the file, which
Git and GitHub know, and the cell and its line, which Jupyter shows.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from tactful.documents.ignores import Directive, placed_directive
from tactful.documents.markdown import markdown_blocks
from tactful.documents.segments import Block, Offsets, Writer, lines_in
from tactful.errors import FileFormatError

Landmark = tuple[int, str]
"""Where something begins in the source, and what it is called."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]|[^\s"\[\]{}:,]++', re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_DEPTH = 4
"""How deep the lines of a cell are: cells, a cell, its source, a line."""


class Cell(NamedTuple):
    """A cell: its number from 1, its type, and where the strings of its source are."""

    number: int
    type: str
    strings: list[tuple[int, int]]


def notebook_blocks(source: str, name: str) -> tuple[list[Block], list[Directive], list[Landmark]]:
    """Return the prose of the Markdown cells, the directives in it, and where each line begins.

    Parameters
    ----------
    source
        The JSON text of the notebook.
    name
        What error messages call it.

    """
    _refuse_other_formats(source, name)
    blocks: list[Block] = []
    directives: list[Directive] = []
    landmarks: list[Landmark] = []
    for cell in cells_of(source):
        if cell.type != "markdown":
            continue
        text, offsets = _decoded(source, cell.strings)
        inner, found = markdown_blocks(text)
        directives += [placed_directive(each, offsets, len(blocks)) for each in found]
        blocks += [block._replace(maps=(offsets, *block.maps)) for block in inner]
        landmarks += _lines(text, offsets, cell.number)
    return blocks, directives, landmarks


def _refuse_other_formats(source: str, name: str) -> None:
    try:
        data: Any = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"{name}: found no readable JSON ({error}); expected a Jupyter notebook; save it again "
            "with Jupyter."
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        version = data.get("nbformat") if isinstance(data, dict) else None
        found = f"nbformat {version}" if isinstance(version, int) else "no list of cells"
        raise FileFormatError(
            f"{name}: found {found}; expected a Jupyter notebook of nbformat 4; convert it with "
            "'jupyter nbconvert --to notebook'."
        )


def cells_of(source: str) -> Iterator[Cell]:
    """Yield the cells with text of a notebook, which must be valid JSON."""
    kinds: dict[int, str] = {}
    strings: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for path, start, end in _strings(source):
        match path:
            case ("cells", int(at), "cell_type"):
                kinds[at] = source[start:end]
            case ("cells", int(at), "source") | ("cells", int(at), "source", int(_)):
                strings[at].append((start, end))
    for at, found in strings.items():
        yield Cell(at + 1, kinds.get(at, ""), found)


def _strings(source: str) -> Iterator[tuple[tuple[str | int | None, ...], int, int]]:
    """Yield the place of each string that is not nested too deep, with its keys and indices."""
    path: list[str | int | None] = []
    """None where the next string is the key of an object."""
    for found in _TOKEN.finditer(source):
        match source[found.start()]:
            case "{":
                path.append(None)
            case "[":
                path.append(0)
            case "}" | "]":
                path.pop()
            case ",":
                last = path[-1]
                path[-1] = last + 1 if isinstance(last, int) else None
            case '"':
                if path and path[-1] is None:
                    path[-1] = str(json.loads(found[0]))
                elif len(path) <= _DEPTH:
                    yield tuple(path), found.start() + 1, found.end() - 1


def _decoded(source: str, strings: list[tuple[int, int]]) -> tuple[str, Offsets]:
    writer = Writer(source)
    for start, end in strings:
        at = start
        for found in _ESCAPE.finditer(source, start, end):
            writer.add(source[at : found.start()], at, found.start())
            writer.add(json.loads(f'"{found[0]}"'), *found.span())
            at = found.end()
        writer.add(source[at:end], at, end)
    return writer.finish()


def _lines(text: str, offsets: Offsets, cell: int) -> Iterator[Landmark]:
    for line, start in enumerate(lines_in(text)[0], 1):
        if start < len(text):
            yield offsets.to_source(start, start + 1)[0], f"cell {cell}, line {line}"
