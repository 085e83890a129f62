"""From blocks of a document to the pieces of text that detectors read, and what these consist of.

A block is a paragraph, a heading, a list item, a quotation or a table cell. A block longer than a
detector can read at once is cut at sentences into windows; each window is a :class:`Segment`, whose
:class:`Offsets` lead back to the source.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import combining

_SPACES = re.compile(r"[ \t\n\r\f\v]{2,}|[\t\n\r\f\v]")


_LINE_END = re.compile(r"\r\n|\r|\n")


def lines_in(source: str, first: int = 0) -> tuple[list[int], list[int]]:
    """Return where the lines of a text begin and end; a line ends with LF, CR LF or CR."""
    ends = list(_LINE_END.finditer(source, first))
    starts = [first, *(found.end() for found in ends)]
    return starts, [*(found.start() for found in ends), len(source)]


class Offsets:
    """Maps spans of a text to spans of what it was made of.

    The text is a row of pieces. A piece as long as its source maps character by character; a piece
    that was decoded, expanded or shortened (``&amp;``, ``ﬁ``) maps as a whole.
    """

    __slots__ = ("_ends", "_length", "_sources", "_starts")

    def __init__(self, starts: list[int], sources: list[int], ends: list[int], length: int):
        # Tuples, because a document has many of these and the garbage collector skips tuples.
        self._starts, self._sources, self._ends = tuple(starts), tuple(sources), tuple(ends)
        self._length = length

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that ``start`` to ``end`` of the text came from."""
        if not 0 <= start < end <= self._length:
            raise ValueError(
                f"a span of a text of {self._length} characters needs 0 <= start < end, "
                f"not {start} and {end}"
            )
        return self._character(start)[0], self._character(end - 1)[1]

    def _character(self, at: int) -> tuple[int, int]:
        piece = bisect_right(self._starts, at) - 1
        following = piece + 1
        stop = self._starts[following] if following < len(self._starts) else self._length
        source, end = self._sources[piece], self._ends[piece]
        if stop - self._starts[piece] == end - source:
            source += at - self._starts[piece]
            return source, source + 1
        return source, end


Maps = tuple[Offsets, ...]
"""One map per change, the first change first; none where the text is its own source."""


def through(maps: Maps, start: int, end: int) -> tuple[int, int]:
    """Follow a span back through every change to the source."""
    for offsets in reversed(maps):
        start, end = offsets.to_source(start, end)
    return start, end


class Writer:
    """Writes a text piece by piece and remembers where each piece came from."""

    __slots__ = ("_ends", "_length", "_parts", "_sources", "_starts", "source")

    def __init__(self, source: str):
        self.source = source
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._sources: list[int] = []
        self._ends: list[int] = []
        self._length = 0

    def add(self, piece: str, start: int, end: int) -> None:
        """Write ``piece``, which replaces ``start`` to ``end`` of the source."""
        if not piece:
            return
        size = end - start
        if (
            self._ends
            and self._ends[-1] == start
            and len(piece) == size
            and self._length - self._starts[-1] == start - self._sources[-1]
        ):
            self._ends[-1] = end
        else:
            self._starts.append(self._length)
            self._sources.append(start)
            self._ends.append(end)
        self._parts.append(piece)
        self._length += len(piece)

    def space(self, start: int, end: int) -> None:
        """Write one space for ``start`` to ``end``, unless the text has none before it or one."""
        if self._parts and self._parts[-1][-1] != " ":
            self.add(" ", start, end)

    def flow(self, start: int, end: int) -> None:
        """Write ``start`` to ``end`` of the source, each run of white space as one space."""
        source, at = self.source, start
        for run in _SPACES.finditer(source, start, end):
            self._words(source[at : run.start()], at)
            self.space(*run.span())
            at = run.end()
        self._words(source[at:end], at)

    def _words(self, piece: str, at: int) -> None:
        # Between two pieces of one flow there may be a space on both sides of the seam.
        if piece.startswith(" ") and not (self._parts and self._parts[-1][-1] != " "):
            piece, at = piece[1:], at + 1
        self.add(piece, at, at + len(piece))

    def trim(self) -> None:
        """Take back a space at the end."""
        if self._parts and self._parts[-1][-1] == " ":
            self._parts[-1] = self._parts[-1][:-1]
            if self._length - self._starts[-1] == self._ends[-1] - self._sources[-1]:
                self._ends[-1] -= 1
            self._length -= 1
            if self._starts[-1] == self._length:
                del self._starts[-1], self._sources[-1], self._ends[-1]

    def finish(self) -> tuple[str, Offsets]:
        """Return the text and its map."""
        offsets = Offsets(self._starts, self._sources, self._ends, self._length)
        return "".join(self._parts), offsets


