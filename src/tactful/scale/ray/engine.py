"""Ray: datasets and jobs, scored in actors that each load the model once.

A job is cut into waves of files, on this machine or on a running cluster. Ray's readers of CSV and
text know other rules than ours for empty cells and line ends. So its tasks hand on pieces of bytes,
cut where a record ends, and the actors read them as the local engine does. An actor writes its part
itself and hands back a record of it, which is much smaller.
"""

import logging
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from inspect import signature
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Unpack
from uuid import uuid4

from tactful.errors import RunError
from tactful.scale.cluster.arrow_store import ArrowStore, file_system
from tactful.scale.cluster.arrow_tables import ArrowScorer, as_frame, without_rows
from tactful.scale.cluster.engine_errors import first_cause, one_sentence_errors
from tactful.scale.cluster.reachability import check_reachable
from tactful.scale.cluster.waves import Prepared, WaveOptions, refuse_arrow, run_waves
from tactful.scale.environment import environment
from tactful.scale.job import Job
from tactful.scale.portions import (
    Plan,
    Portion,
    PortionScorer,
    plan_for_table,
    plan_for_text,
    read_pieces,
    source_at,
)
from tactful.scale.rejects import as_lines
from tactful.scale.scorer import Scorer
from tactful.scale.scoring import Shape, Wanted
from tactful.scale.summary import Outcome, Tally, add_tallies, tally_from_bytes
from tactful.scale.tables.headers import Header
from tactful.scale.tables.pieces import Piece

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileSystem
    from ray.data import Dataset

BATCH_ROWS = 4096
ONE_THREAD = {"POLARS_MAX_THREADS": "1"}
"""An actor has one CPU; more threads would only take turns on it."""
PLACE, LINE_NUMBER, COLUMNS, DATA = "place", "line", "columns", "data"
PART, SUMMARY, TOP, REJECTS = "part", "summary", "top", "rejects"
_LOCAL = {
    **ONE_THREAD,
    "RAY_USAGE_STATS_ENABLED": "0",
    # Workers that are stopped while idle, or started too early, cost a second each.
    "RAY_prestart_worker_first_driver": "0",
    "RAY_idle_worker_killing_time_threshold_ms": "600000",
}
"""Settings for Ray on this machine; a cluster does not get them."""
_TRIES = 3
"""How often a cluster restarts a lost actor."""
_LOOKED_AT = 8 << 20
"""The columns are read from this many bytes of the first file."""


def score_dataset(
    dataset: "Dataset",
    scorer: Scorer,
    wanted: Wanted | None = None,
    shape: Shape = "table",
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float = 1,
    batch_size: int = BATCH_ROWS,
) -> "Dataset":
    """Score a dataset of Ray Data; all its columns are kept with their types.

    ``concurrency`` is the number of actors, or the fewest and the most; by default Ray decides.
    With the shape ``lines`` the dataset has one column, ``line``, of JSON objects.
    """
    import_ray()
    from ray.data import ActorPoolStrategy

    fewest, most = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    pool = ActorPoolStrategy(min_size=fewest or 1, max_size=most)
    return dataset.map_batches(
        BatchActor,
        fn_constructor_args=(scorer, wanted or Wanted(), shape),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=pool,
        num_cpus=num_cpus,
        runtime_env={"env_vars": ONE_THREAD},
    )


