"""``tactful score``: a table of any size, with a column of probabilities for each id."""

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import PATH, POSITIVE, flag, only_option, option, several
from tactful.errors import EXIT_FAILURE, EXIT_USAGE
from tactful.scale.options import ENGINES, ScoreOptions

if TYPE_CHECKING:
    from tactful.scale.scorer import Scorer
    from tactful.scale.summary import Summary


@click.command("score", short_help="Score a table of any size: a column for each id.")
@click.argument("inputs", nargs=-1)
@option(
    "--output -o",
    "The file to write, or a folder for parts (a name without an ending, or one that ends in "
    "/); '-' prints.",
)
@option("--text-column -t", "The column with the text.", default="text")
@option("--model -m", "default, cascade, fast, or the folder of a detector.", default="default")
@option(
    "--lang",
    "Language of the texts: auto detects it for each text; en or es is for all texts.",
    default="auto",
)
@only_option("Only this id and the ids below it; repeatable, or separated by commas.")
@flag("--spans", "Add the spans of each id, as JSON.")
@option(
    "--engine", "Where to run: on the cores of this machine, or on a cluster.", ENGINES, "local"
)
@option(
    "--workers",
    "Number of parallel processes, actors or tasks; by default the number of cores.",
    POSITIVE,
)
@option("--address", "Where the cluster is: a Ray address or a Spark master.")
@option("--where CONDITION", "Score only these rows: \"likes > 3 AND lang = 'en'\".")
@flag("--dedupe", "Score equal texts once.")
@option(
    "--top N",
    "Also write the N rows with the highest probabilities, for review.",
    POSITIVE,
    callback=lambda ctx, parameter, count: count or 0,
)
@option("--top-by ID", "Rank rows by this id; by default by the highest probability of any.")
@flag("--only-top", "Write only the top rows.")
@several(
    "--by COLUMN",
    "Break the summary down by this column; repeatable. created:month groups dates by month.",
)
@option("--report FILE.html", "Write an overview of the findings as an HTML page.", PATH)
@option("--prefix", "Put this before the name of each added column.", default="")
@option(
    "--format output_format",
    "csv, tsv, jsonl, parquet or arrow, and csv.gz, jsonl.zst and so on; by default as the "
    "name of the output shows, or else as the input.",
)
@option("--input-format", "Format of input whose name does not show it; also txt.")
@option(
    "--bad-rows skip_bad_rows",
    "What to do with rows that cannot be read: stop, or skip and list them.",
    ["stop", "skip"],
    "stop",
    callback=lambda ctx, parameter, choice: choice == "skip",
)
@option(
    "--rejects FILE",
    "With --bad-rows skip: where to list the rows that cannot be read, as JSON lines; by "
    "default OUTPUT.rejects.jsonl, and nowhere if the output is printed.",
)
@option(
    "--part-rows",
    "Rows per part; by default 10,000, or 1,000 for slow models, and five times as many on a "
    "cluster.",
    POSITIVE,
)
@flag("--restart", "Start over instead of resuming an earlier run.")
@flag("--force", "Overwrite existing files.")
@flag("--follow", "Keep scoring as the file or standard input grows, until interrupted.")
@option(
    "--latency",
    "With --follow: the longest time in seconds that a row waits for its batch.",
    click.FloatRange(0.01),
    1.0,
)
@option(
    "--progress",
    "How to show the progress; json prints lines on standard error, for scripts.",
    ["auto", "bar", "json", "off"],
    "auto",
)
@flag("--quiet -q", "Print no progress and no summary.")
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
        return bulk_scorer(options.model, options.lang, options.only, options.spans)

    job = job_for(options, load_scorer)
    names = {name: find_entry(name).name for name in job.scorer.ids} if options.report else {}
    is_local = options.engine == "local"
    hidden = options.quiet or options.progress in ("json", "off") or not sys.stderr.isatty()
    with watching(options) as watch, nullcontext() if is_local else watching_waves(options) as wave:
        outcome = run_job(job, options, watch, names, on_wave=wave, quiet=hidden)
    echo_outcome(outcome, job, options, watch.seconds)
    return outcome.summary
