"""The last steps of a run: join the parts into one file, and write the top rows."""

import os
import shutil
from collections.abc import Sequence
from errno import EIO
from pathlib import Path

import polars as pl

from tactful.scale.job import Job
from tactful.scale.local.worker import WORK, part_name, rejects_name, top_name
from tactful.scale.rejects import RejectsFile
from tactful.scale.tables.atomic_write import temporary_path, write_atomically
from tactful.scale.tables.formats import Format
from tactful.scale.tables.where import first_line
from tactful.scale.tables.writing import header_bytes
from tactful.scale.tally import top_file_bytes, top_of

_ROW_GROUP = 100_000


def finish(
    job: Job, folder: Path, target: Path, numbers: Sequence[int], columns: Sequence[str]
) -> tuple[str, ...]:
    """Write the files that are made of all parts; return their paths."""
    written: list[Path] = []
    if job.merged and not job.only_top:
        # Beside the parts, so that leftovers of a crash are removed with them.
        temporary = temporary_path(target, folder / WORK)
        try:
            _join([folder / part_name(each, job) for each in numbers], temporary, job, columns)
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(target)
        except (OSError, pl.exceptions.PolarsError) as error:
            # Polars does not raise an OSError for a full disk, and does not name the file.
            code, said = getattr(error, "errno", None), getattr(error, "strerror", None)
            raise OSError(code or EIO, said or first_line(error), str(target)) from error
        written.append(target)
    elif not job.only_top:
        written.append(target)
    if job.top:
        written.append(_write_top(job, folder, target, numbers))
    return tuple(map(str, written))


def write_rejects(job: Job, folder: Path, numbers: Sequence[int]) -> str | None:
    """Write the list of rows that cannot be read, in the order of the input; return its path."""
    if job.rejects_file is None:
        return None
    # The user's own path may be on another disk, and files cannot be renamed between disks.
    beside = folder / WORK if job.rejects is None else None
    with RejectsFile(Path(job.rejects_file), beside) as file:
        for number in numbers:
            part = folder / WORK / rejects_name(number)
            file.add(part.read_bytes() if part.exists() else b"")
    return file.written


def _join(parts: Sequence[Path], target: Path, job: Job, columns: Sequence[str]) -> None:
    output = job.output_format
    if output.is_columnar:
        _join_tables(parts, target, output)
        return
    with target.open("wb") as file:
        file.write(header_bytes(list(columns), output))
        for part in parts:
            with part.open("rb") as data:
                shutil.copyfileobj(data, file, 1 << 20)


def _join_tables(parts: Sequence[Path], target: Path, output: Format) -> None:
    names = [str(part) for part in parts]
    if output.kind == "parquet":
        pl.scan_parquet(names, glob=False).sink_parquet(
            target, compression="zstd", row_group_size=_ROW_GROUP, maintain_order=True
        )
    else:
        pl.scan_ipc(names, glob=False).sink_ipc(target, compression="zstd", maintain_order=True)


def top_path(job: Job, target: Path) -> Path:
    """Return where the top rows are written: beside the one file, or among the parts."""
    ending = job.output_format.ending
    if job.only_top and job.merged:
        return target
    if job.merged:
        return target.with_name(f"{target.name.removesuffix(ending)}.top{ending}")
    return target / f"top{ending}"


def _write_top(job: Job, folder: Path, target: Path, numbers: Sequence[int]) -> Path:
    path = top_path(job, target)
    parts = (pl.read_ipc((folder / WORK / top_name(each)).read_bytes()) for each in numbers)
    write_atomically(path, top_file_bytes(top_of(parts, job.top), job), folder / WORK)
    return path
