"""``tactful score`` on a cluster: the engine reads, distributes and writes."""

import json
import sys
from typing import TYPE_CHECKING

import click

from tactful.cli.progress import progress
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.cli.score.job import ScoreOptions
    from tactful.scale.job import Job
    from tactful.scale.outcome import Outcome
    from tactful.scale.summary import Summary


def score_on_cluster(job: "Job", options: "ScoreOptions") -> "Outcome":
    """Run a job on Ray or Spark."""
    is_told = not options.quiet and options.progress not in ("json", "off")
    if options.engine == "ray":
        from tactful.scale.ray.run import run_ray as run
    else:
        from tactful.scale.spark.run import run_spark as run
    title = f"Scoring on {options.engine}"
    # On a terminal the engine's own progress is shown.
    setting = None if is_told else "off"
    with progress(title, unit="waves", setting=setting, bar=False) as shown:

        def on_wave(done: int, of: int, summary: "Summary") -> None:
            shown(done, of, f"{title}, {summary.rows:,} rows so far")
            _tell(options, done, of, summary)

        quiet = not is_told or not sys.stderr.isatty()
        return run(job, restart=options.restart, quiet=quiet, on_wave=on_wave)


def _tell(options: "ScoreOptions", done: int, of: int, summary: "Summary") -> None:
    """Tell of each wave; within a wave, the engine's own progress is shown."""
    if options.quiet or options.progress == "off":
        return
    if options.progress == "json":
        told = {"event": "progress", "rows": summary.rows, "waves": done, "of": of}
        click.echo(json.dumps(told), err=True)
    elif of > 1:
        click.echo(f"Wave {done} of {of}: {counted(summary.rows, 'row')} so far.", err=True)
