"""The Social Bias Inference Corpus (Sap et al. 2020): posts, and what workers read in them.

Two kinds of file: annotation rows (one per worker, group and statement) and posts aggregated by the
authors. :func:`aggregate_posts` turns the first into the second, field by field.
"""

import json
from collections.abc import Iterator
from itertools import chain

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.grouping import grouped
from tactful.corpora.files.problems import ProblemLog, show
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.releases import Release
from tactful.corpora.sbic_examples import aggregated_examples, annotated_examples
from tactful.corpora.sbic_stats import aggregated_stats, sbic_stats
from tactful.corpora.stats import Stat
from tactful.errors import Problem

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
        Column("sexPhrase", required=False, empty="null"),
        Column("sexReason", required=False, empty="null"),
        Column("annotatorGender", required=False, empty="null"),
        Column("annotatorMinority", required=False, empty="null"),
        Column("annotatorPolitics", required=False, empty="null"),
        Column("annotatorRace", required=False, empty="null"),
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
            shape = self.empty("annotations")
            posts = pl.concat(
                b.select(pl.col("post").hash()) for b in chain([shape], self.batches("annotations"))
            )
            counts = {"annotations": posts.height, "posts": posts["post"].n_unique()}
        if self.has("posts"):
            counts["aggregated posts"] = sum(b.height for b in self.batches("posts"))
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
    lists: dict[str, list[list[str] | None]] = {name: [] for name in LISTS}
    keep = []
    columns = batch.select("line", "hasBiasedImplication", *LISTS)
    for line, inverted, *cells in columns.iter_rows():
        read = [_strings(cell) for cell in cells]
        broken = next((name for name, r in zip(LISTS, read, strict=True) if r is None), None)
        if broken is not None:
            problem = ("list", show(cells[LISTS.index(broken)]), "a JSON list of texts", broken)
        elif bool(read[-1]) == bool(inverted):
            problem = (
                "inverted column",
                f"{inverted} beside {len(read[-1] or ())} stereotypes",
                "1 where there is no stereotype and 0 where there is one",
                "hasBiasedImplication",
            )
        else:
            problem = None
        keep.append(problem is None)
        for name, values in zip(LISTS, read, strict=True):
            lists[name].append(values)
        if problem is not None:
            code, found, expected, column = problem
            log.add(
                Problem(
                    source.path.name,
                    line,
                    code,
                    found,
                    expected,
                    "the row was left out",
                    column=column,
                )
            )
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
