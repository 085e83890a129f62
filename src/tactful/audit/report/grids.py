"""Tables of the page, and what folds them away."""

import re
from collections.abc import Mapping, Sequence

from tactful.audit.report.charts.svg import safe
from tactful.audit.report.words import NOT_KNOWN, decimal, known, labels, percent, title_of
from tactful.audit.results import AuditResult, CategoryResult, ModelResult

Cell = str | int | None
_HEAT_STEPS = 20


def grid(columns: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str) -> str:
    """Return a table; the first column names the row, None is said in words."""
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{_said(row[0])}</th>{"".join(map(_cell, row[1:]))}</tr>'
        for row in rows
    )
    return scrolling(
        f"<table><caption>{safe(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>",
        caption,
    )


def scrolling(inner: str, label: str, css: str = "scroll") -> str:
    """Return a box that scrolls sideways where it is too narrow, also by the keyboard."""
    return f'<div class="{css}" role="region" aria-label="{safe(label)}" tabindex="0">{inner}</div>'


def folded(summary: str, *parts: str) -> str:
    """Return parts that a reader opens; print shows them."""
    return f"<details><summary>{safe(summary)}</summary>{''.join(parts)}</details>"


def heatmap(result: AuditResult) -> str:
    """Return categories by models, with the numbers in the cells and a colour behind each."""
    names = labels(result)
    categories = list(dict.fromkeys(c.category for m in result.models for c in m.categories))
    by_model = {m.run: {c.category: c for c in m.categories} for m in result.models}
    head = "".join(f'<th scope="col">{_breakable(names[m.run])}</th>' for m in result.models)
    body = "".join(
        f'<tr><th scope="row">{safe(title_of(category))}</th>'
        + "".join(_heat(by_model[m.run].get(category)) for m in result.models)
        + "</tr>"
        for category in categories
    )
    caption = "How negative each model is about the stigmatized conditions of each category"
    return scrolling(
        f'<table class="heat"><caption>{caption}; below in small letters the others</caption>'
        f'<thead><tr><th scope="col">Category</th>{head}</tr></thead><tbody>{body}</tbody></table>',
        caption,
    )


def models_grid(models: Sequence[ModelResult], names: Mapping[str, str]) -> str:
    """Return the figures of all models with their tests."""
    columns = (
        "Model", "Kind", "Stigmatized", "Others", "Difference", "From", "To",
        "Permutation p", "Mann-Whitney p", "Cliff's delta", "Hedges' g", "Template spread",
    )  # fmt: skip
    rows = [
        (
            names[m.run], m.kind, percent(m.stigmatized.value), percent(m.others.value),
            decimal(m.gap.value, 3), decimal(m.gap.low, 3), decimal(m.gap.high, 3),
            decimal(m.tests.permutation_p, 4), decimal(m.tests.mann_whitney_p, 4),
            decimal(m.tests.cliffs_delta), decimal(m.tests.hedges_g), decimal(m.template_spread, 3),
        )
        for m in models
    ]  # fmt: skip
    return grid(columns, rows, "The models and their tests")


def _heat(found: CategoryResult | None) -> str:
    """Colour leaves white at one half, and is never the only sign: the number is there."""
    if found is None:
        return f'<td class="empty">{NOT_KNOWN}</td>'
    value, other = known(found.stigmatized.value), known(found.others.value)
    small = f"<small>{percent(other)}</small>" if other is not None else ""
    if value is None:
        return f'<td class="empty">{NOT_KNOWN}{small}</td>'
    step = round(_HEAT_STEPS * min(max(value, 0.0), 1.0))
    return f'<td class="heat-{step}">{percent(value)}{small}</td>'


def heat_rules() -> str:
    """Return the style of each step of the colours."""
    half = _HEAT_STEPS // 2
    rules = []
    for step in range(_HEAT_STEPS + 1):
        side = "stig" if step > half else "other"
        strength = round(60 * abs(step - half) / half)
        rules.append(
            f".heat-{step} {{ background: color-mix(in srgb, var(--heat-{side}) {strength}%, "
            "var(--card)); }"
        )
    return "\n".join(rules)


def _breakable(name: str) -> str:
    """Let a long name of a model break where its parts end."""
    return "<wbr>".join(safe(part) for part in re.split(r"(?<=[/_])", name))


def _cell(value: Cell) -> str:
    return f"<td>{_said(value)}</td>"


def _said(value: Cell) -> str:
    if value is None:
        return NOT_KNOWN
    return f"{value:,}" if isinstance(value, int) else safe(value)
