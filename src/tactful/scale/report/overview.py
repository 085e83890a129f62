"""The first parts of the page: a summary of the run, and how often each kind was found."""

from tactful.pages.markup import Cell, Section, paragraph, table
from tactful.pages.svg import Axis, Drawing
from tactful.pages.text import Html, fine_percent, one_line, safe
from tactful.scale.report.about import ReportAbout
from tactful.scale.report.share import Share
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
