"""What all corpora have in common: finding the authors' files, reading them, checking them."""

import fnmatch
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl

from tactful.corpora.files.checks import SeenKeys, refuse_repeated, typed
from tactful.corpora.files.delimited import Lines, match_header, read_batches, read_rows
from tactful.corpora.files.problems import ProblemLog, merge
from tactful.corpora.files.tables import DTYPES, TableSpec
from tactful.corpora.releases import Release, Verification, verify
from tactful.corpora.schema import conform, to_examples
from tactful.corpora.stats import Stat
from tactful.errors import FileFormatError, UsageError
from tactful.files import open_text
from tactful.settings import Settings, load_settings
from tactful.types import Example

_PACKED = (".gz", ".zip")
_TABLES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet")
NOT_PUBLISHED = "its name is none of the published ones"
NO_TABLE = "not a table"
SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the authors', the table it holds and the official part it is."""

    path: Path
    spec: TableSpec
    split: str | None = None


class Corpus(ABC):
    """A corpus in its authors' own files.

    A subclass names its tables and releases, maps its rows to examples, and computes the tables of
    its paper. Reading never changes the files. What is wrong in them is in :attr:`log` once they
    have been read.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    licence: ClassVar[str]
    lang: ClassVar[str]
    folder: ClassVar[str]
    """The sub-folder of the data folder where the corpus is looked for."""
    tables: ClassVar[tuple[TableSpec, ...]]
    releases: ClassVar[tuple[Release, ...]] = ()
    traps: ClassVar[tuple[str, ...]] = ()
    """What a reader of the files must know; shown by ``tactful corpus info``."""
    splits: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs: a part of a file's name, and the official split that such a file holds."""
    stratify: ClassVar[tuple[str, ...]] = ()
    """The label ids that a split keeps in balance."""
    depth: ClassVar[int] = 0
    """How many levels of sub-folders are searched, where the authors publish a repository."""

    def __init__(
        self, path: Path, settings: Settings | None = None, encoding: str | None = None
    ) -> None:
        self.path = path
        self.settings = settings or load_settings()
        self.encoding = encoding
        self.on_progress: Callable[[Path, pl.DataFrame], None] | None = None
        self._logs: dict[str, ProblemLog] = {}
        self.skipped: dict[Path, str] = {}
        """Files of the folder that are not read, and why; hidden ones are not listed."""
        self.sources = self._find_sources(path)

    # ---- what a subclass writes -------------------------------------------------------------

    @abstractmethod
    def example_frames(self) -> Iterator[pl.DataFrame]:
        """Yield the corpus in the common schema; fields that do not apply may be left out."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Count what the releases state, from the rows that are kept."""

    def stats(self) -> list[Stat]:
        """Return the paper's own tables and figures, computed from these files."""
        return []

    def sniff(self, path: Path) -> TableSpec:
        """Tell which table a file holds that is not named as its authors name it."""
        return self.sniff_header(path)

    # ---- what all share ---------------------------------------------------------------------

    def batches(self, table: str) -> Iterator[pl.DataFrame]:
        """Yield the good rows of a table in typed columns, with ``line`` and ``split``."""
        seen = SeenKeys()
        for source in self.sources_of(table):
            yield from self._read_source(source, seen)

    def read(self, table: str) -> pl.DataFrame:
        """Return all good rows of a table; an absent table is empty, with its columns."""
        frames = list(self.batches(table))
        return pl.concat(frames, how="diagonal_relaxed") if frames else self.empty(table)

    def columns(self, table: str, *names: str | pl.Expr) -> pl.DataFrame:
        """Return some columns of all good rows, without holding the others in memory."""
        frames = (batch.select(names) for batch in self.batches(table))
        return pl.concat([self.empty(table).select(names), *frames])

    def rows(self, table: str) -> int:
        """Count the good rows of a table."""
        return sum(batch.height for batch in self.batches(table))

    def examples(self) -> Iterator[Example]:
        """Yield every text with all that is recorded about it."""
        for frame in self.example_batches():
            yield from to_examples(frame)

    def example_batches(self) -> Iterator[pl.DataFrame]:
        """Yield the corpus in the common schema, all fields present."""
        for frame in self.example_frames():
            yield conform(
                frame.with_columns(
                    pl.lit(self.name).alias("corpus"), pl.lit(self.lang).alias("lang")
                )
            )

    def verify(self) -> Verification:
        """Say which published release these files are, and where their counts differ."""
        counts = self.counts()
        if self.path.parent.name == SAMPLES and self.path.name == self.name:
            owner = "Tactful" if type(self).__module__.startswith("tactful.") else "the plug-in"
            sample = Release(f"the sample that comes with {owner}", counts, source="")
            return Verification(counts, sample, matches=True)
        return verify(counts, self.releases)

    def release_name(self) -> str | None:
        """Return the name of the published release that these files are, if they are one."""
        found = self.verify()
        return found.release.name if found.release is not None and found.matches else None

    def has(self, table: str) -> bool:
        """Say whether there is a file of this table."""
        return bool(self.sources_of(table))

    def sources_of(self, table: str) -> list[Source]:
        """Return the files of one table."""
        return [source for source in self.sources if source.spec.name == table]

    @property
    def log(self) -> ProblemLog:
        """All that was wrong in the files read so far."""
        return merge(self._logs.values())

    def extra_columns(self, frame: pl.DataFrame, table: str) -> list[str]:
        """Return the columns of a batch that the table's description does not know."""
        known = {c.name for spec in self.tables if spec.name == table for c in spec.columns}
        return [name for name in frame.columns if name not in known | {"line", "split", ""}]

    def start_log(self, name: str) -> ProblemLog:
        """Start a new log of one file or check: reading twice does not report twice."""
        self._logs[name] = ProblemLog(self.settings.max_problems)
        return self._logs[name]

    def _read_source(self, source: Source, seen: SeenKeys) -> Iterator[pl.DataFrame]:
        log = self.start_log(str(source.path))
        for raw in self.raw_batches(source, log):
            batch = typed(source.path, raw, source.spec, log)
            batch = refuse_repeated(source.path, batch, source.spec, seen, log)
            batch = self.check_rows(source, batch, log)
            log.rows_left_out += raw.height - batch.height
            if self.on_progress:
                self.on_progress(source.path, raw)
            yield batch.with_columns(pl.lit(source.split, dtype=pl.String).alias("split"))

    def raw_batches(self, source: Source, log: ProblemLog) -> Iterator[pl.DataFrame]:
        """Yield the rows of a file as text columns."""
        return read_batches(source.path, source.spec, log, self.settings.batch_rows, self.encoding)

    def check_rows(self, source: Source, batch: pl.DataFrame, log: ProblemLog) -> pl.DataFrame:
        """Refuse or repair rows by rules that look at several columns."""
        return batch

    def empty(self, table: str) -> pl.DataFrame:
        """Return a table with its columns and no rows."""
        spec = next(spec for spec in self.tables if spec.name == table)
        columns = {column.name: DTYPES[column.kind] for column in spec.columns}
        return pl.DataFrame(schema={**columns, "line": pl.Int64, "split": pl.String})

    def _find_sources(self, path: Path) -> list[Source]:
        if path.is_file():
            spec = self.spec_by_name(path) or self.sniff(path)
            return [Source(path, self.resolve(path, spec), self.split_of(path))]
        if not path.is_dir():
            raise UsageError(
                f"{path}: there is no such file or folder; expected the files of {self.title}."
            )
        sources: dict[Hashable, Source] = {}
        for file in _files_below(path, self.depth):
            named = self.spec_by_name(file)
            if named is None:
                table = _plain_name(file).endswith(_TABLES)
                self.skipped[file] = NOT_PUBLISHED if table else NO_TABLE
                continue
            source = Source(file, self.resolve(file, named), self.split_of(file))
            first = sources.setdefault(self.same_data(source), source)
            if first is not source:
                same = first.path.relative_to(path)
                self.skipped[file] = f"the same model and part as {same}"
        if not sources:
            raise FileFormatError(
                f"{path}: found {_listing(path)}; expected files of {self.title}, such as "
                f"{', '.join(self.expected_files())}; name the folder that holds them."
            )
        return list(sources.values())

    def same_data(self, source: Source) -> Hashable:
        """Return what two files share that hold the same rows; of these only the first is read."""
        return source.path

    def expected_files(self) -> list[str]:
        """Return the file names that the corpus is looked for under."""
        return [pattern for spec in self.tables for pattern in spec.patterns]

    def spec_by_name(self, path: Path) -> TableSpec | None:
        """Return the table that a file's name promises, if it promises one."""
        name = _plain_name(path)
        for spec in self.tables:
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in spec.patterns):
                return spec
        return None

    def resolve(self, path: Path, spec: TableSpec) -> TableSpec:
        """Return the variant of a table that this very file has."""
        return spec

    def split_of(self, path: Path) -> str | None:
        """Return the official part that a file's name states."""
        name = _plain_name(path)
        return next((split for part, split in self.splits if part in name), None)

    def sniff_header(self, path: Path) -> TableSpec:
        """Choose the table whose required columns the first line has."""
        problems: list[str] = []
        for spec in self.tables:
            first = self.first_row(path, spec)
            if first is None:
                raise FileFormatError(f"{path}: found an empty file; expected rows.")
            if isinstance(first, list):
                try:
                    match_header(path, first, spec)
                except FileFormatError as error:
                    problems.append(str(error))
                else:
                    return spec
        raise FileFormatError(
            f"{path}: found no table of {self.title}; expected a file named as its authors name "
            f"it ({', '.join(self.expected_files())}) or with its columns. "
            + (problems[0] if problems else "")
        )

    def first_row(self, path: Path, spec: TableSpec) -> list[str] | Exception | None:
        """Return the fields of the first row, why it cannot be read, or None in an empty file."""
        with open_text(path, self.encoding or spec.layout.encoding) as handle:
            return next((row for _, row in read_rows(Lines(handle), spec)), None)


def _files_below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files of a folder, then those of its sub-folders; hidden ones are left out."""
    entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    yield from (entry for entry in entries if entry.is_file())
    if depth:
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                yield from _files_below(entry, depth - 1)


def _plain_name(path: Path) -> str:
    name = path.name.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    return name


def _listing(path: Path) -> str:
    names: Sequence[str] = sorted(entry.name for entry in path.iterdir())
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "") if names else "an empty folder"
