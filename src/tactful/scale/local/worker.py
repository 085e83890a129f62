"""One worker: loads the model once, and turns pieces into parts."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tactful.scale.job import Job
from tactful.scale.portions import Plan, Portion, PortionScorer
from tactful.scale.rejects import as_lines
from tactful.scale.score_cache import SharedCache
from tactful.scale.scorer import ScoreBatch
from tactful.scale.scoring import OnRows
from tactful.scale.summary import Summary, to_json
from tactful.scale.tables.atomic_write import write_atomically
from tactful.scale.tables.headers import Header
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source

WORK = "_work"
"""The folder beside the parts with the files that are needed until all parts are complete."""
REJECTS, PACKED = "rejects", "packed"
"""The keys under which the manifest records how many rows of a part cannot be read, and how many
bytes of a compressed file a part is."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker needs before its first piece."""

    plan: Plan
    sources: tuple[Source, ...]
    headers: tuple[Header, ...]
    folder: Path | None
    """Where parts are written; None where their bytes are returned."""
    load: Callable[[], ScoreBatch]


@dataclass(frozen=True, slots=True)
class Done:
    """A complete part."""

    piece: Piece
    """Without its bytes."""
    record: dict[str, Any]
    """What the manifest records of the part."""
    rows: int
    data: bytes = b""
    """The part itself, its summary and its rejects, where they are not written to a folder."""
    summary: Summary | None = None
    rejects: bytes = b""


class Worker:
    """Turns pieces into parts."""

    def __init__(self, setup: Setup, on_rows: OnRows):
        self.setup = setup
        self._cache: SharedCache | None = None
        if setup.plan.job.wanted.dedupe and setup.folder is not None:
            self._cache = SharedCache(setup.folder / WORK / "texts.sqlite")
        self.portions = PortionScorer(setup.plan, setup.load, self._cache, on_rows)

    def __call__(self, piece: Piece) -> Done:
        """Read, score and write a piece."""
        setup = self.setup
        head = setup.headers[piece.source]
        return self._part(piece, self.portions.piece(piece, setup.sources[piece.source], head))

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _part(self, piece: Piece, portion: Portion) -> Done:
        folder, job, found = self.setup.folder, self.setup.plan.job, portion.tally
        data = self.portions.data(portion, header=not job.merged)
        bare, rows = replace(piece, data=b""), len(portion.scored.added)
        record = {**piece.record(), REJECTS: len(found.rejects), "rows": rows}
        if piece.packed is not None:
            record[PACKED] = piece.packed
        if folder is None:
            return Done(bare, record, rows, data, found.summary, as_lines(found.rejects))
        work = folder / WORK
        if found.rejects:
            write_atomically(work / rejects_name(piece.number), as_lines(found.rejects))
        if job.top:
            write_atomically(work / top_name(piece.number), found.top_bytes())
        summary = json.dumps(to_json(found.summary), ensure_ascii=False)
        write_atomically(
            work / summary_name(piece.number), summary.encode("utf-8", "surrogatepass")
        )
        if not job.only_top:
            write_atomically(folder / part_name(piece.number, job), data)
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
    """Return the name of the summary of a part."""
    return f"part-{number:05d}.summary.json"
