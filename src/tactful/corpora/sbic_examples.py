"""Social Bias Inference Corpus rows in the common schema, with every worker's answers kept."""

import hashlib

import polars as pl

from tactful.corpora.schema import TEXT, TRAIT, judgement, labels_of, meta_of

ANSWERS = {
    "offensiveYN": "frame.offensive",
    "intentYN": "frame.intent",
    "sexYN": "frame.lewd",
    "whoTarget": "frame.group",
    "speakerMinorityYN": "frame.in_group",
}
FREE_TEXT = {
    "targetMinority": "frame.target_group",
    "targetStereotype": "frame.implied_statement",
}
_GROUP = FREE_TEXT["targetMinority"]
_WORKER = ["post", "WorkerId"]
PER_ROW = {**FREE_TEXT, "targetCategory": "sbic.target_category"}
PER_WORKER = {
    "HITId": "sbic.hit",
    "sexPhrase": "sbic.sex_phrase",
    "sexReason": "sbic.sex_reason",
}
TRAITS = {
    "annotatorGender": "gender",
    "annotatorMinority": "minority",
    "annotatorPolitics": "politics",
    "annotatorRace": "race",
    "annotatorAge": "age",
}


def post_id(post: str) -> str:
    """Return an id that a post keeps in all releases: they have none of their own."""
    return "sbic-" + hashlib.sha256(post.encode()).hexdigest()[:16]


def annotated_examples(rows: pl.DataFrame, posts: pl.DataFrame, extra: list[str]) -> pl.DataFrame:
    """Join the aggregated posts with the answers and traits of every worker.

    ``row`` numbers a worker's rows about a post, so that group, category and statement that were
    written together stay together. What a worker says once for the whole post has no ``row``,
    unless it is not the same on all of their rows: a post can be in two HITs.
    """
    once = [*ANSWERS, *PER_WORKER, *TRAITS]
    by_worker = rows.group_by(_WORKER).agg(
        pl.len().alias("rows"), *((pl.col(c).n_unique() > 1).alias(_several(c)) for c in once)
    )
    by_post = rows.group_by("post").agg(
        (pl.col("dataSource").n_unique() > 1).alias(_several("dataSource"))
    )
    numbered = (
        rows.with_columns(pl.int_range(pl.len()).over(_WORKER).cast(pl.Int64).alias("row"))
        .join(by_worker, on=_WORKER, how="left", maintain_order="left", nulls_equal=True)
        .join(by_post, on="post", how="left", maintain_order="left")
    )
    # A further row without any text is kept as a group that was not given.
    blank = pl.all_horizontal([pl.col(column).is_null() for column in PER_ROW])
    answers = pl.concat(
        [
            _answers(_once(numbered, column), column, name)
            for column, name in {**ANSWERS, **PER_WORKER}.items()
        ]
        + [_answers(numbered, column, name) for column, name in PER_ROW.items()]
        + [_records(numbered.filter(blank & (pl.col("rows") > 1)), "targetMinority", _GROUP)]
        + [
            _answers(numbered.filter(_several(column)), column, f"sbic.{column}")
            for column in (*TRAITS, "dataSource")
        ]
        + [_answers(numbered, column, f"sbic.{column}") for column in extra]
    )
    judgements = answers.group_by("post", maintain_order=True).agg("judgements")
    first = numbered.filter(pl.col("row") == 0)
    traits = (
        pl.concat([_traits(first, column, name) for column, name in TRAITS.items()])
        .group_by("post", maintain_order=True)
        .agg(pl.struct("annotator", "name", "value").cast(TRAIT).alias("traits"))
    )
    split = rows.group_by("post").agg(pl.col("split").first())
    frame = posts
    for further in (split, judgements, traits):
        frame = frame.join(further, on="post", how="left", maintain_order="left")
    return _examples(frame, ["judgements", "traits"], ["dataSource"])


def aggregated_examples(posts: pl.DataFrame, extra: list[str]) -> pl.DataFrame:
    """Map posts of an ``agg`` file; it has no workers and no in-group answers."""
    frame = posts.with_columns(pl.lit(None, dtype=pl.Float64).alias("speakerMinorityYN"))
    categories = pl.col("targetCategory").list.join(", ").alias("targetCategory")
    return _examples(frame.with_columns(categories), [], ["dataSource", "targetCategory", *extra])


def _examples(frame: pl.DataFrame, lists: list[str], meta: list[str]) -> pl.DataFrame:
    ids = pl.Series("id", [post_id(post) for post in frame["post"]], pl.String)
    texts = [
        # The list.eval of polars: an expression for each member, no code is run.
        pl.col(column)
        .list.eval(pl.struct(pl.lit(name).alias("id"), pl.element().alias("text")))
        .cast(pl.List(TEXT))
        for column, name in FREE_TEXT.items()
    ]
    return frame.with_columns(ids).select(
        "id",
        "split",
        pl.col("id").alias("group"),
        pl.col("post").alias("text"),
        labels_of({name: column for column, name in ANSWERS.items()}),
        pl.concat_list(texts).alias("texts"),
        *lists,
        meta_of(meta),
    )


def _several(column: str) -> str:
    """Name the column that says whether a worker's (or post's) rows differ in a column."""
    return f"several {column}"


def _once(rows: pl.DataFrame, column: str) -> pl.DataFrame:
    """Keep one row per worker and post, without its number; all of them where they differ."""
    several = pl.col(_several(column))
    return rows.filter((pl.col("row") == 0) | several).with_columns(
        pl.when(several).then("row").alias("row")
    )


def _answers(rows: pl.DataFrame, column: str, question: str) -> pl.DataFrame:
    return _records(rows.filter(pl.col(column).is_not_null()), column, question)


def _records(rows: pl.DataFrame, column: str, question: str) -> pl.DataFrame:
    number = pl.col(column) if column in ANSWERS else None
    answer = judgement(pl.col("WorkerId"), question, pl.col(column), number, row=pl.col("row"))
    return rows.select("post", answer.alias("judgements"))


def _traits(rows: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    return rows.filter(pl.col(column).is_not_null()).select(
        "post",
        pl.col("WorkerId").alias("annotator"),
        pl.lit(name).alias("name"),
        pl.col(column).cast(pl.String).alias("value"),
    )
