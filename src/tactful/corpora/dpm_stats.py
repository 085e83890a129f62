"""Tables 1 and 2 of Don't Patronize Me!, in the paper's order, beside the paper's totals."""

from collections.abc import Collection

import polars as pl

from tactful.corpora.stats import Chart, Stat

KEYWORDS = (
    "disabled", "homeless", "hopeless", "immigrant", "in-need",
    "migrant", "poor-families", "refugee", "vulnerable", "women",
)  # fmt: skip
COUNTRIES = {
    "au": "Australia", "bd": "Bangladesh", "ca": "Canada", "gh": "Ghana", "hk": "Hong Kong",
    "ie": "Ireland", "in": "India", "jm": "Jamaica", "ke": "Kenya", "lk": "Sri Lanka",
    "my": "Malaysia", "ng": "Nigeria", "nz": "New Zealand", "ph": "Philippines", "pk": "Pakistan",
    "sg": "Singapore", "tz": "Tanzania", "gb": "UK", "us": "United States", "za": "South Africa",
}  # fmt: skip
CATEGORY_COLUMNS = {
    "Unbalanced_power_relations": "unb",
    "Compassion": "com",
    "Presupposition": "pre",
    "Authority_voice": "aut",
    "Shallow_solution": "sha",
    "Metaphors": "met",
    "The_poorer_the_merrier": "merr",
}
PAPER_KEYWORD_TOTALS = (1116, 1088, 1014, 1085, 1089, 1103, 914, 1071, 1082, 1075, 10637)
PAPER_CATEGORY_TOTALS = (1307, 888, 347, 327, 302, 319, 64, 3554)


def dpm_stats(paragraphs: pl.DataFrame, spans: pl.DataFrame) -> list[Stat]:
    """Count paragraphs per keyword and country, and spans per keyword and category."""
    stats = [_table_1(paragraphs)]
    if spans.height:
        stats.append(_table_2(spans))
    return stats


def _table_1(paragraphs: pl.DataFrame) -> Stat:
    countries = [*COUNTRIES, *_others(paragraphs["country"], COUNTRIES)]
    keywords = [*KEYWORDS, *_others(paragraphs["keyword"], KEYWORDS)]
    cells = _cross(paragraphs, "country", "keyword", countries, keywords)
    names = [COUNTRIES.get(country, country) for country in countries]
    paper = PAPER_KEYWORD_TOTALS if len(keywords) == len(KEYWORDS) else ()
    return Stat(
        "table-1",
        "Paragraphs per keyword and country",
        "Pérez-Almendros et al. 2020, table 1",
        ("country", *keywords, "total"),
        _with_totals(names, cells, paper),
        ("The last row is the paper's, whose release is larger.",),
        _heatmap(keywords, names, cells, "keyword"),
    )


def _table_2(spans: pl.DataFrame) -> Stat:
    spans = spans.with_columns(pl.col("category").replace({"Metaphor": "Metaphors"}))
    keywords = [*KEYWORDS, *_others(spans["keyword"], KEYWORDS)]
    categories = [*CATEGORY_COLUMNS, *_others(spans["category"], CATEGORY_COLUMNS)]
    cells = _cross(spans, "keyword", "category", keywords, categories)
    paper = PAPER_CATEGORY_TOTALS if len(categories) == len(CATEGORY_COLUMNS) else ()
    short = [CATEGORY_COLUMNS.get(category, category) for category in categories]
    return Stat(
        "table-2",
        "Spans per keyword and category",
        "Pérez-Almendros et al. 2020, table 2",
        ("keyword", *short, "total"),
        _with_totals(keywords, cells, paper),
        (
            "unb: unbalanced power relations, com: compassion, pre: presupposition, "
            "aut: authority voice, sha: shallow solution, met: metaphor, "
            "merr: the poorer, the merrier.",
            "The last row is the paper's, whose release is larger.",
        ),
        _heatmap(categories, keywords, cells, "category"),
    )


def _others(column: pl.Series, known: Collection[str]) -> list[str]:
    return sorted(value for value in set(column.drop_nulls()) if value not in known)


def _cross(
    frame: pl.DataFrame, row: str, column: str, rows: list[str], columns: list[str]
) -> list[list[int]]:
    counted = {(r, c): n for r, c, n in frame.group_by(row, column).len().iter_rows()}
    return [[counted.get((r, c), 0) for c in columns] for r in rows]


def _with_totals(
    names: list[str], cells: list[list[int]], paper: tuple[int, ...]
) -> tuple[tuple[object, ...], ...]:
    body: list[tuple[object, ...]] = [
        (name, *row, sum(row)) for name, row in zip(names, cells, strict=True)
    ]
    sums = [sum(column) for column in zip(*cells, strict=True)]
    body.append(("Total", *sums, sum(sums)))
    if paper:
        body.append(("Paper", *paper))
    return tuple(body)


def _heatmap(columns: list[str], names: list[str], cells: list[list[int]], label: str) -> Chart:
    return Chart("heatmap", columns, dict(zip(names, cells, strict=True)), label)
