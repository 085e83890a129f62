"""Undoing disguises: what detectors read instead of hidden, doubled or look-alike characters.

Every detector reads :func:`normalise` of a text, and every span it finds is mapped back to the
text as it came. Ordinary text, accents included, is not touched and costs two searches.

The steps, in this order, each described on the page *Documents*:

1. what cannot be seen is removed, what is a space or a control becomes a space, half a surrogate
   pair becomes U+FFFD, and fancy forms of Latin letters become these letters;
2. look-alikes of other alphabets become Latin in words that mix them with Latin letters;
3. accents are joined to their letters, and heaps of marks are taken off;
4. words that are spelt with digits, letter by letter, with repeated letters or as emoji become
   plain words (:mod:`tactful.documents.disguises`).
"""

import re
from dataclasses import dataclass
from functools import cache
from unicodedata import normalize

from tactful.documents.segments import Maps, Writer, through

MOST_MARKS = 2
"""As many accents a Latin letter may carry (Vietnamese has two); with more, all are taken off."""
MOST_MARKS_ELSEWHERE = 3
"""As many for other letters: the Greek of the ancients has three."""
MOST_SIGNS = 4
"""As many vowel signs and points of Hebrew, Arabic and Thai may follow each other."""

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_SPACES = "\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000"
_UNSEEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20e3\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_HALVES = "\ud800-\udfff"
_FANCY = (
    "\u017f\u01c7-\u01cc\u02b0-\u02b8\u02e1-\u02e3\u0132\u0133\u1d2c-\u1d6a\u1d9b-\u1dbf\u1fbe\u2071"
    "\u207f\u2090-\u209c\u2102-\u2149\u2160-\u217f\u24b6-\u24e9\u2c7c\u2c7d\ufb00-\ufb06"
    "\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f149\U0001f150-\U0001f169"
    "\U0001f170-\U0001f189"
)
_MARKS = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20e2\u20e4-\u20f0\ufe20-\ufe2f"
)
_SIGNS = "\u0591-\u05bd\u064b-\u065f\u0670\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
# Lines through, under, over and around a letter: a way to write, never a letter of its own.
_LINES = "\u0305\u0332-\u0338\u033f\u035f\u0347\u20d2\u20d3\u20dd-\u20e0\u20e4-\u20e6\u20ea\u20eb"
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f1e6-\U0001faff][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?"
)
_JOINED = "[\u0620-\u064a\u066e-\u06d3\u0750-\u077f\u08a0-\u08c7\u0900-\u0dff]"
"""Letters of scripts whose spelling uses the (non-)joiner: Arabic, Persian, the Indic ones."""

_LOOK_ALIKES = str.maketrans(
    "аесорхуіјѕһԁԛԝӏѵкмтвгпнАВЕКМНОРСТХУІЈЅԌԜԚҮ"  # Cyrillic
    "αεικνορτυχγηωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ"  # Greek
    "օսոհցԼՕՏᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏙᏞᏟᏢᏦᏴɑɡ",  # Armenian, Cherokee, phonetic letters
    "aecopxyijshdqwlvkmtbrnhABEKMHOPCTXYIJSGWQY"
    "aeikvoptuxynwABEZHIKMNOPTYXcj"
    "ounhgLOSDRTAJEWMHGZSVLCPKBag",
)
_SMALL_CAPITALS = str.maketrans(
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ",
    "abcdefghijklmnopqrstuvwyz",
)
_FOREIGN = "".join(map(chr, _LOOK_ALIKES))
_SMALL = "".join(map(chr, _SMALL_CAPITALS))
_LATIN = "A-Za-z\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u024f\u1e00-\u1eff"

# Two ways to ask the same, because a short list of what is ordinary is searched ten times faster
# than the long one of what is not; only text with rarer letters or emoji meets the second.
_ORDINARY = (
    "\xa1-\xa8\xaa-\xac\xaf-\u0131\u0134-\u017e\u0180-\u01c6\u01cd-\u024f\u1e00-\u1eff\u2010-\u2027"
    "\u2030-\u203b\u20a0-\u20c0"
)
_NOT_ORDINARY = re.compile(f"[^\t\n\r -~{_ORDINARY}]")
_ASCII_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UNUSUAL = re.compile(
    f"[{_CONTROLS}{_SPACES}{_UNSEEN}{_HALVES}{_FANCY}{_MARKS}{_SMALL}]"
    f"|[{_SIGNS}]{{{MOST_SIGNS + 1}}}"
)
_MIXED = re.compile(
    f"[{_FOREIGN}][0-9{_MARKS}]*[{_LATIN}]|[{_LATIN}][0-9{_MARKS}]*[{_FOREIGN}]|[{_SMALL}]"
)
_FIRST_STEP = re.compile(
    # Sequences that stay whole: keycaps, flags spelt in tags, emoji joined or turned to pictures,
    # and the joiners that spelling needs.
    f"(?![A-Za-z ,.{_ORDINARY}])(?:(?P<whole>[0-9#*]\ufe0f?\u20e3|\U0001f3f4"
    f"[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}\U000e007f|{_EMOJI}(?:\u200d{_EMOJI})*"
    f"|(?<={_JOINED})[\u200c\u200d](?={_JOINED}))"
    f"|(?P<unseen>[{_UNSEEN}]+)|(?P<space>[{_CONTROLS}{_SPACES}])|(?P<half>[{_HALVES}])"
    f"|(?P<fancy>[{_FANCY}]))"
)
_WORD = re.compile(f"(?:[^\\W_]|[{_MARKS}])+")
_HAS_LATIN = re.compile(f"[{_LATIN}]")
_HAS_FOREIGN = re.compile(f"[{_FOREIGN}]")
_NEITHER = re.compile(f"[^\\W\\d_{_LATIN}{_FOREIGN}]")
_SMALL_LETTER = re.compile(f"[{_SMALL}]")
_NOT_SMALL = re.compile(f"[^{_SMALL}A-Za-z0-9{_MARKS}]")
_MARK = re.compile(f"[{_MARKS}]")
_MARK_OR_SIGN = re.compile(f"[{_MARKS}{_SIGNS}]")
_LINE = re.compile(f"[{_LINES}]")
_MARKED = re.compile(f"[^{_MARKS}]?[{_MARKS}]+|[{_SIGNS}]{{{MOST_SIGNS + 1},}}")
# Letters beside digits or signs, an emoji; letters apart; a letter three times. Three searches that
# begin with few characters each are several times faster than one that begins with any of them.
_MAYBE_DISGUISED = tuple(
    re.compile(pattern).search
    for pattern in (
        r"[013457@$!|\u2620\U0001f300-\U0001faff](?:(?<![013457@$!|])|[A-Za-z]|(?<=[A-Za-z].))",
        r"([ .\-_*·])(?<=[A-Za-z].)[A-Za-z]\1[A-Za-z]\1[A-Za-z]",
        r"([A-Za-z])\1\1",
    )
)


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text without its disguises, and the way back to the text as it came."""

    text: str
    source: str
    maps: Maps = ()

    def to_source(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source that ``start`` to ``end`` of the text came from.

        >>> normalise("p\\u200bity").to_source(0, 2)
        (0, 3)
        """
        return through(self.maps, start, end)


