"""Following a file or standard input as it grows: small batches, each row soon after it came.

After each batch it is noted how far the input was read and how long the output is. After a crash
the output is cut back to that note, and reading goes on from there: each row stands in it once.
"""

import contextlib
import functools
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

from tactful.errors import InputError, UsageError
from tactful.scale.follow_output import FollowedFile, FollowedStream, Output, Place
from tactful.scale.growing import Growing, GrowingFile, GrowingStream, Replaced
from tactful.scale.heads import Head, empty_table, head_of
from tactful.scale.job import Job
from tactful.scale.locking import locked
from tactful.scale.pieces import Piece
from tactful.scale.progress import Watch
from tactful.scale.records import record_ends, refuse_endless
from tactful.scale.scored import check_columns
from tactful.scale.sources import Source, find_sources
from tactful.scale.summary import Summary, merged
from tactful.scale.worker import Done, Setup, Worker
from tactful.scale.writing import added_columns, header_bytes

FIRST_ROWS = 32
"""The first batches are small; later ones are as large as the time allows."""
_PAUSE_SECONDS = 0.05
_WAITING = 0.5
"""The part of the time that a row waits for others; the rest is for scoring it."""


def follow_local(
    job: Job,
    watch: Watch,
    latency: float,
    out: IO[bytes],
    *,
    restart: bool = False,
    force: bool = False,
) -> Summary:
    """Score what is there and what comes, until the stream ends or the user interrupts."""
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
        output: Output = FollowedStream(out)
        if job.output != "-":
            target = Path(job.output)
            stack.enter_context(locked(target.with_name(f".{target.name}.tactful")))
            output = stack.enter_context(
                FollowedFile(target, job.terms(), restart=restart, force=force)
            )
        # Ctrl-C is the usual end: what is written is whole, and the rest will be read again.
        with contextlib.suppress(KeyboardInterrupt):
            follower.run(output)
    return follower.summary


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


class _Follower:
    """Reads what comes, one file after the other, and has it scored and written in batches."""

    def __init__(self, job: Job, source: Source, watch: Watch, latency: float):
        self.job, self.source, self.watch, self.latency = job, source, watch, latency
        self.summary = Summary()
        self.most_rows = FIRST_ROWS
        self._first: Head | None = None
        # A log that is replaced each hour must not have the model opened each hour.
        self._load = functools.cache(job.scorer.load)

    def run(self, output: Output) -> None:
        """Follow until the stream ends; where a file is replaced, go on with the new one."""
        self.watch.start(None, 0, 0)
        place = output.place
        while True:
            growing: Growing
            if self.source.path is None:
                growing = GrowingStream()
            else:
                growing = GrowingFile(self.source.path, place)
                place = growing.place
            with contextlib.closing(growing):
                try:
                    self._follow(growing, place, output)
                except Replaced:
                    place = Place()
                    continue
                return

    def score(self, worker: Worker, piece: Piece) -> Done:
        """Score a batch, count it, and learn from the time that it took."""
        began = time.monotonic()
        done = worker(piece)
        self.summary = merged(self.summary, done.summary or Summary())
        self.watch.part(piece.end - piece.start, done.rows)
        if done.rows:
            # As many rows as can be scored in the time that is left of what a row may take.
            each = (time.monotonic() - began) / done.rows
            self.most_rows = max(1, min(int(self.latency * _WAITING / each), self.job.part_rows))
        return done

    def _follow(self, growing: Growing, place: Place, output: Output) -> None:
        head, rest = self._head(growing)
        worker = self._worker(head, output)
        if place.offset:
            growing.skip_to(place.offset)
            rest = b""
        else:
            place = Place(head.size, 1 + head.lines)
        batches = _Batches(self, worker, growing, place, output)
        batches.add(rest)
        while True:
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

    def _head(self, growing: Growing) -> tuple[Head, bytes]:
        """Wait for the first line, if there must be a header; return what was read behind it."""
        data = b""
        while True:
            new = growing.read()
            data += new
            found = head_of(data, self.source, is_all=growing.ended)
            if found is not None:
                return found, data[found.size :]
            time.sleep(_PAUSE_SECONDS if not new else 0)

    def _worker(self, head: Head, output: Output) -> Worker:
        """Return what scores rows below this head; another file must have the same columns."""
        first = self._first = self._first or head
        if set(head.columns) != set(first.columns):
            raise InputError(
                f"{self.source.name}: found the columns {', '.join(head.columns)} where the file "
                f"was replaced; expected {', '.join(first.columns)}; write to another output."
            )
        if self.source.format.shape == "table":
            table = empty_table(first)
            check_columns(table, self.job.wanted, self.job.scorer)
            columns = [*table.columns, *added_columns(self.job.wanted, self.job.scorer)]
            output.begin(header_bytes(columns, self.job.output_format))
        # Rows are written in the order of the first head, and read in that of the second.
        setup = Setup(self.job, (self.source,) * 2, (first, head), None, self._load)
        return Worker(setup, self.watch.rows)


class _Batches:
    """What was read of one file and is not written yet."""

    def __init__(
        self, follower: _Follower, worker: Worker, growing: Growing, place: Place, output: Output
    ):
        self._follower, self._worker, self._growing = follower, worker, growing
        self._place, self._output = place, output
        self._data = b""
        self._ends: list[int] = []
        self._waiting_since = 0.0

    def add(self, new: bytes) -> None:
        """Take what was read."""
        if not new:
            return
        if not self._ends:
            self._waiting_since = time.monotonic()
        self._data += new
        self._ends = record_ends(self._data, self._follower.source.format).tolist()
        if not self._ends:
            refuse_endless(self._data, f"{self._follower.source.name}, line {self._place.line}")

    def is_due(self) -> bool:
        """Say whether there are rows that fill a batch, or have waited long enough."""
        waited = time.monotonic() - self._waiting_since
        return len(self._ends) >= self._follower.most_rows or (
            bool(self._ends) and waited >= self._follower.latency * _WAITING
        )

    def write(self) -> None:
        """Have as many rows scored and written as can be in time."""
        rows = min(self._follower.most_rows, len(self._ends))
        size = self._ends[rows - 1]
        data = self._data[:size]
        start, line = self._place.offset, self._place.line
        behind = Place(start + size, line + data.count(b"\n"))
        piece = Piece(0, 1, start, behind.offset, line, behind.line, data)
        done = self._follower.score(self._worker, piece)
        self._output.add(done.data, self._growing.marked(behind))
        self._place, self._data = behind, self._data[size:]
        self._ends = [end - size for end in self._ends[rows:]]
        self._waiting_since = time.monotonic()

    def write_all(self, *, with_rest: bool) -> None:
        """Write all rows; with the rest behind the last line end, which is then the last row."""
        if with_rest and self._data and (not self._ends or self._ends[-1] < len(self._data)):
            self._ends.append(len(self._data))
        while self._ends:
            self.write()
