"""How messages write numbers with their noun, long texts, and characters that cannot be shown."""

import re
import unicodedata

_JOINERS = "\u200c\u200d"
"""Scripts and emoji need them, and they show nothing by themselves."""
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

# Control characters could drive a terminal, and marks of writing direction could turn the
# sentence around a quotation; neither is needed to recognise the words.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


def shown(char: str) -> str:
    r"""Return a character as it may be printed: as itself, or as its code.

    >>> shown("\x1b"), shown("é")
    ('\\x1b', 'é')
    """
    if char.isascii() and char.isprintable():
        return char
    if char in _JOINERS or unicodedata.category(char) not in _UNSAFE:
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Return a text on one line, with spaces for all white space and codes for what is unsafe."""
    return " ".join(shown_text(text).split())


def shown_text(text: str) -> str:
    """Return a text with codes for what is unsafe; its white space becomes lines and spaces."""
    if text.isprintable():
        return text
    white = {"\n": "\n", "\t": "\t"}
    return "".join(white.get(char, " ") if char.isspace() else shown(char) for char in text)


def plain(text: str) -> str:
    r"""Return a text on one line, without what could change how it is shown.

    >>> plain("nit\x1b[31m\nwit")
    'nit [31m wit'
    """
    return " ".join(_HARMFUL.sub(" ", text).split())


def cut_words(text: str, most: int, longest: int) -> str:
    """Cut a text to ``most`` words and ``longest`` characters, and make it :func:`plain`.

    >>> cut_words("these poor, tired souls", 2, 60)
    'these poor…'
    """
    piece = plain(text[: 100 * longest])
    head = " ".join(piece.split(" ", most)[:most])
    if len(head) > longest:
        head = head[:longest]
        # Without a space near the end (a long link, Chinese), cutting inside is the only way.
        space = head.rfind(" ")
        head = head[:space] if space > longest // 2 else head
    return head if head == piece else f"{head.rstrip(' ,;:.-')}…"


LONGEST_EXCERPT = 400


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun, in the singular or the plural.

    >>> counted(1, "label"), counted(2_000, "row"), counted(0, "category", "categories")
    ('1 label', '2,000 rows', '0 categories')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shorten(text: str, around: int = 0, longest: int = LONGEST_EXCERPT) -> str:
    """Cut a text that is longer than ``longest`` to that length, keeping what is ``around``."""
    if len(text) <= longest:
        return text
    start = 0 if around < longest // 2 else min(around - longest // 4, len(text) - longest)
    before, after = "…" if start else "", "…" if start + longest < len(text) else ""
    return before + text[start + len(before) : start + longest - len(after)] + after
