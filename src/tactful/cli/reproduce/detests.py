"""``tactful reproduce detests``: baselines beside tables 3 and 4, and the submission files."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.cli.reproduce.command import row_progress
from tactful.errors import UsageError
from tactful.files import atomic_folder
from tactful.settings import load_settings
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.detests import DetestsReproduction

NOT_HERE = (
    "models", "folds", "negatives", "grouped", "trust_weighted", "encoder", "download",
    "grid_search", "cache", "fresh",
)  # fmt: skip
"""Options of tables that are cross-validated; DETESTS has a training and a test part."""


def reproduce_detests_cli(
    ctx: click.Context,
    data: Path | None,
    systems: str,
    seed: int,
    vectors: Path | None,
    output: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Train systems, predict the test part, and print our numbers beside the paper's."""
    from tactful.evaluation.reproduce.detests import reproduce_detests

    for name in NOT_HERE:
        if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise UsageError(
                f"--{name.replace('_', '-')} is for other tables; 'detests' has its own training "
                "and test part, and its rows are chosen by --systems; leave it out."
            )
    names = [name.strip() for name in systems.split(",") if name.strip()]
    if not names:
        raise UsageError("Found no name in --systems; expected names with commas, or baselines.")
    if vectors is not None and not vectors.is_file():
        raise UsageError(f"{vectors}: there is no such file; expected word vectors.")
    settings = load_settings()
    with ExitStack() as stack:
        # A folder that cannot be written is refused before the work starts.
        folder = None if output is None else stack.enter_context(atomic_folder(output, force))
        found = reproduce_detests(
            data,
            names,
            seed=seed,
            vectors=vectors,
            folder=folder,
            settings=settings,
            on_progress=stack.enter_context(row_progress(settings.progress)),
        )
    if output_format == "json":
        echo_json(found.as_json())
    else:
        _show(found, output)


def _show(found: "DetestsReproduction", output: Path | None) -> None:
    from tactful.evaluation.reproduce.detests import ANSWER_FILE, SHORT, TITLES
    from tactful.evaluation.reproduce.detests_tables import MEASURES

    click.echo(f"{found.tables.title}: {found.tables.id}")
    echo_sentence(f"{found.tables.paper}, {found.tables.place}.")
    for note in found.notes:
        echo_sentence(note, first="- ", others="  ")
    for subtask, title in TITLES.items():
        click.echo(f"\n{title}")
        measures = MEASURES[subtask]
        head = ["system"]
        for whose in ("paper", "ours", "diff"):
            head += [f"{whose} {SHORT[name]}" for name in measures]
        body = [
            [
                line.system,
                *_numbers(line.paper, measures),
                *_numbers(line.ours, measures),
                *_numbers(line.difference, measures, signed=True),
            ]
            for line in found.lines
            if line.subtask == subtask and (line.paper is not None or line.ours is not None)
        ]
        echo(table(head, body, whole=head))
    undefined = {
        f"{line.system}: {reason}." for line in found.lines if line.ours for reason in line.reasons
    }
    for heading, sentences in (
        ("Undefined:", sorted(undefined)),
        ("Not run:", [f"{name}: {reason}" for name, reason in found.not_run.items()]),
    ):
        if sentences:
            click.echo(f"\n{heading}")
        for sentence in sentences:
            echo_sentence(sentence, first="- ", others="  ")
    click.echo()
    if output is None:
        echo_sentence("Pass --output DIR to keep the submission files.")
    else:
        echo_sentence(
            f"Written: {counted(len(found.files), 'submission file')} and {ANSWER_FILE} in {output}"
        )


def _numbers(
    values: Mapping[str, float | None] | None, measures: Sequence[str], signed: bool = False
) -> list[str]:
    if values is None:
        return [""] * len(measures)
    shown = []
    for name in measures:
        value = values[name]
        if value is None:
            shown.append("" if signed else "undefined")
        else:
            shown.append(f"{value:+.4f}" if signed else f"{value:.4f}")
    return shown
