"""The visible text of HTML, by block, with its place in the source.

Nothing is run or fetched. The scanner is ours because :mod:`html.parser` takes quadratic time on
unfinished tags, and stops with an error on some declarations; this one reads every input once.
"""

import re
from collections import Counter
from html import unescape

from tactful.documents.ignores import Directive, directive_in_comment
from tactful.documents.segments import Block, Writer


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("li", "dd", "dt"), "list item"),
    **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("figcaption", "caption", "legend", "summary"), "caption"),
    "blockquote": "quote",
    "title": "title",
}
"""What the text in an element is; in any other it is what it is around that."""
BLOCKS = frozenset(KINDS) | _names(
    """
    address article aside body button center details dialog dir div dl fieldset figure footer form
    head header hgroup hr html main menu nav ol optgroup option p pre search section select table
    tbody tfoot thead tr ul
    """
)
"""Elements that begin and end a block."""
UNSEEN = _names("audio canvas code datalist embed math noscript object svg template video")
"""Elements whose text is not read: not prose, or not shown."""
RAW = frozenset(("script", "style", "iframe", "noembed", "noframes", "textarea", "xmp"))
"""Elements in which tags are not tags; they end at their end tag only, and are not read."""
VOID = _names("area base br col command embed hr img input keygen link meta param source track wbr")
CLOSED_BY = {
    **dict.fromkeys(("li",), ("li", "p")),
    **dict.fromkeys(("dd", "dt"), ("dd", "dt", "p")),
    **dict.fromkeys(("td", "th"), ("td", "th", "p")),
    "tr": ("td", "th", "tr", "p"),
    "option": ("option",),
    "body": ("head",),
}
"""What a start tag ends if it is still open, because its end tag may be left out."""

_TEXT_END = re.compile(r"[<&]")
_TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>(?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>"""
)
_TAG_START = re.compile(r"</?[A-Za-z]")
_LONGEST_TAG = 65_536
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9A-Fa-f]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)")
_HIDDEN = re.compile(
    r"""(?:^|\s)hidden(?=[\s=/]|$)(?!\s*=\s*["']?until-found)"""
    r"""|\sstyle\s*=\s*(?:"[^"]*|'[^']*|\S*)display\s*:\s*none""",
    re.IGNORECASE,
)


def html_blocks(source: str) -> tuple[list[Block], list[Directive]]:
    """Return the blocks of visible text of an HTML document, and the directives in comments."""
    scanner = _Scanner(source)
    scanner.run()
    return scanner.blocks, scanner.directives


class _Scanner:
    def __init__(self, source: str):
        self.source = source
        self.blocks: list[Block] = []
        self.directives: list[Directive] = []
        self.stack: list[tuple[str, str]] = []
        """The open elements, and what the text in each is."""
        self.open: Counter[str] = Counter()
        self.hidden_from: int | None = None
        """How many elements were open around the outermost one that is not read."""
        self.writer = Writer(source)
        self.waiting: list[Directive] = []
        self.last_tag_end = source.rfind(">")
        """Behind it, nothing that looks like a tag is one."""

    def run(self) -> None:
        source, size, at = self.source, len(self.source), 0
        while at < size:
            found = _TEXT_END.search(source, at)
            stop = found.start() if found else size
            if stop > at and self.hidden_from is None:
                self.writer.flow(at, stop)
            at = stop
            if at < size:
                at = self._entity(at) if source[at] == "&" else self._markup(at)
        self._end_block()

    def _entity(self, at: int) -> int:
        found = _ENTITY.match(self.source, at)
        piece, end = (unescape(found[0]), found.end()) if found else ("&", at + 1)
        if found and piece == found[0]:  # no entity has this name
            piece, end = "&", at + 1
        if self.hidden_from is None:
            if piece in (" ", "\n", "\t"):
                self.writer.space(at, end)
            else:
                self.writer.add(piece, at, end)
        return end

    def _markup(self, at: int) -> int:
        """Read what begins with ``<``; return where it ends."""
        source = self.source
        if source.startswith("<!--", at):
            return self._comment(at)
        if source.startswith(("<!", "<?"), at):
            return self._after(">", at)
        if at > self.last_tag_end or not _TAG_START.match(source, at):
            if self.hidden_from is None:
                self.writer.add("<", at, at + 1)
            return at + 1
        found = _TAG.match(source, at, at + _LONGEST_TAG)
        if found:
            name, rest, end = found["name"].lower(), found["rest"], found.end()
        else:  # a quotation mark without its partner, or a very long attribute
            end = self._after(">", at)
            name = re.split(r"[\s/>]", source[at + 1 : at + 40].lstrip("/"), maxsplit=1)[0].lower()
            rest = source[at:end][:_LONGEST_TAG]
        if source.startswith("</", at):
            self._end_tag(name, at, end)
        else:
            self._start_tag(name, rest, at, end)
            if name in RAW:
                return self._raw_end(name, end)
        return end

    def _after(self, mark: str, at: int) -> int:
        end = self.source.find(mark, at)
        return len(self.source) if end < 0 else end + len(mark)

    def _raw_end(self, name: str, at: int) -> int:
        found = re.compile(rf"</{re.escape(name)}(?=[\s/>])", re.IGNORECASE).search(self.source, at)
        return found.start() if found else len(self.source)

    def _comment(self, at: int) -> int:
        end = self._after("-->", at + 2)
        body = self.source[at + 4 : end].removesuffix("-->")
        directive = directive_in_comment(body, at, end)
        if directive:
            self.waiting.append(directive)
        return end

    def _start_tag(self, name: str, rest: str, at: int, end: int) -> None:
        if name == "br" and self.hidden_from is None:
            self.writer.space(at, end)
        if name in BLOCKS:
            self._end_block()
            while self.stack and self.stack[-1][0] in CLOSED_BY.get(name, ("p",)):
                self._pop()
        if name in VOID:
            return
        if name in UNSEEN and self.hidden_from is None:
            self.writer.space(at, end)
        if rest.endswith("/") and name in ("svg", "math"):
            return
        around = self.stack[-1][1] if self.stack else "paragraph"
        if self.hidden_from is None and (name in UNSEEN or name in RAW or _HIDDEN.search(rest)):
            self.hidden_from = len(self.stack)
        self.stack.append((name, KINDS.get(name, around)))
        self.open[name] += 1

    def _end_tag(self, name: str, at: int, end: int) -> None:
        if name in BLOCKS:
            self._end_block()
        if self.open[name]:
            while self._pop() != name:
                pass

    def _pop(self) -> str:
        name, _ = self.stack.pop()
        self.open[name] -= 1
        if self.hidden_from is not None and len(self.stack) <= self.hidden_from:
            self.hidden_from = None
        return name

    def _end_block(self) -> None:
        self.writer.trim()
        text, offsets = self.writer.finish()
        if text:
            kind = self.stack[-1][1] if self.stack else "paragraph"
            self.blocks.append(Block(text, (offsets,), kind))
        number = len(self.blocks) - 1 if text else None
        self.directives += [each._replace(block=number) for each in self.waiting]
        self.waiting = []
        self.writer = Writer(self.source)
