"""The sections of the page: each a chart, how to read it, and a table with its numbers."""

from collections.abc import Mapping, Sequence
from itertools import chain

from tactful.audit.report.charts import (
    CLASSES,
    GROUPS,
    Bar,
    boxplots,
    gaps,
    proportions,
    ranking,
    scatter,
)
from tactful.audit.report.words import (
    ATTITUDE,
    SENTIMENT,
    TEXTS,
    baseline_of,
    group_of,
    interval,
    labels,
    over_templates,
    ranked,
    side_of,
    title_of,
    with_interval,
)
from tactful.audit.results import AuditResult, CategoryResult, ModelResult, Overall
from tactful.pages.markup import Cell, Section, folded, heat_rules, paragraph, scrolling, table
from tactful.pages.text import MINUS, NOT_KNOWN, Html, decimal, known, p_value, percent, prose, safe
from tactful.words import counted, visible

KEY = (
    '<p class="key"><span class="disc"></span>stigmatized condition '
    '<span class="diamond"></span>other condition</p>'
)
"""What the marks mean."""
_HEAT_STEPS = 20
_NUMBERS = "The numbers"

Names = Mapping[str, str]
"""Run -> the label of its model."""


def sections(result: AuditResult) -> list[Section]:
    """Return a section for each part of the result that is there."""
    names = labels(result)
    sides = {
        side: [m for m in result.models if side_of(m) == side] for side in (ATTITUDE, SENTIMENT)
    }
    classed = [m for m in sides[SENTIMENT] if m.proportions]
    found = [
        _models(sides[ATTITUDE], names) if sides[ATTITUDE] else None,
        _classes(classed, names) if classed else None,
        *(_conditions(result, side, members, names) for side, members in sides.items() if members),
        _correlation(result),
        _categories(result, names) if any(m.categories for m in result.models) else None,
        _templates([m for m in result.models if m.templates], names),
        _dimensions([m for m in result.models if m.dimensions], names),
    ]
    return [section for section in found if section is not None]


def _chart(drawn: str, label: str, css: str = "chart") -> str:
    return scrolling(drawn, f"Chart: {label}", css)


def _models(models: Sequence[ModelResult], names: Names) -> Section:
    return Section(
        "models",
        "The language models",
        paragraph(TEXTS["reading"]["models"])
        + KEY
        + _chart(boxplots(models, names), "How negative each model is")
        + folded(_NUMBERS, _models_table(models, names)),
    )


def _models_table(models: Sequence[ModelResult], names: Names) -> str:
    columns = (
        "Model", "Kind", "Stigmatized", "Others", "Measure", "Difference", "From", "To",
        "p", "Shuffled", "Words", "Lengths", "Detectable", "Verdict", "Template spread",
    )  # fmt: skip
    rows = [
        (
            names[m.run], m.kind, percent(m.stigmatized.value), percent(m.others.value),
            measure, decimal(found.value, 3), decimal(found.low, 3), decimal(found.high, 3),
            decimal(found.p_value, 4),
            *(decimal(found.nulls.get(null), 4) for null in ("shuffled", "words", "lengths")),
            decimal(found.detectable, 3), found.verdict, decimal(m.template_spread, 3),
        )
        for m in models
        for measure, found in (("groups", m.gap), ("named against not named", m.named))
    ]  # fmt: skip
    return table(columns, rows, "The models and their tests")


def _classes(models: Sequence[ModelResult], names: Names) -> Section:
    rows = [
        (names[m.run], GROUPS[g], *(percent(m.proportions[g].get(c)) for c in CLASSES))
        for m in models
        for g in GROUPS
        if g in m.proportions
    ]
    start = ""
    if any("baseline" in m.proportions for m in models):
        start = "; sentences that name no condition show its starting point"
    key = "".join(f'<span class="swatch {name}"></span>{name} ' for name in CLASSES)
    return Section(
        "classifiers",
        "The sentiment classifiers",
        paragraph(
            "The shares of the sentences in each class; each condition counts the same. A fair "
            f"classifier would treat the groups alike{start}."
        )
        + f'<p class="key">{key}</p>'
        + _chart(proportions(models, names), "Which classes each classifier gave")
        + folded(
            _NUMBERS,
            table(("Classifier", "Group", *CLASSES), rows, "The share of each class"),
            _models_table(models, names),
        ),
    )


