"""A part of the page, and what several parts have: a frame for drawings and the key to marks."""

from dataclasses import dataclass

from tactful.audit.report.grids import scrolling

KEY = (
    '<p class="key"><span class="disc"></span>stigmatized condition '
    '<span class="diamond"></span>other condition</p>'
)
"""What the marks mean."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; its title and body are markup."""

    name: str
    title: str
    body: str


def chart(drawn: str, label: str, css: str = "chart") -> str:
    """Return a drawing in its frame."""
    return scrolling(drawn, f"Chart: {label}", css)
