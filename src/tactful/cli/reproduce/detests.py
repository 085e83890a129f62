"""``tactful reproduce detests``: baselines beside tables 3 and 4, and the submission files."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tactful import __version__
from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.cli.reproduce.command import row_progress
from tactful.cli.reproduce.detests_lines import SHORT, TITLES, Answer, measured
from tactful.errors import UsageError
from tactful.files import atomic_folder
from tactful.settings import load_settings
from tactful.words import counted

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.detests_data import DetestsData
    from tactful.evaluation.reproduce.detests_tables import DetestsTables

ANSWER_FILE = "tables.json"
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
    """Train systems on the training part, answer the test part, and print ours beside theirs."""
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
    with ExitStack() as stack:
        # A folder that cannot be written is refused before the work, not after it.
        folder = (
            stack.enter_context(atomic_folder(output, force))
            if output is not None
            else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tactful-")))
        )
        found = reproduce_detests(
            stack, data, names, seed=seed, vectors=vectors, folder=folder, kept=output is not None
        )
        if output is not None:
            text = json.dumps(found.as_json(), ensure_ascii=False, indent=2)
            (folder / ANSWER_FILE).write_text(text + "\n", encoding="utf-8")
    if output_format == "json":
        echo_json(found.as_json())
    else:
        _show(found, output)


def reproduce_detests(
    stack: ExitStack,
    data: Path | None,
    names: Sequence[str],
    *,
    seed: int,
    vectors: Path | None,
    folder: Path,
    kept: bool,
) -> Answer:
    """Run the systems, write their files into ``folder``, and measure these as ``evaluate`` does.

    ``kept`` says whether the user gets the files; ``stack`` holds the progress bar.
    """
    from tactful.evaluation.reproduce.detests_data import read_detests
    from tactful.evaluation.reproduce.detests_run import run_systems, with_vectors
    from tactful.evaluation.reproduce.detests_systems import SystemSettings, chosen_systems
    from tactful.evaluation.reproduce.detests_tables import load_detests_tables

    chosen, settings = chosen_systems(names), load_settings()
    read = read_detests(data, settings)
    if read.gold is None and not kept:
        raise UsageError(
            "Found no gold file, so that nothing can be measured; add it to the folder (gold.csv "
            "or test_full.csv), or pass --output DIR to write the submission files."
        )
    asked, notes = SystemSettings(seed), list(read.notes)
    if vectors is not None:
        asked, note = with_vectors(asked, vectors, read)
        notes.append(note)
    progress = stack.enter_context(row_progress(settings.progress))
    runs = run_systems(chosen, read, asked, folder, progress)
    tables = load_detests_tables()
    lines = measured(read, runs, tables)
    notes += _notes(read, tables)
    files = sorted(path.name for run in runs for path in run.files.values())
    return Answer(
        tables,
        tuple(lines),
        tuple(notes),
        {run.system.name: run.reason for run in runs if run.reason is not None},
        tuple(files) if kept else (),
        {
            "systems": [system.name for system in chosen],
            "seed": seed,
            "vectors": vectors.name if vectors else None,
            "train": len(read.train),
            "test": len(read.test),
            "seconds": {
                run.system.name: round(run.seconds, 3) for run in runs if run.seconds is not None
            },
            "tactful": __version__,
        },
    )


def _notes(data: "DetestsData", tables: "DetestsTables") -> list[str]:
    notes = []
    if data.gold is None:
        notes.append("There is no gold file: submission files are written, nothing is measured.")
    elif not data.gold_has_categories:
        notes.append("Gold has no categories: subtask 1 is measured, subtask 2 is not.")
    if len(data.test) != tables.items:
        notes.append(
            f"The test part here has {counted(len(data.test), 'sentence')}, the paper's "
            f"{tables.items:,}: its numbers are of other data than ours."
        )
    notes.append(
        "Ours name 'others' where a stereotype is found and no category; the paper's baselines may "
        "have left it without one, so rows of subtask 2 can differ."
    )
    return notes


def _show(found: Answer, output: Path | None) -> None:
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
