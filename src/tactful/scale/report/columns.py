"""What was found for each value of a column, such as a source or a month."""

import re
from collections.abc import Sequence
from datetime import date

from tactful.scale.report.about import ReportAbout
from tactful.scale.report.grids import FEW, Section, cell, folded, grid, heat, paragraph, sideways
from tactful.scale.report.overview import kind
from tactful.scale.report.svg import Axis, disc, label, line, path, picture
from tactful.scale.report.words import Share, percent, safe, shortened
from tactful.scale.scoring import PERIODS
from tactful.scale.summary import MOST_VALUES, NONE, OTHERS, Group, Summary
from tactful.words import counted

_SHOWN, _LISTED, _PERIODS_LISTED = 25, 200, 400
_PERIOD = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_WIDTH, _HEIGHT = 260, 110
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 252, 10, 84
_READING = (
    "The share of the texts of each row in which a kind was found, and in small figures how many "
    "texts that are. A darker cell is a higher share than others of the same kind; shares of "
    f"fewer than {FEW} texts have no colour."
)

Groups = dict[str, Group]


def columns(summary: Summary, about: ReportAbout) -> list[Section]:
    """Return a part of the page for each column that was asked for."""
    found = [name for name, count in summary.found.items() if count]
    return [
        Section(f"by-{at}", f"By {_plain(column)}", _column(column, groups, found, about))
        for at, (column, groups) in enumerate(summary.by.items(), 1)
    ]


def _plain(column: str) -> str:
    name, _, period = column.rpartition(":")
    return shortened(f"{period} ({name})" if name and period in PERIODS else column, 100)


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
            f"There are more than {MOST_VALUES:,} values: the first in the order of their letters "
            f"are kept apart, and {counted(rest.rows, 'row')} of all the others "
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
    """Say whether values are periods: the user said so, or all look like months or days."""
    values = [value for value in groups if value not in (NONE, OTHERS)]
    if column.rpartition(":")[2] in PERIODS:
        return any(_place(value) is not None for value in values)
    return bool(values) and all("-" in value and _place(value) is not None for value in values)


def _over_time(column: str, groups: Groups, found: Sequence[str], about: ReportAbout) -> str:
    places = {value: place for value in groups if (place := _place(value)) is not None}
    ordered = sorted(places, key=lambda value: (places[value], value))
    others = sorted(value for value in groups if value not in places)
    drawn = "".join(
        f"<figure><figcaption>{kind(name, about)}</figcaption>"
        f"{_timeline(name, ordered, places, groups, about)}</figure>"
        for name in found
    )
    listed = [*ordered[-_PERIODS_LISTED:], *others[:_SHOWN]]
    table = _table(listed, groups, found, about, column)
    return (
        paragraph(
            "The share of the texts of each period in which a kind was found. The shaded band is "
            "the 95 % interval; no line is drawn over periods without texts."
        )
        + f'<div class="small">{drawn}</div>'
        + folded("All numbers", paragraph(_READING), table)
        + _left_out(len(groups) - len(listed), "")
    )


def _place(value: str) -> int | None:
    """Return the number of a period, one more than that of the one before; None for other words."""
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
    shares = {
        value: Share(groups[value].found.get(name, 0), groups[value].values(name))
        for value in ordered
        if groups[value].values(name)
    }
    known = list(shares)
    if not known:
        return "<p>No text has a probability.</p>"
    values = {value: share.found / share.of for value, share in shares.items()}
    highest = max(known, key=lambda value: values[value])
    # The band of few texts may be very wide: it is cut before it makes the line flat.
    widest = max((share.interval or (0, 0))[1] for share in shares.values())
    top = max(min(widest, 2 * values[highest]), 0.0001)
    across = Axis(places[known[0]], places[known[-1]], _LEFT + 5, _RIGHT - 5)
    up = Axis(0, top, _BOTTOM, _TOP)
    parts = []
    for level in (0.0, top / 2, top):
        parts.append(line(_LEFT, up(level), _RIGHT, up(level), "base" if not level else "grid"))
        parts.append(label(_LEFT - 5, up(level) + 4, percent(level), "tick", "end"))
    for run in _runs(known, places):
        points = [(across(places[value]), up(values[value])) for value in run]
        bounds = [(across(places[value]), shares[value].interval or (0, 0)) for value in run]
        band = [(x, max(up(high), _TOP)) for x, (_, high) in bounds]
        band += [(x, up(low)) for x, (low, _) in reversed(bounds)]
        parts.append(path(band, "band", filled=True))
        parts.append(path(points, "line"))
    size = 2.4 if len(known) <= 40 else 1.2
    for value in known:
        tip = f"{value}: {shares[value]} ({shares[value].found:,} of {shares[value].of:,})"
        parts.append(disc(across(places[value]), up(values[value]), size, tip))
    parts.append(label(_LEFT, _BOTTOM + 16, known[0]))
    if len(known) > 1:
        parts.append(label(_RIGHT, _BOTTOM + 16, known[-1], "tick", "end"))
    words = (
        f"{about.name(name)} from {known[0]} ({shares[known[0]]}) to {known[-1]} "
        f"({shares[known[-1]]}); highest in {highest} ({shares[highest]})."
    )
    return picture(parts, _WIDTH, _HEIGHT, words)


def _runs(values: Sequence[str], places: dict[str, int]) -> list[list[str]]:
    """Cut periods where one is missing: no line is drawn over what is not known."""
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
    rows = []
    for value in values:
        group = groups[value]
        cells = [cell(f"{group.rows:,}")]
        for name in found:
            share = _share(group, name)
            cells.append(_heat_cell(share, highest[name]))
        rows.append([f"<bdi>{safe(shortened(value, 80))}</bdi>", *cells])
    head = [safe(_plain(column)), "Rows", *(kind(name, about) for name in found)]
    return grid(head, rows, f"Shares by {_plain(column)}{sideways(len(found))}", "heat")


def _share(group: Group, name: str) -> Share:
    return Share(group.found.get(name, 0), group.values(name))


def _heat_cell(share: Share, highest: float) -> str:
    if share.value is None:
        return cell("not known", "empty")
    strength = share.value / highest if highest and share.of >= FEW else None
    return cell(f"{safe(str(share))}<small>{share.found:,}</small>", heat(strength))
