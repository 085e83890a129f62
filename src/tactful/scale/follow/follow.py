"""Following a file or standard input as it grows: small batches, each row soon after it arrives.

The file is being written by another program. After each batch the position in the input and the
size of the output are recorded. After a crash the output is truncated to that record, and reading
resumes there: it has each row once.
"""

import contextlib
import functools
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import IO

from tactful.errors import InputError, UsageError
from tactful.scale.follow.output import (
    FollowedFile,
    FollowedStream,
    Output,
    Position,
    hidden_folder,
    is_begun,
    refuse_existing,
)
from tactful.scale.job import Job
from tactful.scale.local.manifest import locked
from tactful.scale.local.pool import Done, Setup, Worker
from tactful.scale.options import STDOUT
from tactful.scale.plain import plan_for_header, plan_for_lines
from tactful.scale.portions import Plan
from tactful.scale.progress import Watch
from tactful.scale.scoring import output_names
from tactful.scale.summary import Outcome, Summary, merged
from tactful.scale.tables.headers import Header, header_of
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.records import record_ends, refuse_endless
from tactful.scale.tables.sources import Source, find_sources
from tactful.scale.tables.writing import header_bytes

_BLOCK = 1 << 16
_MARKED_BYTES = 4096
"""The number of bytes at the start that identify a file."""
FIRST_ROWS = 32
"""The first batches are small; later ones are as large as the time allows."""
_PAUSE_SECONDS = 0.05
_LEAST_SECONDS = 1e-6
"""Some clocks are too coarse and measure no time."""
_WAITING = 0.5
"""The share of the latency that a row may wait for others; the rest is for scoring."""


class Replaced(Exception):  # noqa: N818
    """Another file has replaced the one being read; it is read from its start."""

    def __init__(self, is_whole: bool):
        """``is_whole``: the old file was read to its end, so its last line is complete."""
        self.is_whole = is_whole
        super().__init__()


class GrowingStream:
    """Standard input."""

    def __init__(self) -> None:
        self.ended, self.place = False, Position()

    def read(self) -> bytes:
        """Return the available bytes, or none."""
        handle = sys.stdin.fileno()
        if self.ended or not select.select([handle], [], [], 0)[0]:
            return b""
        data = os.read(handle, _BLOCK)
        self.ended = not data
        return data

    def skip_to(self, offset: int) -> None:
        """Do nothing: all bytes of a stream are new."""

    def marked(self, place: Position) -> Position:
        """Return no position: a stream has none."""
        return Position()

    def close(self) -> None:
        """Do nothing."""


class GrowingFile:
    """A file that another program writes; it may be truncated or replaced, as logs are."""

    def __init__(self, path: Path, place: Position):
        self.path, self.ended = path, False
        self._file = path.open("rb")
        self._offset = 0
        self._known = Position()
        # A file with another start is not the one that the position is for.
        same = place.offset and self._mark_of(place.marked) == place.mark
        self.place = place if same else Position()

    def read(self) -> bytes:
        """Return the available bytes, or none."""
        if self._is_written_anew():
            raise Replaced(is_whole=False)
        data = self._file.read(_BLOCK)
        if not data and self._has_a_successor():
            # The last lines may have been written since we looked.
            data = self._file.read(_BLOCK)
            if not data:
                raise Replaced(is_whole=True)
        self._offset += len(data)
        if self._known.marked < _MARKED_BYTES:
            self._known = self.marked(Position(self._offset))
        return data

    def skip_to(self, offset: int) -> None:
        """Continue at a recorded position."""
        self._file.seek(offset)
        self._offset = offset

    def marked(self, place: Position) -> Position:
        """Return a position with the identity of this file."""
        size = min(place.offset, _MARKED_BYTES)
        return replace(place, marked=size, mark=self._mark_of(size))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _mark_of(self, size: int) -> str:
        start = os.pread(self._file.fileno(), size, 0)
        whole = size and len(start) == size
        return blake2b(start, digest_size=16).hexdigest() if whole else ""

    def _is_written_anew(self) -> bool:
        """Say whether the file was truncated, and has perhaps grown again."""
        size = os.fstat(self._file.fileno()).st_size
        return size < self._offset or self._mark_of(self._known.marked) != self._known.mark

    def _has_a_successor(self) -> bool:
        """Say whether another file has the name now, and is no longer empty.

        Until then the program may still write to this one, which logrotate has renamed already.
        """
        try:
            named = self.path.stat()
        except OSError:
            return False  # between two files: the next one will appear
        is_other = not os.path.samestat(named, os.fstat(self._file.fileno()))
        return is_other and named.st_size > 0


Growing = GrowingFile | GrowingStream


