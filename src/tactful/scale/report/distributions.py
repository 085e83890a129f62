"""How the probabilities of each id are distributed."""

import math

from tactful.pages.markup import Section, folded, paragraph, table
from tactful.pages.svg import Axis, Drawing
from tactful.scale.report.about import TEXTS, ReportAbout
from tactful.scale.summary import BINS, Summary
from tactful.words import counted

_WIDTH, _HEIGHT = 260, 120
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 254, 10, 98


def distributions(summary: Summary, about: ReportAbout) -> Section:
    """Return a drawing for each id, and all numbers in a table."""
    drawn = "".join(
        f"<figure><figcaption>{about.kind(name)}</figcaption>"
        f"{_histogram(name, summary, about)}</figure>"
        for name in summary.ids
    )
    numbers = table(
        ["From", *map(about.kind, summary.ids)],
        [
            [f"{at / BINS:.2f}", *(summary.histogram[name][at] for name in summary.ids)]
            for at in range(BINS)
        ],
        "Texts by probability, in steps of 0.05",
        "numbers",
    )
    return Section(
        "scores",
        "How the probabilities are distributed",
        paragraph(TEXTS["distributions"])
        + f'<div class="small">{drawn}</div>'
        + folded("All numbers", numbers),
    )


def _histogram(name: str, summary: Summary, about: ReportAbout) -> str:
    counts = summary.histogram[name]
    total = sum(counts)
    if not total:
        return "<p>No text has a probability.</p>"
    top = math.ceil(math.log10(max(*counts, 10)))
    across = Axis(0, 1, _LEFT, _RIGHT)
    threshold = about.thresholds.get(name)
    words = f"{about.name(name)}: {counted(total, 'text')}, {counts[0]:,} of them below 0.05"
    if threshold is not None:
        words += f", {summary.found.get(name, 0):,} at or above the threshold of {threshold:.2f}"
    drawing = Drawing(_WIDTH, _HEIGHT, f"{words}.")
    for power in range(top + 1):
        y = _height(10**power, top)
        drawing.line(_LEFT, y, _RIGHT, y, "grid")
        if power % math.ceil(top / 3) == 0 and y >= _TOP:
            drawing.text(_LEFT - 5, y + 4, _short(10**power), anchor="end")
    for at, count in enumerate(counts):
        if not count:
            continue
        y, start, end = _height(count, top), at / BINS, (at + 1) / BINS
        css = "bar" if threshold is None or start < threshold else "bar high"
        tip = f"{start:.2f} to {end:.2f}: {counted(count, 'text')}"
        left = across(start) + 0.5
        drawing.box(left, y, across(end) - left - 0.5, _BOTTOM - y, css, tip)
    drawing.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "base")
    for value, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
        drawing.text(across(value), _BOTTOM + 15, f"{value}", anchor=anchor)
    if threshold is not None:
        drawing.line(across(threshold), _TOP - 6, across(threshold), _BOTTOM, "threshold")
    return str(drawing)


def _height(count: float, top: int) -> float:
    """Return the top of a bar; a single text is a quarter of a step high, so it is visible."""
    return _BOTTOM - (math.log10(count) + 0.25) / (top + 0.25) * (_BOTTOM - _TOP)


def _short(count: int) -> str:
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{letter}"
    return str(count)
