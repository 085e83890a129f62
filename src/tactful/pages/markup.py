"""Parts of a page: sections, paragraphs, tables, and boxes that scroll or fold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tactful.pages.text import NOT_KNOWN, Html, prose, safe

Value = str | int | None
"""Text is escaped, markup is not; None is written as not known."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its id, its title as plain text, and its body as markup."""

    name: str
    title: str
    body: str

    def __str__(self) -> str:
        return (
            f'<section id="{self.name}" aria-labelledby="{self.name}-h">'
            f'<h2 id="{self.name}-h">{safe(self.title)}</h2>\n{self.body}\n</section>'
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table with a class or a width of several columns."""

    value: Value
    css: str = ""
    span: int = 1


def table(
    head: Iterable[str], rows: Iterable[Sequence[Value | Cell]], caption: str, css: str = ""
) -> Html:
    """Return a table that scrolls where it is too wide; the first column names the row."""
    top = "".join(f'<th scope="col">{prose(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{_written(name)}</th>{"".join(map(_cell, cells))}</tr>'
        for name, *cells in rows
    )
    return scrolling(
        f"<table{_class(css)}><caption>{safe(caption)}</caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{body}</tbody></table>",
        caption,
    )


def _cell(cell: Value | Cell) -> str:
    if not isinstance(cell, Cell):
        return f"<td>{_written(cell)}</td>"
    span = f' colspan="{cell.span}"' if cell.span > 1 else ""
    return f"<td{_class(cell.css)}{span}>{_written(cell)}</td>"


def _written(value: Value | Cell) -> str:
    if isinstance(value, Cell):
        value = value.value
    if value is None:
        return NOT_KNOWN
    return f"{value:,}" if isinstance(value, int) else prose(value)


def _class(css: str) -> str:
    return f' class="{css}"' if css else ""


def scrolling(inner: str, label: str, css: str = "scroll") -> Html:
    """Return a box that scrolls sideways where it is too narrow, also with the keyboard."""
    return Html(
        f'<div class="{css}" role="region" aria-label="{safe(label)}" tabindex="0">{inner}</div>'
    )


def folded(summary: str, *parts: str) -> Html:
    """Return parts that are hidden until a reader opens them."""
    return Html(f"<details><summary>{safe(summary)}</summary>{''.join(parts)}</details>")


def paragraph(text: str) -> Html:
    """Return a paragraph of plain text."""
    return Html(f"<p>{prose(text)}</p>")


def bullets(texts: Iterable[str], css: str = "") -> Html:
    """Return a list of sentences; nothing where there are none."""
    items = "".join(f"<li>{prose(text)}</li>" for text in texts)
    return Html(f"<ul{_class(css)}>{items}</ul>" if items else "")


def heat_rules(steps: Iterable[tuple[str, int]]) -> str:
    """Return the style of each class ``heat-0``, ``heat-1``, …: a colour's name and its percent."""
    return "\n".join(
        f".heat-{at} {{ background: color-mix(in srgb, var(--{colour}) {strength}%, "
        "var(--card)); }"
        for at, (colour, strength) in enumerate(steps)
    )
