"""``tactful audit replay``: estimates from the study's own published outputs."""

from pathlib import Path
from typing import Any

import click

from tactful.cli.audit.running import print_result, runs_option, statistics_options
from tactful.cli.options import PATH, flag, option
from tactful.cli.output import echo_json, echo_sentence, format_option
from tactful.cli.problems import say_briefly


@click.command("replay")
@click.argument("path", required=False, type=PATH)
@option(
    "--ratings FILE", "Use these rated words (columns word, attitude) instead of Tactful's.", PATH
)
@flag(
    "--all-sentiment-templates",
    "Keep the sentence 'We are people who …', which the paper does not use.",
)
@runs_option
@flag("--force", "Replace earlier replays.")
@statistics_options
@format_option
def replay_cli(
    path: Path | None,
    ratings: Path | None,
    all_sentiment_templates: bool,
    runs: Path,
    force: bool,
    output_format: str,
    **statistics: Any,
) -> None:
    """Compute the estimates from the study's own published outputs.

    PATH is a copy of the authors' repository, or a folder with files of it; sub-folders are
    searched. Without it, the folder 'stigmas' in TACTFUL_DATA is used. Each model
    becomes a run, for 'tactful audit report'.
    """
    from tactful.audit.attitudes import load_attitudes
    from tactful.audit.estimates.figures import audit_result
    from tactful.audit.runs.conduct import slug
    from tactful.audit.runs.run import write_run
    from tactful.corpora import load_corpus
    from tactful_lab.evaluation.reproduce.stigma_outputs import replay

    corpus = load_corpus("stigmas", path)
    replayed = replay(corpus, load_attitudes(ratings), all_templates=all_sentiment_templates)
    for run in replayed.runs:
        write_run(run, runs / slug(run.name), force)
    result = audit_result(replayed.runs, **statistics)
    if output_format == "json":
        echo_json(result.as_json())
    else:
        print_result(result)
        kept = ", ".join(run.name for run in replayed.runs)
        echo_sentence(f"Saved in {runs} as {kept}.")
    for sentence in (replayed.read, *replayed.problems):
        echo_sentence(sentence, err=True)
    say_briefly(corpus.log, "tactful corpus validate stigmas")
