"""What is counted while rows are scored on a cluster, and added up in any order.

It travels beside the rows, so that nothing that was written must be read again.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from tactful.scale.job import Job
from tactful.scale.rejects import Reject, from_lines
from tactful.scale.scoring import Scored
from tactful.scale.summary import Summary, from_json, merged, summarise, to_json
from tactful.scale.top_rows import RANK, top_rows


@dataclass(frozen=True, slots=True)
class Tally:
    """What was found in some rows, the worst of them, and those that cannot be read."""

    summary: Summary = field(default_factory=Summary)
    top: pl.DataFrame | None = None
    rejects: tuple[Reject, ...] = ()

    def summary_bytes(self) -> bytes:
        """Return the summary as bytes, for the way from a worker to the driver."""
        return json.dumps(to_json(self.summary), ensure_ascii=True).encode()

    def top_bytes(self) -> bytes:
        """Return the top rows as bytes; none where nobody asked for them."""
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
    """Return what a worker told."""
    rows = pl.read_ipc(io.BytesIO(top)) if top else None
    return Tally(from_json(json.loads(summary)), rows, from_lines(rejects))


def add_tallies(one: Tally, other: Tally, most: int) -> Tally:
    """Add two tallies up, and keep so many of the top rows."""
    rows = [each.top for each in (one, other) if each.top is not None]
    top = None
    if rows:
        top = pl.concat(rows).sort(RANK, descending=True, maintain_order=True).head(most)
    return Tally(merged(one.summary, other.summary), top, (*one.rejects, *other.rejects))
