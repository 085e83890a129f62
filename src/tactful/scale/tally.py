"""What is counted while rows are scored: the summary, the top rows and the unreadable rows.

Tallies travel beside the rows and are added up in any order, so that nothing is read again.
"""

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from tactful.scale.job import Job
from tactful.scale.rejects import Reject, from_lines
from tactful.scale.scoring import LINE, Scored, joined, spliced
from tactful.scale.summary import Summary, from_json, merged, summarise, to_json
from tactful.scale.tables.writing import lines_bytes, table_bytes

RANK = "\0rank"
"""The column by which rows are compared; it is not written."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The summary of some rows, the top rows, and the rows that cannot be read."""

    summary: Summary = field(default_factory=Summary)
    top: pl.DataFrame | None = None
    rejects: tuple[Reject, ...] = ()

    def summary_bytes(self) -> bytes:
        """Return the summary as JSON."""
        return json.dumps(to_json(self.summary), ensure_ascii=True).encode()

    def top_bytes(self) -> bytes:
        """Return the top rows as an Arrow file; no bytes if they were not asked for."""
        if self.top is None:
            return b""
        buffer = io.BytesIO()
        self.top.write_ipc(buffer)
        return buffer.getvalue()


def tally(scored: Scored, job: Job, place: str = "", rejects: Sequence[Reject] = ()) -> Tally:
    """Count what was found in a scored table, and the rows beside it that cannot be read."""
    summary = summarise(scored, job.scorer, job.wanted, job.extremes, place)
    summary.skipped += len(rejects)
    return Tally(summary, top_rows(scored, job) if job.top else None, tuple(rejects))


def tally_from_bytes(summary: bytes, top: bytes = b"", rejects: bytes = b"") -> Tally:
    """Return the tally that a worker sent."""
    rows = pl.read_ipc(io.BytesIO(top)) if top else None
    return Tally(from_json(json.loads(summary)), rows, from_lines(rejects))


def add_tallies(one: Tally, other: Tally, most: int) -> Tally:
    """Add two tallies up, and keep ``most`` of the top rows."""
    rows = [each.top for each in (one, other) if each.top is not None]
    top = _highest(pl.concat(rows), most) if rows else None
    return Tally(merged(one.summary, other.summary), top, (*one.rejects, *other.rejects))


def top_rows(scored: Scored, job: Job) -> pl.DataFrame:
    """Return the rows with the highest probability; equal rows in the order of the input."""
    ids = [job.top_by] if job.top_by else list(job.scorer.ids)
    rank = scored.added.select(pl.max_horizontal(ids).alias(RANK)).to_series()
    if scored.shape == "lines" and job.output_format.kind == "jsonl":
        table = pl.DataFrame(spliced(scored, job.wanted))
    else:
        table = joined(scored, job.wanted)
    return _highest(table.with_columns(rank), job.top)


def top_of(parts: Iterable[pl.DataFrame], count: int) -> pl.DataFrame:
    """Return the top rows of all parts, which come in the order of the input."""
    rest = iter(parts)
    found = next(rest)
    for part in rest:
        found = _highest(pl.concat([found, part]), count)
    return _highest(found, count).drop(RANK)


def top_file_bytes(top: pl.DataFrame | None, job: Job) -> bytes:
    """Return the top rows as the bytes of a file in the format of the output."""
    if top is None:
        return b""
    if job.output_format.kind == "jsonl" and top.columns == [LINE]:
        return lines_bytes(top[LINE], job.output_format)
    return table_bytes(top, job.output_format)


def _highest(table: pl.DataFrame, count: int) -> pl.DataFrame:
    table = table.filter(pl.col(RANK).is_not_null())
    return table.sort(RANK, descending=True, maintain_order=True).head(count)