MOST_WORDS = 90
MOST_CHARACTERS = 2000
"""No segment is longer, however long its sentences and words are."""


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EAST = "\u3002\uff01\uff1f\uff61"
"""The full stops, exclamation and question marks of Chinese and Japanese."""
_CLOSERS = r"""["'\u201d\u2019»)\]]"""
_OPENERS = "\"'\u201c\u2018«([¿¡"
# Linear however often a mark is repeated: a run of marks is only looked at from its beginning.
_END = re.compile(
    rf"(?<![.!?…])[.!?…]++{_CLOSERS}*+(?:\[\d{{1,3}}\])?(?=\s|\Z)"
    rf"|(?<![{_EAST}])[{_EAST}]++[\u201d\u2019\u300d\u300f\uff09]*+"
    r"|\n[^\S\n]*\n|\r[^\S\r\n]*\r"
)
_WORD = re.compile(r"\S+")
_NEXT = re.compile(rf"\s*[{re.escape(_OPENERS)}]*(\w+)")
# What a speaker said goes on behind a dash that clings to a small letter: —¿Vienes? —preguntó.
_ASIDE = re.compile(r"\s+—(\w)")
_BEFORE = 24
_AHEAD = 60
_ABBREVIATIONS = _words(
    """
    adm al approx apr apt aug ave bros ca cap capt cf cía cm co col dec dept dr dra ed eds
    e.g ej esp est etc excmo feb fig gen gob gov hon ibid i.e inc jan jr jul jun lic lt ltd mar mr
    mrs ms mt mx nov oct prof pte rep rev sept sen sgt sr sra srta st sta sto tel
    ud uds univ v vol vs
    adic admón apdo arq arqta avda bco cnel ctra disp dn dña dpto dres excma excmos gral
    ilma ilmo ing máx mín mons párr pdte pdta plza prov pza sgto sras sres srtas teléf tte vd vds
    """
)
_BEFORE_NUMBERS = _words("art arts no nos núm núms p pp pág págs párrs s ss vols")
_ROMAN = frozenset("IVXLCDM")
_AT_SENTENCE_END_TOO = frozenset(("al", "etc", "inc", "jr", "ltd", "co", "ed", "st"))
_STARTERS = _words(
    """
    A After An And As At But By Each Even For He Her His How However I If In It Its Many Most My No
    On One Our She So Some That The Their Then There These They This Those To We What When While Who
    Why With Yet You Your
    Además Ahora Al Algunas Algunos Allí Aquella Aquello Aquí Así Aunque Ayer Cada Como Con Cuando
    Cuánto Cómo De Desde Después Dónde El Ella Ellas Ellos En Entonces Entre Era Eran Es Esa Esas
    Ese Eso Esos Esta Estaba Estas Este Esto Estos Está Están Fue Fueron Hasta Hay Hoy La Las Lo
    Los Luego Mañana Me Mientras Muchas Muchos Mucho Nada Nadie Ni Nos Nosotros Nuestra Nuestro
    Nunca Otras Otros Para Pero Por Porque Pues Que Qué Quien Quién Se Según Si Siempre Sin Sobre
    Solo Son Su Sus Sí Sólo También Tampoco Tienen Todas Todo Todos Tras Un Una Unas Unos Y Ya Yo
    Él
    """
)


