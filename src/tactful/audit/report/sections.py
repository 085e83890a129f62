"""The sections of the page: each a drawing, how to read it, and the table with its numbers."""

from collections.abc import Mapping, Sequence

from tactful.audit.report.charts.boxplots import boxplots
from tactful.audit.report.charts.gaps import gaps
from tactful.audit.report.charts.proportions import CLASSES, GROUPS, proportions
from tactful.audit.report.charts.scatter import scatter
from tactful.audit.report.charts.svg import safe
from tactful.audit.report.grids import folded, grid, heatmap, models_grid
from tactful.audit.report.rankings import conditions_section
from tactful.audit.report.section import KEY, Section, chart
from tactful.audit.report.words import (
    ATTITUDE,
    MINUS,
    SENTIMENT,
    decimal,
    interval,
    known,
    labels,
    percent,
    side_of,
    title_of,
    with_interval,
)
from tactful.audit.results import AuditResult, ModelResult
from tactful.words import visible


def sections(result: AuditResult) -> list[Section]:
    """Return what there is to draw."""
    names = labels(result)
    sides = {
        side: [m for m in result.models if side_of(m) == side] for side in (ATTITUDE, SENTIMENT)
    }
    found = []
    if sides[ATTITUDE]:
        found.append(_models(sides[ATTITUDE], names))
    classed = [m for m in sides[SENTIMENT] if m.proportions]
    if classed:
        found.append(_classes(classed, names))
    found += [
        conditions_section(result, side, members, names)
        for side, members in sides.items()
        if members
    ]
    found += _correlation(result)
    if any(m.categories for m in result.models):
        found.append(_categories(result))
    if any(m.templates for m in result.models):
        found.append(_templates(result, names))
    if any(m.dimensions for m in result.models):
        found.append(_dimensions(result, names))
    return found


def _models(models: Sequence[ModelResult], names: Mapping[str, str]) -> Section:
    return Section(
        "models", "The language models",
        "<p>Each mark is a condition. A box holds the middle half of a group, its line is the "
        "median, and its arms reach to the last condition that is no outlier. To the right of one "
        "half a model finds negative words likelier than positive and neutral ones.</p>"
        + KEY + chart(boxplots(models, names), "How negative each model is")
        + folded("The numbers", models_grid(models, names)),
    )  # fmt: skip


def _classes(models: Sequence[ModelResult], names: Mapping[str, str]) -> Section:
    rows = [
        (names[m.run], GROUPS[g], *(percent(m.proportions[g].get(c)) for c in CLASSES))
        for m in models
        for g in GROUPS
        if g in m.proportions
    ]
    start = ""
    if any("baseline" in m.proportions for m in models):
        start = "; sentences that name no condition show where it starts"
    key = "".join(f'<span class="swatch {name}"></span>{name} ' for name in CLASSES)
    return Section(
        "classifiers", "The sentiment classifiers",
        "<p>The shares of the sentences in each class; each condition counts the same. A fair "
        f"classifier would treat the groups alike{start}.</p>"
        f'<p class="key">{key}</p>'
        + chart(proportions(models, names), "Which classes each classifier gave")
        + folded(
            "The numbers",
            grid(("Classifier", "Group", *CLASSES), rows, "The share of each class"),
            models_grid(models, names),
        ),
    )  # fmt: skip


def _correlation(result: AuditResult) -> list[Section]:
    found = result.correlation
    sides = {each.side: each for each in result.overall}
    if found is None or not {ATTITUDE, SENTIMENT} <= set(sides):
        return []
    entries = {c.condition: c for m in result.models for c in m.conditions}
    points = []
    for condition, attitude in sides[ATTITUDE].negative.items():
        x, y = known(attitude), known(sides[SENTIMENT].negative.get(condition))
        if condition in entries and x is not None and y is not None:
            points.append((entries[condition].name, entries[condition].stigmatized, x, y))
    columns = ("Condition", "Group", "Attitude", "Sentiment")
    rows = [
        (visible(n), "stigmatized" if s else "other", percent(x), percent(y))
        for n, s, x, y in points
    ]
    ranks = (
        f"; by ranks (Spearman) {decimal(found.spearman)}"
        if known(found.spearman) is not None
        else ""
    )
    return [
        Section(
            "correlation", "Attitude and sentiment",
            f"<p>Pearson's r = {safe(with_interval(found.pearson))}{ranks}. Where the marks rise "
            "from left to right, classifiers call those conditions negative that language models "
            "are negative about. That they go together does not say that one causes the other.</p>"
            + KEY
            + chart(scatter(points, found), "Attitude and sentiment", "chart narrow")
            + folded("The numbers", grid(columns, rows, "Attitude and sentiment")),
        )
    ]  # fmt: skip


def _categories(result: AuditResult) -> Section:
    return Section(
        "categories", "The categories",
        "<p>The mean over the stigmatized conditions of a category; the small number is the mean "
        "over its other conditions, where it has any. Colour is stronger the further a figure is "
        "from one half.</p>" + heatmap(result),
    )  # fmt: skip


def _templates(result: AuditResult, names: Mapping[str, str]) -> Section:
    models = [m for m in result.models if m.templates]
    columns = (
        "Model",
        "Template",
        "Stigmatized",
        "Others",
        "Difference",
        "Interval",
        "No condition",
    )
    rows = [
        (
            names[m.run], title_of(t.template), percent(t.stigmatized), percent(t.others),
            decimal(t.gap.value, 3), interval(t.gap) or visible(t.gap.reason or "not known"),
            percent(t.baseline),
        )
        for m in models
        for t in m.templates
    ]  # fmt: skip
    return Section(
        "templates", "The templates",
        "<p>The difference between the groups, template by template. A difference that changes "
        "much with the wording says less about the model. Right of nought the model is more "
        "negative about stigmatized conditions.</p>"
        + chart(gaps(models, names), "The difference in each template")
        + folded("The numbers", grid(columns, rows, "The templates")),
    )  # fmt: skip


def _dimensions(result: AuditResult, names: Mapping[str, str]) -> Section:
    models = [m for m in result.models if m.dimensions]
    columns = list(dict.fromkeys(d for m in models for d in m.dimensions))
    rows = [(names[m.run], *(decimal(m.dimensions.get(d)) for d in columns)) for m in models]
    return Section(
        "dimensions", "The dimensions of stigma",
        "<p>How far a model's figure rises with each dimension: the rank correlation over the "
        f"conditions, from {MINUS}1 to 1.</p>"
        + grid(("Model", *map(title_of, columns)), rows, "Rank correlation with each dimension"),
    )  # fmt: skip
