"""Untrusted words and numbers, as pages and terminals show them."""

import math
from html import escape

from tactful.words import shorten, shown_text

NOT_KNOWN = "not known"
MINUS = "\N{MINUS SIGN}"


class Html(str):
    """Markup: it is not escaped again."""

    __slots__ = ()


def safe(text: str) -> Html:
    """Escape text for HTML and SVG; invisible characters and those that turn a line show as codes.

    >>> safe("<b>\\u202e")
    '&lt;b&gt;\\\\u202e'
    """
    return text if isinstance(text, Html) else Html(escape(shown_text(text)))


def prose(text: str) -> Html:
    """Escape a sentence or a figure; a percent sign stays on the line of its number."""
    return Html(safe(text).replace(" %", "&nbsp;%"))


def one_line(text: str, longest: int) -> str:
    """Return a text on one line, cut where it is too long."""
    return shorten(" ".join(text.split()), longest=longest)


def listed(parts: list[str] | tuple[str, ...]) -> str:
    """Join words as a sentence does: 'a, b and c'."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def known(value: float | None) -> float | None:
    """Return a number that can be shown; None for NaN and infinity."""
    return value if value is not None and math.isfinite(value) else None


def percent(value: float | None) -> str:
    """Write a share as a whole percentage: 0.613 is '61 %'; never round to none or all.

    >>> percent(0.613), percent(0.001), percent(0.999), percent(None)
    ('61 %', 'under 1 %', 'over 99 %', 'not known')
    """
    value = known(value)
    if value is None:
        return NOT_KNOWN
    whole = round(100 * value)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def fine_percent(value: float | None) -> str:
    """Write a share with two or three digits: 0.0613 is '6.1 %'; never round to none or all.

    >>> fine_percent(0.0613), fine_percent(0.000123), fine_percent(0.99999)
    ('6.1 %', '0.012 %', 'over 99.9 %')
    """
    value = known(value)
    if value is None:
        return NOT_KNOWN
    shown = 100 * value
    if shown == 0:
        text = "0"
    elif shown >= 10:
        text = "100" if shown == 100 else "over 99.9" if shown >= 99.95 else f"{shown:.1f}"
    elif shown >= 0.001:
        text = f"{shown:.{1 - math.floor(math.log10(shown))}f}"
    else:
        text = "under 0.001"
    return f"{text} %"


def decimal(value: float | None, digits: int = 2) -> str:
    """Write a number without the zero before its point: '.14', '-.05', '1.00'."""
    value = known(value)
    if value is None:
        return NOT_KNOWN
    text = f"{abs(value):.{digits}f}".removeprefix("0")
    minus = MINUS if value < 0 and float(text) else ""
    return minus + text


def p_value(value: float | None) -> str:
    """Write a p-value with its sign: '= .023', '< .001', '> .99'."""
    value = known(value)
    if value is None:
        return NOT_KNOWN
    if value < 0.001:
        return "< .001"
    return "> .99" if value > 0.99 else f"= {decimal(value, 3)}"
