"""Which kinds come together, and why some rows have no score."""

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.grids import FEW, Section, cell, grid, heat, paragraph, sideways
from tactful.scale.report.overview import kind
from tactful.scale.report.words import Share, percent, safe, shortened
from tactful.scale.summary import Summary


def together(summary: Summary, about: ReportAbout) -> Section:
    """Return how often each kind is found where another is."""
    found = [name for name, count in summary.found.items() if count]
    title = "Which kinds come together"
    if len(found) < 2:
        return Section("together", title, paragraph("Fewer than two kinds were found."))
    rows = []
    for one in found:
        cells = [cell(f"{summary.found[one]:,}")]
        for other in found:
            if one == other:
                cells.append(cell("same", "empty"))
                continue
            share = Share(summary.both(one, other), summary.found[one])
            strength = share.value if share.of >= FEW else None
            cells.append(cell(f"{safe(str(share))}<small>{share.found:,}</small>", heat(strength)))
        rows.append([kind(one, about), *cells])
    text = (
        "Of the texts with the kind at the left, the share that also has the kind at the top, and "
        "below it in small figures how many texts that are. Kinds that were not found are not "
        f"listed. Shares of fewer than {FEW} texts have no colour, as they say little."
    )
    caption = f"Kinds found together{sideways(len(found))}"
    head = ["Of those with", "Found", *(kind(name, about) for name in found)]
    return Section("together", title, paragraph(text) + grid(head, rows, caption, "heat"))


def failures(summary: Summary) -> Section:
    """Return why rows have no score."""
    title = "What could not be scored"
    if not summary.errors and not summary.skipped:
        return Section("errors", title, paragraph("Every row was scored."))
    parts = []
    if summary.errors:
        ordered = sorted(summary.errors.items(), key=lambda item: (-item[1], item[0]))
        rows = [
            [
                f"<bdi>{safe(shortened(reason, 200))}</bdi>",
                cell(f"{count:,}"),
                cell(safe(percent(count / summary.rows))),
            ]
            for reason, count in ordered
        ]
        parts.append(grid(("Reason", "Rows", "Share"), rows, "Rows without a score", "numbers"))
        parts.append(paragraph("They have no probability and are in no share on this page."))
    if summary.skipped:
        text = f"{summary.skipped:,} rows of the input could not be read, and were left out."
        parts.append(paragraph(text if summary.skipped > 1 else _ONE_SKIPPED))
    return Section("errors", title, "".join(parts))


_ONE_SKIPPED = "One row of the input could not be read, and was left out."