def follow_local(
    job: Job,
    watch: Watch,
    latency: float,
    out: IO[bytes],
    *,
    restart: bool = False,
    force: bool = False,
) -> Outcome:
    """Score the existing and all new rows, until the stream ends or the user interrupts."""
    source = _source(job)
    if job.output_format.is_columnar or job.output_format.packing:
        raise UsageError(
            f"--follow adds lines to its output, and {job.output_format} cannot grow so; write "
            "csv, tsv or jsonl."
        )
    if source.format.kind == "jsonl" and job.output_format.kind != "jsonl":
        raise UsageError("--follow cannot know the columns of JSON lines to come; write jsonl.")
    follower = _Follower(replace(job, merged=True), source, watch, latency)
    with contextlib.ExitStack() as stack:
        target = None if job.output == STDOUT else Path(job.output)
        rejects = None if job.rejects_file is None else Path(job.rejects_file)
        goes_on = target is not None and (restart or is_begun(target))
        if rejects is not None:
            refuse_existing(rejects, restart=goes_on, force=force)
        output: Output = FollowedStream(out, rejects)
        if target is not None:
            refuse_existing(target, restart=restart, force=force)
            stack.enter_context(locked(hidden_folder(target)))
            terms = {"input": source.name, **job.terms()}
            output = stack.enter_context(
                FollowedFile(target, terms, restart=restart, rejects=rejects)
            )
        with contextlib.suppress(KeyboardInterrupt), follower.stop.listening():
            follower.run(output)
    listed = job.rejects_file if follower.summary.skipped else None
    return Outcome(follower.summary, rejects=listed, renamed=follower.plan.renamed)


def _source(job: Job) -> Source:
    sources = find_sources(job.inputs, job.input_format)
    if len(sources) != 1:
        raise UsageError(f"--follow reads one file or '-', and found {len(sources)}; name one.")
    source = sources[0]
    if source.format.is_columnar or source.format.packing:
        raise UsageError(
            f"{source.name}: a {source.format} file does not grow line by line; --follow reads "
            "csv, tsv, jsonl and txt."
        )
    return source


class _Stop:
    """Ctrl-C, the usual end: the first stops after the current batch, the second immediately."""

    def __init__(self) -> None:
        self.is_wanted = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Handle Ctrl-C in the block; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        usual = signal.signal(signal.SIGINT, self._hear)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)

    def _hear(self, *_: object) -> None:
        if self.is_wanted:
            raise KeyboardInterrupt
        self.is_wanted = True


