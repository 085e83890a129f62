"""``tactful reproduce sbic-frames``: framers beside tables 4, 5 and 7 of Social Bias Frames."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tactful.cli.options import given_options
from tactful.cli.output import echo, echo_answer, table
from tactful.settings import load_settings
from tactful_lab.cli.reproduce.shared import (
    answer_file,
    echo_list,
    echo_title,
    refuse_options,
    require_vectors,
    row_progress,
    split_names,
)

if TYPE_CHECKING:
    from tactful_lab.evaluation.reproduce.frames import FrameLine, FrameReproduction

NOT_HERE = (
    "folds", "negatives", "grouped", "trust_weighted", "seed", "encoder", "download", "grid_search",
    "cache", "fresh", "epochs", "batch", "rate", "max_tokens", "accumulate", "shots",
    "device", "limit", "curves",
)  # fmt: skip
"""Options that train the rows of other tables; framers are already trained."""
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


def reproduce_frames_cli(ctx: click.Context, options: Mapping[str, Any]) -> None:
    """Run framers and print their numbers beside the paper's."""
    from tactful_lab.evaluation.reproduce.frames import reproduce_frames

    why = "tables whose rows are trained here; framers of 'sbic-frames' are already trained"
    refuse_options(ctx, NOT_HERE, why)
    asked = options["models"] if "models" in given_options(ctx) else "default"
    expected = "default, majority, folders or chat:URL#MODEL, with commas"
    names = split_names(asked, "--models", expected)
    require_vectors(options["vectors"])
    settings = load_settings()
    with answer_file(options["output"], options["force"]) as write:
        with row_progress(settings.progress) as on_progress:
            found = reproduce_frames(
                options["data"],
                names,
                vectors=options["vectors"],
                settings=settings,
                key_variable=options["key_variable"],
                on_progress=on_progress,
            )
        write(found, _show)
    echo_answer(options["output_format"], found, _show)


def _show(found: "FrameReproduction") -> None:
    from tactful_lab.evaluation.reproduce.frames import FURTHER_TEXTS, SHARES, TEXTS, TITLES

    tables = found.tables
    echo_title(tables.title, tables.id, f"{tables.paper}, {tables.place}.", found.notes)
    for number, title in TITLES.items():
        lines = [line for line in found.lines if line.table == number]
        measures = (*TEXTS, *FURTHER_TEXTS) if number == "5" else SHARES
        click.echo(f"\n{title}")
        head = ["variable", "whose", "model", "part", *(_SHORT[name] for name in measures)]
        ordered = sorted(lines, key=_by_variable(lines))
        echo(table(head, [_row(line, measures) for line in ordered], whole=head))
    reasons = dict.fromkeys(line.reason for line in found.lines if line.whose == "ours")
    echo_list("Undefined:", [f"{reason}." for reason in reasons if reason])
    echo_list("Not run:", [f"{name}: {reason}" for name, reason in found.absent.items()])


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
