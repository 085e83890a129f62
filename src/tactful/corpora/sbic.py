"""The Social Bias Inference Corpus (Sap et al. 2020): posts, and what workers read in them.

Two kinds of file: annotation rows (one per worker, group and statement) and posts aggregated by the
authors. :func:`aggregate_posts` turns the first into the second, field by field.
"""

import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.grouping import grouped
from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.sbic_examples import aggregated_examples, annotated_examples
from tactful.corpora.stats import Chart, Stat, here_and_paper, percent

LISTS = ("targetMinority", "targetCategory", "targetStereotype")
_MEANS = ("whoTarget", "intentYN", "sexYN", "offensiveYN")
_HALVES = ("0.0", "0.5", "1.0")
_THIRDS = ("0.0", "0.33", "0.66", "1.0")


def _answer(name: str, *allowed: str) -> Column:
    spellings = (*allowed, *(value.removesuffix(".0") for value in allowed if ".0" in value))
    return Column(name, "number", empty="null", allowed=spellings)


ROWS = TableSpec(
    "annotations",
    (
        Column("post"),
        Column("WorkerId", "id"),
        Column("HITId", "id", required=False, empty="null"),
        _answer("offensiveYN", *_HALVES),
        _answer("intentYN", *_THIRDS),
        _answer("sexYN", *_HALVES),
        _answer("whoTarget", "0.0", "1.0"),
        _answer("speakerMinorityYN", *_HALVES),
        *(Column(name, empty="null") for name in LISTS),
        *(
            Column(name, required=False, empty="null")
            for name in (
                "sexPhrase",
                "sexReason",
                "annotatorGender",
                "annotatorMinority",
                "annotatorPolitics",
                "annotatorRace",
            )
        ),
        Column("annotatorAge", "number", required=False, empty="null", low=0, high=150),
        Column("dataSource", required=False, empty="null"),
    ),
    ("sbic.v2.???.csv", "sbic.v1.???.csv", "sbic-*.csv"),
)
POSTS = TableSpec(
    "posts",
    (
        Column("post"),
        *(Column(name) for name in LISTS),
        *(Column(name, "number", empty="null", low=0, high=1) for name in _MEANS),
        Column("dataSource", required=False, empty="null"),
        Column("hasBiasedImplication", "flag"),
    ),
    ("sbic.v2.agg.???.csv", "sbic.v1.agg.???.csv"),
    key=("post",),
)


class SocialBiasInference(Corpus):
    """Posts of social media with Social Bias Frames from several workers each."""

    name = "sbic"
    title = "the Social Bias Inference Corpus"
    paper = "Sap et al. 2020 (ACL)"
    licence = "CC BY 4.0"
    lang = "en"
    folder = "social_bias"
    tables = (ROWS, POSTS)
    splits = (
        ("trn", "train"),
        ("dev", "dev"),
        ("tst", "test"),
        ("train", "train"),
        ("test", "test"),
    )
    stratify = ("frame.offensive", "frame.intent", "frame.lewd", "frame.group")
    releases = (
        Release("all annotations", {"annotations": 147_139, "posts": 44_671}, "table 3"),
        Release(
            "the development part of version 2",
            {"annotations": 16_738, "posts": 4_673},
            "the authors' SBIC.v2.dev.csv",
            counted=True,
        ),
        Release(
            "the aggregated development part of version 2",
            {"aggregated posts": 4_666},
            "the authors' SBIC.v2.agg.dev.csv",
            counted=True,
        ),
        Release(
            "the development part of version 2, both files",
            {"annotations": 16_738, "posts": 4_673, "aggregated posts": 4_666},
            "the authors' SBIC.v2.dev.csv and SBIC.v2.agg.dev.csv",
            counted=True,
        ),
    )
    traps = (
        "In the aggregated files hasBiasedImplication is inverted: 1 means that no stereotype is "
        "implied.",
        "The authors' means are over rows: a worker who wrote four statements counts four times.",
        "Posts that no worker understood (offensiveYN empty everywhere) are left out of the "
        "aggregated files.",
        "The rows of a post are not always together, and one post can belong to two HITs.",
        "whoTarget is 1 for a group and 0 for an individual, and mostly empty where the worker "
        "found the post harmless (in 4 % of those rows of the development part it is not).",
        "Where a worker named a group, the workers who named none have no rows: 1,023 of the 1,807 "
        "posts with a group in the development part have fewer than three workers left (37 of the "
        "2,866 others), and all of them say that the post is, or may be, offensive.",
    )

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Check the lists of the aggregated files and their inverted column."""
        return _check_posts(source, batch, log) if source.spec.name == "posts" else batch

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield posts with all answers; from the aggregated files if there are no others."""
        if self.has("annotations"):
            rows = self.batches("annotations")
            for frame in grouped(rows, "post", self.settings.batch_rows):
                extra = self.extra_columns(frame, "annotations")
                yield annotated_examples(frame, aggregate_posts(frame, keep_unread=True), extra)
            return
        for batch in self.batches("posts"):
            yield aggregated_examples(batch, self.extra_columns(batch, "posts"))

    def counts(self) -> dict[str, int]:
        """Count annotation rows, posts and aggregated posts."""
        counts = {}
        if self.has("annotations"):
            posts = self.columns("annotations", pl.col("post").hash())["post"]
            counts = {"annotations": posts.len(), "posts": posts.n_unique()}
        if self.has("posts"):
            counts["aggregated posts"] = self.rows("posts")
        return counts

    def stats(self) -> list[Stat]:
        """Compute tables 2 and 3 and figure 3, from annotation rows where there are any."""
        if self.has("annotations"):
            return sbic_stats(self.read("annotations"))
        return aggregated_stats(self.read("posts"))


