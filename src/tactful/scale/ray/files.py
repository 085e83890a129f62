"""How Ray reads lines, and how its actors turn them into parts.

Ray's readers of CSV and text know other rules than ours for empty cells and line ends. So its tasks
hand on pieces of bytes, cut where a record ends, and the actors read them as the local engine does.
An actor writes its part itself and hands back a record of it, which is much smaller.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tactful.scale.cluster.arrow_store import file_system
from tactful.scale.cluster.arrow_tables import as_frame
from tactful.scale.cluster.pieces import read_pieces, source_at
from tactful.scale.portions import Plan, Portion, PortionScorer
from tactful.scale.rejects import as_lines
from tactful.scale.tables.headers import Header
from tactful.scale.tables.pieces import Piece

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

PLACE, LINE_NUMBER, COLUMNS, DATA = "place", "line", "columns", "data"
PART, SUMMARY, TOP, REJECTS = "part", "summary", "top", "rejects"


def by_system(addresses: Sequence[str]) -> "Iterator[tuple[FileSystem, dict[str, str]]]":
    """Group files that lie in one file system; give their paths in it, each with its address.

    Ray would make paths of addresses by rules of its own, and leave out what it cannot read.
    """
    found = ((*file_system(each), each) for each in addresses)
    for system, each in groupby(found, key=itemgetter(0)):
        yield system, {path: address for _, path, address in each}


def piece_source(plan: Plan, system: "FileSystem", files: Mapping[str, str]) -> Any:
    """Return a source of Ray Data whose rows are pieces of the files."""
    import pyarrow as pa
    from ray.data.datasource import FileBasedDatasource

    class Pieces(FileBasedDatasource):  # type: ignore[misc]
        """Cuts files into pieces of whole records; Ray opens and unpacks them."""

        def _read_stream(self, f: Any, path: str) -> "Iterator[pa.Table]":
            source = source_at(files[path], plan.job)
            for piece, head in read_pieces(f, source, plan):
                yield pa.table(
                    {
                        PLACE: pa.array([source.name]),
                        LINE_NUMBER: pa.array([piece.line]),
                        COLUMNS: pa.array([list(head.columns)], pa.list_(pa.string())),
                        DATA: pa.array([piece.data], pa.large_binary()),
                    }
                )

    return Pieces(list(files), filesystem=system)


class PortionActor:
    """Turns pieces, or tables, into parts; the model is opened once."""

    def __init__(self, plan: Plan, folder: str):
        self._portions, self._folder = PortionScorer(plan), folder

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Score a batch and write it; return a row for each part."""
        import pyarrow as pa

        if batch.column_names == [PLACE, LINE_NUMBER, COLUMNS, DATA]:
            portions = [self._piece(row) for row in batch.to_pylist()]
        else:
            portions = [self._portions.table(as_frame(batch, batch.column_names))]
        return pa.table(
            {
                PART: pa.array([self._write(each) for each in portions], pa.string()),
                SUMMARY: pa.array(
                    [each.tally.summary_bytes() for each in portions], pa.large_binary()
                ),
                TOP: pa.array([each.tally.top_bytes() for each in portions], pa.large_binary()),
                REJECTS: pa.array(
                    [as_lines(each.tally.rejects) for each in portions], pa.large_binary()
                ),
            }
        )

    def _piece(self, row: dict[str, Any]) -> Portion:
        source = source_at(row[PLACE], self._portions.plan.job)
        piece = Piece(line=row[LINE_NUMBER], data=row[DATA])
        return self._portions.piece(piece, source, Header(columns=tuple(row[COLUMNS])))

    def _write(self, portion: Portion) -> str | None:
        """Write a part under a unique name, so that a repeated task never mixes with another."""
        data = self._portions.data(portion) if len(portion.scored.added) else b""
        if not data:
            return None
        name = f"part-{uuid4().hex}{self._portions.plan.output.ending}"
        system, path = file_system(self._folder)
        with system.open_output_stream(f"{path}/{name}", compression=None) as file:
            file.write(data)
        return name
