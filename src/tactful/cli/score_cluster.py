"""``tactful score`` on a cluster: the engine reads, distributes and writes."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from tactful.words import counted

if TYPE_CHECKING:
    from tactful.cli.score_job import ScoreWishes
    from tactful.scale.job import Job
    from tactful.scale.outcome import Outcome
    from tactful.scale.summary import Summary


def score_on_cluster(job: "Job", wishes: "ScoreWishes") -> "Outcome":
    """Run a job on Ray or Spark."""
    quiet = wishes.quiet or wishes.progress in ("json", "off") or not sys.stderr.isatty()
    if wishes.engine == "ray":
        from tactful.scale.ray_run import run_ray as run
    else:
        from tactful.scale.spark_run import run_spark as run
    return run(job, restart=wishes.restart, quiet=quiet, on_wave=_teller(wishes))


def _teller(wishes: "ScoreWishes") -> "Callable[[int, int, Summary], None] | None":
    """Return what tells of each wave; within a wave, the engine's own progress is shown."""
    import json

    if wishes.quiet or wishes.progress == "off":
        return None

    def tell(done: int, of: int, summary: "Summary") -> None:
        if wishes.progress == "json":
            told = {"event": "progress", "rows": summary.rows, "waves": done, "of": of}
            click.echo(json.dumps(told), err=True)
        elif of > 1:
            click.echo(f"Wave {done} of {of}: {counted(summary.rows, 'row')} so far.", err=True)

    return tell