class Block(NamedTuple):
    """A block of a document: its clean text and the way back to the source."""

    text: str
    maps: Maps
    kind: str
    """paragraph, heading, list item, quote, cell, caption or title."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text as a detector reads it, and where it is in the source."""

    text: str
    start: int
    """In the source, the place of its first character."""
    end: int
    """In the source, behind its last character."""
    block: str = "paragraph"
    """What it is a part of: paragraph, heading, list item, quote, cell, caption or title."""
    number: int = 0
    """The place of its block among the blocks of the document; windows of one block share it."""
    maps: Maps = field(default=(), repr=False, compare=False)
    offset: int = 0
    """Where it begins in the text of its block."""

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that ``start`` to ``end`` of the text came from."""
        return through(self.maps, self.offset + start, self.offset + end)


def segments_of(block: Block, number: int = 0, most_words: int = MOST_WORDS) -> Iterator[Segment]:
    """Cut a block into segments of at most ``most_words`` words."""
    for start, end in windows(block.text, most_words):
        place = through(block.maps, start, end)
        yield Segment(block.text[start:end], *place, block.kind, number, block.maps, start)


def windows(text: str, most_words: int = MOST_WORDS) -> list[tuple[int, int]]:
    """Return spans that cover the words of a text, each as many whole sentences as fit.

    A sentence that does not fit is cut between words, and a word that does not fit anywhere.

    >>> windows("One two. Three four five. Six.", most_words=4)
    [(0, 8), (9, 30)]
    """
    if _fits(text, most_words):
        stripped = text.strip()
        start = text.find(stripped) if stripped else 0
        return [(start, start + len(stripped))] if stripped else []
    filled: list[tuple[int, int]] = []
    words = 0
    for start, end, more in _units(text, most_words):
        if filled and words + more <= most_words and end - filled[-1][0] <= MOST_CHARACTERS:
            filled[-1] = (filled[-1][0], end)
            words += more
        else:
            filled.append((start, end))
            words = more
    return filled


def _fits(text: str, most_words: int) -> bool:
    # A word and the space behind it are two characters at least: short texts need no count.
    return len(text) <= MOST_CHARACTERS and (
        len(text) < 2 * most_words or len(text.split()) <= most_words
    )


def _units(text: str, most_words: int) -> Iterator[tuple[int, int, int]]:
    """Yield what must not be cut: sentences, words of giant sentences, pieces of giant words."""
    for start, end in sentences(text):
        words = len(text[start:end].split())
        if words <= most_words and end - start <= MOST_CHARACTERS:
            yield start, end, words
            continue
        for word in _WORD.finditer(text, start, end):
            at, stop = word.span()
            while stop - at > MOST_CHARACTERS:
                cut = _between_characters(text, at + MOST_CHARACTERS)
                yield at, cut, 1
                at = cut
            yield at, stop, 1


def _between_characters(text: str, at: int) -> int:
    """Step back from the middle of what looks like one character, within reason."""
    for cut in range(at, at - 16, -1):
        joined = "\u200d" in text[cut - 1 : cut + 1]
        if not joined and not combining(text[cut]) and not "\ufe00" <= text[cut] <= "\ufe0f":
            return cut
    return at


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text, without the white space between them.

    The rules know English and Spanish abbreviations, initials, numbers, quotations, dots that
    leave a sentence open, and the full stops of Chinese and Japanese.

    >>> text = "Mr. Smith paid 3.50. Why?"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Mr. Smith paid 3.50.', 'Why?']
    """
    spans: list[tuple[int, int]] = []
    at = 0
    for found in _END.finditer(text):
        if _ends_sentence(text, at, found):
            _append_stripped(spans, text, at, found.end())
            at = found.end()
    _append_stripped(spans, text, at, len(text))
    return spans


