"""One page to send to a colleague: the text with its marks, and the findings beside it.

Everything is in the one file: no script, no font, no request. The policy in its head allows only
the page's own style, and all that comes from documents is escaped.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from string import Template

from tactful import __version__
from tactful.checking.report import DocumentReport, Kind, Outcome, Passage, PlacedFinding, Unread
from tactful.checking.reports.html_marks import Card, group_class, marked_text
from tactful.checking.reports.run import (
    GROUPS,
    Run,
    Tally,
    advice_on,
    as_tree,
    implied_sentences,
    left_out,
    what_is_found,
)
from tactful.checking.wording import Wording, wording
from tactful.detectors.card import Card as ModelCard
from tactful.figures import COLOURS, INK
from tactful.pages.frame import page
from tactful.pages.text import safe
from tactful.words import shorten

_FOLDER = Path(__file__).parent
_LONGEST_WORDS = 120
_DARK_MIX = 62
"""How much of a colour stays, in per cent, when it is lightened for dark pages."""


def render_html(outcomes: Iterable[Outcome], run: Run) -> Iterator[str]:
    """Yield the page."""
    words = wording(run.lang)
    tally = Tally()
    kept = list(tally.watch(outcomes))
    run = run.used(tally.models)
    reports = [each for each in kept if isinstance(each, DocumentReport)]
    unread = [each for each in kept if isinstance(each, Unread)]
    one = reports[0] if len(reports) == 1 and not unread else None
    several = words.count(words.reporting.document, len(reports))
    # Of a folder, what needs attention comes first; the other documents are a list to open.
    shown = reports if one else sorted(filter(_says_something, reports), key=_worst, reverse=True)
    clean = [] if one else [each for each in reports if not _says_something(each)]
    numbers = iter(range(1, tally.findings + 1))
    looked = _looked_for(run, words)
    body = Template((_FOLDER / "body.html").read_text(encoding="utf-8")).substitute(
        skip=safe(words.page.skip),
        heading=safe(_label(one, words) if one else words.page.heading),
        summary=safe(tally.sentence(words.lang)),
        legend=_legend(tally, words),
        note_label=safe(words.page.note_label),
        note_head=safe(words.page.note_head),
        note=safe(words.page.note),
        contents="" if one else _contents(shown, words),
        documents="\n".join(
            [*(_unread(each, words) for each in unread),
             *(_document(at, report, numbers, words, run, alone=one is not None)
               for at, report in enumerate(shown, 1)),
             *([_clean(clean, words)] if clean else [])]
        ),
        about="\n".join([*(_about(card, words) for card in run.cards), looked]),
        colophon=safe(words.page.colophon.format(version=__version__)),
    )  # fmt: skip
    title = f"Tactful: {_label(one, words) if one else several}"
    yield page(title, body=body, style=_style(), lang=words.lang)


def _style() -> str:
    names = {group: COLOURS[at] for at, group in enumerate(GROUPS)} | {"other": COLOURS[7]}
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


def _label(report: DocumentReport, words: Wording) -> str:
    return words.page.a_text if report.path is None else report.path


def _spoken(lang: str, words: Wording) -> str:
    """Return the attribute that names the language of what is not in the page's own."""
    return "" if lang == words.lang else f' lang="{safe(lang)}"'


def _says_something(report: DocumentReport) -> bool:
    return bool(report.findings or report.problems)


def _worst(report: DocumentReport) -> float:
    return max((finding.highest_confidence for finding in report.findings), default=0.0)


def _legend(tally: Tally, words: Wording) -> str:
    from tactful.taxonomies.translations import load_translated

    items = []
    for group in sorted(tally.by_family, key=lambda each: [*GROUPS, each].index(each)):
        title = load_translated(group, words.lang).name if group in GROUPS else group
        items.append(
            f'<li class="{group_class(group)}"><span class="swatch"></span>{safe(title)} '
            f'<span class="count">({words.number(tally.by_family[group])})</span></li>'
        )
    label = safe(words.page.colours)
    return f'<ul class="legend" aria-label="{label}">{"".join(items)}</ul>' if items else ""


