"""Crash-safe runs on a cluster: the input in waves of files, each written completely or repeated.

A wave is one job of the engine. It is written under a temporary name, renamed, and then recorded;
what has no record did not happen. Stores of objects cannot rename a folder: there the record alone
tells that a wave is whole. All files are reached through the engine's own file system.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack
from uuid import uuid4

from tactful.errors import InputError, UsageError
from tactful.scale.changes import refuse_changes
from tactful.scale.cluster.addresses import format_at, is_under, under
from tactful.scale.job import REJECTS, Job
from tactful.scale.rejects import as_lines
from tactful.scale.summary import (
    RANK,
    Outcome,
    Summary,
    Tally,
    add_tallies,
    tally_from_bytes,
    to_json,
    top_file_bytes,
)
from tactful.scale.tables.formats import Format, format_of
from tactful.scale.tables.headers import refuse_other_columns

if TYPE_CHECKING:
    from tactful.scale.cluster.arrow_store import ArrowStore
    from tactful.scale.cluster.hadoop_store import HadoopStore

    Store: TypeAlias = ArrowStore | HadoopStore
    """The files of a run, through an engine's file system; names are paths or addresses."""

VERSION = 1
WAVE_BYTES = 1 << 30
WAVE_FILES = 64
_LOOKS = 8
"""The number of files whose columns are read in parallel; object stores are slow."""
RECORDS = "_tactful"
JOB, SUMMARY, TOP = "job.json", "summary.json", "top"
RUN = "run.txt"
"""Names the run that works here: the last one that began."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of the input, as it was when the run began."""

    path: str
    size: int
    changed: int | None = None
    """When it was last written, in nanoseconds, if the file system knows."""

    def as_data(self) -> dict[str, Any]:
        """Return what identifies the content of the file."""
        return {"file": self.path, "size": self.size, "changed": self.changed}


ScoreWave = Callable[[Sequence[str], str], Tally]
"""Scores files into a folder, which does not exist yet."""
Prepared = tuple[ScoreWave, Mapping[str, str]]
"""The function that scores waves, and the added columns with other names than usual."""
Prepare = Callable[[str], Prepared]
"""Checks the first file that is not empty, and prepares the engine."""
OnWave = Callable[[int, int, Summary], None]
"""Called with the number of finished waves, their total number, and the summary so far."""


def cut_waves(
    files: Sequence[InputFile], most_bytes: int = WAVE_BYTES, most_files: int = WAVE_FILES
) -> list[list[str]]:
    """Group files in their order; a file is never split."""
    waves: list[list[str]] = []
    size = 0
    for file in files:
        if not waves or len(waves[-1]) >= most_files or size + file.size > most_bytes:
            waves.append([])
            size = 0
        waves[-1].append(file.path)
        size += file.size
    return waves


class WaveOptions(TypedDict, total=False):
    """How a run is cut into waves, and who hears of each."""

    restart: bool
    wave_bytes: int
    wave_files: int
    on_wave: OnWave | None


def run_waves(
    job: Job, engine: str, store: "Store", prepare: Prepare, **options: Unpack[WaveOptions]
) -> Outcome:
    """Score all waves that have no record yet, so that an interrupted run is resumed."""
    restart, on_wave = options.get("restart", False), options.get("on_wave")
    out = job.output
    records = under(out, RECORDS)
    files = _found(job, store)
    inputs = [each.as_data() for each in files]
    terms = {"engine": engine, **job.terms()}
    is_cleared = restart and _cleared(store, job)
    waves = None if is_cleared else _earlier(store, out, terms, inputs)
    listed = job.rejects_file
    if waves is None and listed is not None and store.read(listed) is not None:
        raise UsageError(f"{listed}: it exists already; name another place with --rejects.")
    written = (out, *([under(out, f"{TOP}{job.output_format.ending}")] if job.top else ()))
    stored = None if waves is None else store.read(under(records, SUMMARY))
    if stored is not None:
        summary = tally_from_bytes(stored).summary
        return Outcome(summary, written, True, listed if summary.skipped else None)
    # An empty file says nothing about the columns of the others.
    first = next((file for file in files if file.size), files[0]).path
    columns = store.columns(first) if job.input_format.kind == "parquet" else None
    score_wave, renamed = prepare(first)
    if waves is None:
        most_bytes = options.get("wave_bytes", WAVE_BYTES)
        waves = cut_waves(files, most_bytes, options.get("wave_files", WAVE_FILES))
        header = {"tactful score": VERSION, "terms": terms, "inputs": inputs, "waves": waves}
        store.write(under(records, JOB), _bytes(header))
    total, own = Tally(), uuid4().hex
    store.write(under(records, RUN), own.encode())
    for number, wave in enumerate(waves):
        done = _recorded(store, records, number)
        if done is None:
            if columns is not None:
                _refuse_other_columns(store, wave, columns, first)
            done = _one_wave(job, store, score_wave, number, wave, own)
        total = add_tallies(total, done, job.top)
        if on_wave is not None:
            on_wave(number + 1, len(waves), total.summary)
    if job.top:
        top = None if total.top is None else total.top.drop(RANK)
        store.write(written[1], top_file_bytes(top, job))
    if listed is not None and total.rejects:
        order = {file.path: number for number, file in enumerate(files)}
        ordered = sorted(total.rejects, key=lambda each: (order.get(each.file, 0), each.line))
        store.write(listed, as_lines(ordered))
    store.write(under(records, SUMMARY), total.summary_bytes())
    return Outcome(total.summary, written, False, listed if total.rejects else None, renamed)


