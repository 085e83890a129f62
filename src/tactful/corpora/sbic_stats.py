"""Tables 2 and 3 and figure 3 of Social Bias Frames."""

from typing import Any

import polars as pl

from tactful.corpora.stats import Chart, Stat, percent

SOURCES = {
    "r/darkjokes": ("Reddit", "r/darkJokes", 10_095),
    "r/meanjokes": ("Reddit", "r/meanJokes", 3_483),
    "r/offensivejokes": ("Reddit", "r/offensiveJokes", 356),
    "redditMicroagressions": ("Reddit", "Microaggressions", 2_011),
    "t/founta": ("Twitter", "Founta et al. (2018)", 11_864),
    "t/davidson": ("Twitter", "Davidson et al. (2017)", 3_008),
    "t/waseem": ("Twitter", "Waseem and Hovy (2016)", 1_816),
    "Gab": ("Hate sites", "Gab", 3_715),
    "Stormfront": ("Hate sites", "Stormfront", 4_016),
    "r/Incels": ("Hate sites", "Banned Reddits", 4_308),
    "r/MensRights": ("Hate sites", "Banned Reddits", 4_308),
}
"""The files' names of the sources -> type, the paper's name, the paper's number of posts."""
PAPER_SUBTOTALS = {"Reddit": 15_945, "Twitter": 16_688, "Hate sites": 12_039}
PAPER_COUNTS = {
    "tuples": 147_139,
    "posts": 44_671,
    "groups": 1_414,
    "implications": 32_028,
    "post-group": 48_923,
    "post-group-implication": 87_942,
    "group-implication": 34_333,
}
SKEWS = {
    "offensive": ("offensiveYN", 44.8),
    "intent": ("intentYN", 43.4),
    "lewd": ("sexYN", 7.9),
    "group targeted": ("whoTarget", 50.9),
    "in-group": ("speakerMinorityYN", 4.6),
}
TOP_CATEGORIES = ("gender", "race", "culture")
"""Figure 3 shows the three most represented: gender/sexuality, race/ethnicity, culture/origin."""


_TYPE = (
    pl.col("dataSource")
    .replace_strict({name: entry[0] for name, entry in SOURCES.items()}, default="Other")
    .alias("type")
)
_PAIRS = "Over distinct post-group pairs."
_POSTS_AND_CATEGORIES = (
    "Over distinct pairs of a post and a category: aggregated files do not say which group has "
    "which category."
)


def sbic_stats(rows: pl.DataFrame) -> list[Stat]:
    """Compute the paper's description of the corpus from annotation rows."""
    rows = rows.with_columns(_TYPE)
    return [_table_2(rows), _table_3(rows), _figure_3(rows, _PAIRS)]


def aggregated_stats(posts: pl.DataFrame) -> list[Stat]:
    """Compute what aggregated posts can say of the same tables: they have no single answers."""
    posts = posts.with_columns(_TYPE)
    kinds = posts.explode("targetCategory").with_columns(pl.lit(None).alias("targetMinority"))
    return [_table_2(posts), _table_3_of_posts(posts), _figure_3(kinds, _POSTS_AND_CATEGORIES)]


def _table_2(rows: pl.DataFrame) -> Stat:
    posts = rows.group_by("dataSource").agg(pl.col("post").n_unique())
    counted = {source: number for source, number in posts.iter_rows() if source is not None}
    body: list[tuple[Any, ...]] = []
    for kind, subtotal in PAPER_SUBTOTALS.items():
        names = dict.fromkeys(name for t, name, _ in SOURCES.values() if t == kind)
        numbers = []
        for name in names:
            sources = [s for s, entry in SOURCES.items() if entry[1] == name]
            numbers.append(sum(counted.get(source, 0) for source in sources))
            body.append((kind, name, numbers[-1], SOURCES[sources[0]][2]))
        body.append((kind, "subtotal", sum(numbers), subtotal))
    other = {source: n for source, n in counted.items() if source not in SOURCES}
    body += [("Other", source, number, None) for source, number in sorted(other.items())]
    body.append(("SBIC", "total", sum(counted.values()), PAPER_COUNTS["posts"]))
    shown = [row for row in body if row[1] not in ("subtotal", "total")]
    return Stat(
        "table-2",
        "Posts per source",
        "Sap et al. 2020, table 2",
        ("type", "source", "posts", "paper posts"),
        tuple(body),
        ("The paper counts the whole corpus; Banned Reddits are r/Incels and r/MensRights.",),
        Chart(
            "bars",
            [str(row[1]) for row in shown],
            {"here": [row[2] for row in shown], "paper": [row[3] for row in shown]},
            y_label="posts",
        ),
    )