def _contents(reports: Sequence[DocumentReport], words: Wording) -> str:
    """List the documents with what is surest in each."""
    items = []
    for at, report in enumerate(reports, 1):
        said = words.count(words.reporting.finding, len(report.findings))
        if report.findings:
            surest = max(report.findings, key=lambda finding: finding.highest_confidence)
            said += f" · {what_is_found(surest, words)} ({words.how_sure(surest.confidence)})"
        items.append(
            f'<li><a href="#d{at}">{safe(_label(report, words))}</a> <span>{safe(said)}</span></li>'
        )
    label = safe(words.page.documents)
    listed = "".join(items)
    return f'<nav class="contents" aria-label="{label}"><ul>{listed}</ul></nav>' if items else ""


def _clean(reports: Sequence[DocumentReport], words: Wording) -> str:
    items = "".join(
        f"<li>{safe(_label(report, words))} <span>{safe(_facts(report, words))}</span></li>"
        for report in reports
    )
    said = safe(words.count(words.page.clean, len(reports)))
    return f'<details class="clean"><summary>{said}</summary><ul>{items}</ul></details>'


def _unread(unread: Unread, words: Wording) -> str:
    # Why a file cannot be read is said in English, as all errors are.
    return (
        f'<p class="unread"><strong>{safe(words.page.not_checked)}</strong> '
        f"<span{_spoken('en', words)}>{safe(str(unread))}</span></p>"
    )


def _document(
    at: int,
    report: DocumentReport,
    numbers: Iterator[int],
    words: Wording,
    run: Run,
    *,
    alone: bool,
) -> str:
    title = safe(words.page.the_text if alone else _label(report, words))
    problems = "".join(f"<li>{safe(str(problem))}</li>" for problem in report.problems)
    spoken = _spoken(run.language_of(report), words)
    blocks = (
        _block([*members], numbers, words, spoken)
        for _, members in groupby(report.by_passage(), key=lambda pair: pair[0].number)
    )
    parts = [
        f'<section class="document" id="d{at}" aria-labelledby="t{at}">',
        f'<h2 id="t{at}">{title}</h2>',
        f'<p class="meta">{safe(_facts(report, words))}</p>',
        f'<ul class="problems"{_spoken("en", words)}>{problems}</ul>' if problems else "",
        *(blocks if report.passages else [f"<p>{safe(words.page.empty)}</p>"]),
        "</section>",
    ]
    return "\n".join(part for part in parts if part)


def _facts(report: DocumentReport, words: Wording) -> str:
    said = words.reporting
    facts = [
        words.page.kinds.get(report.kind, report.kind),
        words.count(said.passage, len(report.passages)),
        words.count(said.finding, len(report.findings)),
    ]
    facts += left_out(report, words, said.silenced_here, len(report.unchecked))
    return " · ".join(facts)


def _block(
    members: Sequence[tuple[Passage, list[PlacedFinding]]],
    numbers: Iterator[int],
    words: Wording,
    spoken: str,
) -> str:
    """Draw a paragraph, and the findings of all its passages beside it."""
    marked, cards = [], []
    for passage, findings in members:
        here = [Card(next(numbers), finding) for finding in findings]
        marked.append(marked_text(passage.text, here, words, foreign=bool(spoken)))
        cards += [_card(card, words, spoken) for card in here]
    kind = members[0][0].block.replace(" ", "-")
    text = f'<p class="words {safe(kind)}" dir="auto"{spoken}>{" ".join(marked)}</p>'
    if not cards:
        return f'<div class="block quiet">{text}</div>'
    first = next(findings[0] for _, findings in members if findings)
    return (
        f'<div class="block found {group_class(first.id)}">'
        f"{text}"
        f'<ol class="findings">{"".join(cards)}</ol></div>'
    )