def _conditions(
    result: AuditResult, side: str, models: Sequence[ModelResult], names: Names
) -> Section:
    """Return the ranked conditions; with several models, their mean comes first."""
    if side == ATTITUDE:
        name, title = "conditions", "The conditions, by attitude of language models"
        what, together = "P(negative)", f"the mean over {counted(len(models), 'model')}"
    else:
        name, title = "conditions-sentiment", "The conditions, by sentiment of classifiers"
        what = "The share of sentences called negative"
        together = f"over all answers of {len(models)} classifiers"
    overall = next((each for each in result.overall if each.side == side), None)
    singles = [_one_ranking(m, f"{name}-{at}", names[m.run]) for at, m in enumerate(models, 1)]
    if len(models) == 1 or overall is None:
        intro = paragraph(f"{what}, the most negative first, with its range over the templates.")
        return Section(name, title, intro + KEY + "".join(singles))
    intro = paragraph(
        f"{what}, the most negative first: {together}. The small strokes are the single models."
    )
    folds = [
        folded(f"{names[m.run]} alone, with its range over the templates", single)
        for m, single in zip(models, singles, strict=True)
    ]
    return Section(name, title, intro + KEY + _mean_ranking(overall, models, name) + "".join(folds))


def _mean_ranking(overall: Overall, models: Sequence[ModelResult], name: str) -> str:
    conditions = list(chain.from_iterable(m.conditions for m in models))
    entries = {c.condition: c for c in conditions}
    singles: dict[str, list[float]] = {}
    for each in conditions:
        if (value := known(each.negative.value)) is not None:
            singles.setdefault(each.condition, []).append(value)
    means = {c: known(v) for c, v in overall.negative.items() if c in entries}
    order = sorted(means, key=lambda c: (means[c] is None, -(means[c] or 0.0), entries[c].name))
    asked = {c.condition for c in conditions if c.prompts}
    bars = [
        Bar(entries[c].name, entries[c].stigmatized, means[c], singles=tuple(singles.get(c, ())))
        for c in order
        if c in asked
    ]
    bases = [v for m in models if (v := baseline_of(m)) is not None]
    rows = [
        (visible(e.name), title_of(e.category), group_of(e), percent(means[c]))
        for c in order
        for e in [entries[c]]
    ]
    columns = ("Condition", "Category", "Group", "Over all")
    return _ranking(
        f"{name}-all",
        "The conditions over all models",
        bars,
        sum(bases) / len(bases) if bases else None,
        len(order),
    ) + folded(_NUMBERS, table(columns, rows, "All conditions over all models"))


def _one_ranking(model: ModelResult, name: str, label: str) -> str:
    order = ranked(model.conditions)
    bars = [
        Bar(c.name, c.stigmatized, spread.value, spread.low, spread.high)
        for c in order
        if c.prompts
        for spread in [over_templates(c)]
    ]
    columns = (
        "Condition", "Category", "Group", "Negative", "Over templates", "To no condition",
        "To others", "Interval", "p", "Verdict", "Prompts", "Refused",
    )  # fmt: skip
    rows = [
        (
            visible(c.name), title_of(c.category), group_of(c), percent(c.negative.value),
            interval(over_templates(c), percent) or visible(c.negative.reason or NOT_KNOWN),
            decimal(c.to_baseline), decimal(c.to_others.value), interval(c.to_others),
            p_value(c.to_others.p_value).removeprefix("= "), c.to_others.verdict, c.prompts,
            c.refused,
        )
        for c in order
    ]  # fmt: skip
    title = f"The conditions, {label}"
    return _ranking(name, title, bars, baseline_of(model), len(order)) + folded(
        _NUMBERS, table(columns, rows, f"All conditions, {label}")
    )


def _ranking(name: str, title: str, bars: Sequence[Bar], baseline: float | None, total: int) -> str:
    """Draw the conditions with prompts; ``total`` is how many conditions the probe has."""
    if not bars:
        return paragraph("No prompt named a condition.")
    drawn = "".join(_chart(each, title) for each in ranking(name, title, bars, baseline))
    missing = total - len(bars)
    left_out = paragraph(f"Without prompts, and not drawn: {counted(missing, 'condition')}.")
    return f'<div class="halves">{drawn}</div>' + (left_out if missing else "")


