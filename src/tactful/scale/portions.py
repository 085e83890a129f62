"""What every engine does with some rows: read, score, count and write them to bytes.

All engines run this code, so the output is the same wherever and however the input was cut. A
cluster reads files as streams: their first bytes for the plan, and then their pieces.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING

from tactful.errors import InputError
from tactful.libraries import Library
from tactful.scale.cluster.addresses import format_at
from tactful.scale.job import Job
from tactful.scale.rejects import Reject
from tactful.scale.score_cache import ProcessCache, ScoreCache
from tactful.scale.scorer import ScoreBatch
from tactful.scale.scoring import (
    LINE,
    OnRows,
    Scored,
    Shape,
    TableScorer,
    check_columns,
    check_lines,
    output_names,
)
from tactful.scale.summary import Tally, tally
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import Header, empty_table, read_header, refuse_other_columns
from tactful.scale.tables.json_lines import RowsError, schema_of
from tactful.scale.tables.parse import parse, piece_behind
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.records import cut_records
from tactful.scale.tables.sources import Source
from tactful.scale.tables.writing import as_table, part_bytes

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")


@dataclass(frozen=True, slots=True)
class Plan:
    """A job, and what its first file says about the columns."""

    job: Job
    output: Format
    """How a worker writes rows; an engine may compress them itself."""
    columns: tuple[str, ...] = ()
    """The columns of the input, unless it is lines of JSON; a file with others is refused."""
    schema: pl.Schema | None = None
    """The columns of lines of JSON, where the output is a table."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Each added column -> its name in the output."""

    @property
    def renamed(self) -> dict[str, str]:
        """The added columns whose usual name the input has already."""
        prefix = self.job.wanted.prefix
        return {name: given for name, given in self.names.items() if given != prefix + name}

    @property
    def output_columns(self) -> tuple[str, ...]:
        """All columns of the output; none where lines of JSON are kept as they are."""
        columns = self.columns or tuple(self.schema or ())
        return (*columns, *self.names.values()) if columns else ()


def plan_for_table(plan: Plan, table: pl.DataFrame) -> Plan:
    """Return the plan for tables with the columns of this one, which needs no rows."""
    job = plan.job
    check_columns(table, job.wanted, job.scorer)
    names = output_names(table.columns, job.scorer.columns, job.wanted.prefix)
    return replace(plan, columns=tuple(table.columns), names=names)


def plan_for_json(plan: Plan, lines: pl.Series) -> Plan:
    """Return the plan for lines of JSON that begin with these; errors are raised before the run."""
    job = plan.job
    wanted = check_lines(lines, job.wanted, job.scorer)
    names = output_names(wanted.keys, job.scorer.columns, wanted.prefix)
    schema = None if job.output_format.kind == "jsonl" else schema_of(lines)
    return replace(plan, job=replace(job, wanted=wanted), names=names, schema=schema)


@dataclass(frozen=True, slots=True)
class Portion:
    """Some scored rows, what was counted in them, and where they are in the input."""

    scored: Scored
    tally: Tally
    place: str = ""


class PortionScorer:
    """Scores portions in one process; the model is loaded once."""

    def __init__(
        self,
        plan: Plan,
        load: Callable[[], ScoreBatch] | None = None,
        cache: ScoreCache | None = None,
        on_rows: OnRows | None = None,
    ):
        self.plan, job = plan, plan.job
        scorer = replace(job.scorer, load=load or job.scorer.load)
        if job.wanted.dedupe and cache is None:
            cache = ProcessCache()
        self._score, self._on_rows = TableScorer(scorer, job.wanted, cache), on_rows

    def use(self, plan: Plan) -> None:
        """Continue with another plan, now that the first lines are known."""
        self.plan, self._score.wanted = plan, plan.job.wanted

    def piece(self, piece: Piece, source: Source, head: Header) -> Portion:
        """Score a piece of a file."""
        parsed = parse(piece, source, head, self.plan.job.skip_bad_rows)
        table, shape = parsed.table, source.format.shape
        place = f"{source.name}, from line {piece.line} on"
        if self.plan.schema is not None:
            table, shape = as_table(table[LINE], self.plan.schema, place), "table"
        elif self.plan.columns:
            # Another file may have the same columns in another order.
            table = table.select(self.plan.columns)
        with located(place):
            found = self.table(table, shape, source.name, parsed.rejects)
        return replace(found, place=place)

    def table(
        self,
        table: pl.DataFrame,
        shape: Shape = "table",
        place: str = "",
        rejects: Sequence[Reject] = (),
    ) -> Portion:
        """Score a table."""
        scored = self._score(table, shape, self._on_rows)
        return Portion(scored, tally(scored, self.plan.job, place, rejects))

    def part(self, piece: Piece, source: Source, head: Header, header: bool) -> tuple[Tally, bytes]:
        """Return what was counted in a piece, and its rows as bytes of an output file."""
        portion = self.piece(piece, source, head)
        return portion.tally, self.data(portion, header)

    def data(self, portion: Portion, header: bool = True) -> bytes:
        """Return the rows as bytes of an output file; no bytes if only the top rows are wanted."""
        job = self.plan.job
        if job.only_top:
            return b""
        with located(portion.place or " ".join(job.inputs)):
            return part_bytes(portion.scored, job.wanted, self.plan.output, header)


@contextmanager
def located(place: str) -> Iterator[None]:
    """Add the place of the rows to an error about them."""
    try:
        yield
    except RowsError as error:
        raise InputError(f"{place}: {error}") from None


def source_at(address: str, job: Job) -> Source:
    """Return the file at an address."""
    return Source(None, format_at(address) or job.input_format, address=address)


def plan_for_text(plan: Plan, data: bytes, source: Source) -> Plan:
    """Return the plan for text files of which the first one begins with these bytes."""
    head = read_header(io.BytesIO(data), source)
    if source.format.kind != "jsonl":
        return plan_for_table(plan, empty_table(head))
    lines = parse(piece_behind(head), source, head, plan.job.skip_bad_rows).table[LINE]
    return plan_for_json(plan, lines)


def read_pieces(file: IO[bytes], source: Source, plan: Plan) -> Iterator[tuple[Piece, Header]]:
    """Cut an open file into pieces of whole records."""
    job, head = plan.job, read_header(file, source)
    if plan.columns:
        expected = dict.fromkeys(plan.columns)
        refuse_other_columns(source.name, head.types, "the first file", expected)
    line = 1 + head.lines
    for data in cut_records(
        file, source.format, job.part_rows, job.part_bytes, source.name, head.rest
    ):
        yield Piece(line=line, data=data), head
        line += data.count(b"\n")
