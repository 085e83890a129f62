"""A whole page in one file: no font, no request, and only the script that it is given.

The policy in its head allows the page's own style and script and nothing else.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from tactful import __version__
from tactful.figures import COLOURS, INK
from tactful.pages.markup import Section
from tactful.pages.text import prose, safe

_FOLDER = Path(__file__).parent


def style(css: Path, colours: Mapping[str, str], rules: str = "") -> str:
    """Return the style of a page: what all pages share, then a file of its own, then for print.

    In the file, ``$name`` is a colour of ``colours``.
    """
    names = {"ink": INK, "brand": COLOURS[0], **colours}
    files = (_FOLDER / "base.css", css, _FOLDER / "print.css")
    parts = [Template(file.read_text(encoding="utf-8")).substitute(names) for file in files]
    return "".join([*parts, rules, "\n"])


def page(
    title: str, *, body: str, style: str, script: str = "", lang: str = "en"
) -> str:  # fmt: skip
    """Return a page around the markup of its body."""
    frame = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    allowed = f"style-src 'sha256-{_digest(style)}'"
    if script:
        allowed += f"; script-src 'sha256-{_digest(script)}'"
    return frame.substitute(
        allowed=allowed,
        body=body,
        lang=lang,
        script=f"<script>{script}</script>\n" if script else "",
        style=style,
        title=safe(title),
        version=safe(__version__),
    )


def report(
    title: str,
    lead: str,
    note: str,
    sections: Sequence[Section],
    *,
    style: str,
    script: str = "",
    footer: str = "",
) -> str:
    """Return a page of sections with a list of contents; ``note`` and ``footer`` are markup."""
    main = "\n".join(map(str, sections))
    contents = "".join(
        f'<li><a href="#{part.name}">{safe(part.title)}</a></li>' for part in sections
    )
    body = (
        f'<a class="skip" href="#{sections[0].name}">Skip to the results</a>\n'
        f'<header>\n<p class="brand">Tactful</p>\n<h1><bdi>{safe(title)}</bdi></h1>\n'
        f'<p class="lead">{prose(lead)}</p>\n</header>\n'
        f'<aside class="note" aria-label="How to read this page">\n<p>{note}</p>\n</aside>\n'
        f'<nav class="contents" aria-label="Contents"><ul>{contents}</ul></nav>\n'
        f"<main>\n{main}\n</main>\n"
        f'<footer>\n{footer}<p class="colophon">Made by Tactful {safe(__version__)}. This page '
        "makes no network requests.</p>\n</footer>\n"
    )
    return page(title, body=body, style=style, script=script)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
