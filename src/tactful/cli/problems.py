"""How commands report what was wrong in the files they read."""

from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo_sentence
from tactful.errors import Severity

if TYPE_CHECKING:
    from tactful.corpora.files.problems import ProblemLog

_HEADINGS = {
    Severity.ERROR: ("Left out", "red"),
    Severity.REPAIRED: ("Repaired", "yellow"),
    Severity.NOTE: ("Worth a note", "cyan"),
}
_SHOWN = 5
_PLACE = ("file", "line", "column", "severity", "code", "found", "expected", "action")


def say_briefly(log: "ProblemLog", command: str) -> None:
    """Tell on standard error what was left out, with places, and count the rest in a line.

    ``command`` is the one that lists all.
    """
    if log.total():
        _say(log, Severity.ERROR, _SHOWN, err=True)
    quiet = [
        f"{number:,} {code} ({severity.value})"
        for (severity, code), number in log.counts.items()
        if severity is not Severity.ERROR
    ]
    if quiet:
        echo_sentence(f"Kept, but not as found: {', '.join(quiet)}; see: {command}", err=True)


def say_all(log: "ProblemLog", show: int) -> None:
    """Tell what was left out, repaired and noted: counts of each kind, then the first places."""
    if not log.total():
        click.echo("No row was left out.")
    for severity in _HEADINGS:
        if log.total(severity):
            _say(log, severity, show, err=False)


def _say(log: "ProblemLog", severity: Severity, show: int, err: bool) -> None:
    heading, colour = _HEADINGS[severity]
    number = log.rows_left_out if severity is Severity.ERROR else log.total(severity)
    click.secho(f"{heading}: {number:,} {'row' if number == 1 else 'rows'}", fg=colour, err=err)
    for (kind, code), count in log.counts.items():
        if kind is not severity:
            continue
        click.echo(f"  {code}: {count:,}", err=err)
        places = [problem for problem in log.of(severity) if problem.code == code][:show]
        for problem in places:
            echo_sentence(str(problem), "    ", "      ", err)
        if count > len(places) > 0:
            click.echo(f"    … and {count - len(places):,} more", err=err)


def problems_as_data(log: "ProblemLog") -> dict[str, Any]:
    """Return counts and places as plain data, for JSON."""
    return {
        "rows left out": log.rows_left_out,
        "errors": log.total(Severity.ERROR),
        "repaired": log.total(Severity.REPAIRED),
        "notes": log.total(Severity.NOTE),
        "kinds": [
            {"severity": severity.value, "code": code, "count": number}
            for (severity, code), number in log.counts.items()
        ],
        "places": [{name: getattr(problem, name) for name in _PLACE} for problem in log.kept],
    }
