"""The texts with the highest probabilities, each hidden until the reader opens it."""

import numpy as np

from tactful.pages.markup import Section, paragraph
from tactful.pages.text import one_line, safe
from tactful.scale.report.about import TEXTS, ReportAbout
from tactful.scale.summary import LONGEST_TEXT, Extreme, Summary
from tactful.words import counted


def passages(summary: Summary, about: ReportAbout) -> Section | None:
    """Return the texts that were kept; None where the run kept none."""
    if not summary.kept_extremes:
        return None
    blocks = [
        _kind(at, name, texts, about)
        for at, (name, texts) in enumerate(summary.extremes.items(), 1)
        if texts
    ]
    if not blocks:
        return Section("passages", _TITLE, paragraph("No text has a probability."))
    button = _button("passages", "Show all texts of all kinds", "Hide all texts")
    return Section("passages", _TITLE, paragraph(TEXTS["passages"]) + button + "".join(blocks))


_TITLE = "Texts with the highest probabilities"


def _button(target: str, show: str, hide: str) -> str:
    """Return a button that the page's script shows; without the script, texts open one by one."""
    return (
        f'<p class="reveal"><button type="button" hidden data-in="{target}" '
        f'data-show="{safe(show)}" data-hide="{safe(hide)}">{safe(show)}</button></p>'
    )


def _kind(at: int, name: str, texts: list[Extreme], about: ReportAbout) -> str:
    items = "".join(_text(number, each, name, about) for number, each in enumerate(texts, 1))
    highest, lowest = texts[0].probability, texts[-1].probability
    spread = f"{highest:.2f}" if len(texts) == 1 else f"{highest:.2f} to {lowest:.2f}"
    if _is_below(highest, name, about):
        spread += ", below the threshold"
    button = _button(f"kind-{at}", "Show these texts", "Hide these texts")
    title = f"<h3><bdi>{safe(about.name(name))}</bdi></h3>"
    return (
        f'<details class="kind" id="kind-{at}"><summary>{title} '
        f"<span>{counted(len(texts), 'text')}, {spread}</span></summary>"
        f"{button}<ol>{items}</ol></details>"
    )


def _is_below(probability: float, name: str, about: ReportAbout) -> bool:
    """Say whether a probability is below its threshold; both are 32-bit numbers."""
    threshold = about.thresholds.get(name)
    return threshold is not None and probability < float(np.float32(threshold))


def _text(number: int, each: Extreme, name: str, about: ReportAbout) -> str:
    below = _is_below(each.probability, name, about)
    facts = [f"probability {each.probability:.3f}"]
    if below:
        facts.append("below the threshold")
    if each.times > 1:
        facts.append(f"found {each.times:,} times")
    if each.source:
        facts.append(f"<bdi>{safe(one_line(each.source, 200))}</bdi>")
    likely = "is probably not" if below else "may be"
    words = safe(each.text) if each.text.strip() else "(only white space)"
    cut = (
        f"<p>Only the first {LONGEST_TEXT:,} characters are shown.</p>"
        if len(each.text) >= LONGEST_TEXT
        else ""
    )
    return (
        f"<li><details><summary>Text {number} <span>{' · '.join(facts)}</span></summary>"
        f'<p class="reading">As a machine reads it, this {likely}: '
        f"<bdi>{safe(about.name(name))}</bdi></p>"
        f'<blockquote dir="auto">{words}</blockquote>{cut}</details></li>'
    )
