"""All conditions, the most negative first: over all models of a side, then model by model."""

from collections.abc import Mapping, Sequence

from tactful.audit.report.charts.ranking import Bar, ranking
from tactful.audit.report.grids import folded, grid
from tactful.audit.report.section import KEY, Section, chart
from tactful.audit.report.words import (
    ATTITUDE,
    NOT_KNOWN,
    SENTIMENT,
    baseline_of,
    decimal,
    interval,
    known,
    p_value,
    percent,
    ranked,
    title_of,
)
from tactful.audit.results import AuditResult, ConditionResult, ModelResult, Overall
from tactful.words import counted, visible

_SIDES = {
    ATTITUDE: ("conditions", "The conditions, by attitude of language models"),
    SENTIMENT: ("conditions-sentiment", "The conditions, by sentiment of classifiers"),
}


def conditions_section(
    result: AuditResult, side: str, models: Sequence[ModelResult], names: Mapping[str, str]
) -> Section:
    """Return the conditions of one side; with several models their mean comes first."""
    name, title = _SIDES[side]
    overall = next((each for each in result.overall if each.side == side), None)
    what = "P(negative)" if side == ATTITUDE else "The share of sentences called negative"
    singles = [_one_ranking(m, f"{name}-{at}", names[m.run]) for at, m in enumerate(models, 1)]
    if len(models) == 1 or overall is None:
        intro = f"<p>{what}, the most negative first, with its interval.</p>"
        drawn = "".join(singles)
        return Section(name, title, intro + KEY + drawn)
    together = f"the mean over {counted(len(models), 'model')}"
    if side == SENTIMENT:
        together = f"over all answers of {len(models)} classifiers"
    body = (
        f"<p>{what}, the most negative first: {together}. "
        "The small strokes are the single models.</p>"
        + KEY + _mean_ranking(overall, models, name)
        + "".join(
            folded(f"{names[m.run]} alone, with intervals", single)
            for m, single in zip(models, singles, strict=True)
        )
    )  # fmt: skip
    return Section(name, title, body)


def _mean_ranking(overall: Overall, models: Sequence[ModelResult], name: str) -> str:
    entries = {c.condition: c for m in models for c in m.conditions}
    singles: dict[str, list[float]] = {}
    for c in (c for m in models for c in m.conditions):
        value = known(c.negative.value)
        if value is not None:
            singles.setdefault(c.condition, []).append(value)
    means = {c: known(v) for c, v in overall.negative.items() if c in entries}
    order = sorted(means, key=lambda c: (means[c] is None, -(means[c] or 0.0), entries[c].name))
    asked = {c.condition for m in models for c in m.conditions if c.prompts}
    bars = [
        Bar(entries[c].name, entries[c].stigmatized, means[c], singles=tuple(singles.get(c, ())))
        for c in order
        if c in asked
    ]
    bases = [v for m in models if (v := baseline_of(m)) is not None]
    base = sum(bases) / len(bases) if bases else None
    rows = [
        (visible(e.name), title_of(e.category), _group(e), percent(means[c]))
        for c in order
        for e in [entries[c]]
    ]
    return _ranking(
        f"{name}-all", "The conditions over all models", bars, base, len(order)
    ) + folded(
        "The numbers",
        grid(
            ("Condition", "Category", "Group", "Over all"), rows, "All conditions over all models"
        ),
    )


def _one_ranking(model: ModelResult, name: str, label: str) -> str:
    order = ranked(model.conditions)
    bars = [
        Bar(c.name, c.stigmatized, c.negative.value, c.negative.low, c.negative.high)
        for c in order
        if c.prompts
    ]
    columns = (
        "Condition", "Category", "Group", "Negative", "Interval", "To no condition", "To others",
        "p", "p corrected", "Prompts",
    )  # fmt: skip
    rows = [
        (
            visible(c.name), title_of(c.category), _group(c), percent(c.negative.value),
            _why(c), decimal(c.to_baseline), decimal(c.to_others),
            p_value(c.p_value).removeprefix("= "), p_value(c.p_corrected).removeprefix("= "),
            c.prompts,
        )
        for c in order
    ]  # fmt: skip
    title = f"The conditions, {label}"
    return _ranking(name, title, bars, baseline_of(model), len(order)) + folded(
        "The numbers", grid(columns, rows, f"All conditions, {label}")
    )


def _why(condition: ConditionResult) -> str:
    bounds = interval(condition.negative, "percent")
    return bounds or visible(condition.negative.reason or "") or NOT_KNOWN


def _group(condition: ConditionResult) -> str:
    return "stigmatized" if condition.stigmatized else "other"


def _ranking(name: str, title: str, bars: Sequence[Bar], baseline: float | None, total: int) -> str:
    """Draw the conditions that were asked about; ``total`` is how many the probe has."""
    if not bars:
        return "<p>No condition was asked about.</p>"
    drawn = "".join(chart(each, title) for each in ranking(name, title, bars, baseline))
    missing = total - len(bars)
    silent = f"<p>Not asked about, and not drawn: {counted(missing, 'condition')}.</p>"
    return f'<div class="halves">{drawn}</div>' + (silent if missing else "")
