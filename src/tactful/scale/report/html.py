"""The page: no font, no request, and a script that only opens what is folded.

The policy in its head allows the page's own style and script, and nothing else. All that comes
from texts, columns and names of files is escaped.
"""

import base64
import hashlib
from pathlib import Path
from string import Template

from tactful import __version__
from tactful.figures import COLOURS, INK
from tactful.scale.report.about import ReportAbout
from tactful.scale.report.columns import columns
from tactful.scale.report.distributions import distributions
from tactful.scale.report.grids import Section, heat_rules
from tactful.scale.report.overview import in_short, lead, prevalence
from tactful.scale.report.passages import passages
from tactful.scale.report.together import failures, together
from tactful.scale.report.words import safe, shortened
from tactful.scale.summary import Summary

_FOLDER = Path(__file__).parent

LIMITS = (
    "A probability is what a model says of a text. It is not how bad the text is, and not how "
    "many people would mind it.",
    "A threshold turns probabilities into counts. Another threshold gives other counts; look at "
    "how the probabilities are spread, and at texts near the threshold, before you rely on one.",
    "Where a kind is rare, many of the texts in which it was found are false alarms, and where it "
    "is frequent, many are missed. So a share on this page is not the true share. To estimate "
    "that, let people judge a random sample of texts.",
    "Models are not equally good at all topics, dialects, languages and groups of people. Two "
    "sources, or two months, may differ because their texts do, and not because of how people "
    "speak to each other. Texts that name a group are easily taken for texts against it.",
    "Nothing here says what the writer of a text meant, or what is to be done with it. Read texts "
    "in their context before you decide about them or about those who wrote them.",
)


def report_html(summary: Summary, about: ReportAbout) -> str:
    """Return the page about a run."""
    style, script = _style(), (_FOLDER / "page.js").read_text(encoding="utf-8")
    parts = [
        in_short(summary, about),
        prevalence(summary, about),
        distributions(summary, about),
        *columns(summary, about),
        together(summary, about),
        failures(summary),
        passages(summary, about),
        Section("limits", "What these figures are not", _limits()),
    ]
    shown = [part for part in parts if part is not None]
    page = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        style_hash=_digest(style),
        style=style,
        script_hash=_digest(script),
        script=script,
        version=safe(__version__),
        title=safe(shortened(about.title, 200)),
        lead=safe(lead(summary, about)),
        contents="".join(
            f'<li><a href="#{part.name}">{safe(part.title)}</a></li>' for part in shown
        ),
        sections="\n".join(map(str, shown)),
    )


def _style() -> str:
    css = Template((_FOLDER / "page.css").read_text(encoding="utf-8"))
    return f"{css.substitute(ink=INK, brand=COLOURS[0], high=COLOURS[4])}{heat_rules()}\n"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _limits() -> str:
    return f'<ul class="prose">{"".join(f"<li>{safe(text)}</li>" for text in LIMITS)}</ul>'