def _card(card: Card, words: Wording, spoken: str) -> str:
    finding = card.finding
    main = finding.main
    line = finding.passage.where or words.page.line.format(line=finding.place.line)
    parts = [
        f'<li class="finding {group_class(main.id)}" id="f{card.number}">',
        f'<span class="line">{safe(line)}</span>',
        f'<h3><span class="number">{card.number}</span>{safe(main.name)}</h3>',
        *_about_kind(main, words, spoken, advice=_advice(finding, words, spoken)),
    ]
    known = _words_of(main)
    for _, kind in as_tree(finding):
        if kind is main:
            continue
        said = _about_kind(kind, words, spoken, known)
        group = group_class(kind.id)
        parts += [f'<div class="below {group}"><h4>{safe(kind.name)}</h4>', *said, "</div>"]
    return "".join([*parts, "</li>"])


def _advice(finding: PlacedFinding, words: Wording, spoken: str) -> Iterator[str]:
    """Say what a finding does, what to do about it, and what may be implied."""
    if finding.explanation and not finding.suggestions:
        yield f'<p class="what">{safe(finding.explanation)}</p>'
    if said := advice_on(finding, words):
        suggests = spoken if finding.suggestions else ""
        yield f'<p class="instead"{suggests}>{safe(said)}</p>'
    if finding.frame is not None:
        implied = implied_sentences(finding.frame, words.lang)
        items = "".join(f"<li>{safe(each)}</li>" for each in implied)
        yield f'<ul class="implied" title="{safe(words.reporting.caveat)}">{items}</ul>'


def _words_of(kind: Kind) -> list[str]:
    """Return the words that carry a kind, each once."""
    found = (shorten(span.words, longest=_LONGEST_WORDS) for span in kind.spans)
    return list(dict.fromkeys(found))


def _about_kind(
    kind: Kind,
    words: Wording,
    spoken: str,
    known: Sequence[str] = (),
    advice: Iterable[str] = (),
) -> Iterator[str]:
    """Say how sure, which words unless they are known, what to do, and, when asked, why."""
    yield _sure(kind, words)
    pieces = _words_of(kind)
    if pieces and pieces != known:
        yield f'<p class="carried"{spoken}>{safe(words.quoted(pieces))}</p>'
    yield from advice
    if kind.explanation:
        yield f"<details><summary>{safe(words.page.why)}</summary>"
        yield f'<p class="why">{safe(kind.explanation)}</p></details>'


def _sure(kind: Kind, words: Wording) -> str:
    label = words.page.sure.format(
        confidence=words.likely(kind.confidence), probability=words.likely(kind.probability)
    )
    return (
        f'<p class="sure"><svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}"><rect width="100" height="8" rx="3"/>'
        f'<rect width="{100 * kind.confidence:.1f}" height="8" rx="3"/>'
        f'<line x1="50" x2="50" y1="0" y2="8"/></svg>'
        f"<b>{words.how_sure(kind.confidence)}</b> <code>{safe(kind.id)}</code></p>"
    )


def _about(card: ModelCard, words: Wording) -> str:
    # Cards are written in English, also those of Spanish detectors.
    english = _spoken("en", words)
    lists = ((words.page.limits, card.limits), (words.page.not_for, card.not_for))
    parts = [f"<h2>{safe(words.page.about.format(model=card.model))}</h2>"]
    if card.summary:
        parts.append(f"<p{english}>{safe(card.summary)}</p>")
    for title, sentences in lists:
        if sentences:
            items = "".join(f"<li>{safe(sentence)}</li>" for sentence in sentences)
            parts.append(f"<p>{safe(title)}:</p><ul{english}>{items}</ul>")
    return "\n".join(parts)


def _looked_for(run: Run, words: Wording) -> str:
    ids = ", ".join(f"<code>{safe(name)}</code>" for name in run.ids)
    licences = dict.fromkeys(card.licence for card in run.cards)
    listed = "; ".join(map(safe, licences))
    if english := _spoken("en", words):
        listed = f"<span{english}>{listed}</span>"
    return f"<p>{words.page.looked_for.format(ids=ids, licence=listed)}</p>"
