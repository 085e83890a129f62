"""Where a run writes: what an earlier run left there, and the last steps.

The last steps join the parts into one file, and write the top rows and the list of bad rows.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tactful.errors import InputError, UsageError
from tactful.files import refuse_existing
from tactful.libraries import Library
from tactful.scale.changes import WHAT_TO_DO
from tactful.scale.job import Job
from tactful.scale.local.manifest import FILE, LOCK, Manifest
from tactful.scale.local.pool import (
    REJECTS,
    REJECTS_FILE,
    SUMMARY_FILE,
    TOP_FILE,
    WORK,
    part_name,
)
from tactful.scale.rejects import RejectsFile
from tactful.scale.summary import top_file_bytes, top_of
from tactful.scale.tables.atomic_write import (
    is_temporary,
    remove_temporary,
    temporary_path,
    write_atomically,
)
from tactful.scale.tables.formats import Format
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source
from tactful.scale.tables.where import first_line
from tactful.scale.tables.writing import header_bytes

if TYPE_CHECKING:
    import polars as pl
else:
    pl = Library("polars")

_ROW_GROUP = 100_000
SUMMARY = "summary.json"
_OURS = re.compile(
    r"part-\d{5,}\.[a-z.]+|top\.[a-z.]+|"
    + "|".join(re.escape(name) for name in (SUMMARY, FILE, WORK))
)
"""The files that a run writes into its folder."""
_BEFORE_THE_FIRST = {LOCK, WORK}
"""The files that exist before the manifest does."""


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """The output of a job, and the folder of its parts, which may be hidden beside it."""

    job: Job
    target: Path
    folder: Path

    @property
    def is_begun(self) -> bool:
        """Whether there is a run to resume."""
        return (self.folder / FILE).exists()

    @property
    def made(self) -> tuple[Path, ...]:
        """The results: the file or folder, and the files beside it."""
        return self.target, *([self._top] if self.job.top else []), *self._rejects

    @property
    def _top(self) -> Path:
        """Where the top rows are written: beside the one file, or among the parts."""
        ending, target = self.job.output_format.ending, self.target
        if self.job.only_top and self.job.merged:
            return target
        if self.job.merged:
            return target.with_name(f"{target.name.removesuffix(ending)}.top{ending}")
        return target / f"top{ending}"

    def _part(self, number: int) -> Path:
        return self.folder / part_name(number, self.job.output_format.ending)

    def _about(self, number: int, ending: str) -> Path:
        """Return a file about a part, which is needed until all parts are complete."""
        return self.folder / WORK / part_name(number, ending)

    @property
    def _rejects(self) -> tuple[Path, ...]:
        name = self.job.rejects_file
        return () if name is None else (Path(name),)

    def refuse_others(self, force: bool) -> None:
        """Refuse to overwrite files of others."""
        target = self.target
        if self.job.merged:
            if target.is_dir():
                raise UsageError(f"{target}: found a folder; expected the name of a file to write.")
        elif target.exists() and not target.is_dir():
            raise UsageError(
                f"{target}: found a file; expected the name of a folder for the parts."
            )
        elif target.is_dir() and not self.is_begun and not self._is_bare():
            raise UsageError(
                f"{target}: found a folder with other files; expected a new or an empty one for "
                "the parts; name another."
            )
        if self.is_begun or force:
            return
        for each in self.made if self.job.merged else self._rejects:
            refuse_existing(each)

    def _is_bare(self) -> bool:
        names = {path.name for path in self.folder.iterdir()}
        return all(name in _BEFORE_THE_FIRST or is_temporary(name) for name in names)

    @contextlib.contextmanager
    def ready(
        self, sources: Sequence[Source], headers: Sequence[str], *, restart: bool
    ) -> Iterator[tuple[Manifest, bool]]:
        """Yield the manifest, and whether the input must be compared with it to resume.

        ``headers`` are fingerprints of the columns of each source, which no part remembers.
        """
        if restart and self.is_begun:
            self._clear()
            for path in self._rejects:
                path.unlink(missing_ok=True)
        inputs = [
            {**each.as_data(), "head": head} for each, head in zip(sources, headers, strict=True)
        ]
        remove_temporary(self.folder)
        # Only the time of a table shows whether its rows have changed.
        manifest = Manifest(
            self.folder,
            self.job.terms(),
            inputs,
            output=self.job.output,
            exact=any(each.format.is_columnar for each in sources),
        )
        work = self.folder / WORK
        if not manifest.resumed:
            # Parts without a manifest, or of another model, may be left in the folder.
            self._clear(but=FILE)
        # Touched files and streams are compared by their content.
        must_look = manifest.resumed and (manifest.inputs != inputs or sources[0].path is None)
        if manifest.is_finished:
            self._refuse_lost(manifest)
        else:
            work.mkdir(exist_ok=True)
            remove_temporary(work)
            self._forget_lost(manifest)
        try:
            yield manifest, must_look
        finally:
            for folder in (self.folder, work):
                if folder.is_dir():
                    remove_temporary(folder)
            if not manifest.parts:
                self._withdraw()

    def finish(self, numbers: Sequence[int], columns: Sequence[str]) -> tuple[str, ...]:
        """Write the files that are made of all parts; return their paths."""
        job, target, work = self.job, self.target, self.folder / WORK
        written: list[Path] = []
        if job.merged and not job.only_top:
            # Beside the parts, so that leftovers of a crash are removed with them.
            temporary = temporary_path(target, work)
            try:
                _join(list(map(self._part, numbers)), temporary, job.output_format, columns)
                with temporary.open("rb+") as file:
                    os.fsync(file.fileno())
                temporary.replace(target)
            except OSError as error:
                # Polars gives its errors neither a number nor a reason of their own.
                said = error.strerror or first_line(error)
                raise OSError(error.errno or EIO, said, str(target)) from error
        if not job.only_top:
            written.append(target)
        if job.top:
            parts = (pl.read_ipc(self._about(each, TOP_FILE).read_bytes()) for each in numbers)
            write_atomically(self._top, top_file_bytes(top_of(parts, job.top), job), work)
            written.append(self._top)
        return tuple(map(str, written))

    def write_rejects(self, numbers: Sequence[int]) -> str | None:
        """Write the list of rows that cannot be read, in the order of the input; return its path.

        The user's own path may be on another disk, and files cannot be renamed between disks.
        """
        beside = self.folder / WORK if self.job.rejects is None else None
        with RejectsFile(next(iter(self._rejects), None), beside) as file:
            for part in (self._about(number, REJECTS_FILE) for number in numbers):
                file.add(part.read_bytes() if part.exists() else b"")
        return file.written

    def tidy(self) -> None:
        """Remove the files that are needed only until the run is complete.

        If this is interrupted, the run still counts as complete; the next one removes the rest.
        """
        if not self.job.merged:
            shutil.rmtree(self.folder / WORK, ignore_errors=True)
            return
        for path in self.folder.iterdir():
            if path.name not in (FILE, SUMMARY, LOCK):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.folder / FILE).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _withdraw(self) -> None:
        """Remove all files of a run without any part."""
        self._clear()
        (self.folder / LOCK).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _clear(self, but: str = "") -> None:
        """Remove the files of a run, and no others; its manifest last."""
        for path in sorted(self.folder.iterdir(), key=lambda path: path.name == FILE):
            if path.name != but and _OURS.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _forget_lost(self, manifest: Manifest) -> None:
        """Forget parts whose files were removed, so that they are made again."""
        for number, part in list(manifest.parts.items()):
            if not all(path.exists() for path in self._files(number, part)):
                del manifest.parts[number]

    def _refuse_lost(self, manifest: Manifest) -> None:
        for path in self._results(manifest):
            if not path.exists():
                raise InputError(
                    f"{path}: it was removed after the run ended; expected all files of the run; "
                    "pass --restart to start over."
                )

    def _results(self, manifest: Manifest) -> Iterator[Path]:
        if self.job.top:
            yield self._top
        if self.job.only_top:
            return
        if self.job.merged:
            yield self.target
            return
        yield from map(self._part, manifest.parts)

    def _files(self, number: int, part: Mapping[str, Any]) -> Iterator[Path]:
        yield self._about(number, SUMMARY_FILE)
        # Earlier versions counted bad rows and did not list them: such a part is made again.
        if part.get(REJECTS, self.job.skip_bad_rows):
            yield self._about(number, REJECTS_FILE)
        if self.job.top:
            yield self._about(number, TOP_FILE)
        if not self.job.only_top:
            yield self._part(number)


def output_folder(job: Job) -> OutputFolder:
    """Return where a job writes."""
    target = Path(job.output)
    hidden = target.with_name(f".{target.name}.tactful") if job.merged else target
    return OutputFolder(job, target, hidden)


def _join(parts: Sequence[Path], target: Path, output: Format, columns: Sequence[str]) -> None:
    if output.is_columnar:
        _join_tables([str(part) for part in parts], target, output)
        return
    with target.open("wb") as file:
        file.write(header_bytes(list(columns), output))
        for part in parts:
            with part.open("rb") as data:
                shutil.copyfileobj(data, file, 1 << 20)


def _join_tables(names: list[str], target: Path, output: Format) -> None:
    try:
        if output.kind == "parquet":
            pl.scan_parquet(names, glob=False).sink_parquet(
                target, compression="zstd", row_group_size=_ROW_GROUP, maintain_order=True
            )
        else:
            pl.scan_ipc(names, glob=False).sink_ipc(target, compression="zstd", maintain_order=True)
    except pl.exceptions.PolarsError as error:
        # Polars does not raise an OSError for a full disk.
        raise OSError(EIO, first_line(error)) from error


def missing_pieces(
    pieces: Iterator[Piece], manifest: Manifest, must_look: bool, output: str
) -> Iterator[Piece]:
    """Yield the missing pieces; the others must not have changed."""
    done = dict(manifest.parts)
    last = max(done, default=-1)
    for piece in pieces:
        known = done.pop(piece.number, None)
        if known is None:
            yield piece
        elif must_look and piece.record() != {name: known[name] for name in piece.record()}:
            raise _other_rows(output, manifest, known)
    if must_look and done:
        # The input is shorter than before.
        raise _other_rows(output, manifest, done.get(last, manifest.parts[last]))


def refuse_more(pieces: Iterator[Piece], manifest: Manifest, output: str) -> None:
    """Refuse an input with more rows than the finished run."""
    for piece in pieces:
        raise _other_rows(output, manifest, piece.record())


def _other_rows(output: str, manifest: Manifest, part: Mapping[str, Any]) -> InputError:
    source = int(part["source"])
    name = manifest.inputs[source]["file"] if source < len(manifest.inputs) else "the input"
    return InputError(
        f"{output}: found an earlier run that cannot be resumed, as the file {name} has other rows "
        f"than it had then, from line {part['line']:,} on. {WHAT_TO_DO}"
    )