def _one_wave(
    job: Job, store: "Store", score_wave: ScoreWave, number: int, files: Sequence[str], run: str
) -> Tally:
    name = _wave_name(number)
    final = under(job.output, name)
    # Folders without a record are left over from an interrupted run.
    for each in store.names(job.output):
        if each == name or each.startswith(f".{name}."):
            store.remove(under(job.output, each))
    target = final
    if store.can_rename(job.output):
        # A name of its own: the tasks of a driver that was killed may write for a moment yet.
        target = under(job.output, f".{name}.{uuid4().hex[:8]}.tmp")
    try:
        found = score_wave(files, target)
    finally:
        # A run that begins later removes what has no record; the engine's error would not say so.
        _refuse_later_run(job, store, run)
    if target != final:
        if store.names(target):
            store.rename(target, final)
        else:
            store.remove(target)  # no row of the wave was wanted
    records = under(job.output, RECORDS)
    if found.top is not None:
        store.write(under(records, f"{name}.top.arrow"), found.top_bytes())
    if found.rejects:
        store.write(under(records, f"{name}.{REJECTS}"), as_lines(found.rejects))
    record = {"files": list(files), "rows": found.summary.rows, "summary": to_json(found.summary)}
    store.write(under(records, f"{name}.json"), _bytes(record))
    return found


def _refuse_later_run(job: Job, store: "Store", run: str) -> None:
    if store.read(under(under(job.output, RECORDS), RUN)) != run.encode():
        raise UsageError(
            f"{job.output}: found another run that began later with the same output; it goes on "
            "with the work, and this one ends. Name another --output for another job."
        )


def _refuse_other_columns(
    store: "Store", files: Sequence[str], columns: Mapping[str, str], first: str
) -> None:
    """Compare the columns of Parquet files with those of the first one, several at a time."""
    with ThreadPoolExecutor(_LOOKS) as pool:
        for name, found in zip(files, pool.map(store.columns, files), strict=True):
            refuse_other_columns(name, found, first, columns)


def _recorded(store: "Store", records: str, number: int) -> Tally | None:
    name = _wave_name(number)
    stored = store.read(under(records, f"{name}.json"))
    if stored is None:
        return None
    top = store.read(under(records, f"{name}.top.arrow"))
    rejects = store.read(under(records, f"{name}.{REJECTS}"))
    found = tally_from_bytes(_bytes(json.loads(stored)["summary"]), top or b"", rejects or b"")
    # Earlier versions counted bad rows and did not list them: such a wave is done again.
    return found if len(found.rejects) == found.summary.skipped else None


def _earlier(
    store: "Store", out: str, terms: Mapping[str, Any], inputs: Sequence[Mapping[str, Any]]
) -> list[list[str]] | None:
    """Return the waves of the run to resume; None if there is none."""
    path = under(under(out, RECORDS), JOB)
    stored = store.read(path)
    if stored is None:
        if store.names(out):
            raise UsageError(
                f"{out}: found a folder with other files; expected a new or an empty one for the "
                "parts; name another."
            )
        return None
    try:
        old = json.loads(stored)
        if old["tactful score"] != VERSION:
            raise ValueError(f"version {old['tactful score']}")
        old_terms, old_inputs = old["terms"], old["inputs"]
        waves: list[list[str]] = old["waves"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: found no record of a run that can be resumed ({error}); expected version "
            f"{VERSION}; pass --restart to start over."
        ) from None
    refuse_changes(out, old_terms, json.loads(_bytes(terms)), old_inputs, inputs, exact=True)
    return waves


def refuse_arrow(job: Job, engine: str) -> None:
    """Refuse Arrow files, which the engines of clusters cannot read."""
    if "arrow" in (job.input_format.kind, job.output_format.kind):
        raise UsageError(f"The engine {engine} cannot read or write Arrow files; use Parquet.")


def _found(job: Job, store: "Store") -> list[InputFile]:
    """Return all files to read, each once, without files in the output folder."""
    output = store.place(job.output)
    everything = {each.path: each for each in store.find(job.inputs)}.values()
    files = [each for each in everything if not is_under(each.path, output)]
    if not files:
        raise UsageError(
            f"{job.output}: found all of the input in it; expected two different places; name "
            "another --output."
        )
    for file in files:
        kind = (format_at(file.path) or job.input_format).kind
        if kind != job.input_format.kind:
            raise UsageError(
                f"{file.path}: found a {kind} file; expected files of one kind "
                f"({job.input_format.kind}); score them separately."
            )
    return files


def _cleared(store: "Store", job: Job) -> bool:
    """Remove what an earlier run wrote, and nothing else; say whether there was one.

    Its records of waves go first: if this is cut off, no record names a wave that is gone. The
    record of the job goes last, as it says that the folder is ours.
    """
    out = job.output
    names = store.names(out)
    if RECORDS not in names:
        return False
    records = under(out, RECORDS)
    for name in store.names(records):
        if name != JOB:
            store.remove(under(records, name))
    for name in names:
        is_top = name.startswith(f"{TOP}.") and format_of(name) is not None
        if is_top or name.startswith(("wave-", ".wave-")):
            store.remove(under(out, name))
    if job.rejects_file is not None:
        store.remove(job.rejects_file)
    store.remove(records)
    return True


def is_table(name: str, wished: Format) -> bool:
    """Say whether a file in a folder is read: its name shows the requested format."""
    base = name.rpartition("/")[2]
    if base.startswith((".", "_")):
        return False
    found = format_of(base)
    return found is not None and found.kind == wished.kind


def _wave_name(number: int) -> str:
    return f"wave-{number:05d}"


def _bytes(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=True).encode()
