"""Files that a cluster reads as streams: their first bytes, and their pieces."""

import io
from collections.abc import Iterator
from typing import IO

from tactful.scale.cluster.addresses import format_at
from tactful.scale.job import Job
from tactful.scale.portions import Plan, plan_for_json, plan_for_table
from tactful.scale.tables.headers import Header, empty_table, read_header, refuse_other_columns
from tactful.scale.tables.parse import lines_behind
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.records import cut_records
from tactful.scale.tables.sources import Source


def source_at(address: str, job: Job) -> Source:
    """Return the file at an address."""
    return Source(None, format_at(address) or job.input_format, address=address)


def plan_for_text(plan: Plan, data: bytes, source: Source) -> Plan:
    """Return the plan for text files of which the first one begins with these bytes."""
    head = read_header(io.BytesIO(data), source)
    if source.format.kind != "jsonl":
        return plan_for_table(plan, empty_table(head))
    return plan_for_json(plan, lines_behind(head, source, plan.job.skip_bad_rows))


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
