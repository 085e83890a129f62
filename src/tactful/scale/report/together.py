"""Which kinds occur together, and why some rows have no score."""

from tactful.pages.markup import Cell, Section, heat_rules, paragraph, table
from tactful.pages.text import Html, fine_percent, one_line, prose, safe
from tactful.scale.report.about import ReportAbout
from tactful.scale.report.share import Share
from tactful.scale.summary import Summary
from tactful.words import counted

FEW = 30
"""A share of fewer texts than this says little, and is not coloured."""
_STEPS = 10
_STRONGEST = 60
"""How much of the colour the strongest cell has, in per cent; letters stay readable on it."""
_FIT = 7


def heat_style() -> str:
    """Return the style of each step of the colour."""
    return heat_rules(("heat", round(_STRONGEST * step / _STEPS)) for step in range(_STEPS + 1))


def share_cell(share: Share, strength: float | None) -> Cell:
    """Return a cell with a share and its count, coloured by a strength from 0 to 1."""
    if share.value is None:
        return Cell(None, "empty")
    coloured = strength is not None and share.of >= FEW
    step = round(_STEPS * min(max(strength or 0.0, 0.0), 1.0))
    return Cell(
        Html(f"{prose(str(share))}<small>{share.found:,}</small>"),
        f"heat-{step}" if coloured else "",
    )


def sideways(columns: int) -> str:
    """Say that a table may be wider than the page."""
    return f" (scroll sideways for all {columns} kinds)" if columns > _FIT else ""


def together(summary: Summary, about: ReportAbout) -> Section:
    """Return how often each kind is found where another is."""
    found = [name for name, count in summary.found.items() if count]
    title = "Which kinds occur together"
    if len(found) < 2:
        return Section("together", title, paragraph("Fewer than two kinds were found."))

    def cell(one: str, other: str) -> Cell:
        if one == other:
            return Cell("same", "empty")
        share = Share(summary.both(one, other), summary.found[one])
        return share_cell(share, share.value)

    text = (
        "Of the texts with the kind at the left, the share that also has the kind at the top, and "
        "below it in small figures the number of texts. Kinds that were not found are not "
        f"listed. Shares of fewer than {FEW} texts have no colour, because they say little."
    )
    return Section(
        "together",
        title,
        paragraph(text)
        + table(
            ["Of those with", "Found", *map(about.kind, found)],
            [
                [about.kind(one), summary.found[one], *(cell(one, other) for other in found)]
                for one in found
            ],
            f"Kinds found together{sideways(len(found))}",
            "heat",
        ),
    )


def failures(summary: Summary) -> Section:
    """Return why rows have no score."""
    title = "What could not be scored"
    if not summary.errors and not summary.skipped:
        return Section("errors", title, paragraph("Every row was scored."))
    parts = []
    if summary.errors:
        ordered = sorted(summary.errors.items(), key=lambda item: (-item[1], item[0]))
        rows = [
            (
                Html(f"<bdi>{safe(one_line(reason, 200))}</bdi>"),
                count,
                fine_percent(count / summary.rows),
            )
            for reason, count in ordered
        ]
        parts = [
            table(("Reason", "Rows", "Share"), rows, "Rows without a score", "numbers"),
            paragraph("They have no probability and are in no share on this page."),
        ]
    if summary.skipped:
        were = "was" if summary.skipped == 1 else "were"
        text = f"{counted(summary.skipped, 'row')} of the input could not be read and {were}"
        parts.append(paragraph(f"{text} left out."))
    return Section("errors", title, "".join(parts))
