"""The first parts of the page: the run in short, what was scored, and what was found how often."""

import re

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.grids import Section, cell, grid, paragraph
from tactful.scale.report.svg import Axis, box, line, picture
from tactful.scale.report.words import Share, interval, percent, safe, shortened
from tactful.scale.summary import Summary
from tactful.words import counted

_MOST_INPUTS = 20
_BAR_WIDTH, _BAR_HEIGHT = 240, 10


def lead(summary: Summary, about: ReportAbout) -> str:
    """Say in one or two sentences what was found."""
    if not summary.scored:
        return f"{counted(summary.rows, 'row')}, none of which could be scored."
    if not summary.found:
        return f"{counted(summary.scored, 'scored text')}; without thresholds, nothing is counted."
    share = Share(summary.rows_with_any, summary.scored)
    text = (
        f"Of {counted(summary.scored, 'scored text')}, {summary.rows_with_any:,} ({share}) may "
        f"hold at least one of the {counted(len(summary.found), 'kind')} looked for."
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
        ("Model", safe(shortened(about.model, 300))),
        ("When", safe(about.date)),
        ("Engine", safe(about.engine)),
    ]
    if about.where is not None:
        facts.append(("Only rows with", f"<code>{safe(shortened(about.where, 500))}</code>"))
    if about.dedupe:
        facts.append(("Equal texts", f"read once; {counted(saved, 'row')} needed no reading"))
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    return Section(
        "summary", "In short", f'<dl class="figures">{drawn}</dl><dl class="facts">{listed}</dl>'
    )


def _inputs(about: ReportAbout) -> str:
    shown = [f"<bdi>{safe(shortened(name, 300))}</bdi>" for name in about.inputs[:_MOST_INPUTS]]
    more = len(about.inputs) - _MOST_INPUTS
    return "<br>".join([*shown, f"and {more:,} more"] if more > 0 else shown)


def prevalence(summary: Summary, about: ReportAbout) -> Section:
    """Return how often each id was found, with an interval."""
    shares = {name: Share(summary.found[name], summary.values(name)) for name in summary.found}
    bounds = [share.interval[1] for share in shares.values() if share.interval and share.found]
    longest = max(bounds, default=1.0)
    rows = []
    for name in summary.ids:
        if name not in shares:
            rows.append([kind(name, about), '<td colspan="4">no threshold, so not counted</td>'])
            continue
        share = shares[name]
        rows.append(
            [
                kind(name, about) + _bar(share, longest),
                cell(f"{share.found:,}"),
                cell(safe(str(share))),
                cell(safe(interval(share))),
                cell(_threshold(name, about)),
            ]
        )
    text = (
        "A kind counts as found in a text where its own probability reaches its own threshold, "
        "also where the kind above it does not. The bars run from 0 to "
        f"{percent(longest)}; the thin line on each is the 95 % interval (Wilson), which covers "
        "chance alone, and not the errors of the model."
    )
    head = ("Kind", "Found", "Share", "95 % interval", "Threshold")
    return Section(
        "prevalence",
        "How often each kind was found",
        paragraph(text) + grid(head, rows, "Texts in which each kind was found", "numbers"),
    )


def kind(name: str, about: ReportAbout) -> str:
    """Return an id in plain words, with the id itself where they differ."""
    plain = about.name(name)
    if plain == name:
        return f"<bdi>{safe(name)}</bdi>"
    # Where it is narrow, an id is broken between its words and not within them.
    words = re.sub(r"([._])(?=\w)", r"\1<wbr>", safe(name))
    return f"<bdi>{safe(plain)}</bdi> <code>{words}</code>"


def _threshold(name: str, about: ReportAbout) -> str:
    value = about.thresholds.get(name)
    return "not given" if value is None else f"{value:.2f}"


def _bar(share: Share, longest: float) -> str:
    if share.value is None or share.interval is None:
        return ""
    axis = Axis(0, longest, 0, _BAR_WIDTH)
    low, high = share.interval
    middle = _BAR_HEIGHT / 2
    parts = [
        box(0, 0, _BAR_WIDTH, _BAR_HEIGHT, "rail"),
        box(0, 0, axis(share.value), _BAR_HEIGHT, "bar"),
    ]
    if share.found:
        parts.append(line(axis(low), middle, axis(high), middle, "whisker"))
    return picture(parts, _BAR_WIDTH, _BAR_HEIGHT)
