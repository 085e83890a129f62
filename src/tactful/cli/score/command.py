"""``tactful score``: a table of any size, with a column of probabilities for each id."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tactful.cli.score.job import ENGINES, STDOUT, ScoreOptions
from tactful.errors import EXIT_FAILURE, EXIT_USAGE

if TYPE_CHECKING:
    from tactful.scale.job import Job
    from tactful.scale.outcome import Outcome
    from tactful.scale.progress import Watch
    from tactful.scale.summary import Summary


@click.command("score", short_help="Score a table of any size: a column for each id.")
@click.argument("inputs", nargs=-1)
@click.option(
    "--output",
    "-o",
    help="The file to write, or a folder for parts (a name without an ending, or one that ends in "
    "/); '-' prints.",
)
@click.option("--text-column", "-t", default="text", show_default=True, help="Where the text is.")
@click.option(
    "--model",
    "-m",
    default="default",
    show_default=True,
    help="default, cascade, fast, or the folder of a detector.",
)
@click.option(
    "--lang",
    default="auto",
    show_default=True,
    help="auto reads each text in its language; en or es reads all in one.",
)
@click.option("--only", multiple=True, metavar="ID", help="Only this id and those below it.")
@click.option("--spans", is_flag=True, help="Add where in the text each id was found, as JSON.")
@click.option(
    "--second-reading/--no-second-reading",
    default=True,
    show_default=True,
    help="Correct the scores of texts that only mention a group; with --model fast and cascade "
    "that takes most of the time.",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="local",
    show_default=True,
    help="What runs it: the cores of this machine, or a cluster.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes, actors or tasks at once; as many as there are cores by default.",
)
@click.option("--address", help="Where the cluster is: a Ray address or a Spark master.")
@click.option(
    "--where", metavar="CONDITION", help="Score only these rows: \"likes > 3 AND lang = 'en'\"."
)
@click.option("--dedupe", is_flag=True, help="Score equal texts once.")
@click.option(
    "--top", type=click.IntRange(1), metavar="N", help="Also write the N worst rows, for review."
)
@click.option(
    "--top-by", metavar="ID", help="What makes a row worse; the highest of all ids by default."
)
@click.option("--only-top", is_flag=True, help="Write the worst rows only.")
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Break the summary down by a column; created:month takes a part of a date.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Write an overview of what was found, as a page.",
)
@click.option("--prefix", default="", help="Put this before the name of each added column.")
@click.option(
    "--format",
    "output_format",
    help="csv, tsv, jsonl, parquet or arrow, and csv.gz, jsonl.zst and so on; by default as the "
    "output is named, or else as the input is.",
)
@click.option("--input-format", help="The same, for input whose name does not tell; also txt.")
@click.option(
    "--bad-rows",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="What to do where a row cannot be read: stop, or leave it out and list it.",
)
@click.option(
    "--rejects",
    metavar="FILE",
    help="With --bad-rows skip: where to list the rows that cannot be read, as JSON lines; by "
    "default OUTPUT.rejects.jsonl, and nowhere if the output is printed.",
)
@click.option(
    "--part-rows",
    type=click.IntRange(1),
    help="Rows in a part; by default 10,000, or 1,000 where a model reads slowly, and on a cluster "
    "five times as many.",
)
@click.option("--restart", is_flag=True, help="Start again instead of resuming an earlier run.")
@click.option("--force", is_flag=True, help="Write over a file that exists.")
@click.option(
    "--follow", is_flag=True, help="Go on as the file or standard input grows, until interrupted."
)
@click.option(
    "--latency",
    type=click.FloatRange(0.01),
    default=1.0,
    show_default=True,
    help="With --follow: seconds that a row may wait for others.",
)
@click.option(
    "--progress",
    type=click.Choice(["auto", "bar", "json", "off"]),
    default="auto",
    show_default=True,
    help="json tells it in lines on standard error, for scripts.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary.")
@click.pass_context
def score_cli(
    ctx: click.Context,
    inputs: tuple[str, ...],
    output: str | None,
    text_column: str,
    model: str,
    lang: str,
    only: tuple[str, ...],
    spans: bool,
    second_reading: bool,
    engine: str,
    workers: int | None,
    address: str | None,
    where: str | None,
    dedupe: bool,
    top: int | None,
    top_by: str | None,
    only_top: bool,
    by: tuple[str, ...],
    report: Path | None,
    prefix: str,
    output_format: str | None,
    input_format: str | None,
    bad_rows: str,
    rejects: str | None,
    part_rows: int | None,
    restart: bool,
    force: bool,
    follow: bool,
    latency: float,
    progress: str,
    quiet: bool,
) -> None:
    """Score all texts of a table: CSV, TSV, JSON lines, Parquet, Arrow or plain lines.

    All columns are kept, and one is added for each id, besides the model and the reason where a
    text has no score. Where the input has a column of such a name, it stays, and the new one is
    called tactful_NAME. Run the same command again to go on after an interruption.

    \b
    tactful score comments.csv --output scored.csv --text-column body
    tactful score archive/ --output scored --format parquet --model fast
    tactful score new.jsonl --follow --output - --lang en
    """
    if not inputs or output is None:
        click.echo(ctx.get_usage(), err=True)
        click.echo("For example: tactful score comments.csv --output scored.csv", err=True)
        ctx.exit(EXIT_USAGE)
    options = ScoreOptions(
        inputs=inputs,
        output=output,
        text_column=text_column,
        model=model,
        lang=lang,
        only=tuple(part.strip() for name in only for part in name.split(",") if part.strip()),
        spans=spans,
        second_reading=second_reading,
        engine=engine,
        workers=workers,
        address=address,
        where=where,
        dedupe=dedupe,
        top=top or 0,
        top_by=top_by,
        only_top=only_top,
        by=by,
        report=report,
        prefix=prefix,
        output_format=output_format,
        input_format=input_format,
        skip_bad_rows=bad_rows == "skip",
        rejects=rejects,
        part_rows=part_rows,
        restart=restart,
        force=force,
        follow=follow,
        latency=latency,
        progress=progress,
        quiet=quiet,
    )
    summary = score(options)
    if summary.rows and not summary.scored:
        ctx.exit(EXIT_FAILURE)


def score(options: ScoreOptions) -> "Summary":
    """Score a table as wished; tell how far it is and, at the end, what was found."""
    from tactful.cli.score.job import job_of
    from tactful.cli.score.progress import watching
    from tactful.cli.score.report import refuse_existing_report, tell

    job = job_of(options)
    refuse_existing_report(job, options)
    with watching(options) as watch:
        outcome = _run(job, options, watch)
    tell(outcome, job, options, watch.seconds)
    return outcome.summary


def _run(job: "Job", options: ScoreOptions, watch: "Watch") -> "Outcome":
    """Run a job as wished."""
    from tactful.cli.score.report import write_report

    again = {"restart": options.restart, "force": options.force}
    if options.follow:
        from tactful.scale.follow.follow import follow_local

        return follow_local(job, watch, options.latency, sys.stdout.buffer, **again)
    if options.engine == "local" and options.output != STDOUT:
        from tactful.scale.local.engine import run_local

        def at_end(summary: "Summary") -> None:
            write_report(summary, job, options)

        return run_local(job, watch, at_end=at_end, **again)
    if options.engine == "local":
        from tactful.scale.local.engine import stream_local

        outcome = stream_local(job, sys.stdout.buffer, watch, force=options.force)
    else:
        from tactful.cli.score.cluster import score_on_cluster

        outcome = score_on_cluster(job, options)
    write_report(outcome.summary, job, options)
    return outcome
