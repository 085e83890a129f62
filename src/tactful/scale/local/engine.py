"""The local engine: all cores of this machine, a manifest, and parts written atomically."""

import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import IO

from tactful.errors import InputError, UsageError
from tactful.files import refuse_existing
from tactful.scale.job import Job
from tactful.scale.local.manifest import Manifest, locked
from tactful.scale.local.place import (
    SUMMARY,
    OutputFolder,
    missing_pieces,
    output_folder,
    refuse_more,
)
from tactful.scale.local.pool import (
    PACKED,
    SUMMARY_FILE,
    WORK,
    Done,
    InProcess,
    Processes,
    Setup,
    cannot_write,
    part_name,
)
from tactful.scale.plain import plan_for_header, plan_for_lines
from tactful.scale.portions import Plan
from tactful.scale.progress import Watch
from tactful.scale.rejects import RejectsFile
from tactful.scale.scorer import PART_ROWS, ScoreBatch
from tactful.scale.summary import Outcome, Summary, from_json, merged, to_json
from tactful.scale.tables.atomic_write import write_atomically
from tactful.scale.tables.headers import Header, read_headers, row_count
from tactful.scale.tables.parse import piece_behind
from tactful.scale.tables.pieces import Begin, Piece, begin_behind, cut_pieces
from tactful.scale.tables.sources import Source, find_sources
from tactful.scale.tables.writing import header_bytes

_ENOUGH_BYTES = 1 << 20
"""Less input than this is scored faster than a second process starts."""
_ENOUGH_ROWS = 5_000
WEIGHTS = "weights"
_AHEAD = 4
"""If the output is in order, the number of pieces that a worker may be ahead of the slowest."""


@dataclass(frozen=True, slots=True)
class Input:
    """The sources of a job, and the plan that their columns give."""

    sources: tuple[Source, ...]
    headers: tuple[Header, ...]
    plan: Plan

    @property
    def prints(self) -> list[str]:
        """A fingerprint of the columns of each source and of the output's schema."""
        types = None if self.plan.schema is None else list(self.plan.schema.items())
        return [
            blake2b(
                repr((head.columns, types)).encode("utf-8", "backslashreplace"), digest_size=8
            ).hexdigest()
            for head in self.headers
        ]

    @property
    def total(self) -> int | None:
        """The size of the input: bytes on the disk, or rows; None if it is not known."""
        if any(source.format.is_columnar for source in self.sources):
            return sum(map(row_count, self.sources))
        if any(source.path is None for source in self.sources):
            return None
        return sum(source.size for source in self.sources)


def run_local(
    job: Job,
    watch: Watch,
    *,
    restart: bool = False,
    force: bool = False,
    at_end: Callable[[Summary], None] | None = None,
) -> Outcome:
    """Score the input into the output; an interrupted run of the same job is resumed.

    ``at_end`` is called with the summary before the run counts as finished: what it writes is
    written again if it fails.
    """
    place = output_folder(job)
    source = _opened(job, place.made)
    place.refuse_others(force or restart)
    try:
        with locked(place.folder):
            with place.ready(source.sources, source.prints, restart=restart) as (
                manifest,
                must_look,
            ):
                work = source.plan.job
                outcome = _run(work, source, place, manifest, must_look, watch)
                if at_end is not None:
                    at_end(outcome.summary)
                if not manifest.is_finished:
                    manifest.finish()
            place.tidy()
    except OSError as error:
        raise cannot_write(error) from error
    return outcome


def _run(
    job: Job, source: Input, place: OutputFolder, manifest: Manifest, must_look: bool, watch: Watch
) -> Outcome:
    begin = Begin() if must_look else begin_behind(manifest.parts)
    pieces = missing_pieces(_cut(job, source, begin), manifest, must_look, job.output)
    if manifest.is_finished:
        refuse_more(pieces if must_look else iter(()), manifest, job.output)
        summary, listed = _read_summary(place.folder / SUMMARY), job.rejects_file
        return Outcome(
            summary,
            (str(place.target),),
            was_complete=True,
            rejects=listed if listed is not None and Path(listed).exists() else None,
            renamed=source.plan.renamed,
        )
    rows = sum(int(part["rows"]) for part in manifest.parts.values())
    watch.start(source.total, _size_done(manifest), rows)
    with _pool(job, source, place.folder, watch) as pool:
        for done in pool.run(pieces):
            manifest.add(done.piece.number, done.record)
            watch.part(done.piece.size, done.rows)
    for each in source.sources:
        each.refuse_if_changed()
    numbers = sorted(manifest.parts)
    written = place.finish(numbers, source.plan.output_columns)
    rejects = place.write_rejects(numbers)
    summary = _summed(place.folder, manifest)
    text = json.dumps(to_json(summary), ensure_ascii=False, indent=1)
    write_atomically(place.folder / SUMMARY, text.encode("utf-8", "surrogatepass"))
    return Outcome(summary, written, rejects=rejects, renamed=source.plan.renamed)


