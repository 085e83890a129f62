"""Scoring Arrow tables, as Ray and Spark hand them over; the input's own columns stay untouched.

Only the columns that are looked at become a frame of ours, so types that we do not know pass
through as they are. What is added has the same types in every batch, an empty one as well.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import polars as pl

from tactful.scale.score_cache import ScoreCache
from tactful.scale.scorer import Scorer
from tactful.scale.scoring import (
    LINE,
    Scored,
    Shape,
    TableScorer,
    Wanted,
    check_columns,
    output_names,
    spliced,
)
from tactful.scale.tables.where import where_expression

if TYPE_CHECKING:
    import pyarrow as pa

_ROW = "\0row"


class ArrowScorer:
    """Scores Arrow tables in one process."""

    def __init__(
        self,
        scorer: Scorer,
        wanted: Wanted,
        shape: Shape = "table",
        memory: ScoreCache | None = None,
    ):
        self.scorer, self.wanted, self.shape = scorer, wanted, shape
        self._score = TableScorer(scorer, wanted, memory)

    def __call__(self, table: "pa.Table") -> "pa.Table":
        """Return the wanted rows with the added columns, or lines with further keys."""
        import pyarrow as pa

        if self.shape == "lines":
            found = spliced(self._score(as_frame(table, [LINE]), "lines"), self.wanted)
            return pa.table({LINE: found.to_arrow().cast(pa.string())})
        if not table.num_rows and not table.num_columns:
            return table  # from an empty file
        kept, scored = self.scored(table)
        return self.joined(kept, scored)

    def scored(self, table: "pa.Table") -> "tuple[pa.Table, Scored]":
        """Return the wanted rows as they are, and what is found in the columns looked at."""
        view = self.checked(table)
        if self.wanted.where is None:
            return table, self._score(view)
        scored = self._score(view.with_row_index(_ROW))
        return table.take(scored.kept[_ROW].alias("row").to_arrow()), scored

    def checked(self, table: "pa.Table") -> pl.DataFrame:
        """Return the columns that are looked at; refuse a table that cannot be scored."""
        check_columns(without_rows(table, self.wanted), self.wanted, self.scorer)
        return _view(table, self.wanted)

    def joined(self, kept: "pa.Table", scored: Scored) -> "pa.Table":
        """Return the rows with the added columns."""
        import pyarrow as pa

        names = output_names(kept.column_names, self.scorer.columns, self.wanted.prefix)
        for name, given in names.items():
            kind = pa.float32() if name in self.scorer.ids else pa.string()
            kept = kept.append_column(given, scored.added[name].to_arrow().cast(kind))
        return kept


def as_frame(table: "pa.Table", names: Iterable[str]) -> pl.DataFrame:
    """Return some columns as a frame, without a copy where the types allow it."""
    return cast(pl.DataFrame, pl.from_arrow(table.select(list(names))))


def without_rows(table: "pa.Table", wanted: Wanted) -> pl.DataFrame:
    """Return all columns of a table, for checks; those that are looked at have their types."""
    kinds = _view(table.slice(0, 0), wanted).schema
    names = {name: kinds.get(name, pl.Null()) for name in table.column_names}
    return pl.DataFrame(schema=names)


def _view(table: "pa.Table", wanted: Wanted) -> pl.DataFrame:
    where = [] if wanted.where is None else where_expression(wanted.where).meta.root_names()
    looked_at = {wanted.text_column, *where, *(name.partition(":")[0] for name in wanted.by)}
    return as_frame(table, [name for name in table.column_names if name in looked_at])
