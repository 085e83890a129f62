"""The worst rows: those with the highest probability, of one id or of any."""

from collections.abc import Iterable

import polars as pl

from tactful.scale.job import Job
from tactful.scale.scoring import Scored, joined, spliced

WORST = "\0worst"
"""The column by which rows are compared; it is not written."""


def worst_rows(scored: Scored, job: Job) -> pl.DataFrame:
    """Return the worst rows of a table, the worst first; of equal ones, those that come first."""
    ids = [job.top_by] if job.top_by else list(job.scorer.ids)
    worst = scored.added.select(pl.max_horizontal(ids).alias(WORST)).to_series()
    if scored.shape == "lines" and job.output_format.kind == "jsonl":
        table = pl.DataFrame(spliced(scored, job.wanted))
    else:
        table = joined(scored, job.wanted)
    return _highest(table.with_columns(worst), job.top)


def worst_of(parts: Iterable[pl.DataFrame], count: int) -> pl.DataFrame:
    """Return the worst rows of all parts, at least one, which come in the order of the input."""
    rest = iter(parts)
    found = next(rest)
    for part in rest:
        found = _highest(pl.concat([found, part]), count)
    return _highest(found, count).drop(WORST)


def _highest(table: pl.DataFrame, count: int) -> pl.DataFrame:
    table = table.filter(pl.col(WORST).is_not_null())
    return table.sort(WORST, descending=True, maintain_order=True).head(count)