class BatchActor:
    """Scores the batches of a dataset; Ray makes one per actor."""

    def __init__(self, scorer: Scorer, wanted: Wanted, shape: Shape):
        self._score = ArrowScorer(scorer, wanted, shape)

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Score a batch."""
        return self._score(batch)


def import_ray() -> Any:
    """Return Ray, or say how to install it."""
    from tactful.errors import MissingExtraError

    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("ray", "The engine 'ray'") from None
    return ray


def by_system(addresses: Sequence[str]) -> "Iterator[tuple[FileSystem, dict[str, str]]]":
    """Group files that lie in one file system; give their paths in it, each with its address.

    Ray would make paths of addresses by rules of its own, and leave out what it cannot read.
    """
    found = ((*file_system(each), each) for each in addresses)
    for system, each in groupby(found, key=itemgetter(0)):
        yield system, {path: address for _, path, address in each}


def piece_source(plan: Plan, system: "FileSystem", files: Mapping[str, str]) -> Any:
    """Return a source of Ray Data whose rows are pieces of the files."""
    import pyarrow as pa
    from ray.data.datasource import FileBasedDatasource

    class Pieces(FileBasedDatasource):  # type: ignore[misc]
        """Cuts files into pieces of whole records; Ray opens and unpacks them."""

        def _read_stream(self, f: Any, path: str) -> "Iterator[pa.Table]":
            source = source_at(files[path], plan.job)
            for piece, head in read_pieces(f, source, plan):
                yield pa.table(
                    {
                        PLACE: pa.array([source.name]),
                        LINE_NUMBER: pa.array([piece.line]),
                        COLUMNS: pa.array([list(head.columns)], pa.list_(pa.string())),
                        DATA: pa.array([piece.data], pa.large_binary()),
                    }
                )

    return Pieces(list(files), filesystem=system)


class PortionActor:
    """Turns pieces, or tables, into parts; the model is opened once."""

    def __init__(self, plan: Plan, folder: str):
        self._portions, self._folder = PortionScorer(plan), folder

    def __call__(self, batch: "pa.Table") -> "pa.Table":
        """Score a batch and write it; return a row for each part."""
        import pyarrow as pa

        if batch.column_names == [PLACE, LINE_NUMBER, COLUMNS, DATA]:
            portions = [self._piece(row) for row in batch.to_pylist()]
        else:
            portions = [self._portions.table(as_frame(batch, batch.column_names))]
        return pa.table(
            {
                PART: pa.array([self._write(each) for each in portions], pa.string()),
                SUMMARY: pa.array(
                    [each.tally.summary_bytes() for each in portions], pa.large_binary()
                ),
                TOP: pa.array([each.tally.top_bytes() for each in portions], pa.large_binary()),
                REJECTS: pa.array(
                    [as_lines(each.tally.rejects) for each in portions], pa.large_binary()
                ),
            }
        )

    def _piece(self, row: dict[str, Any]) -> Portion:
        source = source_at(row[PLACE], self._portions.plan.job)
        piece = Piece(line=row[LINE_NUMBER], data=row[DATA])
        return self._portions.piece(piece, source, Header(columns=tuple(row[COLUMNS])))

    def _write(self, portion: Portion) -> str | None:
        """Write a part under a unique name, so that a repeated task never mixes with another."""
        data = self._portions.data(portion) if len(portion.scored.added) else b""
        if not data:
            return None
        name = f"part-{uuid4().hex}{self._portions.plan.output.ending}"
        system, path = file_system(self._folder)
        with system.open_output_stream(f"{path}/{name}", compression=None) as file:
            file.write(data)
        return name


def run_ray(job: Job, *, quiet: bool = False, **options: Unpack[WaveOptions]) -> Outcome:
    """Score the input into a folder of waves; an interrupted run of the same job is resumed.

    A connection to Ray that is there is used and left open; else ``job.address`` or RAY_ADDRESS
    names a cluster; else Ray is started on this machine, for as long as the run lasts.
    """
    import_ray()
    refuse_arrow(job, "ray")
    with ExitStack() as stack:

        def prepare(first: str) -> Prepared:
            plan = _plan(job, first)
            ray, is_ours = stack.enter_context(_connected(job, quiet))

            def score_wave(files: Sequence[str], folder: str) -> Tally:
                with one_sentence_errors("ray"):
                    return _score_wave(ray, plan, files, folder, is_ours, quiet)

            return score_wave, plan.renamed

        store = ArrowStore(job.input_format)
        return run_waves(job, "ray", store, prepare, **options)


def _plan(job: Job, first: str) -> Plan:
    """Check the first file before the engine starts."""
    plan = Plan(job, job.output_format)
    if job.input_format.kind == "parquet":
        from pyarrow import parquet

        system, path = file_system(first)
        schema = parquet.read_schema(path, filesystem=system)
        return plan_for_table(plan, without_rows(schema.empty_table(), job.wanted))
    system, path = file_system(first)
    with system.open_input_stream(path, compression="detect") as file:
        return plan_for_text(plan, file.read(_LOOKED_AT), source_at(first, job))


def _score_wave(
    ray: Any, plan: Plan, files: Sequence[str], folder: str, is_ours: bool, quiet: bool
) -> Tally:
    job = plan.job
    system, path = file_system(folder)
    system.create_dir(path)
    context = ray.data.DataContext.get_current().copy()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = context.print_on_execution_start = not quiet
    # A piece is a block, so that actors are given work as soon as there is some.
    context.target_max_block_size = job.part_bytes
    # The newer reader of Parquet starts further actors, only to read the ends of files.
    context.use_datasource_v2 = False
    is_table = job.input_format.kind == "parquet"
    tries = _tries(ray, 0 if is_ours else _TRIES)
    with ray.data.DataContext.current(context), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`ray_remote_args` is deprecated")
        dataset = _read(ray, plan, files).map_batches(
            PortionActor,
            fn_constructor_args=(plan, folder),
            batch_format="pyarrow",
            batch_size=job.part_rows if is_table else 1,
            # On a cluster Ray itself decides how many actors there is room for.
            compute=ray.data.ActorPoolStrategy(
                min_size=job.workers if is_ours else 1, max_size=job.workers
            ),
            num_cpus=1,
            # Without a limit Ray would restart forever on a text that crashes its actor.
            **tries,
            runtime_env=None if is_ours else {"env_vars": ONE_THREAD},
        )
        rows = dataset.take_all()
    total = Tally()
    for row in rows:
        total = add_tallies(total, tally_from_bytes(row[SUMMARY], row[TOP], row[REJECTS]), job.top)
    _keep(folder, [row[PART] for row in rows if row[PART]])
    return total


def _tries(ray: Any, count: int) -> dict[str, int]:
    """Return the options that limit restarts; Ray has none from 2.64 on."""
    can_be_limited = "ray_remote_args" in signature(ray.data.Dataset.map_batches).parameters
    return {"max_restarts": count, "max_task_retries": count} if can_be_limited else {}


def _read(ray: Any, plan: Plan, files: Sequence[str]) -> Any:
    """Return a dataset of the files' pieces or, where they are Parquet, of their rows."""
    parts = []
    for system, paths in by_system(files):
        if plan.job.input_format.kind == "parquet":
            part = ray.data.read_parquet(
                list(paths), filesystem=system, partitioning=None, file_extensions=None
            )
        else:
            part = ray.data.read_datasource(piece_source(plan, system, paths))
        parts.append(part)
    return parts[0].union(*parts[1:]) if len(parts) > 1 else parts[0]


