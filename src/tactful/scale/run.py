"""A scoring run: the engine that the options name, and the report about its summary."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.scale.job import Job
from tactful.scale.local.place import output_folder
from tactful.scale.options import STDOUT, ScoreOptions
from tactful.scale.progress import Watch
from tactful.scale.summary import Outcome, Summary

if TYPE_CHECKING:
    from tactful.scale.cluster.waves import OnWave


def run_job(
    job: Job,
    options: ScoreOptions,
    watch: Watch,
    names: Mapping[str, str],
    *,
    on_wave: "OnWave | None" = None,
    quiet: bool = False,
) -> Outcome:
    """Run a job on its engine, and write the report if one is asked for.

    ``names`` are the names of the ids, for the report. ``on_wave`` and ``quiet`` are for clusters:
    called after each wave of files, and whether the engine's own progress stays hidden.
    """
    refuse_existing_report(job, options)

    def report(summary: Summary) -> None:
        write_report(summary, job, options, names)

    if options.follow:
        from tactful.scale.follow.follow import follow_local

        out = sys.stdout.buffer
        return follow_local(
            job, watch, options.latency, out, restart=options.restart, force=options.force
        )
    if options.engine == "local" and options.output != STDOUT:
        from tactful.scale.local.engine import run_local

        return run_local(job, watch, restart=options.restart, force=options.force, at_end=report)
    if options.engine == "local":
        from tactful.scale.local.engine import stream_local

        outcome = stream_local(job, sys.stdout.buffer, watch, force=options.force)
    elif options.engine == "ray":
        from tactful.scale.ray.engine import run_ray

        outcome = run_ray(job, restart=options.restart, quiet=quiet, on_wave=on_wave)
    else:
        from tactful.scale.spark.run import run_spark

        outcome = run_spark(job, restart=options.restart, quiet=quiet, on_wave=on_wave)
    report(outcome.summary)
    return outcome


def refuse_existing_report(job: Job, options: ScoreOptions) -> None:
    """Refuse to overwrite a page, unless the run that wrote it is being resumed."""
    page = options.report
    if page is None:
        return
    if page.resolve() in {Path(name).resolve() for name in (job.output, *job.inputs)}:
        raise UsageError(
            f"{page}: found as --report, and as input or output; expected a file of its own, such "
            "as overview.html."
        )
    if page.is_dir():
        raise UsageError(f"{page}: found a folder; expected the name of a page to write.")
    resumes = options.engine == "local" and output_folder(job).is_begun
    if page.exists() and not options.force and not resumes:
        raise UsageError(f"{page}: it exists already; name another or pass --force.")


def write_report(
    summary: Summary, job: Job, options: ScoreOptions, names: Mapping[str, str]
) -> None:
    """Write the overview as a page, if one is asked for."""
    if options.report is None:
        return
    from tactful.scale.report.about import ReportAbout
    from tactful.scale.report.html import report_html

    about = ReportAbout(
        inputs=job.inputs,
        model=job.scorer.model,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        thresholds=job.scorer.thresholds,
        names=dict(names),
        where=job.wanted.where,
        dedupe=job.wanted.dedupe,
        engine=options.engine,
    )
    # An existing page was refused before the start; this one may be from this run.
    with atomic_path(options.report, force=True) as temporary:
        temporary.write_text(report_html(summary, about), encoding="utf-8")