def several_sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text that has more than one."""
    found = sentences(text)
    return found if len(found) > 1 else []


def _append_stripped(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    stripped = len(piece.strip())
    if stripped:
        spans.append((start + lead, start + lead + stripped))


def _ends_sentence(text: str, start: int, found: re.Match[str]) -> bool:
    marks = found[0]
    if marks[0] in _EAST or marks[0] in "\n\r":
        return True
    following = _NEXT.match(text, found.end(), found.end() + _AHEAD)
    goes_on = following is not None and following[1][0].islower()
    aside = _goes_aside(text, found.end())
    if marks[0] != ".":
        # "Why?" she asked. But Help! and Why? end a sentence even where nobody writes capitals.
        return not (aside or (goes_on and (marks[0] == "…" or marks[-1] not in "!?")))
    if aside or (len(marks) > 1 and goes_on):  # three dots, or a full stop in a quotation
        return False
    words = text[max(start, found.start() - _BEFORE) : found.start()].split()
    word = words[-1].strip(_OPENERS) if words else ""
    if word.isdigit() and text[start : found.start()].strip() == word:
        return False  # the number of a list item
    after = following[1] if following else ""
    dotted = following is not None and text.startswith(".", following.end())
    if marks == "." and dotted and _goes_with(word, after):
        return False
    if word == "m" and len(words) > 1 and words[-2] in ("a.", "p."):
        word = f"{words[-2]}{word}"  # a. m. is written with a space in Spanish
    return marks.startswith("..") or _dot_ends_sentence(word, after)


def _goes_aside(text: str, at: int) -> bool:
    aside = _ASIDE.match(text, at, at + _AHEAD)
    return aside is not None and aside[1].islower()


def _goes_with(word: str, following: str) -> bool:
    """Say whether two words with dots are one abbreviation: EE. UU., S. A., a. C., p. ej."""
    if len(word) == 1 and word.isalpha() and word != "I":
        return len(following) == 1 or (word, following) == ("p", "ej")
    return _is_doubled(word) and _is_doubled(following)


def _is_doubled(word: str) -> bool:
    """Say whether it is the plural of an initial, as Spanish writes it: the UU of EE. UU."""
    return len(word) == 2 and word[0] == word[1] and word.isupper()


def _dot_ends_sentence(word: str, following: str) -> bool:
    """Say whether the dot behind ``word`` is a full stop."""
    name = word.casefold()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    if name in _BEFORE_NUMBERS and not is_initial:
        is_century = name in ("s", "ss") and bool(following) and _ROMAN.issuperset(following)
        return not (following[:1].isdigit() or is_century)
    if name in _ABBREVIATIONS:
        return name in _AT_SENTENCE_END_TOO and following in _STARTERS
    is_acronym = "." in word and word.replace(".", "").isalpha() and len(word) <= 8
    is_short = is_initial or is_acronym or _is_doubled(word)
    return not is_short or not following or following in _STARTERS


LONGEST_QUOTATION = 2_000
"""How many characters a quotation may have; marks that are further apart belong to two of them."""
_QUOTATION = re.compile(
    # Speech of several paragraphs closes in the last one only.
    rf"“[^“”]{{1,{LONGEST_QUOTATION}}}(?:”|\Z)"
    rf'|(?<![\w"])"[^"]{{1,{LONGEST_QUOTATION}}}"(?!\w)'
    rf"|«[^«»]{{1,{LONGEST_QUOTATION}}}»"
    rf"|„[^„“”]{{1,{LONGEST_QUOTATION}}}[“”]"
    rf"|(?<!\w)\u2018(?:[^\u2018\u2019]|(?<=\w)\u2019(?=\w)){{1,{LONGEST_QUOTATION}}}\u2019(?!\w)"
    rf"|(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w)){{1,{LONGEST_QUOTATION}}}'(?!\w)"
)
_CLOSING_MARKS = "”\"»“\u2019'"
_LEFT_OUT = "…"


def quotations(text: str) -> list[tuple[int, int]]:
    """Return the places of the quotations in a text, with their marks.

    >>> quotations('He said "stop" and left.')
    [(8, 14)]
    """
    return [found.span() for found in _QUOTATION.finditer(text)]


def is_quoted(place: tuple[int, int], quoted: Sequence[tuple[int, int]]) -> bool:
    """Say whether a place lies between the marks of a quotation."""
    return any(start < place[0] and place[1] < end for start, end in quoted)


def without_quotations(text: str, quoted: Sequence[tuple[int, int]]) -> str:
    """Return a text with an ellipsis for the words of each quotation.

    >>> without_quotations('He said "stop" and left.', [(8, 14)])
    'He said "…" and left.'
    """
    parts, at = [], 0
    for start, end in quoted:
        parts += [text[at : start + 1], _LEFT_OUT]
        at = end - (text[end - 1] in _CLOSING_MARKS)
    return "".join([*parts, text[at:]])