def _keep(folder: str, parts: Sequence[str]) -> None:
    """Give parts names in the order of the input; remove those of tasks that were tried again."""
    from pyarrow.fs import FileSelector

    system, path = file_system(folder)
    known = set(parts)
    for info in system.get_file_info(FileSelector(path)):
        if info.is_file and info.base_name not in known:
            system.delete_file(info.path)
    if ArrowStore.renames(system):
        for number, name in enumerate(parts):
            ending = name.partition(".")[2]
            system.move(f"{path}/{name}", f"{path}/part-{number:05d}.{ending}")


@contextmanager
def _connected(job: Job, quiet: bool) -> Iterator[tuple[Any, bool]]:
    """Yield Ray, and whether we started it; an existing connection is left open."""
    ray = import_ray()
    level = logging.ERROR if quiet else logging.WARNING
    _hush(quiet)
    if ray.is_initialized():
        yield ray, False
        return
    address = job.address or os.environ.get("RAY_ADDRESS")
    if address == "local":
        address = None  # so Ray calls the one that it starts on this machine
    settings: dict[str, Any] = {"logging_level": level, "log_to_driver": False}
    with environment({} if address else _LOCAL):
        with _reached(address or "this machine"):
            if address:
                check_reachable(address)
                ray.init(address, **settings)
            else:
                # One CPU more than actors, for the tasks that read.
                ray.init("local", num_cpus=job.workers + 1, include_dashboard=False, **settings)
        try:
            yield ray, not address
        finally:
            ray.shutdown()


def _hush(quiet: bool) -> None:
    """Keep Ray Data from printing errors over several pages: we report them in one sentence.

    Ray's log files still have them.
    """
    log = logging.getLogger("ray.data")
    log.setLevel(logging.ERROR if quiet else logging.INFO)
    for handler in log.handlers:
        if isinstance(handler, logging.StreamHandler) and not hasattr(handler, "baseFilename"):
            handler.addFilter(_no_error)


def _no_error(record: logging.LogRecord) -> bool:
    return record.levelno < logging.ERROR


@contextmanager
def _reached(address: str) -> Iterator[None]:
    try:
        yield
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise RunError(
            f"Ray cannot be reached at {address} ({first_cause(str(error))}); expected a cluster "
            "that runs the same versions of Ray and Python; look at it with 'ray status'."
        ) from None
