"""The prose of reStructuredText, by block, with its place in the source.

Docutils finds the blocks. Nothing is run, included or fetched. The marks within a line are taken
out here, because Docutils neither says where text came from nor reads long paragraphs in linear
time. A document is parsed in parts, which bounds the time for a hostile one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from tactful.documents.ignores import Directive, directive_in_comment
from tactful.documents.segments import Block, Offsets, Writer, lines_in

if TYPE_CHECKING:
    from docutils import nodes

Plain = Callable[[int, int], list[Block]]
"""Reads a part of the source as plain text."""
MOST_LINES = 1_000
"""A longer document is parsed in parts of about as many lines."""
LONGEST_LINE = 10_000
"""A part with a longer line is read as plain text."""
SHORT_LINES, LEAST_LENGTH = 500, 6
"""A part of this many lines or more is read as plain text if they have fewer characters on average:
Docutils takes as long for a line of one character as for a long one."""
READ_CONTENT = (
    *("only", "tab", "tab-item", "tab-set", "grid", "grid-item", "card", "dropdown", "glossary"),
    *("option", "envvar", "confval", "describe", "object", "details", "collapse"),
    *(f"py:{name}" for name in ("function", "class", "method", "attribute", "data", "exception")),
    *("py:property", "py:decorator", "function", "method", "attribute", "exception", "property"),
)
"""Directives of Sphinx and its extensions whose content is prose."""
READ_WHOLLY = ("seealso", "todo", "tip", "centered")
"""Of these the words behind the name are prose as well."""
VERSIONS = ("versionadded", "versionchanged", "versionremoved", "deprecated")
"""Of these the words behind the number of a version are prose."""
ROLES_WITH_TEXT = (
    *("abbr", "abbreviation", "dfn", "emphasis", "strong", "term", "title", "title-reference", "t"),
    *("guilabel", "menuselection", "sub", "subscript", "sup", "superscript"),
)
"""Roles whose whole text is read; of others only a text before a target."""

# Docutils would end lines at these.
_OTHER_ENDS = str.maketrans(dict.fromkeys("\v\f\x1c\x1d\x1e\x85\u2028\u2029", " "))
_COMMENT = re.compile(
    r"^[ \t]*\.\.(?:[ \t]+|[ \t]*(?:\r\n|\r|\n)[ \t]+)(tactful:[^\r\n]*)", re.MULTILINE
)
# What is between two marks of one kind is looked at once, so the whole takes linear time.
_INLINE = re.compile(
    r"""(?P<code>``.+?``(?!`))
    |(?P<interpreted>(?::(?P<role>[\w.+:-]{1,60}):)?_?`(?P<text>[^`]*+)`(?P<after>:[\w.+:-]{1,60}:|__?)?)
    |(?P<drop>\|[^|\s][^|\n]{0,80}\|_{0,2}|\[[\#*\w.-]{1,60}\]_(?!\w))
    |(?P<mark>(?<![\w*\\])\*{1,2}(?=[^\s*])|(?<=[^\s*\\])\*{1,2}(?![\w*]))
    |(?P<reference>(?<=\w)__?(?![\w]))
    |\\(?P<escaped>[\s\S])
    """,
    re.VERBOSE | re.DOTALL,
)


def rst_blocks(source: str, plain: Plain) -> tuple[list[Block], list[Directive]]:
    """Return the blocks of prose of a reStructuredText document, and the directives in comments."""
    directives = [
        found
        for each in (_COMMENT.finditer(source) if "tactful:" in source else ())
        if (found := directive_in_comment(each[1], *each.span()))
    ]
    reader = _Reader(source)
    blocks: list[Block] = []
    for first, last in _parts(reader.lines):
        try:
            blocks += reader.read(first, last)
        except Exception:
            # What Docutils cannot read, for any reason, is still text.
            blocks += plain(reader.starts[first], reader.stops[last - 1])
    return blocks, directives


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Cut a long document where a line without indentation follows an empty one."""
    first = 0
    for at in range(1, len(lines)):
        size = at - first
        starts_block = not lines[at - 1].strip() and lines[at][:1].strip()
        if size >= MOST_LINES and (starts_block or size >= 2 * MOST_LINES):
            yield first, at
            first = at
    yield first, len(lines)


class _Reader:
    def __init__(self, source: str):
        self.source = source
        self.starts, self.stops = lines_in(source)
        text = source.translate(_OTHER_ENDS)
        self.lines = [text[s:e] for s, e in zip(self.starts, self.stops, strict=True)]
        self.used: defaultdict[int, int] = defaultdict(int)
        """How much of each line was found already; the cells of a table share lines."""

    def read(self, first: int, last: int) -> list[Block]:
        lines = self.lines[first:last]
        if any(len(line) > LONGEST_LINE for line in lines):
            raise ValueError("a line is too long to be markup")
        if len(lines) >= SHORT_LINES and sum(map(len, lines)) < LEAST_LENGTH * len(lines):
            raise ValueError("the lines are too short to be prose")
        found = []
        line = first
        for kind, text, hint in _prose(_parsed("\n".join(lines))):
            line = self._line(text, line if hint is None else first + hint - 1, first, last)
            found.append(self._block(kind, text, line))
        return found

    def _line(self, text: str, hint: int, first: int, last: int) -> int:
        """Return the line in which a text begins: the one that Docutils says, or one near it."""
        wanted = text.partition("\n")[0].strip()
        near = (hint, hint - 1, hint + 1, hint - 2, hint + 2)
        for line in chain(near, range(hint + 3, last)):
            if first <= line < last and self.lines[line].find(wanted, self.used[line]) >= 0:
                return line
        return max(first, min(hint, last - 1))

    def _block(self, kind: str, text: str, line: int) -> Block:
        writer = Writer(self.source)
        end = self.starts[line]
        for at, piece in enumerate(text.split("\n"), line):
            row = min(at, len(self.lines) - 1)
            start, stop, wanted = self.starts[row], self.stops[row], piece.strip()
            column = self.lines[row].find(wanted, self.used[row])
            if at > line:
                writer.add("\n", end, max(end, start))
            if column >= 0:
                self.used[row] = column + len(wanted)
                end = start + column + len(wanted)
                writer.add(wanted, start + column, end)
            else:  # tabs that became spaces: the line is right, the column is not known
                writer.add(wanted, start, stop)
                end = stop
        content, offsets = writer.finish()
        return _without_marks(content, offsets, kind)


def _without_marks(content: str, offsets: Offsets, kind: str) -> Block:
    writer = Writer(content)
    at = 0
    for found in _INLINE.finditer(content):
        writer.flow(at, found.start())
        at = found.end()
        if found["interpreted"]:
            start, end = found.span("text")
            role = (found["role"] or (found["after"] or "").strip(":_")).rpartition(":")[2]
            target = content.rfind("<", start, end) if content[start:end].endswith(">") else -1
            if target > start:
                writer.flow(start, start + len(content[start:target].rstrip()))
            elif role in ROLES_WITH_TEXT or (found["after"] or "").startswith("_"):
                writer.flow(start, end)
            else:
                writer.space(*found.span())
        elif found["escaped"]:
            if not found["escaped"].isspace():  # an escaped space joins words
                writer.add(found["escaped"], *found.span())
        elif found["code"] or found["drop"]:
            writer.space(*found.span())
    writer.flow(at, len(content))
    writer.trim()
    text, inner = writer.finish()
    return Block(text, (offsets, inner), kind)


_KINDS = {
    "title": "heading", "subtitle": "heading", "rubric": "heading", "term": "list item",
    "list_item": "list item", "definition": "list item", "block_quote": "quote", "entry": "cell",
    "caption": "caption", "attribution": "quote", "field_body": "list item",
    "description": "list item",
}  # fmt: skip
_READ = ("paragraph", "title", "subtitle", "rubric", "term", "caption", "attribution", "line")
_UNREAD = (
    *("literal_block", "doctest_block", "math_block", "comment", "raw", "substitution_definition"),
    *("system_message", "target", "pending", "field_name", "option_group", "meta", "classifier"),
)


def _prose(tree: "nodes.Element") -> Iterator[tuple[str, str, int | None]]:
    """Yield what is prose: its kind, its text as it is written, and its line where it is known."""
    stack: list[tuple[nodes.Node, str]] = [(tree, "paragraph")]
    while stack:
        node, around = stack.pop()
        name = node.tagname
        if name in _UNREAD or name == "#text":
            continue
        kind = _KINDS.get(name, around)
        if name in _READ:
            # Docutils gives titles and terms no line, but their text has one.
            line = node.line or next((child.line for child in node.children), None)
            yield kind, node.astext(), line
        else:
            stack += [(child, kind) for child in reversed(node.children)]


def _parsed(text: str) -> "nodes.document":
    from docutils.utils import new_document

    parser, settings = _docutils()
    document = new_document("text", settings.copy())
    parser().parse(text, document)
    return document


class _States(dict[str, Any]):
    """The states of a machine of Docutils, each made when it is first entered.

    Docutils makes a machine for every list, and all 15 states for every machine: in a document of
    many short lists, that takes most of the time.
    """

    def __init__(self, machine: Any, classes: Sequence[type]):
        super().__init__()
        self.machine, self.classes = machine, {each.__name__: each for each in classes}
        self.is_running = False

    def __missing__(self, name: str) -> Any:
        state = self[name] = self.classes[name](self.machine, self.machine.debug)
        if self.is_running:
            state.runtime_init()
        return state


def _fast_states() -> tuple[type, ...]:
    """Return the states of Docutils, whose lists and other inner blocks are parsed faster."""
    from docutils.parsers.rst import states

    class Nested(states.NestedStateMachine):  # type: ignore[misc]
        def add_states(self, state_classes: Sequence[type]) -> None:
            self.states = _States(self, state_classes)

        def runtime_init(self) -> None:
            self.states.is_running = True
            super().runtime_init()

    def make(self: Any, machine: Any, debug: bool = False) -> None:
        states.RSTState.__init__(self, machine, debug)
        self.nested_sm_kwargs = {"state_classes": found, "initial_state": "Body"}

    shared = {"nested_sm": Nested, "nested_sm_cache": [], "__init__": make}
    # States find each other by the names of their classes.
    found = tuple(type(each.__name__, (each,), shared) for each in states.state_classes)
    return found


@cache
def _docutils() -> tuple[Callable[[], Any], Any]:
    """Return what makes a parser, and its settings: nothing is read, included or printed."""
    from docutils import nodes
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Directive as BlockDirective
    from docutils.parsers.rst import Parser, directives, states

    def verbatim(text: str, lineno: int, *_: Any) -> tuple[list[Any], list[Any]]:
        """Leave the text of a block as it is written."""
        node = nodes.Text(text)
        node.line = lineno
        return [node], []

    def parser() -> Any:
        # Not a subclass: Docutils builds its patterns from the names of the class itself.
        inliner = states.Inliner()
        inliner.parse = verbatim
        found = Parser(inliner=inliner)
        found.state_classes = classes
        return found

    classes = _fast_states()

    class Prose(BlockDirective):  # type: ignore[misc]
        """A directive of which only the content matters."""

        has_content = True
        optional_arguments = 100
        option_spec: ClassVar[dict[str, Any]] = defaultdict(lambda: str)

        def run(self) -> list[Any]:
            node = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, node)
            return [node]

    class Whole(Prose):
        """A directive without arguments."""

        optional_arguments = 0

    class Version(Prose):
        """A directive with a version, and words behind it."""

        required_arguments = optional_arguments = 1
        final_argument_whitespace = True

        def run(self) -> list[Any]:
            (node,) = super().run()
            for said in self.arguments[1:]:
                line = nodes.paragraph(said, "", nodes.Text(said))
                line.line = self.lineno
                node.insert(0, line)
            return [node]

    for known, kind in ((READ_CONTENT, Prose), (READ_WHOLLY, Whole), (VERSIONS, Version)):
        for name in known:
            if name not in directives._directives:  # Sphinx may have its own in this process
                directives.register_directive(name, kind)
    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level = settings.halt_level = 6
    settings.syntax_highlight = "none"
    settings.line_length_limit = LONGEST_LINE
    return parser, settings
