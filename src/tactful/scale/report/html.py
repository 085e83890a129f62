"""The page about a run: its parts in their order, and what its figures do not say.

Its script only opens what is folded; everything from texts, columns and file names is escaped.
"""

from pathlib import Path

from tactful.figures import COLOURS
from tactful.pages.frame import report, style
from tactful.pages.markup import Section, bullets
from tactful.pages.text import one_line
from tactful.scale.report.about import TEXTS, ReportAbout
from tactful.scale.report.columns import columns
from tactful.scale.report.distributions import distributions
from tactful.scale.report.overview import in_short, lead, prevalence
from tactful.scale.report.passages import passages
from tactful.scale.report.together import failures, heat_style, together
from tactful.scale.summary import Summary

_FOLDER = Path(__file__).parent


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
