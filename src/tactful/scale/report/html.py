"""The page about a run: its parts in their order, and what its figures do not say.

The parts are a summary of the run, how often each kind was found, how the probabilities of each id
are distributed, and the texts with the highest ones, each hidden until the reader opens it. The
script of the page only opens what is folded; everything from texts, columns and file names is
escaped.
"""

import math
from pathlib import Path

import numpy as np

from tactful.figures import COLOURS
from tactful.pages.frame import report, style
from tactful.pages.markup import Cell, Section, bullets, folded, paragraph, table
from tactful.pages.svg import Axis, Drawing
from tactful.pages.text import Html, fine_percent, one_line, safe
from tactful.scale.report.about import TEXTS, ReportAbout
from tactful.scale.report.columns import columns, failures, heat_style, together
from tactful.scale.report.share import Share
from tactful.scale.summary import BINS, LONGEST_TEXT, Extreme, Summary
from tactful.words import counted

_MOST_INPUTS = 20
_BAR_WIDTH, _BAR_HEIGHT = 240, 10
_WIDTH, _HEIGHT = 260, 120
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 254, 10, 98
_TITLE = "Texts with the highest probabilities"
_FOLDER = Path(__file__).parent


def lead(summary: Summary, about: ReportAbout) -> str:
    """Say in one or two sentences what was found."""
    if not summary.scored:
        return f"{counted(summary.rows, 'row')}, none of which could be scored."
    if not summary.found:
        return f"{counted(summary.scored, 'scored text')}; without thresholds, nothing is counted."
    share = Share(summary.rows_with_any, summary.scored)
    text = (
        f"Of {counted(summary.scored, 'scored text')}, {summary.rows_with_any:,} ({share}) may "
        f"contain at least one of the {counted(len(summary.found), 'kind')} looked for."
    )
    if not any(summary.found.values()):
        return text
    most = max(summary.found, key=lambda name: summary.found[name])
    often = Share(summary.found[most], summary.values(most))
    return f"{text} The most frequent is “{about.name(most)}” ({often})."


def in_short(summary: Summary, about: ReportAbout) -> Section:
    """Return the counts of the run, and what was scored with what."""
    missed = summary.rows - summary.scored
    figures = [("Rows", summary.rows), ("Scored", summary.scored)]
    if about.dedupe:
        figures.append(("Read by the model", summary.fresh))
    figures += [("With any finding", summary.rows_with_any), ("Without a score", missed)]
    if summary.skipped:
        figures.append(("Left out, not readable", summary.skipped))
    drawn = "".join(f"<div><dt>{name}</dt><dd>{count:,}</dd></div>" for name, count in figures)
    saved = max(summary.rows - summary.fresh, 0)
    facts = [
        ("Scored", _inputs(about)),
        ("Model", safe(one_line(about.model, 300))),
        ("When", safe(about.date)),
        ("Engine", safe(about.engine)),
    ]
    if about.where is not None:
        facts.append(("Only rows with", f"<code>{safe(one_line(about.where, 500))}</code>"))
    if about.dedupe:
        facts.append(("Equal texts", f"read once; this saved {counted(saved, 'row')}"))
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    return Section(
        "summary", "Summary", f'<dl class="figures">{drawn}</dl><dl class="facts">{listed}</dl>'
    )


def _inputs(about: ReportAbout) -> str:
    shown = [f"<bdi>{safe(one_line(name, 300))}</bdi>" for name in about.inputs[:_MOST_INPUTS]]
    more = len(about.inputs) - _MOST_INPUTS
    return "<br>".join([*shown, f"and {more:,} more"] if more > 0 else shown)


def prevalence(summary: Summary, about: ReportAbout) -> Section:
    """Return how often each id was found, with an interval."""
    shares = {name: Share(summary.found[name], summary.values(name)) for name in summary.found}
    bounds = [share.interval[1] for share in shares.values() if share.interval and share.found]
    longest = max(bounds, default=1.0)
    rows: list[list[str | int | Cell]] = []
    for name in summary.ids:
        if name not in shares:
            rows.append([about.kind(name), Cell("no threshold, so not counted", span=4)])
            continue
        share, threshold = shares[name], about.thresholds.get(name)
        rows.append(
            [
                Html(about.kind(name) + _bar(share, longest)),
                share.found,
                str(share),
                share.bounds,
                "not given" if threshold is None else f"{threshold:.2f}",
            ]
        )
    text = (
        "A kind counts as found in a text where its own probability reaches its own threshold, "
        "even where that of its parent kind does not. The bars run from 0 to "
        f"{fine_percent(longest)}; the thin line on each is the 95 % interval (Wilson), which "
        "covers random variation alone, and not the errors of the model."
    )
    head = ("Kind", "Found", "Share", "95 % interval", "Threshold")
    return Section(
        "prevalence",
        "How often each kind was found",
        paragraph(text) + table(head, rows, "Texts in which each kind was found", "numbers"),
    )


