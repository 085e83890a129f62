"""The top rows: those with the highest probability, of one id or of any."""

from collections.abc import Iterable

import polars as pl

from tactful.scale.job import Job
from tactful.scale.scoring import Scored, joined, spliced

RANK = "\0rank"
"""The column by which rows are compared; it is not written."""


def top_rows(scored: Scored, job: Job) -> pl.DataFrame:
    """Return the top rows of a table, the worst first; of equal ones, those that come first."""
    ids = [job.top_by] if job.top_by else list(job.scorer.ids)
    rank = scored.added.select(pl.max_horizontal(ids).alias(RANK)).to_series()
    if scored.shape == "lines" and job.output_format.kind == "jsonl":
        table = pl.DataFrame(spliced(scored, job.wanted))
    else:
        table = joined(scored, job.wanted)
    return _highest(table.with_columns(rank), job.top)


def top_of(parts: Iterable[pl.DataFrame], count: int) -> pl.DataFrame:
    """Return the top rows of all parts, at least one, which come in the order of the input."""
    rest = iter(parts)
    found = next(rest)
    for part in rest:
        found = _highest(pl.concat([found, part]), count)
    return _highest(found, count).drop(RANK)


def _highest(table: pl.DataFrame, count: int) -> pl.DataFrame:
    table = table.filter(pl.col(RANK).is_not_null())
    return table.sort(RANK, descending=True, maintain_order=True).head(count)
