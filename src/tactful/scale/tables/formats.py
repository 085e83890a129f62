"""The formats of tables, which the ending of a file's name shows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tactful.errors import UsageError
from tactful.registry import unknown_name

if TYPE_CHECKING:
    from tactful.scale.scoring import Shape

Kind = Literal["csv", "tsv", "jsonl", "parquet", "arrow", "txt"]
Packing = Literal["", "gz", "zst"]

KINDS: dict[str, Kind] = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "pq": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "txt": "txt",
}
PACKINGS: dict[str, Packing] = {"gz": "gz", "zst": "zst", "zstd": "zst"}
_DELIMITED = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Format:
    """The format and compression of a file."""

    kind: Kind
    packing: Packing = ""

    @property
    def shape(self) -> "Shape":
        """Whether rows are kept as lines of JSON, or as a table with columns."""
        return "lines" if self.kind == "jsonl" else "table"

    @property
    def is_columnar(self) -> bool:
        """Whether the file has its own types and compression, and cannot be cut at line ends."""
        return self.kind in ("parquet", "arrow")

    @property
    def ending(self) -> str:
        """The ending of a file's name in this format."""
        return f".{self.kind}{f'.{self.packing}' if self.packing else ''}"

    @property
    def separator(self) -> str:
        """The separator of a delimited text."""
        return _DELIMITED[self.kind]

    def __str__(self) -> str:
        return self.ending[1:]


def format_of(name: str) -> Format | None:
    """Return the format that a file's name or address shows; None if it shows none."""
    parts = name.lower().rstrip("/").rpartition("/")[2].split(".")[1:]
    packing: Packing = ""
    if parts and parts[-1] in PACKINGS:
        packing = PACKINGS[parts.pop()]
    if not parts or parts[-1] not in KINDS:
        return None
    found = Format(KINDS[parts[-1]], packing)
    if found.is_columnar and packing:
        raise UsageError(
            f"{name}: found a compressed {found.kind} file; expected an uncompressed one, as "
            "the format has its own compression; decompress it first."
        )
    return found


def packing_of(name: str) -> Packing:
    """Return the compression that a file's name shows."""
    return PACKINGS.get(name.lower().rpartition(".")[2], "")


def named_format(name: str) -> Format:
    """Return the format that an option names, such as ``csv`` or ``jsonl.gz``."""
    found = format_of(f"x.{name}")
    if found is None:
        raise unknown_name("format", name, list(dict.fromkeys(KINDS.values())))
    return found