def _bar(share: Share, longest: float) -> str:
    if share.value is None or share.interval is None:
        return ""
    axis = Axis(0, longest, 0, _BAR_WIDTH)
    low, high = share.interval
    middle = _BAR_HEIGHT / 2
    drawing = Drawing(_BAR_WIDTH, _BAR_HEIGHT)
    drawing.box(0, 0, _BAR_WIDTH, _BAR_HEIGHT, "rail")
    drawing.box(0, 0, axis(share.value), _BAR_HEIGHT, "bar")
    if share.found:
        drawing.line(axis(low), middle, axis(high), middle, "whisker")
    return str(drawing)


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


def passages(summary: Summary, about: ReportAbout) -> Section | None:
    """Return the texts that were kept; None where the run kept none."""
    if not summary.kept_extremes:
        return None
    blocks = [
        _passages_of(at, name, texts, about)
        for at, (name, texts) in enumerate(summary.extremes.items(), 1)
        if texts
    ]
    if not blocks:
        return Section("passages", _TITLE, paragraph("No text has a probability."))
    button = _button("passages", "Show all texts of all kinds", "Hide all texts")
    return Section("passages", _TITLE, paragraph(TEXTS["passages"]) + button + "".join(blocks))


def _button(target: str, show: str, hide: str) -> str:
    """Return a button that the page's script shows; without the script, texts open one by one."""
    return (
        f'<p class="reveal"><button type="button" hidden data-in="{target}" '
        f'data-show="{safe(show)}" data-hide="{safe(hide)}">{safe(show)}</button></p>'
    )


def _passages_of(at: int, name: str, texts: list[Extreme], about: ReportAbout) -> str:
    items = "".join(_passage(number, each, name, about) for number, each in enumerate(texts, 1))
    highest, lowest = texts[0].probability, texts[-1].probability
    spread = f"{highest:.2f}" if len(texts) == 1 else f"{highest:.2f} to {lowest:.2f}"
    if _is_below(highest, name, about):
        spread += ", below the threshold"
    button = _button(f"kind-{at}", "Show these texts", "Hide these texts")
    title = f"<h3><bdi>{safe(about.name(name))}</bdi></h3>"
    return (
        f'<details class="kind" id="kind-{at}"><summary>{title} '
        f"<span>{counted(len(texts), 'text')}, {spread}</span></summary>"
        f"{button}<ol>{items}</ol></details>"
    )


def _is_below(probability: float, name: str, about: ReportAbout) -> bool:
    """Say whether a probability is below its threshold; both are 32-bit numbers."""
    threshold = about.thresholds.get(name)
    return threshold is not None and probability < float(np.float32(threshold))


def _passage(number: int, each: Extreme, name: str, about: ReportAbout) -> str:
    below = _is_below(each.probability, name, about)
    facts = [f"probability {each.probability:.3f}"]
    if below:
        facts.append("below the threshold")
    if each.times > 1:
        facts.append(f"found {each.times:,} times")
    if each.source:
        facts.append(f"<bdi>{safe(one_line(each.source, 200))}</bdi>")
    likely = "is probably not" if below else "may be"
    words = safe(each.text) if each.text.strip() else "(only white space)"
    cut = (
        f"<p>Only the first {LONGEST_TEXT:,} characters are shown.</p>"
        if len(each.text) >= LONGEST_TEXT
        else ""
    )
    return (
        f"<li><details><summary>Text {number} <span>{' · '.join(facts)}</span></summary>"
        f'<p class="reading">As a machine reads it, this {likely}: '
        f"<bdi>{safe(about.name(name))}</bdi></p>"
        f'<blockquote dir="auto">{words}</blockquote>{cut}</details></li>'
    )


def report_html(summary: Summary, about: ReportAbout) -> str:
    """Return the page about a run."""
    parts = [
        in_short(summary, about),
        prevalence(summary, about),
        distributions(summary, about),
        *columns(summary, about),
        together(summary, about),
        failures(summary),
        passages(summary, about),
        Section("limits", "What these figures do not say", bullets(TEXTS["limits"], "prose")),
    ]
    return report(
        one_line(about.title, 200),
        lead(summary, about),
        TEXTS["note"],
        [part for part in parts if part is not None],
        style=style(_FOLDER / "page.css", {"high": COLOURS[4]}, heat_style()),
        script=(_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
