"""What was found for each value of a column, such as a source or a month.

It also shows which kinds occur together, and why some rows have no score.
"""

import re
from collections.abc import Sequence
from datetime import date

from tactful.pages.markup import Cell, Section, folded, heat_rules, paragraph, table
from tactful.pages.svg import Axis, Drawing
from tactful.pages.text import Html, fine_percent, one_line, prose, safe
from tactful.scale.report.about import ReportAbout
from tactful.scale.report.share import Share
from tactful.scale.scoring import PERIODS
from tactful.scale.summary import MOST_VALUES, NONE, OTHERS, Group, Summary
from tactful.words import counted

FEW = 30
"""A share of fewer texts than this says little, and is not coloured."""
_STEPS = 10
_STRONGEST = 60
"""How much of the colour the strongest cell has, in per cent; letters stay readable on it."""
_FIT = 7
_SHOWN, _LISTED, _PERIODS_LISTED = 25, 200, 400
_PERIOD = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_WIDTH, _HEIGHT = 260, 110
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 252, 10, 84
_READING = (
    "The share of the texts of each row in which a kind was found, and in small figures the "
    "number of texts. A darker cell is a higher share than others of the same kind; shares of "
    f"fewer than {FEW} texts have no colour."
)
Groups = dict[str, Group]


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


def columns(summary: Summary, about: ReportAbout) -> list[Section]:
    """Return a part of the page for each column of ``--by``."""
    found = [name for name, count in summary.found.items() if count]
    return [
        Section(f"by-{at}", f"By {_plain(column)}", _column(column, groups, found, about))
        for at, (column, groups) in enumerate(summary.by.items(), 1)
    ]


def _plain(column: str) -> str:
    name, _, period = column.rpartition(":")
    return one_line(f"{period} ({name})" if name and period in PERIODS else column, 100)


def _column(column: str, groups: Groups, found: Sequence[str], about: ReportAbout) -> str:
    if not groups:
        return paragraph("There were no rows.")
    if not found:
        return paragraph(f"Nothing was found in any of {counted(len(groups), 'value')}.")
    rest = groups.get(OTHERS)
    first = (
        ""
        if rest is None
        else paragraph(
            f"There are more than {MOST_VALUES:,} values: the first in alphabetical order are "
            f"listed, and {counted(rest.rows, 'row')} with other values "
            f"{_are(rest.rows)} counted as {OTHERS}."
        )
    )
    if _is_time(column, groups):
        return first + _over_time(column, groups, found, about)
    ordered = sorted(groups, key=lambda value: (-groups[value].rows, value))
    parts = [first, paragraph(_READING), _table(ordered[:_SHOWN], groups, found, about, column)]
    if len(ordered) > _SHOWN:
        more = ordered[_SHOWN:_LISTED]
        parts.append(
            folded(f"{len(more):,} more", _table(more, groups, found, about, f"{column}, more"))
        )
    return "".join(parts) + _left_out(len(ordered) - _LISTED, "with fewer rows")


def _left_out(number: int, which: str) -> str:
    if number <= 0:
        return ""
    return paragraph(f"{counted(number, 'value')} {which} {_are(number)} not listed here.")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _is_time(column: str, groups: Groups) -> bool:
    """Say whether values are periods: named as such, or all look like months or days."""
    values = [value for value in groups if value not in (NONE, OTHERS)]
    if column.rpartition(":")[2] in PERIODS:
        return any(_place(value) is not None for value in values)
    return bool(values) and all("-" in value and _place(value) is not None for value in values)


def _over_time(column: str, groups: Groups, found: Sequence[str], about: ReportAbout) -> str:
    places = {value: place for value in groups if (place := _place(value)) is not None}
    ordered = sorted(places, key=lambda value: (places[value], value))
    others = sorted(value for value in groups if value not in places)
    drawn = "".join(
        f"<figure><figcaption>{about.kind(name)}</figcaption>"
        f"{_timeline(name, ordered, places, groups, about)}</figure>"
        for name in found
    )
    listed = [*ordered[-_PERIODS_LISTED:], *others[:_SHOWN]]
    numbers = _table(listed, groups, found, about, column)
    return (
        paragraph(
            "The share of the texts of each period in which a kind was found. The shaded band is "
            "the 95 % interval; no line is drawn over periods without texts."
        )
        + f'<div class="small">{drawn}</div>'
        + folded("All numbers", paragraph(_READING), numbers)
        + _left_out(len(groups) - len(listed), "")
    )