def normalise(text: str) -> Normalised:
    """Return the text that detectors read: the same, unless it hides or disguises something.

    >>> normalise("\\ufb01rst the \\u0440\\u200boor").text
    'first the poor'
    """
    clean = _without_odd_characters(text)
    if not any(search(clean.text) for search in _MAYBE_DISGUISED):
        return clean
    from tactful.documents.disguises import undisguise

    plain = undisguise(clean.text)
    if plain is None:
        return clean
    return Normalised(plain[0], text, (*clean.maps, plain[1]))


def _without_odd_characters(text: str) -> Normalised:
    if text.isascii():
        return Normalised(_ASCII_CONTROLS.sub(" ", text), text)
    if not _NOT_ORDINARY.search(text):
        return Normalised(text, text)
    if not _UNUSUAL.search(text) and not _MIXED.search(text):
        return Normalised(text, text)
    seen = _seen(text)
    latin = seen.text
    if _MIXED.search(latin):
        latin = _WORD.sub(lambda word: _undisguised(word[0]), latin)
    joined = _joined(latin)
    return Normalised(joined.text, text, seen.maps + joined.maps)


def _seen(text: str) -> Normalised:
    writer, at = Writer(text), 0
    for found in _FIRST_STEP.finditer(text):
        start, end = found.span()
        writer.add(text[at:start], at, start)
        at = end
        match found.lastgroup:
            case "whole":
                writer.add(found[0], start, end)
            case "space":
                writer.add(" ", start, end)
            case "half":
                writer.add("\ufffd", start, end)
            case "fancy":
                writer.add(_plain_form(found[0]), start, end)
    writer.add(text[at:], at, len(text))
    changed, offsets = writer.finish()
    return Normalised(changed, text, (offsets,))


@cache
def _plain_form(letter: str) -> str:
    """Return the Latin letters that a fancy one stands for, or the letter itself."""
    for first in (0x1F150, 0x1F170):  # white on black, which Unicode does not decompose
        if first <= ord(letter) < first + 26:
            return chr(ord("A") + ord(letter) - first)
    plain = normalize("NFKC", letter)
    # Abbreviations such as the sign for "number" or "telephone" are not disguised letters.
    is_sign = "\u2100" <= letter <= "\u214f" and len(plain) > 1
    return plain if plain.isascii() and not is_sign else normalize("NFC", letter)


def _undisguised(word: str) -> str:
    """Return a word in Latin letters if it mixes them with look-alikes; the same length."""
    if word.isascii():
        return word
    if len(_SMALL_LETTER.findall(word)) > 1 and not _NOT_SMALL.search(word):
        return word.translate(_SMALL_CAPITALS)
    if _HAS_FOREIGN.search(word) and _HAS_LATIN.search(word) and not _NEITHER.search(word):
        return word.translate(_LOOK_ALIKES)
    return word


def _joined(text: str) -> Normalised:
    if not _MARK_OR_SIGN.search(text):
        return Normalised(text, text)
    writer, at = Writer(text), 0
    for found in _MARKED.finditer(text):
        start, end = found.span()
        writer.add(text[at:start], at, start)
        writer.add(_with_few_marks(found[0]), start, end)
        at = end
    writer.add(text[at:], at, len(text))
    changed, offsets = writer.finish()
    return Normalised(changed, text, (offsets,))


def _with_few_marks(cluster: str) -> str:
    if not _MARK.search(cluster):
        return cluster[:MOST_SIGNS]
    base = "" if _MARK.match(cluster) else cluster[0]
    apart = normalize("NFD", cluster)
    if base.isalnum():
        apart = _LINE.sub("", apart)
    most = MOST_MARKS if apart[:1].isascii() else MOST_MARKS_ELSEWHERE
    few = len(_MARK.findall(apart)) <= most
    return normalize("NFC", apart if few else base)
