"""Tables of the page: their headers are named, and they scroll by themselves where it is narrow."""

from collections.abc import Sequence
from dataclasses import dataclass

from tactful.scale.report.words import safe

FEW = 30
"""Of fewer texts than this a share says little, and is not coloured."""
HEAT_STEPS = 10
_FIT = 7
_STRONGEST = 60
"""How much of the colour the strongest cell has, in per cent; letters stay readable on it."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page; its body is markup."""

    name: str
    title: str
    body: str

    def __str__(self) -> str:
        return (
            f'<section id="{self.name}" aria-labelledby="{self.name}-h">'
            f'<h2 id="{self.name}-h">{safe(self.title)}</h2>\n{self.body}\n</section>'
        )


def grid(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, css: str = "") -> str:
    """Return a table; all but the caption is markup, and cells are made by :func:`cell`."""
    top = "".join(f'<th scope="col">{each}</th>' for each in head)
    body = "".join(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>' for name, *cells in rows)
    kind = f' class="{css}"' if css else ""
    return (
        f'<div class="scroll" role="region" aria-label="{safe(caption)}" tabindex="0">'
        f"<table{kind}><caption>{safe(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def cell(inner: str, css: str = "") -> str:
    """Return a cell of markup."""
    return f'<td class="{css}">{inner}</td>' if css else f"<td>{inner}</td>"


def heat(strength: float | None) -> str:
    """Return the class of a cell, coloured by a strength from 0 to 1; None has no colour."""
    return "" if strength is None else f"heat-{round(HEAT_STEPS * min(max(strength, 0.0), 1.0))}"


def heat_rules() -> str:
    """Return the style of each step of the colour."""
    return "\n".join(
        f".heat-{step} {{ background: color-mix(in srgb, var(--heat) "
        f"{round(_STRONGEST * step / HEAT_STEPS)}%, var(--card)); }}"
        for step in range(HEAT_STEPS + 1)
    )


def sideways(columns: int) -> str:
    """Say that there is more to the side, where a table may be wider than the page."""
    return f" (move sideways for all {columns} kinds)" if columns > _FIT else ""


def folded(summary: str, *parts: str) -> str:
    """Return parts that a reader opens."""
    return f"<details><summary>{safe(summary)}</summary>{''.join(parts)}</details>"


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{safe(text)}</p>"
