"""A job on Ray: waves of files, read by Ray Data and scored in its actors."""

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from inspect import signature
from typing import Any, Unpack

from tactful.errors import RunError
from tactful.scale.cluster.arrow_store import ArrowStore, file_system
from tactful.scale.cluster.arrow_tables import without_rows
from tactful.scale.cluster.engine_errors import first_cause, one_sentence_errors
from tactful.scale.cluster.pieces import plan_for_text, source_at
from tactful.scale.cluster.reachability import check_reachable
from tactful.scale.cluster.waves import Prepared, WaveOptions, refuse_arrow, run_waves
from tactful.scale.environment import environment
from tactful.scale.job import Job
from tactful.scale.portions import Plan, plan_for_table
from tactful.scale.ray.engine import ONE_THREAD, import_ray
from tactful.scale.ray.files import (
    PART,
    REJECTS,
    SUMMARY,
    TOP,
    PortionActor,
    by_system,
    piece_source,
)
from tactful.scale.summary import Outcome
from tactful.scale.tally import Tally, add_tallies, tally_from_bytes

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
    can_be_told = "ray_remote_args" in signature(ray.data.Dataset.map_batches).parameters
    return {"max_restarts": count, "max_task_retries": count} if can_be_told else {}


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
