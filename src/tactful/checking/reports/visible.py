"""Untrusted text made visible: nothing in it can move a cursor, hide, or turn a line around."""

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
