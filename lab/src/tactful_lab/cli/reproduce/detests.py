"""``tactful reproduce detests``: baselines beside tables 3 and 4, and the submission files."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.output import echo_answer, echo_sentence
from tactful.files import atomic_folder
from tactful.settings import load_settings
from tactful.words import counted
from tactful_lab.cli.reproduce.shared import (
    TRAINING,
    echo_comparison,
    echo_list,
    echo_title,
    refuse_options,
    require_vectors,
    row_progress,
    split_names,
)

if TYPE_CHECKING:
    from tactful_lab.evaluation.reproduce.detests import DetestsReproduction

NOT_HERE = (
    "models", "folds", "negatives", "grouped", "trust_weighted", "grid_search", "cache", "fresh",
    "shots", "limit", "curves", "key_variable",
)  # fmt: skip
"""Options of tables that are cross-validated; DETESTS has a training and a test part."""


def reproduce_detests_cli(ctx: click.Context, options: Mapping[str, Any]) -> None:
    """Train systems, predict the test part, and print our numbers beside the paper's."""
    from tactful_lab.evaluation.reproduce.detests import reproduce_detests

    why = (
        "other tables; 'detests' has its own training and test part, and --systems chooses its rows"
    )
    refuse_options(ctx, NOT_HERE, why)
    names = split_names(options["systems"], "--systems", "names with commas, or baselines")
    vectors, output = options["vectors"], options["output"]
    require_vectors(vectors)
    settings = load_settings()
    with ExitStack() as stack:
        # A folder that cannot be written is refused before the work starts.
        folder = stack.enter_context(atomic_folder(output, options["force"])) if output else None
        found = reproduce_detests(
            options["data"],
            names,
            seed=options["seed"],
            vectors=vectors,
            encoder=options["encoder"],
            download=options["download"],
            training={name: options[name] for name in TRAINING if options[name] is not None},
            folder=folder,
            settings=settings,
            on_progress=stack.enter_context(row_progress(settings.progress)),
        )
    echo_answer(options["output_format"], found, lambda _: _show(found, output))


def _show(found: "DetestsReproduction", output: Path | None) -> None:
    from tactful_lab.evaluation.reproduce.detests import ANSWER_FILE, SHORT, TITLES
    from tactful_lab.evaluation.reproduce.paper_tables import MEASURES

    tables = found.tables
    echo_title(tables.title, tables.id, f"{tables.paper}, {tables.place}.", found.notes)
    for subtask, title in TITLES.items():
        click.echo(f"\n{title}")
        rows = [([line.system], line) for line in found.lines if line.subtask == subtask]
        echo_comparison(MEASURES[subtask], SHORT, 4, ["system"], rows)
    undefined = {
        f"{line.system}: {reason}." for line in found.lines if line.ours for reason in line.reasons
    }
    echo_list("Undefined:", sorted(undefined))
    echo_list("Not run:", [f"{name}: {reason}" for name, reason in found.not_run.items()])
    click.echo()
    if output is None:
        echo_sentence("Pass --output DIR to keep the submission files.")
    else:
        echo_sentence(
            f"Written: {counted(len(found.files), 'submission file')} and {ANSWER_FILE} in {output}"
        )
