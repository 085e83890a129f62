"""A job: what to read, what to score it with, and where to write; engines are told nothing else."""

from dataclasses import asdict, dataclass, field
from typing import Any

from tactful.scale.cluster.addresses import beside
from tactful.scale.options import STDOUT
from tactful.scale.scorer import PART_ROWS, Scorer
from tactful.scale.scoring import Wanted
from tactful.scale.tables.formats import Format

PART_BYTES = 8 << 20
REJECTS = "rejects.jsonl"


@dataclass(frozen=True, slots=True)
class Job:
    """All that decides what is written, and how it is run."""

    inputs: tuple[str, ...]
    """Files, folders, patterns or addresses, as the user named them; ``-`` is standard input."""
    output: str
    """The folder of the parts; the one file that they become is made afterwards."""
    input_format: Format
    output_format: Format
    scorer: Scorer
    wanted: Wanted = field(default_factory=Wanted)
    part_rows: int = PART_ROWS
    part_bytes: int = PART_BYTES
    top: int = 0
    """So many of the top rows are also written apart."""
    top_by: str | None = None
    """The id that tells what is worst; without one, the highest probability of any."""
    only_top: bool = False
    merged: bool = False
    """The parts become one file, so none has a header of its own."""
    extremes: int = 0
    """So many texts of each id are kept for the report."""
    skip_bad_rows: bool = False
    """Rows that cannot be read are left out, counted and listed, and do not stop the run."""
    rejects: str | None = None
    """Where such rows are listed; by default beside the output. What is printed needs a name."""
    workers: int = 1
    """How many processes, actors or tasks score at the same time."""
    address: str | None = None
    """Where the engine's cluster is; without one, the engine decides."""

    @property
    def rejects_file(self) -> str | None:
        """The file that lists the rows that cannot be read; None where they are only counted."""
        if not self.skip_bad_rows or (self.rejects is None and self.output == STDOUT):
            return None
        return self.rejects or beside(self.output, f".{REJECTS}", self.output_format.ending)

    def terms(self) -> dict[str, Any]:
        """Return what must not change between a run and the one that goes on with it."""
        return {
            "format": self.input_format.kind,
            "written as": str(self.output_format),
            "model": self.scorer.model,
            "scorer": self.scorer.fingerprint,
            "ids": list(self.scorer.columns),
            "rows of a part": self.part_rows,
            "bytes of a part": self.part_bytes,
            "worst rows": self.top,
            "worst by": self.top_by,
            "only the worst": self.only_top,
            "one file": self.merged,
            "texts for the report": self.extremes,
            "bad rows skipped": self.skip_bad_rows,
            "rejects": self.rejects_file,
            "wanted": {
                name: _plain(value)
                for name, value in asdict(self.wanted).items()
                if name != "keys"  # of the input, which has a record of its own
            },
        }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
