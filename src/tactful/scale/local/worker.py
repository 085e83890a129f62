"""One worker: opens the model once, and turns pieces into parts."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tactful.errors import InputError
from tactful.scale.job import Job
from tactful.scale.rejects import Reject, as_lines
from tactful.scale.score_cache import ProcessCache, ScoreCache, SharedCache
from tactful.scale.scorer import ScoreBatch
from tactful.scale.scoring import LINE, OnRows, Scored, TableScorer, Wanted
from tactful.scale.summary import Summary, summarise, to_json
from tactful.scale.tables.atomic_write import write_atomically
from tactful.scale.tables.headers import Header
from tactful.scale.tables.json_lines import RowsError
from tactful.scale.tables.parse import parse
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source
from tactful.scale.tables.writing import as_table, part_bytes
from tactful.scale.top_rows import top_rows

WORK = "_work"
"""The folder beside the parts with what is needed until all of them are whole."""
REJECTS = "rejects"
"""Under this name the manifest remembers how many rows of a part cannot be read."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a worker is told before its first piece."""

    job: Job
    sources: tuple[Source, ...]
    headers: tuple[Header, ...]
    folder: Path | None
    """Where parts are written; None where their bytes are handed back."""
    load: Callable[[], ScoreBatch]
    schema: pl.Schema | None = None
    """The columns that lines of JSON become, where the output is a table."""


@dataclass(frozen=True, slots=True)
class Done:
    """A part that is whole."""

    piece: Piece
    """Without its bytes."""
    record: dict[str, Any]
    """What the manifest remembers of the piece."""
    rows: int
    data: bytes = b""
    """The part itself, its summary and its rejects, where they are not written to a folder."""
    summary: Summary | None = None
    rejects: bytes = b""


class Worker:
    """Turns pieces into parts."""

    def __init__(self, setup: Setup, on_rows: OnRows):
        self.setup, self.on_rows = setup, on_rows
        job = setup.job
        self._memory: ScoreCache | None = None
        if job.wanted.dedupe:
            self._memory = (
                ProcessCache()
                if setup.folder is None
                else SharedCache(setup.folder / WORK / "texts.sqlite")
            )
        self._score = TableScorer(replace(job.scorer, load=setup.load), job.wanted, self._memory)

    def __call__(self, piece: Piece) -> Done:
        """Read, score and write a piece."""
        setup, job = self.setup, self.setup.job
        source = setup.sources[piece.source]
        parsed = parse(piece, source, setup.headers[piece.source], job.skip_bad_rows)
        table, shape = parsed.table, source.format.shape
        place = f"{source.name}, from line {piece.line} on"
        if setup.schema is not None:
            table, shape = as_table(table[LINE], setup.schema, place), "table"
        elif shape == "table":
            # Another file may have the same columns in another order.
            table = table.select(setup.headers[0].columns)
        try:
            return self._part(piece, self._score(table, shape, self.on_rows), parsed.rejects)
        except RowsError as error:
            raise InputError(f"{place}: {error}") from None

    def use(self, wanted: Wanted) -> None:
        """Take what is wanted from now on: the first lines have been looked at."""
        self.setup = replace(self.setup, job=replace(self.setup.job, wanted=wanted))
        self._score.wanted = wanted

    def close(self) -> None:
        """Let go what was opened for the run."""
        if isinstance(self._memory, SharedCache):
            self._memory.close()

    def _part(self, piece: Piece, scored: Scored, rejects: Sequence[Reject]) -> Done:
        setup, job = self.setup, self.setup.job
        source = setup.sources[piece.source]
        summary = summarise(scored, job.scorer, job.wanted, job.extremes, source.name)
        summary.skipped += len(rejects)
        data = (
            b""
            if job.only_top
            else part_bytes(scored, job.wanted, job.output_format, header=not job.merged)
        )
        bare, rows = replace(piece, data=b""), len(scored.added)
        record = {**piece.record(), REJECTS: len(rejects)}
        if setup.folder is None:
            return Done(bare, record, rows, data, summary, as_lines(rejects))
        work = setup.folder / WORK
        if rejects:
            write_atomically(work / rejects_name(piece.number), as_lines(rejects))
        if job.top:
            buffer = io.BytesIO()
            top_rows(scored, job).write_ipc(buffer)
            write_atomically(work / top_name(piece.number), buffer.getvalue())
        told = json.dumps(to_json(summary), ensure_ascii=False)
        write_atomically(work / summary_name(piece.number), told.encode("utf-8", "surrogatepass"))
        if not job.only_top:
            write_atomically(setup.folder / part_name(piece.number, job), data)
        return Done(bare, record, rows)


def part_name(number: int, job: Job) -> str:
    """Return the name of a part."""
    return f"part-{number:05d}{job.output_format.ending}"


def top_name(number: int) -> str:
    """Return the name of the top rows of a part."""
    return f"part-{number:05d}.top.arrow"


def rejects_name(number: int) -> str:
    """Return the name of the list of rows of a part that cannot be read."""
    return f"part-{number:05d}.rejects.jsonl"


def summary_name(number: int) -> str:
    """Return the name of what was counted in a part."""
    return f"part-{number:05d}.summary.json"