def _table_3(rows: pl.DataFrame) -> Stat:
    stated = rows.filter(pl.col("targetStereotype").is_not_null())
    grouped = rows.filter(pl.col("targetMinority").is_not_null())
    found = {
        "tuples": rows.height,
        "posts": rows["post"].n_unique(),
        "groups": grouped["targetMinority"].n_unique(),
        "implications": stated["targetStereotype"].n_unique(),
        "post-group": _distinct(rows, "post", "targetMinority"),
        "post-group-implication": _distinct(rows, "post", "targetMinority", "targetStereotype"),
        "group-implication": _distinct(stated, "targetMinority", "targetStereotype"),
    }
    body: list[tuple[object, ...]] = [
        (name if name == "tuples" else f"unique {name}", number, PAPER_COUNTS[name])
        for name, number in found.items()
    ]
    # A worker's answers are on all of their rows about a post: count each worker and post once.
    judged = rows.unique(["post", "WorkerId"], keep="first", maintain_order=True)
    for name, (column, paper) in SKEWS.items():
        answered = judged.filter(pl.col(column).is_not_null())
        positive = answered.filter(pl.col(column) >= 0.5).height
        body.append((f"% {name}", percent(positive, answered.height), paper))
    return Stat(
        "table-3",
        "Size of the corpus, and shares of positive answers",
        "Sap et al. 2020, table 3",
        ("statistic", "here", "paper"),
        tuple(body),
        (
            "Shares are over workers who answered, once per post; yes, probably and maybe are "
            "positive (footnote 8). The paper's are of the whole corpus. The files lack the "
            "workers who named no group where another did, which raises the shares.",
            "Unique post-group and post-group-implication count posts without a group once, which "
            "is how the paper's figures exceed its number of posts.",
        ),
    )


def _table_3_of_posts(posts: pl.DataFrame) -> Stat:
    groups = posts.explode("targetMinority")["targetMinority"]
    body: list[tuple[object, ...]] = [
        ("unique posts", posts["post"].n_unique(), PAPER_COUNTS["posts"]),
        ("unique groups", groups.drop_nulls().n_unique(), PAPER_COUNTS["groups"]),
        (
            "unique implications",
            posts.explode("targetStereotype")["targetStereotype"].drop_nulls().n_unique(),
            PAPER_COUNTS["implications"],
        ),
        (
            "unique post-group",
            # A post without a group counts once.
            int(posts["targetMinority"].list.len().clip(1).sum()),
            PAPER_COUNTS["post-group"],
        ),
    ]
    for name, (column, paper) in SKEWS.items():
        if column in posts.columns:
            known = posts[column].drop_nulls()
            body.append((f"% {name}", percent(int((known >= 0.5).sum()), len(known)), paper))
    return Stat(
        "table-3",
        "Size of the corpus, and shares of positive posts",
        "Sap et al. 2020, table 3",
        ("statistic", "here", "paper"),
        tuple(body),
        (
            "From an aggregated file: shares are of the posts with a mean answer of 0.5 or more, "
            "where the paper counts workers' answers. Tuples, in-group and pairs with implications "
            "need the annotation rows (such as SBIC.v2.tst.csv).",
        ),
    )


def _figure_3(rows: pl.DataFrame, counted_over: str) -> Stat:
    targeted = rows.filter(pl.col("targetCategory").is_not_null()).unique(
        ["post", "targetMinority", "targetCategory", "type"]
    )
    kinds = [kind for kind in (*PAPER_SUBTOTALS, "Other") if kind in set(targeted["type"])]
    others = sorted(set(targeted["targetCategory"]) - set(TOP_CATEGORIES))
    categories = [*TOP_CATEGORIES, *others]
    counted = {
        (kind, category): number
        for kind, category, number in targeted.group_by("type", "targetCategory").len().iter_rows()
    }
    totals = {kind: targeted.filter(pl.col("type") == kind).height for kind in kinds}
    body = [
        (category, *(percent(counted.get((k, category), 0), totals[k]) for k in kinds))
        for category in categories
    ]
    return Stat(
        "figure-3",
        "Categories of targeted groups, in percent of each domain",
        "Sap et al. 2020, figure 3",
        ("category", *kinds),
        tuple(body),
        (
            f"{counted_over} The paper draws the first three: gender/sexuality, race/ethnicity and "
            "culture/origin.",
        ),
        Chart(
            "bars",
            categories,
            {kind: [row[1 + at] for row in body] for at, kind in enumerate(kinds)},
            y_label="percent of the domain",
        ),
    )


def _distinct(rows: pl.DataFrame, *columns: str) -> int:
    return rows.select(columns).n_unique()
