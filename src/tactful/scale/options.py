"""The options of a scoring run, and the job that they describe."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.errors import MissingExtraError, UsageError
from tactful.libraries import is_installed
from tactful.registry import unknown_name
from tactful.scale.environment import cores
from tactful.scale.tables.formats import Format, format_of, named_format
from tactful.scale.tables.sources import STDIN, find_sources, format_from_name, is_remote

if TYPE_CHECKING:
    from tactful.scale.job import Job
    from tactful.scale.scorer import Scorer

ENGINES = ("local", "ray", "spark")
STDOUT = "-"
_EXTREMES = 5
"""The number of passages for each id in the report."""
_CLUSTER_TIMES = 5


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """The options of ``tactful score``."""

    inputs: tuple[str, ...]
    output: str
    text_column: str = "text"
    model: str = "default"
    lang: str = "auto"
    only: tuple[str, ...] = ()
    spans: bool = False
    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    where: str | None = None
    dedupe: bool = False
    top: int = 0
    top_by: str | None = None
    only_top: bool = False
    by: tuple[str, ...] = ()
    report: Path | None = None
    prefix: str = ""
    output_format: str | None = None
    input_format: str | None = None
    skip_bad_rows: bool = False
    rejects: str | None = None
    part_rows: int | None = None
    restart: bool = False
    force: bool = False
    follow: bool = False
    latency: float = 1.0
    progress: str = "auto"
    quiet: bool = False


def job_for(options: ScoreOptions, load_scorer: "Callable[[], Scorer]") -> "Job":
    """Turn options into a job; options that contradict each other are refused first."""
    from tactful.scale.job import Job
    from tactful.scale.scoring import Wanted
    from tactful.scale.tables.where import where_expression

    _refuse_contradictions(options)
    read, write, merged = _formats(options)
    _refuse_without_tables(options, read, write)
    if options.where is not None:
        where_expression(options.where)
    scorer = load_scorer()
    if options.top_by is not None and options.top_by not in scorer.ids:
        raise unknown_name("id", options.top_by, list(scorer.ids))
    # On a cluster a part is a task, and each task has a cost of its own.
    part_rows = scorer.part_rows * (1 if options.engine == "local" else _CLUSTER_TIMES)
    return Job(
        inputs=options.inputs,
        output=options.output.rstrip("/") or "/",
        input_format=read,
        output_format=write,
        merged=merged,
        scorer=scorer,
        wanted=Wanted(
            options.text_column, options.where, options.dedupe, options.prefix, options.by
        ),
        part_rows=options.part_rows or part_rows,
        top=options.top,
        top_by=options.top_by,
        only_top=options.only_top,
        extremes=0 if options.report is None else _EXTREMES,
        skip_bad_rows=options.skip_bad_rows,
        rejects=options.rejects,
        workers=options.workers or cores(),
        address=options.address,
    )


def _refuse_without_tables(options: ScoreOptions, read: Format, write: Format) -> None:
    """Name the extra for what needs a library for tables, where that is not installed."""
    if is_installed("polars"):
        return
    needs = {
        "--where": options.where is not None,
        "--by": bool(options.by),
        "--top": bool(options.top),
        "Reading or writing Parquet and Arrow": read.is_columnar or write.is_columnar,
        "Writing JSON lines as a table": read.kind == "jsonl" and write.kind != "jsonl",
    }
    for purpose, is_asked in needs.items():
        if is_asked:
            raise MissingExtraError("tables", purpose)


def _refuse_contradictions(options: ScoreOptions) -> None:
    if not options.output.strip():
        raise UsageError("--output is empty; name a file, a folder, or '-' for standard output.")
    if (options.only_top or options.top_by) and not options.top:
        raise UsageError("--only-top and --top-by need --top N.")
    _refuse_rejects(options)
    if options.top and options.output == STDOUT:
        raise UsageError("--top writes a file; name one with --output.")
    if options.address and options.engine == "local":
        raise UsageError("--address is for --engine ray or --engine spark.")
    if options.follow and (options.engine != "local" or options.top or options.report):
        raise UsageError("--follow cannot be combined with a cluster, --top or --report.")
    is_file = not options.output.endswith("/") and format_of(options.output) is not None
    if options.engine != "local" and (is_file or options.output == STDOUT):
        raise UsageError(
            f"--engine {options.engine} writes a folder of parts; name one without an ending with "
            "--output, and pass --format."
        )


def _refuse_rejects(options: ScoreOptions) -> None:
    if options.rejects is None:
        return
    if not options.skip_bad_rows:
        raise UsageError("--rejects lists the rows that --bad-rows skip leaves out; pass both.")
    others = (
        options.output,
        *options.inputs,
        *(() if options.report is None else (options.report,)),
    )
    if not options.rejects.strip() or Path(options.rejects) in map(Path, others):
        raise UsageError(
            f"Found --rejects '{options.rejects}'; expected a file of its own, such as "
            "rejects.jsonl."
        )


def _formats(options: ScoreOptions) -> tuple[Format, Format, bool]:
    """Return how the input is read and the output written, and whether that is one file."""
    requested = named_format(options.input_format) if options.input_format else None
    formats = (_input_format(name, options, requested) for name in options.inputs)
    read = next(filter(None, formats), requested)
    if read is None:
        raise UsageError(
            f"{options.inputs[0]}: the name does not show the format; pass --input-format csv, "
            "tsv, jsonl, parquet, arrow or txt."
        )
    if requested is not None and requested.kind != read.kind:
        raise UsageError(
            f"Found --input-format {requested} and a {read} file; expected them to agree; leave "
            "the option out."
        )
    asked = named_format(options.output_format) if options.output_format else None
    named = _named_output(options)
    if asked is not None and named is not None and asked != named:
        raise UsageError(
            f"Found --format {asked} and an output that ends in .{named}; expected them to agree."
        )
    write = asked or named or Format("csv" if read.kind == "txt" else read.kind)
    if write.kind == "txt":
        raise UsageError("Plain lines have no columns; write csv, tsv, jsonl, parquet or arrow.")
    if options.output == STDOUT and write.is_columnar:
        raise UsageError(
            f"{write} cannot be written to standard output; pass --format csv or jsonl."
        )
    return read, write, named is not None or options.output == STDOUT or options.follow


def _input_format(name: str, options: ScoreOptions, requested: Format | None) -> Format | None:
    """Return the format of a file, or of the first table in a folder or of a pattern."""
    if name == STDIN:
        return requested
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - no error for an unknown user
    if not is_remote(name) and (path.is_dir() or (has_magic(name) and not path.exists())):
        return find_sources([name], requested, [Path(options.output)])[0].format
    return format_from_name(name, requested)


def _named_output(options: ScoreOptions) -> Format | None:
    """Return the format that the name of an output file shows; None for a folder."""
    name = options.output
    if name == STDOUT or name.endswith("/") or Path(name).is_dir():
        return None
    found = format_of(name)
    if found is None and Path(name).suffix and not is_remote(name):
        raise UsageError(
            f"Found --output {name}, whose ending is no known format; expected .csv, .tsv, .jsonl, "
            ".parquet or .arrow, or a / at the end for a folder of parts."
        )
    return found
