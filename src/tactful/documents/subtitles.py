"""The spoken text of subtitles, SubRip (``.srt``) and WebVTT (``.vtt``), with its place.

Numbers, times, styles, tags and notes are left out. A sentence may run over several cues: a block
ends with the cue that ends a sentence.
"""

import re
from html import unescape

from tactful.documents.ignores import Directive, directive_in_comment
from tactful.documents.segments import Block, Writer
from tactful.errors import FileFormatError

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMING = re.compile(rf"\s*{_TIME}[ \t]*-->[ \t]*{_TIME}")
_NOT_SPOKEN = re.compile(r"(?:NOTE|STYLE|REGION)(?=\s|\Z)")
_MARKUP = re.compile(
    r"</?[A-Za-z][^<>\r\n]{0,500}>|</?[A-Za-z]>|<\d[\d:.]{0,20}>|\{\\[^{}\r\n]{0,500}\}"
    r"|&(?:#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_SENTENCE_END = re.compile(r"""[.!?…♪\u3002\uff01\uff1f]["'\u201d\u2019»)\]]{0,3}\Z""")


def subtitle_blocks(source: str, name: str) -> tuple[list[Block], list[Directive]]:
    """Return what is spoken, by groups of cues, and the directives in notes of WebVTT.

    Parameters
    ----------
    source
        The text of the file.
    name
        What error messages call it.

    """
    reader = _Reader(source)
    reader.run()
    if not reader.cues and source.strip().removeprefix("WEBVTT"):
        raise FileFormatError(
            f"{name}: found no cue with a time, such as 00:00:01,000 --> 00:00:02,500; expected "
            "SubRip or WebVTT; use --kind plain to read it as a text."
        )
    return reader.blocks, reader.directives


class _Reader:
    def __init__(self, source: str):
        self.source = source
        self.blocks: list[Block] = []
        self.directives: list[Directive] = []
        self.writer = Writer(source)
        self.cues = 0
        self.last = ""
        """The words of the line that was read last."""

    def run(self) -> None:
        in_cue = in_note = False
        waiting: tuple[int, int] | None = None
        """A line of a cue that may be the number of the next one."""
        at = 0
        while at < len(self.source):
            found = _LINE.match(self.source, at)
            end = len(self.source) if found is None else found.end()
            line = self.source[at:end]
            if _TIMING.match(line):
                # The line before it, in a file without empty lines, was the number of this cue.
                self._end_cue()
                self.cues += 1
                in_cue, in_note, waiting = True, False, None
            elif not line.strip():
                self._take(waiting)
                self._end_cue()
                in_cue, in_note, waiting = False, False, None
            elif in_cue:
                self._take(waiting)
                waiting = (at, at + len(line.rstrip("\r\n")))
                if not line.strip().isdigit():
                    self._take(waiting)
                    waiting = None
            elif in_note or _NOT_SPOKEN.match(line):
                in_note = True
                self._note(line.strip().removeprefix("NOTE").strip(), at, end)
            at = end
        self._take(waiting)
        self._end_block()

    def _note(self, body: str, start: int, end: int) -> None:
        directive = directive_in_comment(body, start, end)
        if directive:
            self.directives.append(directive)

    def _take(self, place: tuple[int, int] | None) -> None:
        if place is None:
            return
        start, end = place
        self.writer.space(max(start - 1, 0), max(start, 1))
        at = start
        for found in _MARKUP.finditer(self.source, start, end):
            self.writer.flow(at, found.start())
            at = found.end()
            if found[0].startswith("&"):
                self.writer.add(unescape(found[0]), *found.span())
        self.writer.flow(at, end)
        self.last = _MARKUP.sub("", self.source[start:end]).rstrip()

    def _end_cue(self) -> None:
        if _SENTENCE_END.search(self.last):
            self._end_block()

    def _end_block(self) -> None:
        self.writer.trim()
        text, offsets = self.writer.finish()
        if text:
            self.blocks.append(Block(text, (offsets,), "cue"))
        self.writer, self.last = Writer(self.source), ""
