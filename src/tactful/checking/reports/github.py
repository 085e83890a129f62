"""Workflow commands of GitHub Actions, which GitHub shows as annotations beside the lines.

The commands are escaped as ``@actions/core`` does it. Paths are relative to ``GITHUB_WORKSPACE``,
or to the working directory where that is not set.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tactful.checking.options import AUTO
from tactful.checking.report import DocumentReport, Outcome, PlacedFinding, Unread
from tactful.checking.reports.run import Run, Tally, common_language, is_warning, said_of
from tactful.checking.reports.sarif import utf16_column
from tactful.checking.wording import wording
from tactful.words import shown, visible


def render_github(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield a command for each finding and each unread document, and a closing line."""
    tally = Tally()
    langs: set[str] = set()
    for outcome in tally.watch(outcomes):
        if isinstance(outcome, Unread):
            where = {"file": _path(outcome.path), "title": "Not checked"}
            yield _command("error", where, visible(outcome.message))
            continue
        lang = run.language_for(outcome)
        langs.add(lang)
        for finding in outcome.findings:
            yield _annotation(outcome, finding, lang)
        for problem in outcome.problems:
            yield _command("notice", _file(outcome), visible(str(problem)))
    lang = common_language(langs) if run.lang == AUTO else run.lang
    yield f"{tally.sentence(lang)}\n"


def _annotation(report: DocumentReport, finding: PlacedFinding, lang: str) -> str:
    place = finding.spans[0].place if finding.spans else finding.place
    where = _file(report)
    if report.has_lines:
        where |= {"line": str(place.line), "endLine": str(place.end_line)}
    if report.has_lines and place.line == place.end_line:
        # GitHub accepts columns within one line only.
        where["col"] = str(utf16_column(report.source, place.start, place.column))
        where["endColumn"] = str(utf16_column(report.source, place.end, place.end_column))
    where["title"] = visible(f"{finding.name} [{finding.id}]")
    level = "warning" if is_warning(finding) else "notice"
    landmark = "" if finding.passage.where is None else f"{finding.passage.where}: "
    return _command(level, where, visible(landmark + said_of(finding, wording(lang))))


def _file(report: DocumentReport) -> dict[str, str]:
    return {} if report.path is None else {"file": _path(report.path)}


def _path(path: str) -> str:
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    whole = Path(os.path.normpath(Path.cwd() / path))
    inside = whole.relative_to(root).as_posix() if whole.is_relative_to(root) else path
    # A name may hold what a log must not: control characters, and bytes that are not UTF-8.
    return "".join(map(shown, inside))


def _command(level: str, properties: dict[str, str], message: str) -> str:
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level}{' ' if listed else ''}{listed}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