class _Follower:
    """Reads the input, one file after the other, and scores and writes it in batches."""

    def __init__(self, job: Job, source: Source, watch: Watch, latency: float):
        self.plan, self.source = Plan(job, job.output_format), source
        self.watch, self.latency = watch, latency
        self.summary, self.stop = Summary(), _Stop()
        self.most_rows = FIRST_ROWS
        self._first: Header | None = None
        self._unseen = source.format.shape == "lines"
        """Whether no line was read yet; the columns of a table are known earlier."""
        # A log that is rotated each hour must not reload the model each hour.
        self._load = functools.cache(job.scorer.load)

    @property
    def job(self) -> Job:
        """The job, with the keys that lines of JSON are known to have."""
        return self.plan.job

    def run(self, output: Output) -> None:
        """Follow until the stream ends; if a file is replaced, continue with the new one."""
        self.watch.start(None, 0, 0)
        place = output.place
        self._unseen = self._unseen and not place.offset
        wanted = replace(self.job.wanted, keys=output.keys)
        names = output_names(output.keys, self.job.scorer.columns, wanted.prefix)
        self.plan = replace(self.plan, job=replace(self.job, wanted=wanted), names=names)
        while True:
            path = self.source.path
            growing = GrowingStream() if path is None else GrowingFile(path, place)
            place = growing.place
            with contextlib.closing(growing):
                try:
                    self._follow(growing, place, output)
                except Replaced:
                    place = Position()
                    continue
                return

    def score(self, worker: Worker, piece: Piece, rows: int) -> Done:
        """Score a batch, count it, and adapt the size of the next one to the time it took."""
        if self._unseen:
            self._look_at(piece, worker)
        began = time.monotonic()
        done = worker(piece)
        self.summary = merged(self.summary, done.summary or Summary())
        self.watch.part(piece.end - piece.start, done.rows)
        self.most_rows = self.rows_in_time(rows, time.monotonic() - began)
        return done

    def _look_at(self, piece: Piece, worker: Worker) -> None:
        """Refuse first lines that lack a requested key."""
        head = worker.setup.headers[piece.source]
        self.plan, lines = plan_for_lines(self.plan, piece, self.source, head)
        worker.portions.use(self.plan)
        self._unseen = not lines

    def rows_in_time(self, rows: int, seconds: float) -> int:
        """Return how many rows can be scored within the latency.

        ``rows`` were read in ``seconds``; some of them may not have been wanted.
        """
        in_time = rows * self.latency * _WAITING / max(seconds, _LEAST_SECONDS)
        return max(1, min(int(in_time), self.job.part_rows))

    def _follow(self, growing: Growing, place: Position, output: Output) -> None:
        head, rest = self._head(growing)
        worker = self._worker(head, output)
        if place.offset:
            growing.skip_to(place.offset)
            rest = b""
        else:
            place = Position(head.size, 1 + head.lines)
        batches = _Batches(self, worker, growing, place, output)
        batches.add(rest)
        while not self.stop.is_wanted:
            new = b""
            # Rows that are not scored yet wait in the file, not in memory.
            if not batches.are_full():
                try:
                    new = growing.read()
                except Replaced as replaced:
                    batches.write_all(with_rest=replaced.is_whole)
                    raise
                batches.add(new)
            if growing.ended:
                batches.write_all(with_rest=True)
                return
            if batches.is_due():
                batches.write()
            elif not new:
                time.sleep(_PAUSE_SECONDS)
        if self.source.path is None:
            # A file can be read again, and a stream cannot.
            batches.write_all(with_rest=False)

    def _head(self, growing: Growing) -> tuple[Header, bytes]:
        """Wait for the header, if there is one; return it and the bytes after it."""
        data = b""
        while not self.stop.is_wanted:
            new = growing.read()
            data += new
            found = header_of(data, self.source, is_all=growing.ended)
            if found is not None:
                return found, data[found.size :]
            time.sleep(_PAUSE_SECONDS if not new else 0)
        raise KeyboardInterrupt

    def _worker(self, head: Header, output: Output) -> Worker:
        """Return a worker for rows below this header; another file must have the same columns."""
        first = self._first = self._first or head
        if set(head.columns) != set(first.columns):
            raise InputError(
                f"{self.source.name}: found the columns {', '.join(head.columns)} where the file "
                f"was replaced; expected {', '.join(first.columns)}; write to another output."
            )
        header = b""
        if self.source.format.shape == "table":
            self.plan = plan_for_header(self.plan, first)
            header = header_bytes(self.plan.output_columns, self.job.output_format)
        output.begin(header)
        # Columns are written in the order of the first header, and read in that of the second.
        setup = Setup(self.plan, (self.source,) * 2, (first, head), None, self._load)
        return Worker(setup, self.watch.rows)


class _Batches:
    """The rows of one file that are read, but not written yet."""

    def __init__(
        self, follower: _Follower, worker: Worker, growing: Growing, place: Position, output: Output
    ):
        self._follower, self._worker, self._growing = follower, worker, growing
        self._place, self._output = place, output
        self._data = b""
        self._ends: list[int] = []
        self._waiting_since = 0.0

    def add(self, new: bytes) -> None:
        """Add bytes of the input."""
        if not new:
            return
        if not self._ends:
            self._waiting_since = time.monotonic()
        self._data += new
        self._ends = record_ends(self._data, self._follower.source.format).tolist()
        if not self._ends:
            refuse_endless(self._data, f"{self._follower.source.name}, line {self._place.line}")

    def are_full(self) -> bool:
        """Say whether there are as many rows as can be scored within the latency."""
        return len(self._ends) >= self._follower.most_rows

    def is_due(self) -> bool:
        """Say whether a batch is full, or its rows have waited long enough."""
        waited = time.monotonic() - self._waiting_since
        has_waited = waited >= self._follower.latency * _WAITING
        return self.are_full() or (bool(self._ends) and has_waited)

    def write(self) -> None:
        """Score and write as many rows as fit into the latency."""
        rows = min(self._follower.most_rows, len(self._ends))
        size = self._ends[rows - 1]
        data = self._data[:size]
        start, line = self._place.offset, self._place.line
        behind = Position(start + size, line + data.count(b"\n"))
        piece = Piece(0, 1, start, behind.offset, line, behind.line, data)
        done = self._follower.score(self._worker, piece, rows)
        self._output.keys = self._follower.job.wanted.keys
        self._output.add(done.data, self._growing.marked(behind), done.rejects)
        self._place, self._data = behind, self._data[size:]
        # The remaining rows have waited as long as the first one.
        self._ends = [end - size for end in self._ends[rows:]]

    def write_all(self, *, with_rest: bool) -> None:
        """Write all rows; ``with_rest``: the bytes after the last line end are a row, too."""
        if with_rest:
            kind = self._follower.source.format
            self._ends = record_ends(self._data, kind, is_all=True).tolist()
        while self._ends:
            self.write()