def stream_local(job: Job, out: IO[bytes], watch: Watch, *, force: bool = False) -> Outcome:
    """Score the input to a stream, in its order; such a run cannot be resumed."""
    source = _opened(job)
    job = source.plan.job
    name = None if job.rejects_file is None else Path(job.rejects_file)
    if name is not None:
        refuse_existing(name, force)
    rejects = RejectsFile(name)
    watch.start(source.total, 0, 0)
    summary = Summary()
    out.write(header_bytes(source.plan.output_columns, job.output_format))
    with rejects, _pool(job, source, None, watch) as pool:
        done_parts = pool.run(_cut(job, source, Begin()), _AHEAD * job.workers)
        for done in _in_order(done_parts):
            out.write(done.data)
            out.flush()
            rejects.add(done.rejects)
            summary = merged(summary, done.summary or Summary())
            watch.part(done.piece.size, done.rows)
    return Outcome(summary, rejects=rejects.written, renamed=source.plan.renamed)


def _opened(job: Job, made: Sequence[Path] = ()) -> Input:
    """Open the sources, and check everything that can be checked before the start."""
    sources = tuple(find_sources(job.inputs, job.input_format, made))
    headers = tuple(read_headers(sources))
    plan = Plan(job, job.output_format)
    if sources[0].format.shape == "table":
        return Input(sources, headers, plan_for_header(plan, headers[0]))
    first = _first_piece(job, sources, headers)
    plan, lines = plan_for_lines(plan, first, sources[first.source], headers[first.source])
    if plan.schema is not None and (sources[0].path is None or not lines):
        raise UsageError(
            f"{sources[0].name}: found JSON lines that cannot be read twice, or none at all; "
            "expected a file with lines, to know the columns of the table; write JSONL instead."
        )
    return Input(sources, headers, plan)


def _first_piece(job: Job, sources: Sequence[Source], headers: Sequence[Header]) -> Piece:
    """Return the first lines of JSON; of a stream, those that were read with its header."""
    if sources[0].path is None:
        return piece_behind(headers[0])
    # The columns must not depend on the size of the parts.
    rows = max(job.part_rows, PART_ROWS)
    return next(cut_pieces(sources, headers, rows, job.part_bytes))


def _cut(job: Job, source: Input, begin: Begin) -> Iterator[Piece]:
    return cut_pieces(source.sources, source.headers, job.part_rows, job.part_bytes, begin)


def _summed(folder: Path, manifest: Manifest) -> Summary:
    total = Summary()
    for number in sorted(manifest.parts):
        total = merged(total, _read_summary(folder / WORK / part_name(number, SUMMARY_FILE)))
    return total


def _read_summary(path: Path) -> Summary:
    try:
        return from_json(json.loads(path.read_bytes().decode("utf-8", "surrogatepass")))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: it cannot be read ({error}); expected what the run counted; pass --restart "
            "to start over."
        ) from None


def _size_done(manifest: Manifest) -> int:
    parts = manifest.parts.values()
    return sum(int(part.get(PACKED, int(part["end"]) - int(part["start"]))) for part in parts)


def _in_order(parts: Iterator[Done]) -> Iterator[Done]:
    waiting: dict[int, Done] = {}
    number = 0
    for done in parts:
        waiting[done.piece.number] = done
        while number in waiting:
            yield waiting.pop(number)
            number += 1


@contextlib.contextmanager
def _pool(
    job: Job, source: Input, folder: Path | None, watch: Watch
) -> Iterator[InProcess | Processes]:
    total = source.total
    first = source.sources[0].format
    least = _ENOUGH_ROWS if first.is_columnar else _ENOUGH_BYTES
    # A slow model gains from a second process sooner.
    least = least * job.scorer.part_rows // PART_ROWS
    # The size of a compressed file's content is not known in advance.
    is_small = total is not None and total < least and not first.packing
    alone = job.workers == 1 or is_small
    scorer = job.scorer
    with _weights_folder(folder) as shared:
        load: Callable[[], ScoreBatch] = scorer.load
        if not alone and scorer.lay_out is not None:
            load = scorer.lay_out(shared)
        plan = replace(source.plan, job=replace(job, scorer=replace(scorer, lay_out=None)))
        setup = Setup(plan, source.sources, source.headers, folder, load)
        pool = InProcess(setup, watch) if alone else Processes(setup, job.workers, watch)
        try:
            yield pool
        finally:
            pool.close()


@contextlib.contextmanager
def _weights_folder(folder: Path | None) -> Iterator[Path]:
    """Yield a folder for the model; a later run removes it if this one is killed."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="tactful-") as name:
            yield Path(name)
        return
    weights = folder / WORK / WEIGHTS
    shutil.rmtree(weights, ignore_errors=True)
    try:
        yield weights
    finally:
        shutil.rmtree(weights, ignore_errors=True)
