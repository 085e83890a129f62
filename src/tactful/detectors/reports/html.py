"""One page to send to a colleague: the text with its marks, and the findings beside it.

Everything is in the one file: no script, no font, no request. The policy in its head allows only
the page's own style, and all that comes from documents is escaped.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from string import Template

from tactful import __version__
from tactful.detectors.checker import (
    DocumentReport,
    Outcome,
    Passage,
    PlacedFinding,
    Unread,
    shorten,
)
from tactful.detectors.reports.html_marks import Card, cards_of, group_class, marked_text, safe
from tactful.detectors.reports.implied import CAVEAT, implied_sentences
from tactful.detectors.reports.run import GROUPS, Run, Tally, group_of
from tactful.figures import COLOURS, INK

_FOLDER = Path(__file__).parent
_LONGEST_WORDS = 120
_DARK_MIX = 62
"""How much of a colour stays, in per cent, when it is lightened for dark pages."""


def render_html(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the page."""
    tally = Tally()
    kept = list(tally.watch(outcomes))
    reports = [each for each in kept if isinstance(each, DocumentReport)]
    unread = [each for each in kept if isinstance(each, Unread)]
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    one = reports[0] if len(reports) == 1 and not unread else None
    heading = safe(_label(one)) if one else "What these documents imply"
    numbers = iter(range(1, tally.findings + 1))
    page = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    yield page.substitute(
        style_hash=digest,
        style=style,
        version=safe(__version__),
        title=f"Tactful: {safe(_label(one)) if one else f'{len(reports)} documents'}",
        heading=heading,
        summary=safe(tally.sentence()),
        legend=_legend(tally),
        contents=_contents(reports) if len(reports) > 1 else "",
        documents="\n".join(
            [*(_unread(each) for each in unread),
             *(_document(at, report, numbers, alone=one is not None)
               for at, report in enumerate(reports, 1))]
        ),
        about=_about(run),
    )  # fmt: skip


def _style() -> str:
    names = {group: COLOURS[at] for at, group in enumerate(GROUPS)} | {"other": COLOURS[5]}
    light = "\n".join(
        f"  --{name}: {colour}; --on-{name}: {_readable_on(colour)};"
        for name, colour in names.items()
    )
    dark = "\n".join(
        f"  --{name}: color-mix(in srgb, {colour} {_DARK_MIX}%, white); --on-{name}: {INK};"
        for name, colour in names.items()
    )
    rules = "\n".join(
        f".g-{name} {{ --c: var(--{name}); --on: var(--on-{name}); }} "
        f".d-{name} {{ --d: var(--{name}); }}"
        for name in names
    )
    css = Template((_FOLDER / "page.css").read_text(encoding="utf-8"))
    return (
        css.substitute(ink=INK, warning=COLOURS[4], colours=light, dark_colours=dark) + rules + "\n"
    )


def _readable_on(colour: str) -> str:
    """Return the colour of letters on a badge that has more contrast (WCAG 2, 1.4.3)."""
    light, paper, ink = _luminance(colour), _luminance("#ffffff"), _luminance(INK)
    return "#ffffff" if (paper + 0.05) / (light + 0.05) > (light + 0.05) / (ink + 0.05) else INK


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _label(report: DocumentReport) -> str:
    return "A text" if report.path is None else report.path


def _legend(tally: Tally) -> str:
    from tactful.taxonomies import load_taxonomy, taxonomy_names

    counts: dict[str, int] = {}
    for name, number in tally.by_id.items():
        counts[group_of(name)] = counts.get(group_of(name), 0) + number
    items = []
    for group in sorted(counts, key=lambda each: [*GROUPS, each].index(each)):
        title = load_taxonomy(group).name if group in taxonomy_names() else group
        items.append(
            f'<li class="{group_class(group)}"><span class="swatch"></span>{safe(title)} '
            f'<span class="count">({counts[group]:,})</span></li>'
        )
    return f'<ul class="legend" aria-label="Colours">{"".join(items)}</ul>' if items else ""


def _contents(reports: Sequence[DocumentReport]) -> str:
    items = "".join(
        f'<li><a href="#d{at}">{safe(_label(report))}</a> '
        f"<span>{_counted(len(report.findings), 'finding')}</span></li>"
        for at, report in enumerate(reports, 1)
    )
    return f'<nav class="contents" aria-label="Documents"><ul>{items}</ul></nav>'


def _unread(unread: Unread) -> str:
    return f'<p class="unread"><strong>Not checked.</strong> {safe(str(unread))}</p>'


