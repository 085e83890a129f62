"""A corpus of letters to a library, with a sample beside this file."""

from collections.abc import Iterator

import polars as pl

from tactful.corpora.corpus import Corpus
from tactful.corpora.files.tables import Column, TableSpec
from tactful.corpora.schema import labels_of, meta_of
from tactful.corpora.stats import Stat, percent

LETTERS = TableSpec(
    "letters",
    (
        Column("letter_id", "id"),
        Column("sender", "id"),
        Column("text", empty="note"),
        Column("condescending", "flag"),
    ),
    ("letters*.csv",),
    key=("letter_id",),
)


class Letters(Corpus):
    """Letters to a library, labelled for condescension."""

    name = "letters"
    title = "Letters to a library"
    paper = "none: an example"
    licence = "Apache-2.0"
    lang = "en"
    folder = "letters"
    tables = (LETTERS,)
    stratify = ("unhealthy.condescending",)
    traps = ("One sender may have written several letters.",)

    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield the letters; a split never divides the letters of one sender."""
        for batch in self.batches("letters"):
            yield batch.select(
                pl.col("letter_id").alias("id"),
                pl.col("sender").alias("group"),
                "split",
                "text",
                labels_of({"unhealthy.condescending": "condescending"}),
                meta_of(self.extra_columns(batch, "letters")),
            )

    def counts(self) -> dict[str, int]:
        """Count the letters."""
        return {"letters": sum(batch.height for batch in self.batches("letters"))}

    def stats(self) -> list[Stat]:
        """Count the letters by label."""
        frame = self.read("letters")
        found = frame.filter(pl.col("condescending") == 1).height
        rows = (("condescending", found, percent(found, frame.height)),)
        columns = ("label", "letters", "percent")
        return [Stat("labels", "Letters by label", "this example", columns, rows)]
