"""The page about a run: its parts in their order, and what its figures do not say.

Its script only opens what is folded; everything from texts, columns and file names is escaped.
"""

from pathlib import Path

from tactful.figures import COLOURS
from tactful.pages.frame import report, style
from tactful.pages.markup import Section, bullets
from tactful.pages.text import one_line
from tactful.scale.report.about import ReportAbout
from tactful.scale.report.columns import columns
from tactful.scale.report.distributions import distributions
from tactful.scale.report.overview import in_short, lead, prevalence
from tactful.scale.report.passages import passages
from tactful.scale.report.together import failures, heat_style, together
from tactful.scale.summary import Summary

_FOLDER = Path(__file__).parent
_NOTE = (
    "<strong>These are a model's readings, not facts.</strong> A model gave each text a "
    "probability for each kind, and this page counts them. Some texts are counted that should not "
    'be, and some are missed. See <a href="#limits">What these figures do not say</a>.'
)
LIMITS = (
    "A probability is what a model says about a text. It does not say how bad the text is, or how "
    "many people would object to it.",
    "A threshold turns probabilities into counts. Another threshold gives other counts; look at "
    "the distribution of the probabilities, and at texts near the threshold, before you rely on "
    "one.",
    "Where a kind is rare, many of the texts in which it was found are false alarms, and where it "
    "is frequent, many are missed. So a share on this page is not the true share. To estimate "
    "that, have people judge a random sample of texts.",
    "Models are not equally good at all topics, dialects, languages and groups of people. Two "
    "sources, or two months, may differ because their texts do, and not because of how people "
    "speak to each other. Texts that name a group are easily mistaken for texts against it.",
    "Nothing here says what the writer of a text meant, or what to do about it. Read texts in "
    "their context before you decide about them or about the people who wrote them.",
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
        Section("limits", "What these figures do not say", bullets(LIMITS, "prose")),
    ]
    return report(
        one_line(about.title, 200),
        lead(summary, about),
        _NOTE,
        [part for part in parts if part is not None],
        style=style(_FOLDER / "page.css", {"high": COLOURS[4]}, heat_style()),
        script=(_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
