"""One page about all audited models, whole in itself.

There is no script, no font and no request in it. The policy in its head allows only the page's own
style, and all names are escaped. The drawings are SVG in the page.
"""

import base64
import hashlib
import re
from pathlib import Path
from string import Template

from tactful import __version__
from tactful.audit.report.charts.svg import safe
from tactful.audit.report.grids import grid, heat_rules
from tactful.audit.report.method import (
    CITATIONS,
    coverage_rows,
    limits,
    method_paragraphs,
    settings_rows,
)
from tactful.audit.report.overall import overall_sentences
from tactful.audit.report.section import Section
from tactful.audit.report.sections import sections
from tactful.audit.report.sentences import summary_sentences
from tactful.audit.report.words import decimal, interval, kind_of, labels, percent
from tactful.audit.results import AuditResult, ModelResult, Results, one_by_one
from tactful.figures import COLOURS, INK
from tactful.words import visible

_FOLDER = Path(__file__).parent
_IDS = re.compile(r' (?P<name>id|aria-labelledby|aria-describedby)="(?P<values>[^"]*)"')
"""Attributes that name an element of the page; quotes in words are escaped, so that none is one."""


def render_html(results: Results, title: str) -> str:
    """Return the page; several probes have their sections one after the other."""
    style = _style()
    first, *others = one_by_one(results)
    parts = _parts(first)
    lead = overall_sentences(first)[0]
    if others:
        probes = [visible(result.probe) for result in (first, *others)]
        parts = [
            _of_probe(part, f"probe-{at}-", probe)
            for at, (probe, result) in enumerate(zip(probes, (first, *others), strict=True), 1)
            for part in _parts(result)
        ]
        lead = f"{len(probes)} probes, one after the other: {', '.join(probes)}."
    page = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    return page.substitute(
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        style=style,
        version=safe(__version__),
        title=safe(visible(title)),
        lead=_prose(lead),
        start=parts[0].name,
        contents="".join(f'<li><a href="#{p.name}">{p.title}</a></li>' for p in parts),
        sections="\n".join(map(_section, parts)),
        citations="".join(f"<p>{safe(text)}</p>" for text in CITATIONS),
    )


def _parts(result: AuditResult) -> list[Section]:
    names = labels(result)
    return [_summary(result, names), *sections(result), _method(result, names), _limits(result)]


def _of_probe(part: Section, prefix: str, probe: str) -> Section:
    """Name the probe in the title, and keep the ids of its sections and drawings apart."""

    def prefixed(found: re.Match[str]) -> str:
        values = " ".join(f"{prefix}{each}" for each in found["values"].split())
        return f' {found["name"]}="{values}"'

    body = _IDS.sub(prefixed, part.body)
    return Section(f"{prefix}{part.name}", f"{safe(probe)}: {part.title}", body)


def _style() -> str:
    css = Template((_FOLDER / "page.css").read_text(encoding="utf-8"))
    filled = css.substitute(ink=INK, brand=COLOURS[0], stigmatized=COLOURS[4], others=COLOURS[0])
    return f"{filled}{heat_rules()}\n"


def _section(part: Section) -> str:
    return (
        f'<section id="{part.name}" aria-labelledby="{part.name}-h">'
        f'<h2 id="{part.name}-h">{part.title}</h2>\n{part.body}\n</section>'
    )


def _summary(result: AuditResult, names: dict[str, str]) -> Section:
    overall = "".join(f"<p>{_prose(text)}</p>" for text in overall_sentences(result)[1:])
    notes = "".join(f"<li>{safe(visible(text))}</li>" for text in result.notes)
    cards = "".join(_card(model, names[model.run]) for model in result.models)
    return Section(
        "summary", "In short",
        f'<div class="overall">{overall}</div>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + f'<div class="cards">{cards}</div>',
    )  # fmt: skip


def _card(model: ModelResult, name: str) -> str:
    figures = (
        *(
            (css, label, percent(each.value), interval(each, "percent"))
            for css, label, each in (
                ("stig", "Stigmatized", model.stigmatized),
                ("other", "Others", model.others),
            )
        ),
        ("gap", "Difference", decimal(model.gap.value), interval(model.gap)),
    )
    drawn = "".join(
        f'<div class="{css}"><dt>{label}</dt><dd>{_prose(value)}'
        f"{f'<small>{_prose(bounds)}</small>' if bounds else ''}</dd></div>"
        for css, label, value, bounds in figures
    )
    said = "".join(f"<li>{_prose(text)}</li>" for text in summary_sentences(model, name))
    notes = "".join(f"<li>{safe(visible(text))}</li>" for text in model.notes)
    return (
        f'<article class="card"><h3>{safe(name)}</h3>'
        f'<p class="meta">{safe(kind_of(model.kind))}</p>'
        f'<dl class="figures">{drawn}</dl><ul class="said">{said}</ul>'
        + (f'<ul class="notes">{notes}</ul>' if notes else "")
        + "</article>"
    )


def _method(result: AuditResult, names: dict[str, str]) -> Section:
    parts = [f"<p>{_prose(text)}</p>" for text in method_paragraphs(result)]
    covered = coverage_rows(result, names)
    if covered:
        columns = (
            "Model",
            "Probability looked at",
            "Rated",
            "Irrelevant",
            "Prompts without a rated word",
            "Largest unrated words",
        )
        parts.append(grid(columns, covered, "Which part of what the models said was rated"))
    settings = settings_rows(result, names)
    if settings:
        parts.append(grid(("Model", "Setting", "Value"), settings, "How the models were asked"))
    return Section("method", "How it was done", f'<div class="prose">{"".join(parts)}</div>')


def _limits(result: AuditResult) -> Section:
    items = "".join(f"<li>{_prose(text)}</li>" for text in limits(result))
    return Section("limits", "What it cannot say", f'<ul class="prose">{items}</ul>')


def _prose(text: str) -> str:
    """Escape a sentence; a number stays on the line of its sign."""
    return safe(text).replace(" %", "&nbsp;%")