def aggregate_posts(rows: pl.DataFrame, keep_unread: bool = False) -> pl.DataFrame:
    """Aggregate annotation rows to posts exactly as the authors' ``agg`` files do.

    Means are over rows and skip empty answers; lists hold the distinct values in order. Posts are
    sorted by their text. ``keep_unread`` keeps the posts that nobody understood, and the order in
    which posts first appear. ``hasBiasedImplication`` is written inverted, as the authors have it.
    """
    lists = [
        pl.col(name).filter(pl.col(name).is_not_null()).unique().sort().alias(name)
        for name in LISTS
    ]
    # Adding one row after the other, as the authors did, gives their means to the last bit.
    means = [
        (pl.col(name).drop_nulls().cum_sum().last() / pl.col(name).count()).alias(name)
        for name in (*_MEANS, "speakerMinorityYN")
    ]
    posts = rows.group_by("post", maintain_order=True).agg(
        *lists, *means, pl.col("dataSource").first()
    )
    posts = posts.with_columns(
        (pl.col("targetStereotype").list.len() == 0).cast(pl.Int8).alias("hasBiasedImplication")
    )
    if keep_unread:
        return posts
    return posts.filter(pl.col("offensiveYN").is_not_null()).sort("post")


def _check_posts(source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
    """Read the JSON lists; refuse the rows whose lists or inverted column do not fit."""
    lists = {name: [_strings(cell) for cell in batch[name]] for name in LISTS}
    keep = []
    for at, (line, inverted) in enumerate(batch.select("line", "hasBiasedImplication").iter_rows()):
        broken = next((name for name in LISTS if lists[name][at] is None), None)
        statements = lists[LISTS[-1]][at] or ()
        fits = broken is None and bool(statements) != bool(inverted)
        keep.append(fits)
        if broken is not None:
            found = show(batch[broken][at])
            log.report(source.path, line, "list", found, "a JSON list of texts", column=broken)
        elif not fits:
            found = f"{inverted} beside {len(statements)} stereotypes"
            expected = "1 where there is no stereotype and 0 where there is one"
            column = "hasBiasedImplication"
            log.report(source.path, line, "inverted column", found, expected, column=column)
    parsed = [pl.Series(name, values, pl.List(pl.String)) for name, values in lists.items()]
    return batch.with_columns(parsed).filter(pl.Series(keep, dtype=pl.Boolean))


def _strings(cell: str) -> list[str] | None:
    try:
        value = json.loads(cell)
    except ValueError:
        return None
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    return None


# ---- the tables of the paper --------------------------------------------------------------------

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
PAPER_WORKERS = {
    "annotatorGender": {"woman": 55.0, "man": 42.0},
    "annotatorRace": {"white": 82.0, "asian": 4.0, "hisp": 4.0, "black": 4.0},
}
"""Section 3.2: percent of the annotators."""
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
    stats = [_table_2(rows), _table_3(rows), _figure_3(rows, _PAIRS)]
    return [*stats, _workers(rows)] if set(PAPER_WORKERS) <= set(rows.columns) else stats


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
        here_and_paper([str(row[1]) for row in shown], shown, 2, 3, "posts"),
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
    found = {
        "posts": posts["post"].n_unique(),
        "groups": posts["targetMinority"].explode().drop_nulls().n_unique(),
        "implications": posts["targetStereotype"].explode().drop_nulls().n_unique(),
        # A post without a group counts once.
        "post-group": int(posts["targetMinority"].list.len().clip(1).sum()),
    }
    body: list[tuple[object, ...]] = [
        (f"unique {name}", number, PAPER_COUNTS[name]) for name, number in found.items()
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


def _workers(rows: pl.DataFrame) -> Stat:
    """Say who annotated: each worker counts once, by what they said first."""
    workers = rows.unique("WorkerId", keep="first", maintain_order=True)
    body: list[tuple[Any, ...]] = []
    for column, published in PAPER_WORKERS.items():
        question = column.removeprefix("annotator").lower()
        answers = workers[column].drop_nulls()
        counts = answers.value_counts(sort=True).sort(["count", column], descending=[True, False])
        for answer, number in counts.iter_rows():
            paper = published.get(answer)
            body.append((question, answer, number, percent(number, workers.height), paper))
    notes = ["'na' is an answer of the file: the worker did not say."]
    if "annotatorAge" in rows.columns:
        ages = workers["annotatorAge"].drop_nulls().to_numpy()
        if len(ages) > 1:
            age = f"{ages.mean():.1f} ± {ages.std(ddof=1):.1f}"
            notes.insert(0, f"Age: {age}; the paper says 36 ± 10.")
    return Stat(
        "section-3.2",
        f"The {workers.height:,} annotators",
        "Sap et al. 2020, section 3.2",
        ("question", "answer", "annotators", "percent", "paper percent"),
        tuple(body),
        tuple(notes),
    )


def _distinct(rows: pl.DataFrame, *columns: str) -> int:
    return rows.select(columns).n_unique()