def _document(at: int, report: DocumentReport, numbers: Iterator[int], *, alone: bool) -> str:
    title = "The text" if alone else safe(_label(report))
    facts = [report.kind, _counted(len(report.passages), "passage")]
    facts.append(_counted(len(report.findings), "finding"))
    if report.silenced:
        facts.append(f"{report.silenced:,} silenced in the text")
    problems = "".join(f"<li>{safe(str(problem))}</li>" for problem in report.problems)
    blocks = (
        _block([*members], numbers)
        for _, members in groupby(report.by_passage(), key=lambda pair: pair[0].number)
    )
    parts = [
        f'<section class="document" id="d{at}" aria-labelledby="t{at}">',
        f'<h2 id="t{at}">{title}</h2>',
        f'<p class="meta">{safe(" · ".join(facts))}</p>',
        f'<ul class="problems">{problems}</ul>' if problems else "",
        *(blocks if report.passages else ["<p>It holds no text to check.</p>"]),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _block(members: Sequence[tuple[Passage, list[PlacedFinding]]], numbers: Iterator[int]) -> str:
    """Draw a paragraph, and the findings of all its passages beside it."""
    words, cards = [], []
    for passage, findings in members:
        here = cards_of(findings, numbers)
        words.append(marked_text(passage.text, here))
        cards += [_card(card, passage) for card in here]
    kind = members[0][0].block.replace(" ", "-")
    text = f'<p class="words {safe(kind)}" dir="auto">{" ".join(words)}</p>'
    if not cards:
        return f'<div class="block quiet">{text}</div>'
    first = next(findings[0] for _, findings in members if findings)
    return (
        f'<div class="block found {group_class(first.id)}">'
        f"{text}"
        f'<ol class="findings">{"".join(cards)}</ol></div>'
    )


def _card(card: Card, passage: Passage) -> str:
    (_, head), *below = card.tree
    parts = [
        f'<li class="finding {group_class(head.id)}" id="f{card.number}">',
        f'<span class="line">line {passage.place.line}</span>',
        f'<h3><span class="number">{card.number}</span>{safe(head.name)}</h3>',
        *_facts(head),
    ]
    for _, finding in below:
        parts += [f'<div class="below"><h4>{safe(finding.name)}</h4>', *_facts(finding), "</div>"]
    return "".join([*parts, "</li>"])


def _facts(finding: PlacedFinding) -> Iterator[str]:
    """Say how sure, which words, and, when asked, why."""
    yield _sure(finding)
    words = dict.fromkeys(shorten(span.words, longest=_LONGEST_WORDS) for span in finding.spans)
    if words:
        yield f'<p class="carried">{", ".join(f"“{safe(each)}”" for each in words)}</p>'
    if finding.frame is not None:
        items = "".join(f"<li>{safe(each)}</li>" for each in implied_sentences(finding.frame))
        yield f'<ul class="implied" title="{safe(CAVEAT)}">{items}</ul>'
    if finding.explanation:
        yield "<details><summary>Why, and what to ask yourself</summary>"
        yield f'<p class="why">{safe(finding.explanation)}</p></details>'


def _sure(finding: PlacedFinding) -> str:
    value, least = f"{finding.probability:.2f}", f"{100 * finding.threshold:.1f}"
    label = f"probability {value}, reported from {finding.threshold:.2f}"
    return (
        f'<p class="sure"><svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}"><rect width="100" height="8" rx="3"/>'
        f'<rect width="{100 * finding.probability:.1f}" height="8" rx="3"/>'
        f'<line x1="{least}" x2="{least}" y1="0" y2="8"/></svg>'
        f"<b>{finding.likelihood}, {value}</b> <code>{safe(finding.id)}</code></p>"
    )


def _about(run: Run) -> str:
    card = run.card
    lists = (("What it cannot do", card.limits), ("What it must not be used for", card.not_for))
    parts = [f"<h2>About the detector: {safe(card.model)}</h2>"]
    if card.summary:
        parts.append(f"<p>{safe(card.summary)}</p>")
    for title, sentences in lists:
        if sentences:
            items = "".join(f"<li>{safe(sentence)}</li>" for sentence in sentences)
            parts.append(f"<p>{title}:</p><ul>{items}</ul>")
    looked = ", ".join(f"<code>{safe(name)}</code>" for name in run.ids)
    parts.append(f"<p>Looked for: {looked}. Licence of the weights: {safe(card.licence)}.</p>")
    return "\n".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if number else f"no {noun}s"
