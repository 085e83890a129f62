"""The prose of Markdown, by block, with its place in the source.

Blocks are those of CommonMark with GFM tables and strikethrough, found by markdown-it-py. Its
inline parser does not say where text came from; ours are its rules, told to note the place.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING

from tactful.documents.html import html_blocks
from tactful.documents.ignores import Directive, directive_in_comment, placed_directive
from tactful.documents.segments import Block, Maps, Offsets, Writer, lines_in

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

Spans = list[tuple[int, int]]
Rule = Callable[["StateInline", bool], bool]
BlockRule = Callable[["StateBlock", int, int, bool], bool]

MOST_NESTING = 40
"""Quotes and lists nested deeper are read as plain text; parsing them would exhaust the stack."""
LONGEST_INLINE = 4_000
"""A longer paragraph is read in pieces of this size, because inline rules may look far ahead."""

MOST_BRACKETS = 8
"""Square brackets nested deeper are not links: trying takes time that grows with the depth."""
MOST_FILLED_CELLS = 500
"""Cells that rows may lack; where more are missing, a table ends, and plain lines follow."""

_BRACKET = re.compile(r"[\[\]]")
_WHITE = " \t\n\v\f\r"
_FRONT_MATTER = re.compile(
    r"(?P<fence>---|\+\+\+)[ \t]*(?>\r\n|\r|\n)(?P<body>(?:[^\r\n]*+(?>\r\n|\r|\n))*?)"
    r"(?:(?P=fence)|\.\.\.)[ \t]*(?:\r|\n|\Z)"
)
_KEY = re.compile(r"^[\w\"'-]+[ \t]*[:=]", re.MULTILINE)
_MARKUP = re.compile(r"[\\`*_~\[<&]")
_PLAIN_END = re.compile(r"[\n\\`*_~\[\]!<&]")
_CLOSING_HASHES = re.compile(r"[ \t]+#+[ \t]*$")
_PIPE = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_KIND_OF = {
    "heading_open": "heading",
    "list_item_open": "list item",
    "blockquote_open": "quote",
    "th_open": "cell",
    "td_open": "cell",
}

_LEAVES = ("text", "text_special", "html_inline", "code_inline", "softbreak", "hardbreak")


def markdown_blocks(source: str) -> tuple[list[Block], list[Directive]]:
    """Return the blocks of prose of a Markdown document, and the directives in comments."""
    reader = _Reader(source)
    reader.run()
    return reader.blocks, reader.directives


class _Reader:
    def __init__(self, source: str):
        self.source = source
        self.blocks: list[Block] = []
        self.directives: list[Directive] = []
        self.first = _after_front_matter(source)
        self.starts, self.stops = lines_in(source, self.first)
        self.env: dict[str, object] = {}
        self.row, self.row_at = -1, 0

    def run(self) -> None:
        kinds = ["paragraph"]
        for token in _parser().parse(self.source[self.first :], self.env):
            if token.nesting > 0:
                kinds.append(_KIND_OF.get(token.type, kinds[-1]))
                is_container = token.type in ("blockquote_open", "list_item_open")
                if is_container and token.level >= MOST_NESTING - 1 and token.map:
                    self._too_deep(token.map[0], token.map[1], kinds[-1])
            elif token.nesting < 0:
                kinds.pop()
            elif not token.map:
                continue
            elif token.type == "html_block":
                self._html(token.content.rstrip("\n"), token.map[0])
            elif token.type == "inline":
                if kinds[-1] == "cell":
                    spans = self._cell(token.content, token.map[0])
                else:
                    spans = self._lines(token.content, token.map[0])
                self._inline(spans, kinds[-1])

    def _lines(self, content: str, first: int) -> Spans:
        """Find the lines of a block: each is the end of a line of the source."""
        spans = []
        for line, piece in enumerate(content.split("\n"), first):
            start = self.starts[line]
            wanted = piece.strip(_WHITE)
            whole = self.source[start : self.stops[line]].rstrip(_WHITE).replace("\0", "\ufffd")
            if not whole.endswith(wanted):
                whole = _CLOSING_HASHES.sub("", whole)
            at = start + len(whole) - len(wanted) if whole.endswith(wanted) else start
            spans.append((at, start + len(whole)))
        return spans

    def _cell(self, content: str, line: int) -> Spans:
        """Find a cell in its row, behind the cells that were found before it."""
        if line != self.row:
            self.row, self.row_at = line, self.starts[line]
        stop = self.stops[line]
        spans = []
        # A pipe in a cell is written with a backslash, which is no part of the text.
        for number, piece in enumerate(content.split("|")):
            wanted = f"|{piece}" if number else piece
            at = self.source.find(wanted, self.row_at, stop)
            if wanted and at >= 0:
                spans.append((at, at + len(wanted)))
                self.row_at = at + len(wanted)
        bar = _PIPE.search(self.source, self.row_at, stop)
        self.row_at = bar.end() if bar else stop
        return spans

    def _html(self, content: str, first: int) -> None:
        html, offsets = self._joined(self._lines(content, first), "\n")
        blocks, directives = html_blocks(html)
        before = len(self.blocks)
        self.directives += [placed_directive(each, offsets, before) for each in directives]
        self.blocks += [block._replace(maps=(offsets, *block.maps)) for block in blocks]

    def _too_deep(self, first: int, last: int, kind: str) -> None:
        spans = []
        for line in range(first, last):
            piece = self.source[self.starts[line] : self.stops[line]].lstrip(" \t>")
            spans.append((self.stops[line] - len(piece), self.stops[line]))
        self._append(self._flowing(spans), kind)

    def _inline(self, spans: Spans, kind: str) -> None:
        if not any(_MARKUP.search(self.source, *span) for span in spans):
            self._append(self._flowing(spans), kind)
            return
        content, offsets = self._joined(spans, "" if kind == "cell" else "\n")
        writer = Writer(content)
        for start, end in _pieces(content):
            if _depth(content, start, end) > MOST_BRACKETS:
                writer.flow(start, end)
                continue
            try:
                leaves = list(_leaves(_inline_tokens(content[start:end], self.env), start))
            except RecursionError:  # thousands of images in the names of images
                writer.flow(start, end)
                continue
            for token, at in leaves:
                self._leaf(token, at, writer, offsets)
        self._append(writer, kind, (offsets,))

    def _leaf(self, token: "Token", at: int, writer: Writer, offsets: Offsets) -> None:
        if token.type == "text":
            writer.flow(at, at + len(token.content))
            return
        end = at + token.meta["length"]
        is_comment = token.content.startswith("<!--")
        if token.type == "text_special":
            writer.add(token.content, at, end)
        elif token.type != "html_inline" or _BREAK.fullmatch(token.content):
            writer.space(at, end)  # a line break, code, or the address of a link
        elif is_comment:
            body = token.content.removeprefix("<!--").removesuffix("-->")
            directive = directive_in_comment(body, *offsets.to_source(at, end))
            if directive:
                self.directives.append(directive._replace(block=len(self.blocks)))

    def _joined(self, spans: Spans, between: str) -> tuple[str, Offsets]:
        writer = Writer(self.source)
        for number, (start, end) in enumerate(spans):
            if number:
                writer.add(between, spans[number - 1][1], start)
            writer.add(self.source[start:end], start, end)
        return writer.finish()

    def _flowing(self, spans: Spans) -> Writer:
        writer = Writer(self.source)
        for number, (start, end) in enumerate(spans):
            if number:
                writer.space(spans[number - 1][1], start)
            writer.flow(start, end)
        return writer

    def _append(self, writer: Writer, kind: str, maps: Maps = ()) -> None:
        writer.trim()
        text, offsets = writer.finish()
        self.blocks.append(Block(text, (*maps, offsets), kind))


def _after_front_matter(source: str) -> int:
    """Return where the document begins behind YAML or TOML between fences, if it has that."""
    found = _FRONT_MATTER.match(source)
    # Of a closing CR LF the LF stays behind; an empty line begins no block.
    return found.end() if found and _KEY.search(found["body"]) else 0


def _pieces(content: str) -> Iterator[tuple[int, int]]:
    at = 0
    while len(content) - at > LONGEST_INLINE:
        cut = max(content.rfind(mark, at, at + LONGEST_INLINE) for mark in " \n")
        cut = at + LONGEST_INLINE if cut <= at else cut
        yield at, cut
        at = cut
    yield at, len(content)


def _depth(content: str, start: int, end: int) -> int:
    """Return how deep square brackets are nested."""
    depth = deepest = 0
    for found in _BRACKET.finditer(content, start, end):
        depth = depth + 1 if found[0] == "[" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _leaves(tokens: "list[Token]", shift: int) -> "Iterator[tuple[Token, int]]":
    """Yield what carries text or separates it, with its place."""
    is_address = False
    for token in tokens:
        if token.type == "image":
            label = shift + token.meta["at"] + len("![")
            yield from _leaves(token.children or [], label)
        elif token.info == "auto":  # <https://…>
            is_address = token.nesting > 0
            if is_address:
                yield token, shift + token.meta["at"]
        elif token.type in _LEAVES and not is_address:
            yield token, shift + token.meta["at"]


def _inline_tokens(content: str, env: dict[str, object]) -> "list[Token]":
    markdown = _parser()
    return markdown.inline.parse(content, markdown, env, [])


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        """Leaves the addresses of links alone: they are dropped, whatever they are."""

        def normalizeLink(self, url: str) -> str:  # noqa: N802
            return url

        def normalizeLinkText(self, link: str) -> str:  # noqa: N802
            return link

        def validateLink(self, url: str) -> bool:  # noqa: N802
            return True

    markdown = Parser("commonmark", {"maxNesting": MOST_NESTING})
    markdown.enable(["table", "strikethrough"]).disable(["inline", "text_join"])
    markdown.block.ruler.at("table", _table(), {"alt": ["paragraph", "reference"]})
    # Text of several places must not be joined before it is mapped.
    markdown.inline.ruler2.disable("fragments_join")
    rules = markdown.inline.ruler
    by_name = dict(zip(rules.get_active_rules(), rules.getRules(""), strict=True))
    for name, rule in by_name.items():
        if name != "link":  # what is in its text notes its own place
            rules.at(name, _placed(rule))
    rules.at("text", _text)
    rules.at("newline", _newline)
    rules.push("literal", _literal)
    return markdown


def _table() -> BlockRule:
    """Return the rule for tables with a limit of ours on the cells that it fills in.

    The library's own limit, 65,536 cells, costs more than a second for a short document.
    """
    from markdown_it.rules_block import table

    names = {**table.__globals__, "MAX_AUTOCOMPLETED_CELLS": MOST_FILLED_CELLS}
    return FunctionType(table.__code__, names, table.__name__)


def _placed(rule: Rule) -> Rule:
    """Let an inline rule note on its tokens where they are."""

    def run(state: "StateInline", silent: bool) -> bool:
        start, known = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            if state.pending:
                state.pushPending()
            at = start
            for token in state.tokens[known:]:
                token.meta = {"at": at, "length": state.pos - start}
                if token.type == "text":  # one of several marks
                    at += len(token.content)
        return True

    return run


def _text(state: "StateInline", silent: bool) -> bool:
    found = _PLAIN_END.search(state.src, state.pos, state.posMax)
    stop = found.start() if found else state.posMax
    return stop > state.pos and _take(state, silent, "text", stop)


def _newline(state: "StateInline", silent: bool) -> bool:
    is_newline = state.src[state.pos] == "\n"
    return is_newline and _take(state, silent, "softbreak", state.pos + 1)


def _literal(state: "StateInline", silent: bool) -> bool:
    """Take a mark that no other rule took."""
    return _take(state, silent, "text", state.pos + 1)


def _take(state: "StateInline", silent: bool, kind: str, stop: int) -> bool:
    if not silent:
        token = state.push(kind, "", 0)
        token.content = state.src[state.pos : stop]
        token.meta = {"at": state.pos, "length": stop - state.pos}
    state.pos = stop
    return True
