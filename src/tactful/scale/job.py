"""A job: what to read, how to score it, and where to write; it is all that engines get."""

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
    """Everything that decides what is written and how the job runs."""

    inputs: tuple[str, ...]
    """Files, folders, patterns or addresses as given by the user; ``-`` is standard input."""
    output: str
    """The folder of the parts, or the one file that they are joined into."""
    input_format: Format
    output_format: Format
    scorer: Scorer
    wanted: Wanted = field(default_factory=Wanted)
    part_rows: int = PART_ROWS
    part_bytes: int = PART_BYTES
    top: int = 0
    """The number of top rows that are also written to a separate file."""
    top_by: str | None = None
    """The id that rows are ranked by; by default the highest probability of any."""
    only_top: bool = False
    merged: bool = False
    """The parts become one file, so none has a header of its own."""
    extremes: int = 0
    """The number of texts of each id that are kept for the report."""
    skip_bad_rows: bool = False
    """Rows that cannot be read are skipped, counted and listed, and do not stop the run."""
    rejects: str | None = None
    """Where such rows are listed; by default beside the output, and nowhere for standard output."""
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
        """Return what must not change between a run and the one that resumes it."""
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
                name: list(value) if isinstance(value, tuple) else value
                for name, value in asdict(self.wanted).items()
                if name != "keys"  # the input has a record of its own
            },
        }
