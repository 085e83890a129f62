"""What ``tactful score`` leaves behind besides the rows: a summary, and a page if wished."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.output import echo_sentence

if TYPE_CHECKING:
    from tactful.cli.score.job import ScoreOptions
    from tactful.scale.job import Job
    from tactful.scale.outcome import Outcome
    from tactful.scale.summary import Summary


def tell(outcome: "Outcome", job: "Job", options: "ScoreOptions", seconds: float) -> None:
    """Say on standard error what was found and what was written."""
    from tactful.cli.score.summary import echo_summary, summary_as_data

    if options.quiet:
        return
    summary, written = outcome.summary, outcome.written
    if options.progress == "json":
        told = {
            "event": "summary",
            "written": list(written),
            "rejects": outcome.rejects,
            "renamed_columns": dict(outcome.renamed),
            **summary_as_data(summary),
        }
        click.echo(json.dumps(told), err=True)
        return
    if outcome.was_complete:
        click.echo(f"{options.output} is finished already; --restart scores it again.", err=True)
    echo_summary(summary, job.scorer.model, seconds)
    if outcome.rejects is not None:
        echo_sentence(f"The rows that could not be read are listed in {outcome.rejects}.", err=True)
    elif summary.skipped:
        echo_sentence("Pass --rejects FILE to list the rows that could not be read.", err=True)
    for name, given in outcome.renamed.items():
        echo_sentence(
            f"The input has a column '{name}' of its own, so the added one is '{given}'.", err=True
        )
    report = [str(options.report)] if options.report else []
    if written or report:
        click.echo(f"Wrote {', '.join([*written, *report])}.", err=True)


def refuse_existing_report(job: "Job", options: "ScoreOptions") -> None:
    """Refuse to write over a page, unless it may be of the run that is gone on with."""
    from tactful.errors import UsageError
    from tactful.scale.local.place import place_of

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
    goes_on = options.engine == "local" and place_of(job).is_begun
    if page.exists() and not options.force and not goes_on:
        raise UsageError(f"{page}: it exists already; name another or pass --force.")


def write_report(summary: "Summary", job: "Job", options: "ScoreOptions") -> None:
    """Write the overview as a page, if wished."""
    if options.report is None:
        return
    from tactful.files import atomic_path
    from tactful.scale.report.about import ReportAbout
    from tactful.scale.report.html import report_html
    from tactful.taxonomies.load import find_entry

    about = ReportAbout(
        inputs=job.inputs,
        model=job.scorer.model,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        thresholds=job.scorer.thresholds,
        names={name: find_entry(name).name for name in job.scorer.ids},
        where=job.wanted.where,
        dedupe=job.wanted.dedupe,
        engine=options.engine,
    )
    # A page that is in the way was refused before the start; this one may be of this very run.
    with atomic_path(options.report, force=True) as temporary:
        temporary.write_text(report_html(summary, about), encoding="utf-8")
