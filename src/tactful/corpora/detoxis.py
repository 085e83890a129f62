"""DETOXIS 2021: Spanish news comments of the NewsCom-TOX corpus, on which DETESTS builds."""

from collections.abc import Iterator

import polars as pl

from tactful.corpora.corpus import Corpus, Source
from tactful.corpora.files.problems import ProblemLog
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.schema import labels_of, meta_of
from tactful.corpora.stats import Chart, Stat, percent
from tactful.words import counted

FEATURES = (
    "argumentation", "constructiveness", "positive_stance", "negative_stance", "target_person",
    "target_group", "stereotype", "sarcasm", "mockery", "insult", "improper_language",
    "aggressiveness", "intolerance", "toxicity",
)  # fmt: skip

COMMENTS = TableSpec(
    "comments",
    (
        Column("topic", "id", required=False, empty="null"),
        Column("thread_id", "id"),
        Column("comment_id", "id"),
        Column("reply_to", "id", required=False, empty="null"),
        Column("comment_level", "id", required=False, empty="null"),
        Column("comment"),
        *(Column(name, "flag") for name in FEATURES),
        Column("toxicity_level", "integer", low=0, high=3),
    ),
    ("train*.csv", "test*.csv", "detoxis*.csv"),
    key=("comment_id",),
)


class Detoxis(Corpus):
    """Comments on immigration news, with toxicity and its features."""

    name = "detoxis"
    title = "DETOXIS (NewsCom-TOX)"
    paper = "Taulé et al. 2021 (IberLEF)"
    licence = "shared-task data, research use only"
    lang = "es"
    folder = "detoxis"
    tables = (COMMENTS,)
    splits = (("train", "train"), ("test", "test"))
    stratify = ("stereotype", "detoxis.toxicity")
    traps = (
        "thread_id starts with the number of the article: a split must keep articles whole.",
        "Some comments are in the corpus more than once, word for word, under different ids.",
        "No counts of this corpus are in the five papers: its release cannot be recognised.",
        "In two rows toxicity and toxicity_level contradict each other; they are kept, and noted.",
        "'stereotype' here is any stereotype in a comment; DETESTS labels sentences.",
    )

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Note the rows in which toxicity and its level contradict each other."""
        wrong = (pl.col("toxicity") == 0) != (pl.col("toxicity_level") == 0)
        for line, toxicity, level in (
            batch.filter(wrong).select("line", "toxicity", "toxicity_level").iter_rows()
        ):
            found = f"toxicity {toxicity} beside level {level}"
            expected = "level 0 exactly where toxicity is 0"
            log.note(source.path, line, "toxicity level", found, expected, "toxicity_level")
        return batch

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield comments, grouped by the article they answer."""
        labels = {
            name if name == "stereotype" else f"detoxis.{name}": name
            for name in (*FEATURES, "toxicity_level")
        }
        for batch in self.batches("comments"):
            extra = self.extra_columns(batch, "comments")
            yield batch.select(
                pl.col("comment_id").alias("id"),
                "split",
                pl.col("thread_id").str.split("_").list.first().alias("group"),
                pl.col("comment").alias("text"),
                labels_of(labels),
                meta_of(["topic", "thread_id", "reply_to", "comment_level", *extra]),
            )

    def counts(self) -> dict[str, int]:
        """Count comments and those with a stereotype."""
        column = self.read("comments")["stereotype"]
        return {"comments": column.len(), "stereotype": int(column.sum())}

    def stats(self) -> list[Stat]:
        """Count every feature; the paper of this corpus is not among the five."""
        frame = self.read("comments")
        numbers = {name: int(frame[name].sum()) for name in FEATURES} | {
            f"toxicity level {level}": int((frame["toxicity_level"] == level).sum())
            for level in range(4)
        }
        shares = {name: percent(number, frame.height) for name, number in numbers.items()}
        drawn = {"comments": [shares[name] for name in FEATURES]}
        return [
            Stat(
                "features",
                "Comments with each feature",
                "computed from the files; no published table",
                ("feature", "comments", "percent"),
                tuple((name, number, shares[name]) for name, number in numbers.items()),
                (f"{counted(frame.height, 'comment')}.",),
                Chart("bars", list(FEATURES), drawn, y_label="percent of comments"),
            )
        ]
