"""What an engine of a cluster does with some rows: reads, scores, counts and writes them to bytes.

Everything here happens inside an actor or a task. It is the same code that the local engine runs,
so the cells are the same, whoever cut the input.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import polars as pl

from tactful.errors import InputError
from tactful.scale.job import Job
from tactful.scale.rejects import Reject
from tactful.scale.score_cache import ProcessCache
from tactful.scale.scorer import ScoreBatch
from tactful.scale.scoring import (
    LINE,
    Scored,
    Shape,
    TableScorer,
    check_columns,
    check_lines,
    output_names,
    renamed,
)
from tactful.scale.tables.compression import pack
from tactful.scale.tables.formats import Format
from tactful.scale.tables.headers import Header, read_header
from tactful.scale.tables.json_lines import RowsError, schema_of
from tactful.scale.tables.parse import lines_behind, parse
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source
from tactful.scale.tables.writing import as_table, part_bytes, table_bytes
from tactful.scale.tally import Tally, tally

Portion = tuple[Scored, Tally]


@dataclass(frozen=True, slots=True)
class Address(Source):
    """A file that an engine reads, wherever it lies; it comes as a stream of bytes."""

    address: str = ""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.address


@dataclass(frozen=True, slots=True)
class Plan:
    """All that an actor or a task is told before its first rows."""

    job: Job
    output: Format
    """How a worker writes rows; an engine may pack them itself."""
    columns: tuple[str, ...] = ()
    """The columns of the input, unless it is lines of JSON; a file with others is refused."""
    schema: pl.Schema | None = None
    """The columns that lines of JSON become, where the output is a table."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Each added column -> its name in the output."""

    @property
    def renamed(self) -> dict[str, str]:
        """The added columns that have not the name that was asked for, as the input has it."""
        return renamed(self.names, self.job.wanted.prefix)


class PortionScorer:
    """Scores portions in one process; the model is opened once."""

    def __init__(self, plan: Plan, load: Callable[[], ScoreBatch] | None = None):
        self.plan, job = plan, plan.job
        scorer = replace(job.scorer, load=load or job.scorer.load)
        self._score = TableScorer(scorer, job.wanted, ProcessCache() if job.wanted.dedupe else None)

    def piece(self, piece: Piece, source: Source, head: Header) -> Portion:
        """Score lines as they stand in a file."""
        parsed = parse(piece, source, head, self.plan.job.skip_bad_rows)
        table, shape = parsed.table, source.format.shape
        place = f"{source.name}, from line {piece.line} on"
        if self.plan.schema is not None:
            table, shape = as_table(table[LINE], self.plan.schema, place), "table"
        elif self.plan.columns:
            table = table.select(self.plan.columns)
        with _at(place):
            return self.table(table, shape, source.name, parsed.rejects)

    def table(
        self,
        table: pl.DataFrame,
        shape: Shape = "table",
        place: str = "",
        rejects: Sequence[Reject] = (),
    ) -> Portion:
        """Score a table."""
        scored = self._score(table, shape)
        return scored, tally(scored, self.plan.job, place, rejects)

    def data(self, scored: Scored, header: bool = True) -> bytes:
        """Return the rows as they stand in a file of the output; nothing if nobody wants them."""
        job = self.plan.job
        if job.only_top:
            return b""
        with _at(" ".join(job.inputs)):
            return part_bytes(scored, job.wanted, self.plan.output, header)


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Say where the rows stand that cannot be used."""
    try:
        yield
    except RowsError as error:
        raise InputError(f"{place}: {error}") from None


def check_header(head: Header, columns: Sequence[str], place: str) -> None:
    """Refuse a delimited file that has other columns than the first one."""
    other = set(head.columns) ^ set(columns)
    if columns and other:
        raise InputError(
            f"{place}: found other columns than in the first file "
            f"({', '.join(sorted(other)[:5])}); expected the same in all files; score them apart."
        )


def plan_for_lines(plan: Plan, data: bytes, source: Source) -> Plan:
    """Return the plan for files of lines of which the first one begins so.

    What could only fail later is refused at once.
    """
    job = plan.job
    head = read_header(io.BytesIO(data), source)
    if source.format.kind != "jsonl":
        return plan_for_table(plan, pl.DataFrame(schema=dict.fromkeys(head.columns, pl.String)))
    lines = lines_behind(head, source, job.skip_bad_rows)
    wanted = check_lines(lines, job.wanted, job.scorer)
    names = output_names(wanted.keys, job.scorer.columns, wanted.prefix)
    plan = replace(plan, job=replace(job, wanted=wanted), names=names)
    if job.output_format.kind == "jsonl":
        return plan
    return replace(plan, schema=schema_of(lines))


def plan_for_table(plan: Plan, table: pl.DataFrame) -> Plan:
    """Return the plan for tables with the columns of this one, which needs no rows."""
    job = plan.job
    check_columns(table, job.wanted, job.scorer)
    names = output_names(table.columns, job.scorer.columns, job.wanted.prefix)
    return replace(plan, columns=tuple(table.columns), names=names)


def top_file_bytes(top: pl.DataFrame | None, output: Format) -> bytes:
    """Return the top rows as they stand in a file of the output."""
    if top is None:
        return b""
    if output.kind == "jsonl" and top.columns == [LINE]:
        text = "".join(f"{line}\n" for line in top[LINE])
        return pack(text.encode("utf-8", "surrogatepass"), output.packing)
    return table_bytes(top, output)
