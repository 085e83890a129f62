"""Worker processes: each loads the model once, and turns one piece at a time into a part.

Results come as they are done, with clear errors. The pool of the standard library hides which
process died of what, and cannot be stopped in the middle of a call; both matter when a run lasts
for hours.
"""

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from tactful.errors import OutputError, RunError, TactfulError, UsageError
from tactful.scale.environment import environment
from tactful.scale.plain import portion_scorer
from tactful.scale.portions import Plan
from tactful.scale.progress import Watch
from tactful.scale.rejects import as_lines
from tactful.scale.score_cache import SharedCache
from tactful.scale.scorer import ScoreBatch
from tactful.scale.scoring import OnRows
from tactful.scale.summary import Summary, Tally, to_json
from tactful.scale.tables.atomic_write import write_atomically
from tactful.scale.tables.headers import Header
from tactful.scale.tables.pieces import Piece
from tactful.scale.tables.sources import Source
from tactful.scale.tables.where import first_line

WORK = "_work"
"""The folder beside the parts with the files that are needed until all parts are complete."""
TOP_FILE, REJECTS_FILE, SUMMARY_FILE = ".top.arrow", ".rejects.jsonl", ".summary.json"
"""The endings of the files about a part: its top rows, its rows that cannot be read, and what was
counted."""
REJECTS, PACKED = "rejects", "packed"
"""The keys under which the manifest records how many rows of a part cannot be read, and how many
bytes of a compressed file a part is."""
_ONE_THREAD = {
    "POLARS_MAX_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""There is a process for each core, so the libraries in it use one thread."""
_LOOK_SECONDS = 0.25
_END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker needs before its first piece."""

    plan: Plan
    sources: tuple[Source, ...]
    headers: tuple[Header, ...]
    folder: Path | None
    """Where parts are written; None where their bytes are returned."""
    load: Callable[[], ScoreBatch]


@dataclass(frozen=True, slots=True)
class Done:
    """A complete part."""

    piece: Piece
    """Without its bytes."""
    record: dict[str, Any]
    """What the manifest records of the part."""
    rows: int
    data: bytes = b""
    """The part itself, its summary and its rejects, where they are not written to a folder."""
    summary: Summary | None = None
    rejects: bytes = b""


class Worker:
    """Turns pieces into parts."""

    def __init__(self, setup: Setup, on_rows: OnRows):
        self.setup = setup
        self._cache: SharedCache | None = None
        if setup.plan.job.wanted.dedupe and setup.folder is not None:
            self._cache = SharedCache(setup.folder / WORK / "texts.sqlite")
        self.portions = portion_scorer(setup.plan, setup.load, self._cache, on_rows)

    def __call__(self, piece: Piece) -> Done:
        """Read, score and write a piece."""
        setup = self.setup
        source, head = setup.sources[piece.source], setup.headers[piece.source]
        has_header = not setup.plan.job.merged
        return self._part(piece, *self.portions.part(piece, source, head, has_header))

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()

    def _part(self, piece: Piece, found: Tally, data: bytes) -> Done:
        folder, job = self.setup.folder, self.setup.plan.job
        bare, rows = replace(piece, data=b""), found.summary.rows
        record = {**piece.record(), REJECTS: len(found.rejects), "rows": rows}
        if piece.packed is not None:
            record[PACKED] = piece.packed
        if folder is None:
            return Done(bare, record, rows, data, found.summary, as_lines(found.rejects))
        work = folder / WORK
        if found.rejects:
            write_atomically(work / part_name(piece.number, REJECTS_FILE), as_lines(found.rejects))
        if job.top:
            write_atomically(work / part_name(piece.number, TOP_FILE), found.top_bytes())
        summary = json.dumps(to_json(found.summary), ensure_ascii=False)
        write_atomically(
            work / part_name(piece.number, SUMMARY_FILE), summary.encode("utf-8", "surrogatepass")
        )
        if not job.only_top:
            write_atomically(folder / part_name(piece.number, job.output_format.ending), data)
        return Done(bare, record, rows)


def part_name(number: int, ending: str) -> str:
    """Return the name of a part, or of a file about it."""
    return f"part-{number:05d}{ending}"


class InProcess:
    """Works in this process, which is faster for a few rows."""

    def __init__(self, setup: Setup, watch: Watch):
        self._worker = Worker(setup, watch.rows)

    def run(self, pieces: Iterator[Piece], most_ahead: int = 0) -> Iterator[Done]:
        """Yield the parts in the order of the pieces."""
        for piece in pieces:
            answer = _answer(self._worker, piece)
            if isinstance(answer, TactfulError):
                raise answer
            yield answer

    def close(self) -> None:
        """Close the worker."""
        self._worker.close()


class Processes:
    """Works in several processes; parts come as they are done."""

    def __init__(self, setup: Setup, workers: int, watch: Watch):
        context = multiprocessing.get_context("spawn")
        self._watch = watch
        # One counter for each, without a lock that a killed worker could leave behind.
        self._counts: Any = context.RawArray("q", workers)
        self._reported = 0
        self._crew: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, Piece] = {}
        try:
            with environment(_ONE_THREAD, override=True), _interrupts_delayed():
                for at in range(workers):
                    ours, theirs = context.Pipe()
                    process = context.Process(
                        target=_work, args=(setup, theirs, self._counts, at), daemon=True
                    )
                    process.start()
                    theirs.close()
                    self._crew[ours] = process
        except BaseException:
            for begun in self._crew.values():
                begun.kill()
            self.close()
            raise

    def run(self, pieces: Iterator[Piece], most_ahead: int = 0) -> Iterator[Done]:
        """Yield the parts as they are done; a piece is read when a worker is free for it.

        ``most_ahead`` limits how many pieces a worker may be ahead of the oldest unfinished one.
        """
        idle = list(self._crew)
        ahead = next(pieces, None)
        while ahead is not None or self._busy:
            while ahead is not None and idle and not self._too_far(ahead, most_ahead):
                connection = idle.pop()
                self._busy[connection] = ahead
                # A crashed worker is noticed and reported when its answer is read.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.send(ahead)
                ahead = next(pieces, None)
            for connection in self._ready():
                yield self._take(connection)
                idle.append(connection)

    def _too_far(self, piece: Piece, most: int) -> bool:
        oldest = min((each.number for each in self._busy.values()), default=piece.number)
        return most > 0 and piece.number - oldest >= most

    def close(self) -> None:
        """Stop all processes; unfinished parts are lost."""
        for connection, process in self._crew.items():
            connection.close()
            if self._busy:
                process.kill()
        for process in self._crew.values():
            process.join(_END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()

    def _ready(self) -> list[Connection]:
        """Wait for answers, and report the rows that are done meanwhile."""
        while True:
            found = wait(list(self._busy), _LOOK_SECONDS)
            done = sum(self._counts)
            self._watch.rows(done - self._reported)
            self._reported = done
            if found:
                return [each for each in found if isinstance(each, Connection)]

    def _take(self, connection: Connection) -> Done:
        piece = self._busy[connection]
        try:
            answer = connection.recv()
        except (EOFError, ConnectionResetError):
            process = self._crew[connection]
            process.join(_END_SECONDS)
            raise _killed(process.exitcode, piece) from None
        del self._busy[connection]
        if isinstance(answer, Exception):
            raise answer
        done: Done = answer
        return done


def _work(setup: Setup, connection: Connection, counts: Any, at: int) -> None:
    """Answer pieces with parts or errors, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def count(rows: int) -> None:
        counts[at] += rows

    worker = Worker(setup, count)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            connection.send(_answer(worker, connection.recv()))


def _end_with_parent() -> None:
    """Exit when the main process is killed: the next run may have started already."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(worker: Worker, piece: Piece) -> Done | TactfulError:
    try:
        return worker(piece)
    except TactfulError as error:
        # Our errors may not survive pickling; their messages do.
        return (UsageError if isinstance(error, UsageError) else RunError)(str(error))
    except Exception as error:
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            return cannot_write(error)
        source = worker.setup.sources[piece.source].name
        return RunError(
            f"{source}, from line {piece.line} on: the rows could not be scored "
            f"({_said(error)}); finished parts are kept."
        )


def _said(error: Exception) -> str:
    name, said = type(error).__name__, first_line(error)
    return name if said == name else f"{name}: {said}"


def cannot_write(error: OSError) -> OutputError:
    """Return the error for output that cannot be written; the run can be resumed."""
    where = error.filename or "The output"
    return OutputError(
        f"{where}: cannot be written ({error.strerror or error}); finished parts are kept: make "
        "room and run the same command again to resume."
    )


def _killed(code: int | None, piece: Piece) -> RunError:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        how = f"was stopped by the system ({name})"
        hint = "; memory may have run out: try fewer --workers" if name == "SIGKILL" else ""
    else:
        how, hint = f"exited by itself (exit code {code})", ""
    return RunError(
        f"A worker {how} while it scored part {piece.number}{hint}; finished parts are kept: run "
        "the same command again to resume."
    )


@contextlib.contextmanager
def _interrupts_delayed() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which reaches all processes of a terminal.

    The main process handles it; the others would print tracebacks.
    An interrupt that comes meanwhile is raised when all are started: a half-started process
    prints a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        with _blocked():
            yield
    finally:
        signal.signal(signal.SIGINT, usual or signal.default_int_handler)
    if heard:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and so in the processes that it starts."""
    if sys.platform == "win32":
        yield
        return
    # Starting the tracker unblocks it again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