def _place(value: str) -> int | None:
    """Return the number of a period, consecutive for consecutive periods; None for other words."""
    match = _PERIOD.fullmatch(value)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    if year is None or (month is not None and not 1 <= month <= 12):
        return None
    if month is None:
        return year
    if day is None:
        return 12 * year + month
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def _timeline(
    name: str, ordered: Sequence[str], places: dict[str, int], groups: Groups, about: ReportAbout
) -> str:
    shares = {value: _share(groups[value], name) for value in ordered if groups[value].values(name)}
    known = list(shares)
    if not known:
        return "<p>No text has a probability.</p>"
    values = {value: share.found / share.of for value, share in shares.items()}
    highest = max(known, key=lambda value: values[value])
    # The band of few texts may be very wide: it is cut so that it does not flatten the line.
    widest = max((share.interval or (0, 0))[1] for share in shares.values())
    top = max(min(widest, 2 * values[highest]), 0.0001)
    across = Axis(places[known[0]], places[known[-1]], _LEFT + 5, _RIGHT - 5)
    up = Axis(0, top, _BOTTOM, _TOP)
    drawing = Drawing(
        _WIDTH,
        _HEIGHT,
        f"{about.name(name)} from {known[0]} ({shares[known[0]]}) to {known[-1]} "
        f"({shares[known[-1]]}); highest in {highest} ({shares[highest]}).",
    )
    for level in (0.0, top / 2, top):
        drawing.line(_LEFT, up(level), _RIGHT, up(level), "base" if not level else "grid")
        drawing.text(_LEFT - 5, up(level) + 4, fine_percent(level), anchor="end")
    for run in _runs(known, places):
        points = [(across(places[value]), up(values[value])) for value in run]
        bounds = [(across(places[value]), shares[value].interval or (0, 0)) for value in run]
        band = [(x, up(high)) for x, (_, high) in bounds]
        band += [(x, up(low)) for x, (low, _) in reversed(bounds)]
        drawing.path(band, "band", filled=True)
        drawing.path(points, "line")
    size = 2.4 if len(known) <= 40 else 1.2
    for value in known:
        tip = f"{value}: {shares[value]} ({shares[value].found:,} of {shares[value].of:,})"
        drawing.disc(across(places[value]), up(values[value]), size, "point", tip)
    drawing.text(_LEFT, _BOTTOM + 16, known[0])
    if len(known) > 1:
        drawing.text(_RIGHT, _BOTTOM + 16, known[-1], anchor="end")
    return str(drawing)


def _runs(values: Sequence[str], places: dict[str, int]) -> list[list[str]]:
    """Split periods where one is missing: no line is drawn over unknown values."""
    runs: list[list[str]] = []
    for value in values:
        if runs and places[value] - places[runs[-1][-1]] <= 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return runs


def _table(
    values: Sequence[str], groups: Groups, found: Sequence[str], about: ReportAbout, column: str
) -> str:
    highest = {
        name: max((_share(group, name).value or 0 for group in groups.values()
                   if group.values(name) >= FEW), default=0)
        for name in found
    }  # fmt: skip

    def cell(share: Share, highest: float) -> Cell:
        return share_cell(share, (share.value or 0.0) / highest if highest else None)

    rows: list[list[str | int | Cell]] = [
        [
            Html(f"<bdi>{safe(one_line(value, 80))}</bdi>"),
            groups[value].rows,
            *(cell(_share(groups[value], name), highest[name]) for name in found),
        ]
        for value in values
    ]
    head = [_plain(column), "Rows", *map(about.kind, found)]
    return table(head, rows, f"Shares by {_plain(column)}{sideways(len(found))}", "heat")


def _share(group: Group, name: str) -> Share:
    return Share(group.found.get(name, 0), group.values(name))