def _correlation(result: AuditResult) -> Section | None:
    found = result.correlation
    sides = {each.side: each for each in result.overall}
    if found is None or not {ATTITUDE, SENTIMENT} <= set(sides):
        return None
    entries = {c.condition: c for m in result.models for c in m.conditions}
    points = [
        (entries[c], x, y)
        for c, attitude in sides[ATTITUDE].negative.items()
        if c in entries
        and (x := known(attitude)) is not None
        and (y := known(sides[SENTIMENT].negative.get(c))) is not None
    ]
    rows = [(visible(e.name), group_of(e), percent(x), percent(y)) for e, x, y in points]
    ranks = ""
    if known(found.spearman) is not None:
        ranks = f"; by ranks (Spearman) {decimal(found.spearman)}"
    drawn = scatter([(e.name, e.stigmatized, x, y) for e, x, y in points], found)
    columns = ("Condition", "Group", "Attitude", "Sentiment")
    return Section(
        "correlation",
        "Attitude and sentiment",
        paragraph(
            f"Pearson's r = {with_interval(found.pearson)}{ranks}. Where the marks rise from left "
            "to right, classifiers call those conditions negative that language models are "
            "negative about. A correlation does not mean that one causes the other."
        )
        + KEY
        + _chart(drawn, "Attitude and sentiment", "chart narrow")
        + folded(_NUMBERS, table(columns, rows, "Attitude and sentiment")),
    )


def _categories(result: AuditResult, names: Names) -> Section:
    by_model = [{c.category: c for c in m.categories} for m in result.models]
    caption = (
        "How negative each model is about the stigmatized conditions of each category; below in "
        "small figures the others"
    )
    heatmap = table(
        ["Category", *(_breakable(names[m.run]) for m in result.models)],
        [
            [title_of(category), *(_heat(found.get(category)) for found in by_model)]
            for category in dict.fromkeys(chain.from_iterable(by_model))
        ],
        caption,
        "heat",
    )
    return Section(
        "categories",
        "The categories",
        paragraph(TEXTS["reading"]["categories"]) + heatmap,
    )


def _heat(found: CategoryResult | None) -> Cell:
    """Return a coloured cell; colour is never the only sign, because the number is there."""
    if found is None:
        return Cell(None, "empty")
    value, other = known(found.stigmatized.value), known(found.others.value)
    small = f"<small>{prose(percent(other))}</small>" if other is not None else ""
    step = "empty" if value is None else f"heat-{round(_HEAT_STEPS * min(max(value, 0.0), 1.0))}"
    return Cell(Html(prose(percent(value)) + small), step)


def heat_style() -> str:
    """Return the style of each step of the colours: none at one half, stronger to both sides."""
    half = _HEAT_STEPS // 2
    return heat_rules(
        ("heat-stig" if step > half else "heat-other", round(60 * abs(step - half) / half))
        for step in range(_HEAT_STEPS + 1)
    )


def _breakable(name: str) -> Html:
    """Let a long name of a model break where its parts end."""
    return Html(safe(name).replace("/", "/<wbr>").replace("_", "_<wbr>"))


def _templates(models: Sequence[ModelResult], names: Names) -> Section | None:
    if not models:
        return None
    columns = (
        "Model", "Template", "Stigmatized", "Others", "Difference", "Interval", "No condition",
    )  # fmt: skip
    rows = [
        (
            names[m.run], title_of(t.template), percent(t.stigmatized), percent(t.others),
            decimal(t.gap.value, 3), interval(t.gap) or visible(t.gap.reason or NOT_KNOWN),
            percent(t.baseline),
        )
        for m in models
        for t in m.templates
    ]  # fmt: skip
    return Section(
        "templates",
        "The templates",
        paragraph(TEXTS["reading"]["templates"])
        + _chart(gaps(models, names), "The difference in each template")
        + folded(_NUMBERS, table(columns, rows, "The templates")),
    )


def _dimensions(models: Sequence[ModelResult], names: Names) -> Section | None:
    if not models:
        return None
    columns = list(dict.fromkeys(d for m in models for d in m.dimensions))
    rows = [(names[m.run], *(decimal(m.dimensions.get(d)) for d in columns)) for m in models]
    return Section(
        "dimensions",
        "The dimensions of stigma",
        paragraph(
            "How far a model's figure rises with each dimension: the rank correlation over the "
            f"conditions, from {MINUS}1 to 1."
        )
        + table(("Model", *map(title_of, columns)), rows, "Rank correlation with each dimension"),
    )
