"""One page about all audited models, complete in one file: no script, no font, no request."""

import re
from pathlib import Path

from tactful.audit.report.method import coverage_rows, limits, method_paragraphs, settings_rows
from tactful.audit.report.sections import heat_style, sections
from tactful.audit.report.sentences import overall_sentences, summary_sentences
from tactful.audit.report.words import TEXTS, interval, kind_of, labels
from tactful.audit.results import AuditResult, ModelResult, Results, one_by_one
from tactful.figures import COLOURS
from tactful.pages.frame import report, style
from tactful.pages.markup import Section, bullets, paragraph, table
from tactful.pages.text import decimal, percent, prose, safe
from tactful.words import visible

_IDS = re.compile(r' (?P<name>id|aria-labelledby|aria-describedby)="(?P<values>[^"]*)"')
"""Attributes that name an element of the page; quotes in text are escaped, so text has none."""
_COVERAGE = (
    "Model", "Probability looked at", "Rated", "Irrelevant", "Prompts without a rated word",
    "Largest unrated words",
)  # fmt: skip


def render_html(results: Results, title: str) -> str:
    """Return the page; several probes have their sections one after the other."""
    found = one_by_one(results)
    if len(found) == 1:
        parts, lead = _parts(found[0]), overall_sentences(found[0])[0]
    else:
        probes = [visible(result.probe) for result in found]
        lead = f"{len(probes)} probes, one after the other: {', '.join(probes)}."
        parts = [
            _of_probe(part, f"probe-{at}-", probe)
            for at, (probe, result) in enumerate(zip(probes, found, strict=True), 1)
            for part in _parts(result)
        ]
    return report(
        visible(title),
        lead,
        TEXTS["note"],
        parts,
        style=style(
            Path(__file__).with_name("page.css"),
            {"stigmatized": COLOURS[4], "others": COLOURS[0]},
            heat_style(),
        ),
        footer="<h2>Sources</h2>\n" + "".join(map(paragraph, TEXTS["citations"])),
    )


def _parts(result: AuditResult) -> list[Section]:
    names = labels(result)
    return [
        _summary(result, names),
        *sections(result),
        _method(result, names),
        Section("limits", "What it cannot say", bullets(limits(result), "prose")),
    ]


def _of_probe(part: Section, prefix: str, probe: str) -> Section:
    """Name the probe in the title, and keep the ids of its sections and drawings apart."""

    def prefixed(found: re.Match[str]) -> str:
        values = " ".join(f"{prefix}{each}" for each in found["values"].split())
        return f' {found["name"]}="{values}"'

    return Section(f"{prefix}{part.name}", f"{probe}: {part.title}", _IDS.sub(prefixed, part.body))


def _summary(result: AuditResult, names: dict[str, str]) -> Section:
    overall = "".join(map(paragraph, overall_sentences(result)[1:]))
    cards = "".join(_card(model, names[model.run]) for model in result.models)
    notes = bullets(map(visible, result.notes), "notes")
    body = f'<div class="overall">{overall}</div>{notes}<div class="cards">{cards}</div>'
    return Section("summary", "Summary", body)


def _card(model: ModelResult, name: str) -> str:
    sides = (
        ("stig", "Stigmatized", model.stigmatized, percent),
        ("other", "Others", model.others, percent),
        ("gap", "Difference", model.gap, decimal),
    )
    figures = "".join(
        f'<div class="{css}"><dt>{label}</dt><dd>{prose(write(each.value))}'
        + (f"<small>{prose(bounds)}</small>" if (bounds := interval(each, write)) else "")
        + "</dd></div>"
        for css, label, each, write in sides
    )
    return (
        f'<article class="card"><h3>{safe(name)}</h3>'
        f'<p class="meta">{safe(kind_of(model.kind))}</p><dl class="figures">{figures}</dl>'
        f"{bullets(summary_sentences(model, name), 'said')}"
        f"{bullets(map(visible, model.notes), 'notes')}</article>"
    )


def _method(result: AuditResult, names: dict[str, str]) -> Section:
    parts = [paragraph(text) for text in method_paragraphs(result)]
    if covered := coverage_rows(result, names):
        parts.append(table(_COVERAGE, covered, "How much of the models' answers was rated"))
    if settings := settings_rows(result, names):
        columns = ("Model", "Setting", "Value")
        parts.append(table(columns, settings, "The settings of the models"))
    return Section("method", "Method", f'<div class="prose">{"".join(parts)}</div>')
