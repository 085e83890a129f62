"""How messages write numbers with their noun, long texts, and characters that cannot be shown."""

import unicodedata

_JOINERS = "\u200c\u200d"
"""Scripts and emoji need them, and they show nothing by themselves."""
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


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
