"""What a task of Spark does with the rows of its part: reads, scores, counts and writes them.

Lines come as Spark's text reader hands them over, and are put together again: a record of CSV may
have several. What is written is text of ours, too, a row of Spark for each part, so that its cells
are those of the local engine; tables of Parquet are written by Spark itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tactful.scale.cluster.arrow_tables import ArrowScorer, as_frame
from tactful.scale.cluster.pieces import read_pieces
from tactful.scale.portions import Plan, Portion, PortionScorer
from tactful.scale.score_cache import ProcessCache
from tactful.scale.scoring import joined
from tactful.scale.spark.engine import opened_once
from tactful.scale.tables.sources import Source
from tactful.scale.tables.writing import header_bytes
from tactful.scale.tally import Tally, add_tallies, tally

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Iterator["pa.RecordBatch"]
Count = Callable[[Tally], None]
VALUE = "value"
"""The one column of text, as Spark's reader and writer of text name it."""
FILE, START = "file", "start"
"""The file of a line, as a number, and the offset of its block in the file."""


class TallyParam:
    """Adds up the tallies of tasks, as a parameter of Spark's accumulators."""

    def __init__(self, top: int):
        self._top = top

    def zero(self, value: Tally) -> Tally:
        """Return an empty tally."""
        return Tally()

    def addInPlace(self, one: Tally, other: Tally) -> Tally:  # noqa: N802
        """Add two tallies up; the name is Spark's."""
        return add_tallies(one, other, self._top)


def portions_of_lines(batches: Batches, plan: Plan, source: Source) -> Iterator[Portion]:
    """Score the lines of one file, or of several if each line is a record."""
    scorer = PortionScorer(plan, opened_once(plan.job.scorer).load)
    for block, lines in groupby(_by_block(batches), key=itemgetter(0)):
        for found in _portions_of_block(scorer, (each for _, each in lines), source):
            rejects = found.tally.rejects
            if block:
                rejects = tuple(replace(each, file=block) for each in rejects)
            yield replace(found, tally=replace(found.tally, rejects=rejects))


def _by_block(batches: Batches) -> "Iterator[tuple[str, pa.RecordBatch]]":
    """Yield lines with the block of the file that they are in; empty for a file in one task."""
    for batch in batches:
        if batch.num_columns == 1:
            yield "", batch
            continue
        files, starts = (batch.column(name).to_numpy() for name in (FILE, START))
        changes = np.flatnonzero((np.diff(files) != 0) | (np.diff(starts) != 0)) + 1
        for at, end in pairwise([0, *changes.tolist(), batch.num_rows]):
            if end > at:
                yield f"{files[at]}:{starts[at]}", batch.slice(at, end - at)


def _portions_of_block(
    scorer: PortionScorer, batches: Batches, source: Source
) -> Iterator[Portion]:
    file: Any = _Stream(batches)
    first = file.read(0)
    if not first:
        return  # a task may have no lines, and so no header
    file.push(first)
    for piece, head in read_pieces(file, source, scorer.plan):
        yield scorer.piece(piece, source, head)


def portions_of_tables(batches: Batches, plan: Plan) -> Iterator[Portion]:
    """Score the rows of tables."""
    import pyarrow as pa

    scorer = PortionScorer(plan, opened_once(plan.job.scorer).load)
    for batch in batches:
        table = pa.Table.from_batches([batch])
        yield scorer.table(as_frame(table, table.column_names))


def as_text(portions: Iterator[Portion], plan: Plan, count: Count) -> Batches:
    """Yield the bytes of parts as text; the first of a file has the header."""
    scorer, is_first = PortionScorer(plan), True
    for found in portions:
        count(found.tally)
        # Spark ends each row of text with a line end of its own.
        data = scorer.data(found, header=is_first).removesuffix(b"\n")
        if data:
            is_first = False
            yield _as_row(data)
    if is_first and not plan.job.only_top and _writes_a_file_anyway():
        header = header_bytes(plan.output_columns, plan.output).rstrip(b"\n")
        if header:
            yield _as_row(header)


def _as_row(data: bytes) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.record_batch({VALUE: pa.array([data], pa.binary()).cast(pa.string())})


def _writes_a_file_anyway() -> bool:
    """Say whether this is the one task for which Spark makes a file though there are no rows."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return task is not None and task.partitionId() == 0


def as_tables(
    portions: Iterator[Portion], plan: Plan, count: Count, schema: "pa.Schema"
) -> Batches:
    """Yield rows as batches of the declared columns, for Spark to write."""
    for found in portions:
        count(found.tally)
        if plan.job.only_top:
            continue
        yield from joined(found.scored, plan.job.wanted).to_arrow().cast(schema).to_batches()


def tables_as_they_are(batches: Batches, plan: Plan, count: Count) -> Batches:
    """Score tables, keeping all columns and types of the input."""
    import pyarrow as pa

    job = plan.job
    memory = ProcessCache() if job.wanted.dedupe else None
    score = ArrowScorer(opened_once(job.scorer), job.wanted, memory=memory)
    for batch in batches:
        kept, scored = score.scored(pa.Table.from_batches([batch]))
        whole = replace(scored, kept=as_frame(kept, kept.column_names)) if job.top else scored
        count(tally(whole, job))
        yield from score.joined(kept, scored).to_batches()


class _Stream:
    """Lines of a task as the bytes of a file, with their line ends again."""

    def __init__(self, batches: Batches):
        self._batches = batches
        self._pushed = b""

    def push(self, data: bytes) -> None:
        """Return data to the stream."""
        self._pushed = data

    def read(self, size: int) -> bytes:
        """Return the next lines, as many as Spark hands over at a time."""
        import pyarrow as pa

        if self._pushed:
            data, self._pushed = self._pushed, b""
            return data
        for batch in self._batches:
            # As bytes: whether they are UTF-8 is for the reader to say, with the line.
            lines = batch.column(0).cast(pa.binary()).to_pylist()
            if lines:
                return b"\n".join(lines) + b"\n"
        return b""
