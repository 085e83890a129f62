"""``tactful reproduce sbic-frames``: framers beside tables 4, 5 and 7 of Social Bias Frames."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tactful.cli.output import echo, echo_json, echo_sentence, table
from tactful.cli.reproduce.command import row_progress
from tactful.errors import UsageError
from tactful.files import atomic_path
from tactful.settings import load_settings

if TYPE_CHECKING:
    from tactful.evaluation.reproduce.frames import FrameLine, FrameReproduction

NOT_HERE = (
    "folds", "negatives", "grouped", "trust_weighted", "seed", "encoder", "download", "grid_search",
    "cache", "fresh",
)  # fmt: skip
"""Options that train the rows of other tables; framers come trained."""
_SHORT = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "bleu_2": "BLEU",
    "rouge_l": "ROUGE-L",
    "word_movers": "WMD",
    "mean_sentence_bleu_2": "mean BLEU",
    "best_reference_bleu_2": "best BLEU",
    "exact_match": "exact",
    "blank": "blank",
}


def reproduce_frames_cli(
    ctx: click.Context,
    data: Path | None,
    models: str,
    vectors: Path | None,
    output: Path | None,
    force: bool,
    output_format: str,
) -> None:
    """Run framers and print them beside the paper's."""
    from tactful.evaluation.reproduce.frames import reproduce_frames

    for name in NOT_HERE:
        if _given(ctx, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is for tables whose rows are trained here; framers of "
                "'sbic-frames' come trained; leave it out."
            )
    asked = models if _given(ctx, "models") else "default"
    names = [name.strip() for name in asked.split(",") if name.strip()]
    if not names:
        raise UsageError(
            "Found no name in --models; expected default, majority or folders, with commas."
        )
    if vectors is not None and not vectors.is_file():
        raise UsageError(f"{vectors}: there is no such file; expected word vectors.")
    settings = load_settings()
    with ExitStack() as stack:
        # A file that cannot be written is refused before the work, not after it.
        target = stack.enter_context(atomic_path(output, force)) if output else None
        found = reproduce_frames(
            data,
            names,
            vectors=vectors,
            settings=settings,
            on_progress=stack.enter_context(row_progress(settings.progress)),
        )
        if target is not None:
            text = json.dumps(found.as_json(), ensure_ascii=False, indent=2)
            target.write_text(text + "\n", encoding="utf-8")
    if output_format == "json":
        echo_json(found.as_json())
    else:
        _show(found)


def _given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE


def _show(found: "FrameReproduction") -> None:
    from tactful.evaluation.reproduce.frames import FURTHER_TEXTS, SHARES, TEXTS, TITLES

    click.echo(f"{found.tables.title}: {found.tables.id}")
    echo_sentence(f"{found.tables.paper}, {found.tables.place}.")
    for note in found.notes:
        echo_sentence(note, first="- ", others="  ")
    for number, title in TITLES.items():
        lines = [line for line in found.lines if line.table == number]
        measures = (*TEXTS, *FURTHER_TEXTS) if number == "5" else SHARES
        click.echo(f"\n{title}")
        head = ["variable", "whose", "model", "part", *(_SHORT[name] for name in measures)]
        ordered = sorted(lines, key=_by_variable(lines))
        echo(table(head, [_row(line, measures) for line in ordered], whole=head))
    reasons = dict.fromkeys(line.reason for line in found.lines if line.whose == "ours")
    told = [reason for reason in reasons if reason]
    if told:
        click.echo("\nUndefined:")
    for reason in told:
        echo_sentence(reason + ".", first="- ", others="  ")
    if found.absent:
        click.echo("\nNot run:")
    for name, reason in found.absent.items():
        echo_sentence(f"{name}: {reason}", first="- ", others="  ")


def _by_variable(lines: "Sequence[FrameLine]") -> "Callable[[FrameLine], tuple[int, bool]]":
    order = list(dict.fromkeys(line.variable for line in lines))
    return lambda line: (order.index(line.variable), line.everywhere)


def _row(line: "FrameLine", measures: Sequence[str]) -> list[str]:
    variable = line.variable.removeprefix("frame.").replace("_", " ")
    place = f"{variable}, all posts" if line.everywhere else variable
    return [place, line.whose, line.model, line.part, *(_number(line, name) for name in measures)]


def _number(line: "FrameLine", name: str) -> str:
    if not line.values:
        return "-"
    if name not in line.values:
        return ""
    value = line.values[name]
    return "undefined" if value is None else f"{value:.{2 if name == 'word_movers' else 1}f}"
