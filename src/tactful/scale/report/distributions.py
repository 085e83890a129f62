"""How the probabilities of each id are spread."""

import math

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.grids import Section, cell, folded, grid, paragraph
from tactful.scale.report.overview import kind
from tactful.scale.report.svg import box, label, line, picture
from tactful.scale.report.words import safe
from tactful.scale.summary import BINS, Summary
from tactful.words import counted

_WIDTH, _HEIGHT = 260, 120
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 254, 10, 98


def distributions(summary: Summary, about: ReportAbout) -> Section:
    """Return a drawing for each id, and all numbers in a table."""
    drawn = "".join(
        f"<figure><figcaption>{kind(name, about)}</figcaption>"
        f"{_histogram(name, summary, about)}</figure>"
        for name in summary.ids
    )
    text = (
        "How many texts got which probability, from 0 at the left to 1 at the right. From one "
        "line to the next there are ten times as many texts, so that the few high ones can be "
        "seen beside the many low ones. The dashed line is the threshold."
    )
    head = ["From", *(kind(name, about) for name in summary.ids)]
    rows = [
        [f"{at / BINS:.2f}", *(cell(f"{summary.histogram[name][at]:,}") for name in summary.ids)]
        for at in range(BINS)
    ]
    table = grid(head, rows, "Texts by probability, in steps of 0.05", "numbers")
    return Section(
        "scores",
        "How the probabilities are spread",
        paragraph(text) + f'<div class="small">{drawn}</div>' + folded("All numbers", table),
    )


def _histogram(name: str, summary: Summary, about: ReportAbout) -> str:
    counts = summary.histogram[name]
    total = sum(counts)
    if not total:
        return "<p>No text has a probability.</p>"
    top = math.ceil(math.log10(max(*counts, 10)))
    step = (_RIGHT - _LEFT) / BINS
    threshold = about.thresholds.get(name)
    parts = []
    for power in range(top + 1):
        y = _height(10**power, top)
        parts.append(line(_LEFT, y, _RIGHT, y, "grid"))
        if power % math.ceil(top / 3) == 0 and y >= _TOP:
            parts.append(label(_LEFT - 5, y + 4, _short(10**power), "tick", "end"))
    for at, count in enumerate(counts):
        if not count:
            continue
        y = _height(count, top)
        css = "bar" if threshold is None or at / BINS < threshold else "bar high"
        tip = f"{at / BINS:.2f} to {(at + 1) / BINS:.2f}: {counted(count, 'text')}"
        parts.append(box(_LEFT + at * step + 0.5, y, step - 1, _BOTTOM - y, css, tip))
    parts.append(line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "base"))
    for value, words, anchor in ((0, "0", "start"), (0.5, "0.5", "middle"), (1, "1", "end")):
        at_x = _LEFT + value * (_RIGHT - _LEFT)
        parts.append(label(at_x, _BOTTOM + 15, words, "tick", anchor))
    words = f"{about.name(name)}: {counted(total, 'text')}, {counts[0]:,} of them below 0.05"
    if threshold is not None:
        x = _LEFT + min(max(threshold, 0), 1) * (_RIGHT - _LEFT)
        parts.append(line(x, _TOP - 6, x, _BOTTOM, "threshold"))
        words += f", {summary.found.get(name, 0):,} at or above the threshold of {threshold:.2f}"
    return picture(parts, _WIDTH, _HEIGHT, f"{words}.")


def _height(count: float, top: int) -> float:
    """One text is a quarter of a step high, so that it is seen; ten are one step more."""
    return _BOTTOM - (math.log10(count) + 0.25) / (top + 0.25) * (_BOTTOM - _TOP)


def _short(count: int) -> str:
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{letter}"
    return safe(str(count))
