"""``tactful score``: a table of any size, with a column of probabilities for each id."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.errors import EXIT_FAILURE, EXIT_USAGE
from tactful.scale.options import ENGINES, ScoreOptions

if TYPE_CHECKING:
    from tactful.scale.scorer import Scorer
    from tactful.scale.summary import Summary


def split_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in a repeated option, each of which may hold several, comma-separated."""
    return tuple(part.strip() for name in names for part in name.split(",") if part.strip())


@click.command("score", short_help="Score a table of any size: a column for each id.")
@click.argument("inputs", nargs=-1)
@click.option(
    "--output",
    "-o",
    help="The file to write, or a folder for parts (a name without an ending, or one that ends in "
    "/); '-' prints.",
)
@click.option(
    "--text-column", "-t", default="text", show_default=True, help="The column with the text."
)
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
    help="Language of the texts: auto detects it for each text; en or es is for all texts.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="ID",
    callback=lambda ctx, parameter, names: split_names(names),
    help="Only this id and the ids below it; repeatable, or separated by commas.",
)
@click.option("--spans", is_flag=True, help="Add the spans of each id, as JSON.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="local",
    show_default=True,
    help="Where to run: on the cores of this machine, or on a cluster.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Number of parallel processes, actors or tasks; by default the number of cores.",
)
@click.option("--address", help="Where the cluster is: a Ray address or a Spark master.")
@click.option(
    "--where", metavar="CONDITION", help="Score only these rows: \"likes > 3 AND lang = 'en'\"."
)
@click.option("--dedupe", is_flag=True, help="Score equal texts once.")
@click.option(
    "--top",
    type=click.IntRange(1),
    callback=lambda ctx, parameter, count: count or 0,
    metavar="N",
    help="Also write the N rows with the highest probabilities, for review.",
)
@click.option(
    "--top-by",
    metavar="ID",
    help="Rank rows by this id; by default by the highest probability of any.",
)
@click.option("--only-top", is_flag=True, help="Write only the top rows.")
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Break the summary down by this column; repeatable. created:month groups dates by month.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="FILE.html",
    help="Write an overview of the findings as an HTML page.",
)
@click.option("--prefix", default="", help="Put this before the name of each added column.")
@click.option(
    "--format",
    "output_format",
    help="csv, tsv, jsonl, parquet or arrow, and csv.gz, jsonl.zst and so on; by default as the "
    "name of the output shows, or else as the input.",
)
@click.option("--input-format", help="Format of input whose name does not show it; also txt.")
@click.option(
    "--bad-rows",
    "skip_bad_rows",
    type=click.Choice(["stop", "skip"]),
    callback=lambda ctx, parameter, choice: choice == "skip",
    default="stop",
    show_default=True,
    help="What to do with rows that cannot be read: stop, or skip and list them.",
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
    help="Rows per part; by default 10,000, or 1,000 for slow models, and five times as many on a "
    "cluster.",
)
@click.option("--restart", is_flag=True, help="Start over instead of resuming an earlier run.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--follow",
    is_flag=True,
    help="Keep scoring as the file or standard input grows, until interrupted.",
)
@click.option(
    "--latency",
    type=click.FloatRange(0.01),
    default=1.0,
    show_default=True,
    help="With --follow: the longest time in seconds that a row waits for its batch.",
)
@click.option(
    "--progress",
    type=click.Choice(["auto", "bar", "json", "off"]),
    default="auto",
    show_default=True,
    help="How to show the progress; json prints lines on standard error, for scripts.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no summary.")
@click.pass_context
def score_cli(
    ctx: click.Context, /, inputs: tuple[str, ...], output: str | None, **options: Any
) -> None:
    """Score all texts of a table: CSV, TSV, JSON lines, Parquet, Arrow or plain lines.

    The output has all columns of the input, a column of probabilities for each id, the model, and
    the reason where a text has no score. If the input has a column of the same name, the new one is
    called tactful_NAME. Run the same command again to resume after an interruption.

    \b
    tactful score comments.csv --output scored.csv --text-column body
    tactful score archive/ --output scored --format parquet --model fast
    tactful score new.jsonl --follow --output - --lang en
    """
    if not inputs or output is None:
        click.echo(ctx.get_usage(), err=True)
        click.echo("For example: tactful score comments.csv --output scored.csv", err=True)
        ctx.exit(EXIT_USAGE)
    summary = score(ScoreOptions(inputs, output, **options))
    if summary.rows and not summary.scored:
        ctx.exit(EXIT_FAILURE)


def score(options: ScoreOptions) -> "Summary":
    """Score a table; show the progress and, at the end, what was found."""
    from tactful.checking.bulk import bulk_scorer
    from tactful.cli.score.progress import watching, watching_waves
    from tactful.cli.score.summary import echo_outcome
    from tactful.scale.options import job_for
    from tactful.scale.run import run_job
    from tactful.taxonomies.load import find_entry

    def load_scorer() -> "Scorer":
        return bulk_scorer(
            options.model,
            options.lang,
            options.only,
            options.spans,
        )

    job = job_for(options, load_scorer)
    names = {name: find_entry(name).name for name in job.scorer.ids} if options.report else {}
    is_local = options.engine == "local"
    hidden = options.quiet or options.progress in ("json", "off") or not sys.stderr.isatty()
    with watching(options) as watch, nullcontext() if is_local else watching_waves(options) as wave:
        outcome = run_job(job, options, watch, names, on_wave=wave, quiet=hidden)
    echo_outcome(outcome, job, options, watch.seconds)
    return outcome.summary
